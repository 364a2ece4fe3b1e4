// SPDX-License-Identifier: Apache-2.0
// results/report/figures: how encodings are drawn.
#include "results/report/figures/figure.h"

#include <algorithm>
#include <array>

namespace relbias::results {
namespace {

// Of Okabe and Ito, which deuteranopes can tell; without yellow, which is lost on white, and with
// grey in place of black, which is lost on the dark page.
constexpr std::array<const char*, 7> colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                "#E69F00", "#56B4E9", "#8a8a8a"};
constexpr std::array<const char*, 5> dashes = {"solid", "dash", "dot", "dashdot", "longdash"};

}  // namespace

Palette::Palette(const std::vector<TaskRuns>& groups) {
  std::map<std::string, size_t> number_of_name;
  std::map<std::string, size_t> forms_of_name;
  for (const TaskRuns& group : groups) {
    for (const Repetitions& row : group.rows) {
      const std::string name = encoding_name(*row.runs.front());
      const auto [place, is_new] = number_of_name.emplace(name, names_.size());
      const std::string colour = colours.at(place->second % colours.size());
      if (is_new) names_.emplace_back(name, colour);
      if (styles_.contains(row.label)) continue;
      const size_t form = forms_of_name[name]++ + place->second / colours.size();
      styles_[row.label] = {colour, dashes.at(form % dashes.size()),
                            static_cast<int64_t>((place->second + form) % 20)};
    }
  }
}

Style Palette::style_of(const std::string& label, const std::string& name) const {
  const auto found = styles_.find(label);
  if (found != styles_.end()) return found->second;
  const auto known =
      std::ranges::find_if(names_, [&](const auto& one) { return one.first == name; });
  return {known == names_.end() ? colours.back() : known->second, dashes.front()};
}

Json line_trace(const ComparisonRow& row, const Palette& palette) {
  const Style style = palette.style_of(row.label);
  return {{"type", "scatter"},
          {"mode", "lines+markers"},
          {"name", row.label},
          {"legendgroup", row.label},
          {"line", {{"color", style.colour}, {"dash", style.dash}, {"width", 2}}},
          {"marker", {{"color", style.colour}, {"symbol", style.symbol}, {"size", 7}}},
          {"x", Json::array()},
          {"y", Json::array()},
          {"meta",
           {{"encoding", encoding_name(*row.repetitions->runs.front())},
            {"seed", nullptr},
            {"role", "mean"}}}};
}

Json seed_trace(const ComparisonRow& row, int64_t seed, const Palette& palette) {
  Json trace = line_trace(row, palette);
  trace["name"] = row.label + ", seed " + std::to_string(seed);
  trace["meta"]["seed"] = seed;
  trace["meta"]["role"] = "seed";
  trace["visible"] = false;
  return trace;
}

Json axis(const std::string& title) { return {{"title", {{"text", title}}}}; }

}  // namespace relbias::results
