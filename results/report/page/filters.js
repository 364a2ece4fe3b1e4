// SPDX-License-Identifier: Apache-2.0
// results/report/page: what is shown: modalities, encodings, single seeds.
const chosen = {modalities: new Set(data.filters.modalities), seed: null,
                encodings: new Set(data.filters.encodings.map(encoding => encoding.name))};

// Lines of single seeds stand in for means and bands once a seed is chosen.
function visibilityOf(trace) {
  const meta = trace.meta;
  if (!meta || !meta.encoding || isMatrix(trace)) return true;
  if (!chosen.encodings.has(meta.encoding)) return false;
  const isSeed = meta.role === "seed";
  const hasSeeds = meta.hasSeeds !== false;
  return chosen.seed === null || !hasSeeds ? !isSeed : isSeed && meta.seed === chosen.seed;
}

const isMatrix = trace => (trace.meta || {}).role === "matrix";

// Of a matrix of encodings against modalities the rows and columns that are chosen.
function shownPartOf(trace) {
  const hidden = data.filters.modalities.filter(name => !chosen.modalities.has(name));
  const columns = trace.x.flatMap((name, i) => hidden.includes(name) ? [] : [i]);
  const rows = trace.meta.encodings.flatMap((name, i) => chosen.encodings.has(name) ? [i] : []);
  const part = matrix => rows.map(row => columns.map(column => matrix[row][column]));
  return {x: columns.map(i => trace.x[i]), y: rows.map(i => trace.y[i]), z: part(trace.z), text: part(trace.text)};
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
    const figure = data.figures[id], plot = byId(id).querySelector(".plot");
    // What the legend switched off stays off.
    const visible = figure.data.map((trace, i) =>
      visibilityOf(trace) && plot.data[i].visible === "legendonly" ? "legendonly" : visibilityOf(trace));
    Plotly.restyle(plot, {visible});
    figure.data.forEach((trace, i) => {
      if (!isMatrix(trace)) return;
      const {x, y, z, text} = shownPartOf(trace);
      Plotly.restyle(plot, {x: [x], y: [y], z: [z], text: [text]}, [i]);
    });
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
  const seed = make("select", {id: "by-seed"}, make("option", {value: "mean", text: "mean of all"}));
  for (const value of data.filters.seeds) seed.append(make("option", {value, text: `seed ${value}`}));
  seed.addEventListener("change", () => {
    chosen.seed = seed.value === "mean" ? null : Number(seed.value);
    applyFilters();
  });
  form.append(modalities, encodings,
              make("fieldset", {}, make("legend", {text: "Seed"}), make("label", {}, "curves of ", seed)));
}
