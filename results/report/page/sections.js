// SPDX-License-Identifier: Apache-2.0
// results/report/page: the sections of the page, from top to bottom.
function fillOverview() {
  const {overview} = data;
  byId("source").textContent = overview.title;
  const states = Object.entries(overview.states).map(([state, count]) => `${count} ${state}`).join(", ");
  const modalities = Object.entries(overview.modalities).map(([name, count]) => `${name} ${count}`).join(", ");
  const section = byId("overview");
  const trials = overview.trials ? ` Beside them ${plural(overview.trials, "trial")} of a tuning.` : "";
  section.append(make("p", {text: `${plural(overview.runs, "run")}: ${states}. By modality: ${modalities}.${trials}`}));
  for (const problem of overview.problems) section.append(make("p", {class: "problem", text: "Left out: " + problem}));
  if (overview.studies.length) {
    section.append(tableOf({title: "Studies", facts: "What was asked", headings: ["study", "question", "expected", "cost"],
      rows: overview.studies.map(study => ({cells: [study.name, study.question, study.expected, study.cost].map(text => ({text}))}))}, true));
  }
}

function fillAdvice() {
  const section = byId("advice");
  section.append(make("p", {class: "faint", text: "Computed from the runs of this folder, not from opinion: tuned runs of three " +
    "seeds or more of benchmark tasks; the best score, and all that is not told from it."}));
  const cards = make("div", {class: "cards"});
  for (const advice of data.advice) {
    const list = make("dl");
    for (const {purpose, encoding, reason} of advice.choices) {
      list.append(make("dt", {text: purpose}), make("dd", {}, make("strong", {text: encoding}), " ", make("span", {class: "faint", text: reason})));
    }
    const card = make("article", {class: "card"}, make("h3", {text: advice.modality}), list,
      make("p", {class: "faint", text: advice.missing.length ? "No advice. Missing: " + advice.missing.join("; ")
        : `${plural(advice.tasks, "task")}, ${plural(advice.seeds, "seed")}`}));
    card.dataset.modality = advice.modality;
    cards.append(card);
  }
  section.append(data.advice.length ? cards : make("p", {text: "No task has two encodings whose numbers can be ranked."}));
}

function fillRanks() {
  const section = byId("ranks");
  for (const {table, figures} of data.standings) {
    section.append(make("h3", {text: table.title}), tableOf(table));
    for (const id of figures) section.append(figureOf(id));
  }
  if (!data.standings.length) section.append(make("p", {text: "Nothing to rank."}));
}

function fillClaims() {
  const section = byId("claims");
  if (!data.claims.length) {
    section.append(make("p", {text: "The studies of this folder claim nothing, or their files are not beside the runs."}));
    return;
  }
  const counts = ["holds", "fails", "undecided", "unlearned", "diverged", "one seed"].map(verdict =>
    `${data.claims.filter(claim => claim.verdict === verdict).length} ${verdict}`).join(", ");
  section.append(make("p", {text: `${plural(data.claims.length, "claim")}: ${counts}. A claim holds or fails where p, after Holm over all claims of its study, is at most .05.`}));
  const wrap = tableOf({title: "Claims", facts: "Orderings that the studies expect", headings: ["claim", "verdict", "evidence", "task", "why"],
    rows: data.claims.map(claim => ({cells: [claim.claim, claim.verdict, claim.evidence, claim.where, claim.why].map(text => ({text}))}))}, true);
  for (const cell of wrap.querySelectorAll("td:nth-child(2)")) {
    cell.className = "verdict " + ({holds: "holds", fails: "fails"}[cell.textContent] ?? "undecided");
  }
  section.append(wrap);
}

// Benchmark tasks, and gates in a section of their own.
function fillTasks() {
  byId("gates").append(make("p", {class: "faint", text: "Each isolates one ability, named above its table: no part of ranks, scores or advice."}));
  data.sections.forEach((section, number) => {
    const node = make("section", {id: `task-${number + 1}`}, make("h3", {text: section.title}));
    node.dataset.modality = section.modality;
    section.tables.forEach(table => {
      if (table.title !== section.title) node.append(make("h4", {text: table.title}));
      node.append(tableOf(table));
    });
    for (const id of section.figures) node.append(figureOf(id));
    if (section.biases.length) {
      const details = make("details", {}, make("summary", {text: `Learned tables per head (${section.biases.length})`}));
      details.addEventListener("toggle", () => {
        if (details.open && details.childElementCount === 1) for (const id of section.biases) details.append(biasOf(id));
      });
      node.append(details);
    }
    byId(section.gate ? "gates" : "tasks").append(node);
  });
  if (!byId("gates").querySelector("section")) byId("gates").remove();
  if (!byId("tasks").querySelector("section")) byId("tasks").append(make("p", {text: "No benchmark task."}));
}

function fillTuning() {
  const section = byId("tuning");
  for (const {table, figures} of data.tuning) {
    section.append(make("h3", {text: table.title}), tableOf(table));
    for (const id of figures) section.append(figureOf(id));
  }
  if (!data.tuning.length) section.remove();
}

function biasOf(id) {
  const node = figureOf(id);
  const meta = (data.figures[id].data[0] || {}).meta;
  if (meta) {
    node.dataset.encoding = meta.encoding;
    node.hidden = !chosen.encodings.has(meta.encoding);
  }
  return node;
}
