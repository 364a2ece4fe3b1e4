// SPDX-License-Identifier: Apache-2.0
// results: how fields are stored, and the rules that every record keeps, before it is written and
// after it is read.
#include "results/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "modalities/plain/utf8.h"

namespace relbias::results {
namespace {

constexpr double most_times = 1e9;  // the training size

// Whether a text can name a file and an HDF5 link.
bool is_name(const std::string& text) {
  return !text.empty() && text != "." && text != ".." &&
         text.find_first_of(std::string("/\0", 2)) == std::string::npos;
}

std::string problem_with_train(const std::vector<TrainRow>& rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].step <= rows[i - 1].step) {
      return fmt::format("train: step {} follows step {}; steps must increase", rows[i].step,
                         rows[i - 1].step);
    }
  }
  return {};
}

std::string problem_with_evaluation(const std::vector<EvaluationRow>& rows) {
  std::set<std::tuple<int64_t, std::string_view, std::string_view, int64_t>> seen;
  for (const EvaluationRow& row : rows) {
    const std::string where =
        fmt::format("evaluation: metric '{}' at size {}{}{}", row.metric, row.size,
                    row.condition.empty() ? "" : ", ", row.condition);
    if (row.metric.empty()) return where + " has no name";
    if (!seen.insert({row.size, row.condition, row.metric, row.step}).second)
      return where + " stands twice";
    if (!row.defined && row.reason.empty()) return where + " is undefined without a reason";
    if (!std::isnan(row.factor) && !(row.factor > 0 && row.factor <= most_times)) {
      return fmt::format("{}: factor {} found, above 0 and at most {:g} expected", where,
                         row.factor, most_times);
    }
  }
  return {};
}

std::string problem_with_array(const std::vector<std::string>& dimensions,
                               const std::vector<int64_t>& shape, size_t values) {
  if (dimensions.size() != shape.size()) {
    return fmt::format("{} dimension names for {} dimensions", dimensions.size(), shape.size());
  }
  for (const std::string& dimension : dimensions) {
    if (dimension.empty() || dimension.find(',') != std::string::npos) {
      return fmt::format("'{}' is no name for a dimension", dimension);
    }
  }
  uint64_t product = 1;
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(product, static_cast<uint64_t>(extent), &product)) {
      return fmt::format("impossible shape ({})", fmt::join(shape, ", "));
    }
  }
  if (product != values) {
    return fmt::format("{} values for shape ({})", values, fmt::join(shape, ", "));
  }
  return {};
}

std::string problem_with_rows(const LearnedTable& table) {
  const auto relation = std::ranges::find(table.dimensions, "relation");
  const bool has_relation = relation != table.dimensions.end();
  if (!has_relation) {
    const bool bare = table.axes.empty() && table.coordinates.empty() && table.labels.empty();
    return bare ? "" : "axes or labels, but no dimension called 'relation'";
  }
  const auto rows = static_cast<size_t>(table.shape[relation - table.dimensions.begin()]);
  if (table.coordinates.size() != rows * table.axes.size()) {
    return fmt::format("{} coordinates for {} rows and {} axes", table.coordinates.size(), rows,
                       table.axes.size());
  }
  if (!table.labels.empty() && table.labels.size() != rows) {
    return fmt::format("{} labels for {} rows", table.labels.size(), rows);
  }
  if (!table.attended.empty() && table.attended.size() != rows) {
    return fmt::format("attended of {} rows for {}", table.attended.size(), rows);
  }
  std::set<std::string_view> columns = {"label"};
  for (const std::string& axis : table.axes) {
    if (axis.empty() || !columns.insert(axis).second) {
      return fmt::format("'{}' is no name for an axis", axis);
    }
  }
  return {};
}

// Where sources were not read, the first column says how many samples there are.
std::string problem_with_scores(const SampleScores& scores, size_t samples) {
  if (!scores.names.empty() && scores.names.size() != scores.columns.size()) {
    return fmt::format("{} names for {} columns", scores.names.size(), scores.columns.size());
  }
  if (!scores.guesses.empty() && scores.guesses.size() != scores.columns.size()) {
    return fmt::format("{} columns of guesses for {} columns", scores.guesses.size(),
                       scores.columns.size());
  }
  for (const auto* columns : {&scores.columns, &scores.guesses}) {
    for (const auto& column : *columns) {
      if (column.size() != samples)
        return fmt::format("{} values for {} samples", column.size(), samples);
    }
  }
  return {};
}

std::string problem_with_samples(const std::vector<SampleSet>& sets) {
  std::set<std::tuple<int64_t, std::string_view, int64_t>> seen;
  for (const SampleSet& set : sets) {
    const std::string where =
        fmt::format("samples/{}{}{}: ", set.size, set.condition.empty() ? "" : " ", set.condition);
    if (!seen.insert({set.size, set.condition, set.step}).second) return where + "stands twice";
    for (const SampleScores& scores : set.scores) {
      size_t samples = set.sources.size();
      if (samples == 0 && !scores.columns.empty()) samples = scores.columns.front().size();
      const std::string problem = problem_with_scores(scores, samples);
      if (!problem.empty()) return where + scores.metric + ": " + problem;
    }
  }
  return {};
}

std::string problem_with_weights(const std::vector<Weights>& all) {
  std::set<std::string_view> names;
  for (const Weights& weights : all) {
    const std::string where = fmt::format("model/{}: ", weights.name);
    if (!is_name(weights.name)) return where + "weights need a name, without '/'";
    if (!names.insert(weights.name).second) return where + "stands twice";
    const std::vector<std::string> dimensions(weights.shape.size(), "any");
    const auto problem = problem_with_array(dimensions, weights.shape, weights.values.size());
    if (!problem.empty()) return where + problem;
  }
  return {};
}

std::string problem_with_table(const LearnedTable& table) {
  if (!is_name(table.layer) || !is_name(table.term) || table.term.ends_with(".rows")) {
    return "a layer and a term need names of their own, without '/'";
  }
  const std::string array = problem_with_array(table.dimensions, table.shape, table.values.size());
  return array.empty() ? problem_with_rows(table) : array;
}

template <typename Use>
void read_json(const std::string& text, const char* expected, Use&& use) {
  try {
    use(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw StoreError(fmt::format("it is no JSON {}: {}", expected, error.what()));
  }
}

}  // namespace

std::string stored(const std::map<std::string, std::string>& value) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [key, text] : value) json[valid_utf8(key)] = valid_utf8(text);
  return json.dump();
}

std::string stored(const std::vector<std::string>& value) {
  nlohmann::json json = nlohmann::json::array();
  for (const std::string& text : value) json.push_back(valid_utf8(text));
  return json.dump();
}

std::string stored(const std::vector<RecordedPosition>& value) {
  nlohmann::json json = nlohmann::json::array();
  for (const RecordedPosition& position : value) {
    json.push_back({{"encoding", position.encoding},
                    {"options", position.options},
                    {"relation", position.relation},
                    {"relation_options", position.relation_options},
                    {"encoding_version", position.encoding_version},
                    {"relation_version", position.relation_version}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void restore(const std::string& text, RunStatus& field) {
  const auto found = std::ranges::find(status_names, text);
  if (found == status_names.end()) {
    throw StoreError(fmt::format("it is '{}', expected {}", text, fmt::join(status_names, ", ")));
  }
  field = static_cast<RunStatus>(found - status_names.begin());
}

void restore(const std::string& text, std::map<std::string, std::string>& field) {
  read_json(text, "object of texts", [&](const nlohmann::json& json) { json.get_to(field); });
}

void restore(const std::string& text, std::vector<std::string>& field) {
  read_json(text, "array of texts", [&](const nlohmann::json& json) { json.get_to(field); });
}

void restore(const std::string& text, std::vector<RecordedPosition>& field) {
  read_json(text, "array of positions", [&](const nlohmann::json& json) {
    for (const nlohmann::json& position : json) {
      RecordedPosition& to = field.emplace_back();
      position.at("encoding").get_to(to.encoding);
      position.at("options").get_to(to.options);
      position.at("relation").get_to(to.relation);
      position.at("relation_options").get_to(to.relation_options);
      position.at("encoding_version").get_to(to.encoding_version);
      position.at("relation_version").get_to(to.relation_version);
    }
  });
}

std::string problem_with(const RunRecord& run) {
  if (run.schema_version != current_schema && run.schema_version != 1) {
    return fmt::format("schema version {}, this program knows 1 and {}", run.schema_version,
                       current_schema);
  }
  if (!is_name(run.run_id)) return fmt::format("run_id '{}' cannot name a file", run.run_id);
  if (run.better != "lower" && run.better != "higher" && !run.better.empty()) {
    return fmt::format("better is '{}', expected 'lower', 'higher' or nothing", run.better);
  }
  if (auto problem = problem_with_train(run.train); !problem.empty()) return problem;
  if (auto problem = problem_with_evaluation(run.evaluation); !problem.empty()) return problem;

  if (auto problem = problem_with_samples(run.samples); !problem.empty()) return problem;
  if (auto problem = problem_with_weights(run.weights); !problem.empty()) return problem;

  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const LearnedTable& table : run.tables) {
    const std::string where = fmt::format("encoding/{}/{}: ", table.layer, table.term);
    if (!names.insert({table.layer, table.term}).second) return where + "stands twice";
    if (auto problem = problem_with_table(table); !problem.empty()) return where + problem;
  }
  for (const Monitor& monitor : run.attention) {
    const std::string where = fmt::format("attention/{}: ", monitor.name);
    if (!is_name(monitor.name)) return where + "a monitor needs a name, without '/'";
    if (!names.insert({"", monitor.name}).second) return where + "stands twice";
    auto problem = problem_with_array(monitor.dimensions, monitor.shape, monitor.values.size());
    if (!problem.empty()) return where + problem;
  }
  return {};
}

}  // namespace relbias::results
