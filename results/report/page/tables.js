// SPDX-License-Identifier: Apache-2.0
// results/report/page: the data of the page, and tables made of it.
"use strict";
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

function cellOf(cell, first) {
  const node = make(first ? "th" : "td", {scope: first ? "row" : "", class: cell.best ? "best" : cell.grey ? "grey" : "", text: cell.text,
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
