// SPDX-License-Identifier: Apache-2.0
// results/store: test samples and weights of a run in its file.
#include "results/store/run_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "modalities/plain/utf8.h"

namespace relbias::results {
namespace {

using nlohmann::json;

// A link's name may hold anything but a slash.
std::string link_name(std::string text) {
  std::ranges::replace(text, '/', '|');
  return plain::valid_utf8(text);
}

std::string column_name(const std::string& metric, const std::string& name, bool guess) {
  return fmt::format("{}{}.{}", metric, guess ? ".guess" : "", name);
}

// Columns without names are numbered.
std::vector<std::string> names_of(const SampleScores& scores) {
  std::vector<std::string> names = scores.names;
  for (size_t n = names.size(); n < scores.columns.size(); ++n) {
    names.push_back(fmt::format("{}", n + 1));
  }
  return names;
}

void add_columns(StoredTable& table, const SampleScores& scores, bool guess) {
  const auto& columns = guess ? scores.guesses : scores.columns;
  const std::vector<std::string> names = names_of(scores);
  for (size_t n = 0; n < columns.size(); ++n) {
    table.push_back({column_name(scores.metric, names.at(n), guess), columns[n]});
  }
}

// Metrics in their order with the names of their columns: the table's own names are for readers.
std::string metrics_of(const SampleSet& set) {
  json metrics = json::array();
  for (const SampleScores& scores : set.scores) {
    metrics.push_back({{"metric", scores.metric},
                       {"columns", names_of(scores)},
                       {"guesses", !scores.guesses.empty()}});
  }
  return metrics.dump();
}

// The samples in which something stands: not NaN in every column.
std::vector<std::vector<double>> with_target(const std::vector<std::vector<double>>& columns,
                                             const std::vector<std::vector<double>>& meant) {
  std::vector<std::vector<double>> found(columns.size());
  for (size_t row = 0; row < meant.front().size(); ++row) {
    const bool any = std::ranges::any_of(
        meant, [&](const std::vector<double>& column) { return !std::isnan(column[row]); });
    for (size_t c = 0; any && c < columns.size(); ++c) found[c].push_back(columns[c][row]);
  }
  return found;
}

std::vector<std::vector<double>> columns_of(const StoredTable& table, const SampleScores& scores,
                                            bool guess) {
  std::vector<std::vector<double>> columns;
  for (const std::string& name : scores.names) {
    columns.push_back(column_in<double>(table, column_name(scores.metric, name, guess)));
  }
  return columns;
}

}  // namespace

StoredDataset stored_samples(const SampleSet& set, bool is_last) {
  StoredTable table = {{source_column, set.sources}};
  for (const SampleScores& scores : set.scores) {
    add_columns(table, scores, false);
    add_columns(table, scores, true);
  }
  const std::string condition = set.condition.empty() ? "" : " " + link_name(set.condition);
  const std::string step = is_last ? "" : fmt::format(", step {}", set.step);
  const auto samples = static_cast<int64_t>(set.sources.size());
  return {.path = fmt::format("samples/{}{}{}", set.size, condition, step),
          .data = std::move(table),
          .attributes = {{"samples", samples},
                         {"size", set.size},
                         {"condition", set.condition},
                         {"step", set.step},
                         {"hash", set.hash},
                         {"unit", set.unit},
                         {"metrics", metrics_of(set)}},
          .compressed = true};
}

SampleSet sample_set_of(const StoredDataset& dataset) {
  const auto& table = held<const StoredTable>(dataset.data, "it");
  SampleSet set;
  set.size = attribute_in<int64_t>(dataset.attributes, "size");
  set.condition = attribute_in<std::string>(dataset.attributes, "condition");
  set.step = attribute_in<int64_t>(dataset.attributes, "step");
  set.hash = attribute_in<std::string>(dataset.attributes, "hash");
  set.unit = attribute_in<std::string>(dataset.attributes, "unit");
  try {
    for (const json& metric :
         json::parse(attribute_in<std::string>(dataset.attributes, "metrics"))) {
      SampleScores& scores = set.scores.emplace_back();
      metric.at("metric").get_to(scores.metric);
      metric.at("columns").get_to(scores.names);
      scores.columns = columns_of(table, scores, false);
      if (metric.at("guesses").get<bool>()) scores.guesses = columns_of(table, scores, true);
    }
  } catch (const json::exception& error) {
    throw StoreError(fmt::format("attribute 'metrics': {}", error.what()));
  }
  const auto source = std::ranges::find(table, source_column, &StoredColumn::name);
  if (source != table.end()) {
    set.sources = held<const std::vector<std::string>>(source->values, "column 'source'");
    return set;
  }
  for (SampleScores& scores : set.scores) {  // nothing has to be told of the others any more
    if (scores.columns.empty()) continue;
    scores.guesses = with_target(scores.guesses, scores.columns);
    scores.columns = with_target(scores.columns, scores.columns);
  }
  return set;
}

StoredDataset stored_weights(const Weights& weights) {
  return {.path = "model/" + link_name(weights.name),
          .data = StoredArray{weights.shape, weights.values},
          .attributes = {{"weights", weights.name}},
          .compressed = true};
}

Weights weights_of(StoredDataset& dataset) {
  auto& array = held<StoredArray>(dataset.data, "it");
  return {.name = attribute_in<std::string>(dataset.attributes, "weights"),
          .shape = array.shape,
          .values = std::move(held<std::vector<float>>(array.values, "it"))};
}

}  // namespace relbias::results
