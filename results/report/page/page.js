// SPDX-License-Identifier: Apache-2.0
// results/report/page: puts everything in its place, once.
function fillContents() {
  const list = byId("contents");
  for (const section of document.querySelectorAll("main > section")) {
    list.append(make("li", {}, make("a", {href: "#" + section.id, text: section.querySelector("h2").textContent})));
    if (section.id !== "tasks" && section.id !== "gates") continue;
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
  for (const id of drawn) Plotly.relayout(byId(id).querySelector(".plot"), layoutOf(id));
}

markFiguresWithoutSeeds();
fillFilters();
fillOverview();
fillAdvice();
fillRanks();
fillClaims();
fillTasks();
fillTuning();
listRuns();
fillContents();
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  recolour();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
recolour();

// Paper shows what nobody has scrolled to.
addEventListener("beforeprint", () => {
  for (const figure of document.querySelectorAll("figure")) {
    if (drawn.has(figure.id)) continue;
    watcher.unobserve(figure);
    draw(figure.id);
  }
});

// Plotly comes last in the page, so that texts and tables do not wait for it.
addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll("figure")) watcher.observe(figure);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
});
