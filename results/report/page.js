// SPDX-License-Identifier: Apache-2.0
// results/report: fills the page from its data, draws figures when they come into view, filters.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

// make("p", {class: "x", text: "y"}, child, ...): texts are never read as HTML.
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== false && value !== "") node.setAttribute(name, value);
  }
  for (const child of children) if (child) node.append(child);
  return node;
}
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

// ---- tables ----

function cellOf(cell, first) {
  const node = make(first ? "th" : "td", {scope: first ? "row" : "", class: cell.best ? "best" : "", text: cell.text,
                                          title: cell.hint});
  if (cell.mark) node.append(" ", make("sup", {text: cell.mark}));
  if (cell.best) node.append(make("span", {class: "skip", text: " best"}));
  return node;
}

function tableOf(table, hasTexts = false) {
  const body = make("tbody");
  for (const row of table.rows) {
    const line = make("tr");
    if (row.encoding) line.dataset.encoding = row.encoding;
    row.cells.forEach((cell, i) => line.append(cellOf(cell, i === 0)));
    body.append(line);
  }
  const head = make("tr");
  for (const heading of table.headings) head.append(make("th", {scope: "col", text: heading}));
  const node = make("table", {class: hasTexts ? "texts" : ""}, make("caption", {text: table.facts || table.title}),
                    make("thead", {}, head), body);
  const notes = make("div", {class: "notes"});
  for (const note of table.notes || []) {
    notes.append(make("p", {}, note.mark ? make("sup", {text: note.mark + " "}) : "", note.text));
  }
  return make("div", {}, make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": table.title}, node), notes);
}

// ---- figures ----

const drawn = new Set();  // ids of figures that Plotly has drawn

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(name).trim();
  return {text: of("--text"), line: of("--line")};
}

// The figure's own layout, in the colours and the width of the page.
function layoutOf(figure, width) {
  const {text, line} = colours();
  const layout = JSON.parse(JSON.stringify(figure.layout));
  const narrow = width < 560;
  for (const key of Object.keys(layout)) {
    if (!/^[xy]axis\d*$/.test(key)) continue;
    Object.assign(layout[key], {gridcolor: line, zerolinecolor: line, automargin: true});
  }
  for (const note of layout.annotations || []) note.font = {color: text, size: 11};
  const many = figure.data.filter(trace => trace.visible !== false && trace.showlegend !== false).length > 1;
  return Object.assign({
    height: narrow ? 420 : 400, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: {color: text, size: 12, family: "system-ui, sans-serif"},
    margin: {l: narrow ? 45 : 65, r: 15, t: 25, b: 50},
    showlegend: many && !layout.coloraxis,
    legend: narrow ? {orientation: "h", y: -0.25} : {}, hovermode: "closest",
  }, layout);
}

function draw(id) {
  const node = byId(id);
  const figure = data.figures[id];
  const plot = node.querySelector(".plot");
  const traces = figure.data.map(trace => ({...trace, visible: visibilityOf(trace)}));
  drawn.add(id);
  return Plotly.newPlot(plot, traces, layoutOf(figure, node.clientWidth),
                        {responsive: true, displaylogo: false, displayModeBar: false});
}

// What a figure shows, as a table: for keyboards, screen readers and copying.
function dataTable(id) {
  const figure = data.figures[id];
  const rows = [];
  for (const trace of figure.data) {
    if (visibilityOf(trace) !== true || (trace.meta || {}).role === "band") continue;
    if (trace.z) {
      trace.z.forEach((line, i) => line.forEach((value, j) =>
        rows.push([trace.name || trace.y[i], trace.name ? `${trace.y[i]}, ${trace.x[j]}` : trace.x[j],
                   trace.text ? trace.text[i][j] : value])));
    } else {
      trace.x.forEach((x, i) => rows.push([trace.name, x, trace.y[i]]));
    }
  }
  const text = value => value === null ? "" : typeof value === "number" ? String(+value.toPrecision(5)) : String(value);
  return tableOf({title: figure.title, facts: figure.title, headings: ["series", "at", "value"],
                  rows: rows.slice(0, 2000).map(row => ({cells: row.map(value => ({text: text(value)}))}))});
}

function save(name, type, text) {
  const link = make("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  URL.revokeObjectURL(link.href);
}

function figureOf(id) {
  const figure = data.figures[id];
  const plot = make("div", {class: "plot", role: "img", "aria-label": figure.title + ". " + figure.caption});
  if (figure.layout.height) plot.style.minHeight = figure.layout.height + "px";
  const svg = make("button", {type: "button", text: "SVG"});
  svg.addEventListener("click", () => Plotly.downloadImage(plot, {format: "svg", filename: id, width: 900, height: 500}));
  const json = make("button", {type: "button", text: "JSON"});
  json.addEventListener("click", () =>
    save(id + ".json", "application/json", JSON.stringify({data: figure.data, layout: figure.layout})));
  const numbers = make("button", {type: "button", text: "Numbers", "aria-expanded": "false"});
  const tools = make("div", {class: "tools"}, svg, json, numbers);
  numbers.addEventListener("click", () => {
    const open = numbers.getAttribute("aria-expanded") === "true";
    numbers.setAttribute("aria-expanded", String(!open));
    if (open) tools.nextElementSibling.remove();
    else tools.after(dataTable(id).firstChild);
  });
  const node = make("figure", {id}, make("h4", {text: figure.title}), plot, make("figcaption", {text: figure.caption}), tools);
  node.dataset.modality = figure.modality;
  watcher.observe(node);
  return node;
}

const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watcher.unobserve(entry.target);
    draw(entry.target.id);
  }
}, {rootMargin: "300px"});

// ---- filters ----

const chosen = {modalities: new Set(data.filters.modalities), seed: null,
                encodings: new Set(data.filters.encodings.map(encoding => encoding.name))};

// Lines of single seeds stand in for means and bands once a seed is chosen.
function visibilityOf(trace) {
  const meta = trace.meta;
  if (!meta) return true;
  if (!chosen.encodings.has(meta.encoding)) return false;
  const isSeed = meta.role === "seed";
  const hasSeeds = meta.hasSeeds !== false;
  return chosen.seed === null || !hasSeeds ? !isSeed : isSeed && meta.seed === chosen.seed;
}

function markFiguresWithoutSeeds() {
  for (const figure of Object.values(data.figures)) {
    const hasSeeds = figure.data.some(trace => (trace.meta || {}).role === "seed");
    for (const trace of figure.data) if (trace.meta) trace.meta.hasSeeds = hasSeeds;
  }
}

function applyFilters() {
  for (const node of document.querySelectorAll("[data-modality]")) {
    node.hidden = node.dataset.modality !== "" && !chosen.modalities.has(node.dataset.modality);
  }
  for (const node of document.querySelectorAll("[data-encoding]")) {
    node.hidden = !chosen.encodings.has(node.dataset.encoding);
  }
  for (const id of drawn) {
    const figure = data.figures[id];
    Plotly.restyle(byId(id).querySelector(".plot"), {visible: figure.data.map(visibilityOf)});
  }
  listRuns();
  const parts = [];
  if (chosen.modalities.size < data.filters.modalities.length) parts.push(plural(chosen.modalities.size, "modality").replace("modalitys", "modalities"));
  if (chosen.encodings.size < data.filters.encodings.length) parts.push(plural(chosen.encodings.size, "encoding"));
  if (chosen.seed !== null) parts.push(`seed ${chosen.seed} in curves (tables and verdicts stay over all seeds)`);
  byId("filtered").textContent = parts.length ? "Shown: " + parts.join(", ") : "";
}

function choice(set, value, label, colour) {
  const box = make("input", {type: "checkbox", checked: true});
  box.addEventListener("change", () => {
    if (box.checked) set.add(value);
    else set.delete(value);
    applyFilters();
  });
  const swatch = colour && make("span", {class: "swatch", "aria-hidden": "true"});
  if (swatch) swatch.style.background = colour;
  return make("label", {}, box, swatch, label);
}

function allOrNone(fieldset) {
  const button = make("button", {type: "button", text: "all / none"});
  button.addEventListener("click", () => {
    const boxes = [...fieldset.querySelectorAll("input")];
    const to = boxes.some(box => !box.checked);
    for (const box of boxes) if (box.checked !== to) box.click();
  });
  return button;
}

function fillFilters() {
  const form = byId("filters");
  form.addEventListener("submit", event => event.preventDefault());
  const modalities = make("fieldset", {id: "by-modality"}, make("legend", {text: "Modality"}));
  for (const name of data.filters.modalities) modalities.append(choice(chosen.modalities, name, name));
  const encodings = make("fieldset", {id: "by-encoding"}, make("legend", {text: "Encoding"}));
  for (const {name, colour} of data.filters.encodings) encodings.append(choice(chosen.encodings, name, name, colour));
  encodings.append(allOrNone(encodings));
  const seed = make("select", {id: "by-seed"}, make("option", {value: "", text: "mean of all"}));
  for (const value of data.filters.seeds) seed.append(make("option", {value, text: `seed ${value}`}));
  seed.addEventListener("change", () => {
    chosen.seed = seed.value === "" ? null : Number(seed.value);
    applyFilters();
  });
  form.append(modalities, encodings,
              make("fieldset", {}, make("legend", {text: "Seed"}), make("label", {}, "curves of ", seed)));
}

// ---- sections ----

function fillOverview() {
  const {overview} = data;
  byId("source").textContent = overview.title;
  const states = Object.entries(overview.states).map(([state, count]) => `${count} ${state}`).join(", ");
  const modalities = Object.entries(overview.modalities).map(([name, count]) => `${name} ${count}`).join(", ");
  const section = byId("overview");
  section.append(make("p", {text: `${plural(overview.runs, "run")}: ${states}. By modality: ${modalities}.`}));
  for (const problem of overview.problems) section.append(make("p", {class: "problem", text: "Left out: " + problem}));
  if (overview.studies.length) {
    section.append(tableOf({title: "Studies", facts: "What was asked", headings: ["study", "question", "expected", "cost"],
      rows: overview.studies.map(study => ({cells: [study.name, study.question, study.expected, study.cost].map(text => ({text}))}))}, true));
  }
}

function fillAdvice() {
  const section = byId("advice");
  section.append(make("p", {class: "faint", text: "Computed from the runs of this folder, not from opinion: the best score " +
    "(share of the best of each task), and the fastest in training among those within 5 % of it."}));
  const cards = make("div", {class: "cards"});
  for (const advice of data.advice) {
    const list = make("dl");
    for (const {purpose, encoding, reason} of advice.choices) {
      list.append(make("dt", {text: purpose}), make("dd", {}, make("strong", {text: encoding}), " ", make("span", {class: "faint", text: reason})));
    }
    const card = make("article", {class: "card"}, make("h3", {text: advice.modality}), list,
      make("p", {class: "faint", text: `${plural(advice.tasks, "task")}, ${plural(advice.seeds, "seed")}` + (advice.caution ? `. ${advice.caution}` : "")}));
    card.dataset.modality = advice.modality;
    cards.append(card);
  }
  section.append(data.advice.length ? cards : make("p", {text: "No finished run has a metric with a direction."}));
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
  const counts = ["holds", "does not hold", "undecided"].map(verdict =>
    `${data.claims.filter(claim => claim.verdict === verdict).length} ${verdict}`).join(", ");
  section.append(make("p", {text: `${plural(data.claims.length, "claim")}: ${counts}. A verdict needs three common seeds; with three, all must agree.`}));
  const wrap = tableOf({title: "Claims", facts: "Orderings that the studies expect", headings: ["claim", "verdict", "evidence", "task", "why"],
    rows: data.claims.map(claim => ({cells: [claim.claim, claim.verdict, claim.evidence, claim.where, claim.why].map(text => ({text}))}))}, true);
  for (const cell of wrap.querySelectorAll("td:nth-child(2)")) {
    cell.className = "verdict " + {holds: "holds", "does not hold": "fails", undecided: "undecided"}[cell.textContent];
  }
  section.append(wrap);
}

function fillTasks() {
  const tasks = byId("tasks");
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
    tasks.append(node);
  });
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

// ---- runs ----

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

// ---- the whole ----

function fillContents() {
  const list = byId("contents");
  for (const section of document.querySelectorAll("main > section")) {
    list.append(make("li", {}, make("a", {href: "#" + section.id, text: section.querySelector("h2").textContent})));
    if (section.id !== "tasks") continue;
    for (const task of section.querySelectorAll("section")) {
      const item = make("li", {class: "deeper"}, make("a", {href: "#" + task.id, text: task.querySelector("h3").textContent}));
      item.dataset.modality = task.dataset.modality;
      list.append(item);
    }
  }
}

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function recolour() {
  byId("theme").setAttribute("aria-pressed", String(isDark()));
  for (const id of drawn) {
    const node = byId(id);
    Plotly.relayout(node.querySelector(".plot"), layoutOf(data.figures[id], node.clientWidth));
  }
}

markFiguresWithoutSeeds();
fillFilters();
fillOverview();
fillAdvice();
fillRanks();
fillClaims();
fillTasks();
listRuns();
fillContents();
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  recolour();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
recolour();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
