// SPDX-License-Identifier: Apache-2.0
// results/report/figures: what encodings learned, per head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

constexpr size_t shown_heads = 8;
constexpr size_t shown_offsets = 600;

// [H, R]: a table's values, or the lengths of its vectors.
struct HeadRows {
  size_t heads = 0;
  size_t rows = 0;
  std::vector<double> values;

  double at(size_t head, size_t row) const { return values[head * rows + row]; }
};

HeadRows head_rows(const LearnedTable& table) {
  const auto size = [&](size_t dimension) { return static_cast<size_t>(table.shape[dimension]); };
  HeadRows result{size(0), size(1), {}};
  const size_t width = table.shape.size() == 3 ? size(2) : 1;
  for (size_t i = 0; i < result.heads * result.rows; ++i) {
    if (table.shape.size() == 2) {
      result.values.push_back(table.values[i]);
      continue;
    }
    double squares = 0;
    for (size_t d = 0; d < width; ++d) {
      squares += static_cast<double>(table.values[i * width + d]) * table.values[i * width + d];
    }
    result.values.push_back(std::sqrt(squares));
  }
  return result;
}

bool can_be_drawn(const LearnedTable& table) {
  const bool shaped = (table.dimensions.size() == 2 || table.dimensions.size() == 3) &&
                      table.dimensions[0] == "head" && table.dimensions[1] == "relation";
  const bool empty = std::ranges::find(table.shape, 0) != table.shape.end();
  return shaped && !empty && (table.axes.size() == 1 || table.axes.size() == 2);
}

// A row that some query may attend by: of the others nothing was learned.
bool is_shown(const LearnedTable& table, size_t row) {
  return table.attended.empty() || table.attended[row];
}

Json head_trace(size_t head) {
  return {{"name", fmt::format("head {}", head)},
          {"x", Json::array()},
          {"y", Json::array()},
          {"hovertemplate", "%{y:.4g} at %{x}<extra>%{fullData.name}</extra>"}};
}

// Bars where the axis is a count (hops), which has special rows beside it; a curve where it has a
// sign.
void draw_line(const LearnedTable& table, const HeadRows& rows, Figure& figure) {
  const bool bars = table.axes[0] != "offset";
  const size_t stride = bars ? 1 : rows.rows / shown_offsets + 1;
  for (size_t head = 0; head < std::min(rows.heads, shown_heads); ++head) {
    Json trace = head_trace(head);
    trace["type"] = bars ? "bar" : "scatter";
    if (!bars) trace["mode"] = "lines";
    for (size_t row = 0; row < rows.rows; row += stride) {
      const double place = table.coordinates[row];
      const bool special = std::isnan(place);
      if (!is_shown(table, row) || (special && (!bars || table.labels.empty()))) continue;
      if (bars) {
        trace["x"].push_back(special ? table.labels[row] : fmt::format("{:g}", place));
      } else {
        trace["x"].push_back(place);
      }
      trace["y"].push_back(rows.at(head, row));
    }
    figure.data.push_back(std::move(trace));
  }
  figure.layout["xaxis"] = axis(table.axes[0]);
  if (bars) figure.layout["xaxis"]["type"] = "category";
  figure.layout["yaxis"] = axis(table.shape.size() == 3 ? "length of the vector" : "score");
}

// The distinct places along one of two axes.
std::vector<double> places_along(const LearnedTable& table, size_t which) {
  std::vector<double> places;
  for (size_t i = which; i < table.coordinates.size(); i += 2) {
    if (!std::isnan(table.coordinates[i])) places.push_back(table.coordinates[i]);
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

size_t index_in(const std::vector<double>& places, double place) {
  return static_cast<size_t>(std::ranges::lower_bound(places, place) - places.begin());
}

Json head_map(const LearnedTable& table, const HeadRows& rows, size_t head) {
  const std::vector<double> down = places_along(table, 0), right = places_along(table, 1);
  std::vector<std::vector<double>> map(down.size(), std::vector<double>(right.size(), not_given));
  for (size_t row = 0; row < rows.rows; ++row) {
    const double y = table.coordinates[2 * row], x = table.coordinates[2 * row + 1];
    if (!is_shown(table, row) || std::isnan(x) || std::isnan(y)) continue;
    map[index_in(down, y)][index_in(right, x)] = rows.at(head, row);
  }
  Json trace = head_trace(head);
  trace["type"] = "heatmap";
  trace["x"] = right;
  trace["y"] = down;
  trace["z"] = map;
  trace["coloraxis"] = "coloraxis";
  trace["hovertemplate"] = fmt::format("%{{z:.4g}} at {} %{{y}}, {} %{{x}}<extra>head {}</extra>",
                                       table.axes[0], table.axes[1], head);
  return trace;
}

// One map a head, side by side.
void draw_maps(const LearnedTable& table, const HeadRows& rows, Figure& figure) {
  const size_t heads = std::min(rows.heads, shown_heads);
  const size_t columns = std::min<size_t>(heads, 4), lines = (heads + columns - 1) / columns;
  figure.layout["grid"] = {{"rows", lines}, {"columns", columns}, {"pattern", "independent"}};
  double largest = 0;
  for (const double value : rows.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  figure.layout["coloraxis"] = {{"colorscale", "RdBu"}, {"cmin", -largest}, {"cmax", largest}};
  for (size_t head = 0; head < heads; ++head) {
    Json trace = head_map(table, rows, head);
    const std::string number = head == 0 ? "" : std::to_string(head + 1);
    trace["xaxis"] = "x" + number;
    trace["yaxis"] = "y" + number;
    figure.data.push_back(std::move(trace));
    figure.layout["xaxis" + number] = axis(fmt::format("{}, head {}", table.axes[1], head));
    figure.layout["yaxis" + number] = axis(head % columns == 0 ? table.axes[0] : "");
    figure.layout["yaxis" + number]["autorange"] = "reversed";  // down is down
  }
  figure.layout["height"] = 90 + 240 * lines;
}

Figure figure_of(const LearnedTable& table, const ComparisonRow& row, const RunRecord& run) {
  Figure figure{.kind = "bias",
                .title = fmt::format("{}: {}, layer {}", row.label, table.term, table.layer)};
  const HeadRows rows = head_rows(table);
  if (table.axes.size() == 1) {
    draw_line(table, rows, figure);
  } else {
    draw_maps(table, rows, figure);
  }
  for (Json& trace : figure.data) {
    trace["meta"] = {{"encoding", encoding_name(run)}, {"seed", nullptr}, {"role", "mean"}};
  }
  figure.caption = fmt::format(
      "What {} learned as its {} table in layer {} over {}, one {} a head{}; seed {}.", row.label,
      table.term, table.layer, fmt::join(table.axes, " and "),
      table.axes.size() == 2      ? "map"
      : table.axes[0] == "offset" ? "curve"
                                  : "set of bars",
      rows.heads > shown_heads ? fmt::format(" (the first {} of {})", shown_heads, rows.heads) : "",
      run.seed);
  return figure;
}

}  // namespace

std::vector<Figure> bias_figures(const Comparison& comparison, const WholeRuns& whole) {
  std::vector<Figure> figures;
  for (const ComparisonRow& row : comparison.rows) {
    const auto run = whole.find(row.repetitions);
    if (run == whole.end()) continue;
    for (const LearnedTable& table : run->second.tables) {
      if (can_be_drawn(table)) figures.push_back(figure_of(table, row, run->second));
    }
  }
  return figures;
}

}  // namespace relbias::results
