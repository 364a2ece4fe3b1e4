// SPDX-License-Identifier: Apache-2.0
// results: every attribute and column of a run file, named once. Writer, reader and csv
// walk these lists; schema.md explains them.
#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>

#include "results/record.h"

namespace relbias::results {

/// In the order of RunStatus.
inline constexpr std::array<std::string_view, 4> status_names = {"running", "done", "failed",
                                                                 "diverged"};

inline std::string_view to_string(RunStatus status) {
  return status_names.at(static_cast<size_t>(status));
}

/// What stands in the file for a field: an int64, a double or a text. A status is its name,
/// versions and settings are JSON objects, lists JSON arrays. restore() is the inverse and throws
/// StoreError for a text that says no such thing.
inline int64_t stored(int64_t value) { return value; }
inline double stored(double value) { return value; }
inline std::string stored(const std::string& value) { return value; }
inline std::string stored(RunStatus value) { return std::string(to_string(value)); }
std::string stored(const std::map<std::string, std::string>& value);
std::string stored(const std::vector<std::string>& value);
std::string stored(const std::vector<RecordedPosition>& value);

template <typename Value>
void restore(const Value& value, Value& field) {
  field = value;
}
void restore(const std::string& text, RunStatus& field);
void restore(const std::string& text, std::map<std::string, std::string>& field);
void restore(const std::string& text, std::vector<std::string>& field);
void restore(const std::string& text, std::vector<RecordedPosition>& field);

/// visit(name, member pointer) for each root attribute.
template <typename Visit>
void visit_attributes(Visit&& visit) {
  visit("schema_version", &RunRecord::schema_version);
  visit("run_id", &RunRecord::run_id);
  visit("identity", &RunRecord::identity);
  visit("role", &RunRecord::role);
  visit("study", &RunRecord::study);
  visit("status", &RunRecord::status);
  visit("message", &RunRecord::message);
  visit("config", &RunRecord::config);
  visit("settings", &RunRecord::settings);
  visit("tuning", &RunRecord::tuning);
  visit("commit", &RunRecord::commit);
  visit("uncommitted", &RunRecord::uncommitted);
  visit("versions", &RunRecord::versions);
  visit("device", &RunRecord::device);
  visit("cpu", &RunRecord::cpu);
  visit("continued", &RunRecord::continued);
  visit("threads", &RunRecord::threads);
  visit("parameters_total", &RunRecord::parameters_total);
  visit("parameters_position", &RunRecord::parameters_position);
  visit("started", &RunRecord::started);
  visit("finished", &RunRecord::finished);
  visit("wall_seconds", &RunRecord::wall_seconds);
  visit("modality", &RunRecord::modality);
  visit("task", &RunRecord::task);
  visit("task_kind", &RunRecord::task_kind);
  visit("ability", &RunRecord::ability);
  visit("past_clip", &RunRecord::past_clip);
  visit("dataset", &RunRecord::dataset);
  visit("dataset_hash", &RunRecord::dataset_hash);
  visit("dataset_report", &RunRecord::dataset_report);
  visit("relation", &RunRecord::relation);
  visit("encoding", &RunRecord::encoding);
  visit("positions", &RunRecord::positions);
  visit("backend", &RunRecord::backend);
  visit("seed", &RunRecord::seed);
  visit("train_size", &RunRecord::train_size);
  visit("primary_metric", &RunRecord::primary_metric);
  visit("better", &RunRecord::better);
  visit("ceiling", &RunRecord::ceiling);
}

/// Attributes and columns of evaluations that files of schema 1 lack.
inline constexpr std::array<std::string_view, 10> later_attributes = {
    "dataset_report", "identity", "role",      "settings",  "tuning",
    "uncommitted",    "cpu",      "continued", "task_kind", "positions"};
/// Attributes that came within schema 2: without them a field is empty.
inline constexpr std::array<std::string_view, 2> added_attributes = {"ability", "past_clip"};
inline constexpr std::array<std::string_view, 2> later_columns = {"step", "commit"};

/// visit(name, member pointer) for each column: visit_columns<TrainRow>(...).
template <typename Row, typename Visit>
requires std::same_as<Row, TrainRow>
void visit_columns(Visit&& visit) {
  visit("step", &TrainRow::step);
  visit("loss", &TrainRow::loss);
  visit("learning_rate", &TrainRow::learning_rate);
  visit("gradient_norm", &TrainRow::gradient_norm);
  visit("tokens_per_second", &TrainRow::tokens_per_second);
  visit("peak_memory", &TrainRow::peak_memory);
  visit("seconds", &TrainRow::seconds);
}

template <typename Row, typename Visit>
requires std::same_as<Row, EvaluationRow>
void visit_columns(Visit&& visit) {
  visit("size", &EvaluationRow::size);
  visit("factor", &EvaluationRow::factor);
  visit("condition", &EvaluationRow::condition);
  visit("metric", &EvaluationRow::metric);
  visit("value", &EvaluationRow::value);
  visit("standard_error", &EvaluationRow::standard_error);
  visit("samples", &EvaluationRow::samples);
  visit("chance", &EvaluationRow::chance);
  visit("defined", &EvaluationRow::defined);
  visit("reason", &EvaluationRow::reason);
  visit("step", &EvaluationRow::step);
  visit("commit", &EvaluationRow::commit);
}

/// What makes a record one that no file may hold (two rows of one step, a shape that its values
/// don't fill), or empty.
std::string problem_with(const RunRecord& run);

}  // namespace relbias::results
