// SPDX-License-Identifier: Apache-2.0
// tests: a run record with something in every field, and what it means for
// two to agree.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "results/schema.h"
#include "results/store/store.h"
#include "tests/scratch_folder.h"

namespace relbias::results {

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

inline std::vector<LearnedTable> example_tables() {
  return {
      // Two heads, offsets -1..1.
      {"0",
       "score",
       "token",
       {"head", "relation"},
       {2, 3},
       {0.5F, 0, -0.5F, 1, 0, -1},
       {"offset"},
       {-1, 0, 1},
       {}},
      {"1",
       "score",
       "token",
       {"head", "relation"},
       {2, 3},
       {0.25F, 0, -0.25F, 2, 0, -2},
       {"offset"},
       {-1, 0, 1},
       {}},
      {"10",
       "key@grid",
       "grid",
       {"head", "relation", "width"},
       {1, 2, 2},
       {1, 2, 3, 4},
       {"dy", "dx"},
       {0, 1, not_given, not_given},
       {"", "cls→patch"}},
      {"shared", "u", "token", {"head", "width"}, {2, 2}, {1, 2, 3, 4}, {}, {}, {}},
  };
}

inline RunRecord example_run() {
  RunRecord run;
  run.run_id = "0123456789ab";
  run.identity = "task language-model, version 1\nencoding t5, version 1\n  num_buckets = 8\n";
  run.role = "trial";
  run.settings = {{"data.task", "language-model"}, {"train.steps", "20"}, {"version.task", "1"}};
  run.tuning = R"({"trials":6,"of":6,"chosen":{"train.learning_rate":"0.003"},"edge":[]})";
  run.uncommitted = "9f86d081";
  run.cpu = "Some CPU @ 2.00 GHz";
  run.continued = {"commit 37a9dc8, begun by 1111111"};
  run.task_kind = "gate";
  run.positions = {{.encoding = "t5",
                    .options = {{"num_buckets", "8"}},
                    .relation = "token",
                    .relation_options = {},
                    .encoding_version = 2,
                    .relation_version = 1}};
  run.study = "quickstart";
  run.status = RunStatus::running;
  run.message = "stopped at step 20 – weiter: Größe 𝄞";
  run.config = "seed = 3\n\n[model]\nlayers = 2\n";
  run.commit = "37a9dc8";
  run.versions = {{"libtorch", "2.11.0"}, {"hdf5", "1.10.8"}, {"compiler", "GNU \"12\""}};
  run.device = "cpu";
  run.threads = 2;
  run.parameters_total = 25000;
  run.parameters_position = 256;
  run.started = "2025-01-31T12:00:00Z";
  run.finished = "2025-01-31T12:01:30Z";
  run.wall_seconds = 90.25;
  run.modality = "text";
  run.task = "language-model";
  run.dataset = "shakespeare";
  run.dataset_hash = "da39a3ee";
  run.dataset_report = "shakespeare, 2 of 3 files read (1 empty)";
  run.relation = "token";
  run.encoding = "t5 num_buckets=8";
  run.backend = "reference";
  run.seed = 3;
  run.train_size = 128;
  run.primary_metric = "bits-per-byte";
  run.better = "lower";
  run.train = {{10, 3.5, 0.001, 1.25, 1000.5, 1048576, 1.5},
               {20, 2.5, 0.003, not_given, INFINITY, 2097152, 3}};
  run.evaluation = {
      {128, 1, "", "bits-per-byte", 3.25, 0.0625, 512, 8, true, "", 20, "37a9dc8"},
      {256, 2, "", "bits-per-byte", not_given, not_given, 0, 8, false, "no rows past its table"},
      {256, not_given, "≤15", "accuracy", 0.1, 0.01, 7, not_given, true, ""}};
  run.tables = example_tables();
  run.attention = {{"entropy", {"layer", "head"}, {2, 2}, {0.5, 1, 1.5, not_given}},
                   {"largest", {}, {}, {0.75}}};
  run.samples = {{128,
                  "",
                  20,
                  "ab12",
                  "block of 256 bytes",
                  {"byte 0", "byte 256"},
                  {{"bits-per-byte", {{3, 3.5}, {1, 1}}, {{8, 8}, {1, 1}}, {"bits", "count"}}}},
                 {256,
                  "≤15",
                  20,
                  "cd34",
                  "sequence",
                  {"0", "1", "2"},
                  {{"accuracy", {{1, not_given, 0}, {4, not_given, 6}}, {}, {"hits", "count"}}}}};
  run.weights = {{"head.weight", {2, 2}, {1, 2, 3, 4.5F}}, {"gain", {}, {1}}};
  run.checkpoint = {20, "00000000deadbeef"};
  return run;
}

inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
template <typename Value>
bool same(const Value& a, const Value& b) {
  return a == b;
}

template <typename Row>
void expect_same_rows(const std::vector<Row>& a, const std::vector<Row>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    visit_columns<Row>([&](const char* name, auto member) {
      EXPECT_TRUE(same(a[i].*member, b[i].*member)) << name << " of row " << i;
    });
  }
}

inline void expect_same_values(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same(a[i], b[i])) << "value " << i;
}

inline void expect_same_samples(const std::vector<SampleSet>& a, const std::vector<SampleSet>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::tie(a[i].size, a[i].condition, a[i].step, a[i].hash, a[i].unit, a[i].sources),
              std::tie(b[i].size, b[i].condition, b[i].step, b[i].hash, b[i].unit, b[i].sources));
    ASSERT_EQ(a[i].scores.size(), b[i].scores.size());
    for (size_t n = 0; n < a[i].scores.size(); ++n) {
      const SampleScores &x = a[i].scores[n], &y = b[i].scores[n];
      EXPECT_EQ(std::tie(x.metric, x.names), std::tie(y.metric, y.names));
      ASSERT_EQ(x.columns.size(), y.columns.size());
      ASSERT_EQ(x.guesses.size(), y.guesses.size());
      for (size_t c = 0; c < x.columns.size(); ++c) expect_same_values(x.columns[c], y.columns[c]);
      for (size_t c = 0; c < x.guesses.size(); ++c) expect_same_values(x.guesses[c], y.guesses[c]);
    }
  }
}

inline void expect_same(const RunRecord& a, const RunRecord& b) {
  visit_attributes(
      [&](const char* name, auto member) { EXPECT_TRUE(same(a.*member, b.*member)) << name; });
  expect_same_rows(a.train, b.train);
  expect_same_rows(a.evaluation, b.evaluation);
  ASSERT_EQ(a.tables.size(), b.tables.size());
  for (size_t i = 0; i < a.tables.size(); ++i) {
    const LearnedTable &x = a.tables[i], &y = b.tables[i];
    SCOPED_TRACE(x.layer + "/" + x.term);
    EXPECT_EQ(
        std::tie(x.layer, x.term, x.relation, x.dimensions, x.shape, x.values, x.axes, x.labels),
        std::tie(y.layer, y.term, y.relation, y.dimensions, y.shape, y.values, y.axes, y.labels));
    expect_same_values(x.coordinates, y.coordinates);
  }
  ASSERT_EQ(a.attention.size(), b.attention.size());
  for (size_t i = 0; i < a.attention.size(); ++i) {
    const Monitor &x = a.attention[i], &y = b.attention[i];
    EXPECT_EQ(std::tie(x.name, x.dimensions, x.shape), std::tie(y.name, y.dimensions, y.shape));
    expect_same_values(x.values, y.values);
  }
  expect_same_samples(a.samples, b.samples);
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (size_t i = 0; i < a.weights.size(); ++i) {
    const Weights &x = a.weights[i], &y = b.weights[i];
    EXPECT_EQ(std::tie(x.name, x.shape, x.values), std::tie(y.name, y.shape, y.values));
  }
  ASSERT_EQ(a.checkpoint.has_value(), b.checkpoint.has_value());
  if (a.checkpoint) {
    EXPECT_EQ(a.checkpoint->step, b.checkpoint->step);
    EXPECT_EQ(a.checkpoint->checksum, b.checkpoint->checksum);
  }
}

// The message of the StoreError that `action` throws; a failure where it throws none.
template <typename Action>
std::string store_error(Action&& action) {
  try {
    action();
  } catch (const StoreError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no StoreError";
  return {};
}

}  // namespace relbias::results
