// SPDX-License-Identifier: Apache-2.0
// results/report/figures: a figure of the report: Plotly's own description of it, and what is said
// about it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/analysis/comparison.h"

namespace relbias::results {

using Json = nlohmann::json;

/// Each trace's `meta` tells the page's filters what it shows: {"encoding": name, "seed": number or
/// null, "role": "mean", "band" or "seed"}. Traces of a single seed are hidden until one is chosen.
struct Figure {
  std::string kind;  // "curves", "training", ...: with a number behind it, its file's name
  std::string title;
  std::string caption;  // what a reader who cannot see it should know
  Json data = Json::array();
  Json layout = Json::object();
};

/// How an encoding is drawn, the same in every figure: a colour of Okabe and Ito for each name, and
/// a marker and a dash for each form of it.
struct Style {
  std::string colour;
  std::string dash;
  int64_t symbol = 0;
};

/// The marker of a style as an outline: Plotly numbers it 100 higher.
inline int64_t open_symbol(const Style& style) { return style.symbol + 100; }

class Palette {
 public:
  explicit Palette(const std::vector<TaskRuns>& groups);
  /// Of a row of a table; of a label that no table has, in the colour of the encoding's name.
  Style style_of(const std::string& label, const std::string& name = "") const;
  /// Names in the order of their first use, with their colours.
  const std::vector<std::pair<std::string, std::string>>& names() const { return names_; }

 private:
  std::vector<std::pair<std::string, std::string>> names_;
  std::map<std::string, Style> styles_;
};

/// A trace of lines and points with the style and the `meta` of a row.
Json line_trace(const ComparisonRow& row, const Palette& palette);

/// The same for one seed, hidden.
Json seed_trace(const ComparisonRow& row, int64_t seed, const Palette& palette);

/// No figure shows more single seeds of a row than these.
inline constexpr size_t shown_seeds = 20;

/// An axis with a title: {"title": {"text": ...}}.
Json axis(const std::string& title);

}  // namespace relbias::results
