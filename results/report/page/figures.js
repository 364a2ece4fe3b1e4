// SPDX-License-Identifier: Apache-2.0
// results/report/page: figures, drawn when they come into view, in the colours and the width of the page.
const drawn = new Set();  // ids of figures that Plotly has drawn

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(name).trim();
  return {text: of("--text"), line: of("--line")};
}

// The figure's own layout, in the colours and the width of the page.
function layoutOf(id) {
  const figure = data.figures[id];
  const width = byId(id).querySelector(".plot").clientWidth;
  const {text, line} = colours();
  const layout = JSON.parse(JSON.stringify(figure.layout));
  const narrow = width < 560;
  for (const key of Object.keys(layout)) {
    if (!/^[xy]axis\d*$/.test(key)) continue;
    Object.assign(layout[key], {gridcolor: line, zerolinecolor: line, automargin: true});
  }
  if (narrow && layout.grid && layout.grid.columns > 2) {
    const rows = Math.ceil(layout.grid.rows * layout.grid.columns / 2);
    layout.grid = {...layout.grid, rows, columns: 2};
    layout.height = 90 + 200 * rows;
  }
  for (const note of layout.annotations || []) note.font = {color: text, size: 11};
  const many = figure.data.filter(trace => trace.visible !== false && trace.showlegend !== false).length > 1;
  return Object.assign({
    width, height: narrow ? 420 : 400, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
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
  const traces = figure.data.map(trace =>
    ({...trace, ...(isMatrix(trace) ? shownPartOf(trace) : {}), visible: visibilityOf(trace)}));
  drawn.add(id);
  resized.observe(plot);
  return Plotly.newPlot(plot, traces, layoutOf(id), {displaylogo: false, displayModeBar: false});
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
  if (document.documentElement.dataset.ready) watcher.observe(node);
  return node;
}

const watcher = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watcher.unobserve(entry.target);
    draw(entry.target.id);
  }
}, {rootMargin: "300px"});

// Once a plot's own width has changed, not when its content has.
const resized = new ResizeObserver(entries => {
  for (const {target} of entries) {
    const width = target.clientWidth;
    if (width && target.layout && target.layout.width !== width) {
      requestAnimationFrame(() => Plotly.relayout(target, layoutOf(target.parentNode.id)));
    }
  }
});
