// SPDX-License-Identifier: Apache-2.0
// results/report: what is shown: modalities, encodings, single seeds.
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
  const seed = make("select", {id: "by-seed"}, make("option", {value: "mean", text: "mean of all"}));
  for (const value of data.filters.seeds) seed.append(make("option", {value, text: `seed ${value}`}));
  seed.addEventListener("change", () => {
    chosen.seed = seed.value === "mean" ? null : Number(seed.value);
    applyFilters();
  });
  form.append(modalities, encodings,
              make("fieldset", {}, make("legend", {text: "Seed"}), make("label", {}, "curves of ", seed)));
}
