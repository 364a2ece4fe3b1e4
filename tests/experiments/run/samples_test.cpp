// SPDX-License-Identifier: Apache-2.0
// tests/experiments/run: what a run keeps of its test samples and its weights, and what follows
// from them.
#include <gmock/gmock.h>

#include "experiments/run/evaluate_again.h"
#include "experiments/run/perform.h"
#include "experiments/version.h"
#include "results/metrics/metric.h"
#include "results/store/store.h"
#include "tests/experiments/studies.h"
#include "tests/python.h"
#include "tests/scratch_folder.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Samples : public testing::Test {
 protected:
  std::filesystem::path run(const std::string& name, const std::vector<std::string>& set) const {
    const RunRequest request{.study = "tiny",
                             .file = folder_.path() / (name + ".h5"),
                             .config = tiny_run(set).config,
                             .device = "cpu",
                             .threads = 1,
                             .checkpoint_seconds = 3600};
    const Watcher watcher{.on_step = [](int64_t, double) {},
                          .on_evaluation = [](int64_t) {},
                          .wants_stop = [] { return false; }};
    EXPECT_EQ(perform(request, watcher), RunEnd::done);
    return request.file;
  }
  static void expect_recomputed(const std::filesystem::path& file) {
    const auto [output, status] = run_command(python() + " " + source_folder() +
                                              "/tests/results/recompute.py " + file.string());
    EXPECT_EQ(status, 0) << output;
  }
  static const SampleSet& set_of(const RunRecord& run, int64_t size,
                                 const std::string& condition = "") {
    for (const SampleSet& set : run.samples) {
      if (set.size == size && set.condition == condition) return set;
    }
    throw std::runtime_error("no samples " + condition);
  }

  ScratchFolder folder_;
};

const std::vector<std::string> shakespeare = {"data.task=language-model stretch=64",
                                              "data.dataset=shakespeare",
                                              "train.steps=2",
                                              "train.size=8",
                                              "evaluate.sizes=[8, 16, 32]",
                                              "evaluate.tokens=256"};

TEST_F(Samples, GiveEveryRowAgain) {
  for (const std::vector<std::string>& set :
       {std::vector<std::string>{},
        shakespeare,
        {"data.task=listops", "train.steps=2", "train.size=24", "evaluate.sizes=[24, 48]"}}) {
    const auto file = run("run" + std::to_string(set.size()), set);
    expect_recomputed(file);
    for (const EvaluationRow& row : read_run(file).evaluation) {
      EXPECT_EQ(row.step, tiny_run(set).config.train.steps);
      EXPECT_EQ(row.commit, git_commit());
    }
  }
}

TEST_F(Samples, AreTheSameForEveryRunOfATask) {
  const RunRecord one = read_run(run("one", {}));
  const RunRecord other = read_run(run(
      "other", {"seed=1", "model.encoding=alibi", "evaluate.batch_tokens=24", "train.steps=3"}));
  const RunRecord another = read_run(run("another", {"data.task=lag-copy lag=3"}));
  for (const int64_t size : {12, 24}) {
    EXPECT_EQ(set_of(one, size).hash, set_of(other, size).hash);
    EXPECT_EQ(set_of(one, size).sources, set_of(other, size).sources);
    EXPECT_NE(set_of(one, size).hash, set_of(another, size).hash);
    EXPECT_THAT(set_of(one, size).sources, SizeIs(8));
    EXPECT_EQ(set_of(one, size).unit, "sequence");
  }
}

// Neighbouring windows are alike: at every size the blocks are those of the largest.
TEST_F(Samples, OfTextAreBlocksOfTheLargestSize) {
  const RunRecord record = read_run(run("text", shakespeare));
  const std::vector<std::string> blocks = set_of(record, 32).sources;
  EXPECT_THAT(blocks, SizeIs(8));
  EXPECT_EQ(blocks[0], "byte 0");
  EXPECT_EQ(blocks[1], "byte 32");
  for (const int64_t size : {8, 16}) EXPECT_EQ(set_of(record, size).sources, blocks);
  EXPECT_EQ(set_of(record, 8).unit, "block of 32 bytes");
  EXPECT_THAT(set_of(record, 8).scores.at(0).columns.at(1), Each(32.0));
  EXPECT_THAT(set_of(record, 32, "position 1-16").scores.at(0).columns.at(1), Each(16.0));
  EXPECT_THAT(set_of(record, 8, "position 1-16").scores.at(0).columns.at(1), Each(32.0));
}

TEST_F(Samples, WhatWasEvaluatedIsNotEvaluatedTwice) {
  const auto file = run("kept", {"keep.weights=true"});
  EXPECT_EQ(evaluate_again(file, {.sizes = {24, 12}, .variants = {}, .device = "cpu"}), 0);
  EXPECT_EQ(evaluate_again(file, {.sizes = {}, .variants = {"lag=3"}, .device = "cpu"}), 4);
  EXPECT_EQ(set_of(read_run(file), 24, "lag=3").sources.size(), 8);
  EXPECT_THAT(input_error_of([&] { evaluate_again(file, {.sizes = {}, .variants = {"lag=5"}}); }),
              HasSubstr("is the task itself"));
}

TEST_F(Samples, FurtherRowsAreThoseThatTheRunWouldHaveHad) {
  const auto wide = run("wide", {"evaluate.sizes=[12, 24, 48]"});
  const auto file = run("kept", {"keep.weights=true"});
  EXPECT_EQ(evaluate_again(file, {.sizes = {48, 24}, .variants = {}, .device = "cpu"}), 2);
  const RunRecord all = read_run(wide), appended = read_run(file);
  ASSERT_EQ(appended.evaluation.size(), all.evaluation.size());
  for (const EvaluationRow& row : appended.evaluation) {
    const auto same = std::ranges::find_if(all.evaluation, [&](const EvaluationRow& other) {
      return other.size == row.size && other.metric == row.metric;
    });
    ASSERT_NE(same, all.evaluation.end());
    EXPECT_NEAR(row.value, same->value, 1e-6) << row.size << row.metric;
    EXPECT_EQ(row.commit, git_commit());
  }
  EXPECT_EQ(set_of(appended, 48).hash, set_of(all, 48).hash);
  EXPECT_THAT(appended.samples, SizeIs(3));
  expect_recomputed(file);
}

TEST_F(Samples, ARunWithoutWeightsSaysSo) {
  const auto file = run("bare", {});
  EXPECT_THAT(read_run(file).weights, IsEmpty());
  EXPECT_THAT(input_error_of([&] { evaluate_again(file, {.sizes = {48}, .variants = {}}); }),
              HasSubstr("bare.h5: run " + tiny_run().id +
                        " kept no weights: run it with --set keep.weights=true"));
}

}  // namespace
}  // namespace relbias::experiments
