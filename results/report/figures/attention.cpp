// SPDX-License-Identifier: Apache-2.0
// results/report/figures: the distances that attention falls on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figures/figures.h"

namespace relbias::results {
namespace {

const Monitor* monitor_in(const RunRecord& run, const std::string& name) {
  const auto found = std::ranges::find(run.attention, name, &Monitor::name);
  return found == run.attention.end() ? nullptr : &*found;
}

// "4-7", "8+" of the last, "no distance" of pairs without one.
std::vector<std::string> bin_names(const Monitor& distance) {
  std::vector<std::string> names;
  for (size_t i = 0; i < distance.values.size(); ++i) {
    const double from = distance.values[i];
    const double next = i + 1 < distance.values.size() ? distance.values[i + 1] : -1;
    if (from < 0) {
      names.emplace_back("no distance");
    } else if (next < 0) {
      names.push_back(fmt::format("{:g}+", from));
    } else {
      names.push_back(next - from <= 1 ? fmt::format("{:g}", from)
                                       : fmt::format("{:g}-{:g}", from, next - 1));
    }
  }
  return names;
}

// Share [size, layer, head, distance] at one size, mean over layers and heads.
std::vector<double> mean_share(const Monitor& share, size_t size) {
  const auto bins = static_cast<size_t>(share.shape[3]);
  const auto parts = static_cast<size_t>(share.shape[1] * share.shape[2]);
  std::vector<double> mean(bins, 0);
  for (size_t part = 0; part < parts; ++part) {
    for (size_t bin = 0; bin < bins; ++bin) {
      mean[bin] += share.values[(size * parts + part) * bins + bin] / static_cast<double>(parts);
    }
  }
  return mean;
}

bool fits(const Monitor* share, const Monitor* distance, const Monitor* size) {
  return share != nullptr && distance != nullptr && size != nullptr && share->shape.size() == 4 &&
         share->shape[3] == static_cast<int64_t>(distance->values.size()) &&
         share->shape[0] == static_cast<int64_t>(size->values.size()) && share->shape[0] > 0;
}

void add_row(const ComparisonRow& row, const RunRecord& run, const Palette& palette, Json& data) {
  const Monitor* share = monitor_in(run, "share");
  const Monitor* distance = monitor_in(run, "distance");
  const Monitor* size = monitor_in(run, "size");
  if (!fits(share, distance, size)) return;
  const std::vector<std::string> names = bin_names(*distance);
  std::vector<size_t> sizes = {0};
  if (share->shape[0] > 1) sizes.push_back(static_cast<size_t>(share->shape[0] - 1));
  for (const size_t which : sizes) {
    Json trace = line_trace(row, palette);
    trace["name"] = fmt::format("{}, at {:g}", row.label, size->values[which]);
    if (which > 0) {
      trace["line"]["width"] = 1;
      trace["marker"]["symbol"] = open_symbol(palette.style_of(row.label));
    }
    trace["hovertemplate"] = "%{y:.1%} at distance %{x}<extra>%{fullData.name}</extra>";
    const std::vector<double> shares = mean_share(*share, which);
    for (size_t bin = 0; bin < shares.size(); ++bin) {
      trace["x"].push_back(names[bin]);
      // Softmax gives every key something: 0 is a distance that does not exist at this size.
      trace["y"].push_back(shares[bin] > 0 ? Json(shares[bin]) : Json(nullptr));
    }
    data.push_back(std::move(trace));
  }
}

// The distances that no key of any run has.
void leave_out_empty_bins(Json& traces, Json& order) {
  Json used = Json::array(), kept = Json::array();
  for (size_t bin = 0; bin < order.size(); ++bin) {
    used.push_back(std::ranges::any_of(
        traces, [&](const Json& trace) { return !trace["y"].at(bin).is_null(); }));
    if (used.back().get<bool>()) kept.push_back(order[bin]);
  }
  for (Json& trace : traces) {
    Json y = Json::array();
    for (size_t bin = 0; bin < order.size(); ++bin) {
      if (used[bin].get<bool>()) y.push_back(trace["y"][bin]);
    }
    trace["x"] = kept;
    trace["y"] = std::move(y);
  }
  order = std::move(kept);
}

}  // namespace

std::vector<Figure> attention_figures(const Comparison& comparison, const Palette& palette,
                                      const WholeRuns& whole) {
  Figure figure{.kind = "attention", .title = "share of attention by distance"};
  Json order;
  for (const ComparisonRow& row : comparison.rows) {
    const auto run = whole.find(row.repetitions);
    if (run == whole.end()) continue;
    const Monitor* distance = monitor_in(run->second, "distance");
    if (distance == nullptr) continue;
    const Json names = bin_names(*distance);
    if (!figure.data.empty() && order != names) continue;  // of another program, with other bins
    add_row(row, run->second, palette, figure.data);
    order = names;
  }
  if (figure.data.empty()) return {};
  leave_out_empty_bins(figure.data, order);
  figure.caption = fmt::format(
      "{}: the share of attention that falls on keys at each distance, mean over layers and heads; "
      "thick and filled at the smallest size of evaluation, thin and open at the largest. One run "
      "an "
      "encoding.",
      comparison.title);
  figure.layout["xaxis"] = axis("distance of the key");
  figure.layout["xaxis"]["type"] = "category";
  figure.layout["xaxis"]["categoryorder"] = "array";
  figure.layout["xaxis"]["categoryarray"] = order;
  figure.layout["yaxis"] = axis("share of attention");
  figure.layout["yaxis"]["tickformat"] = ".0%";
  return {figure};
}

}  // namespace relbias::results
