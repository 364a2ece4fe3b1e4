// SPDX-License-Identifier: Apache-2.0
// results/report/figures: encodings against modalities.
#include <fmt/format.h>

#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {

std::vector<Figure> rank_figures(const Standings& standings) {
  if (standings.rows.empty()) return {};
  Figure figure{.kind = "ranks",
                .title = fmt::format("ranks at {:.4g}x the training size", standings.factor)};
  std::vector<std::string> names, encodings, columns = standings.columns;
  columns.emplace_back("overall");
  std::vector<std::vector<double>> ranks;
  std::vector<std::vector<std::string>> texts;
  for (const StandingsRow& row : standings.rows) {
    names.push_back(row.encoding);
    encodings.push_back(row.name);
    ranks.emplace_back();
    texts.emplace_back();
    for (const Standing& cell : row.cells) {
      ranks.back().push_back(cell.rank);
      texts.back().push_back(cell.tasks > 0 ? fmt::format("{:.3g}", cell.rank) : cell.word);
    }
    ranks.back().push_back(row.rank);
    texts.back().push_back(std::isnan(row.rank) ? "" : fmt::format("{:.3g}", row.rank));
  }
  figure.data.push_back({{"type", "heatmap"},
                         {"meta", {{"role", "matrix"}, {"encodings", encodings}}},
                         {"x", columns},
                         {"y", names},
                         {"z", ranks},
                         {"text", texts},
                         {"texttemplate", "%{text}"},
                         {"hovertemplate", "%{y}, %{x}: %{text}<extra></extra>"},
                         {"colorscale", {{0, "#8fd6a8"}, {0.5, "#f1e3b0"}, {1, "#f0b3a3"}}},
                         {"textfont", {{"color", "#111"}}},
                         {"showscale", false},
                         {"xgap", 2},
                         {"ygap", 2}});
  figure.caption = fmt::format(
      "Mean rank of each encoding over the tasks of each modality at {:.4g} times the training "
      "size, as ranked among all of them; 1 is best.",
      standings.factor);
  figure.layout["yaxis"] = axis("");
  figure.layout["yaxis"]["autorange"] = "reversed";
  figure.layout["yaxis"]["automargin"] = true;
  figure.layout["xaxis"] = axis("");
  figure.layout["xaxis"]["side"] = "top";
  for (const char* side : {"xaxis", "yaxis"}) {  // no lines through the words
    figure.layout[side]["showgrid"] = false;
    figure.layout[side]["zeroline"] = false;
  }
  figure.layout["height"] = 120 + 34 * standings.rows.size();
  return {figure};
}

}  // namespace relbias::results
