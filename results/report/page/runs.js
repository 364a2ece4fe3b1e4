// SPDX-License-Identifier: Apache-2.0
// results/report/page: every run with its settings and its environment.
let shownRuns = 100;

function runDetails(run) {
  const environment = data.runs.environments[run.environment];
  const lines = object => Object.entries(object).map(([key, value]) => `${key} = ${value}`).join("\n");
  const versions = Object.entries(environment.versions).map(([key, value]) => `${key} ${value}`).join(", ");
  return make("td", {colspan: 8},
    run.message ? make("p", {class: "problem", text: run.message}) : "",
    make("p", {class: "faint", text: `commit ${environment.commit}; ${versions}; ${environment.device}, ${plural(environment.threads, "thread")}, attention: ${environment.backend}; ${run.parameters} parameters, ${run.position} of them of the encoding`}),
    make("p", {class: "faint", text: "Its own settings"}), make("pre", {text: lines(run.settings) || "none"}),
    make("p", {class: "faint", text: `Settings that all runs of ${run.study} share`}), make("pre", {text: lines(data.runs.shared[run.study])}));
}

function runRow(run) {
  const button = make("button", {type: "button", text: run.id, "aria-expanded": "false"});
  const row = make("tr", {}, make("th", {scope: "row"}, button));
  for (const text of [run.study, run.modality, run.task, run.label, run.seed, run.status, run.seconds ?? ""]) row.append(make("td", {text}));
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) row.nextElementSibling.remove();
    else row.after(make("tr", {}, runDetails(run)));
  });
  return row;
}

function listRuns() {
  const section = byId("runs");
  const runs = data.runs.list.filter(run => chosen.modalities.has(run.modality) && chosen.encodings.has(run.encoding) &&
                                            (chosen.seed === null || run.seed === chosen.seed));
  const body = make("tbody");
  for (const run of runs.slice(0, shownRuns)) body.append(runRow(run));
  const head = make("tr");
  for (const heading of ["run", "study", "modality", "task", "encoding", "seed", "status", "seconds"]) head.append(make("th", {scope: "col", text: heading}));
  const table = make("table", {class: "texts", id: "run-table"}, make("caption", {text: `${plural(runs.length, "run")}, each with its settings and environment`}),
                     make("thead", {}, head), body);
  const more = make("button", {type: "button", text: `Show more (${runs.length - shownRuns} left)`, hidden: runs.length <= shownRuns});
  more.addEventListener("click", () => { shownRuns += 500; listRuns(); });
  while (section.childElementCount > 1) section.lastChild.remove();
  section.append(make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "Runs"}, table), more);
}
