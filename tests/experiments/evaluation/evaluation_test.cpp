// SPDX-License-Identifier: Apache-2.0
// tests/experiments/evaluation: evaluation at every size.
#include "experiments/evaluation/evaluation.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "experiments/evaluation/attention_report.h"
#include "experiments/evaluation/past_clip.h"
#include "tests/experiments/studies.h"
#include "tests/scratch_folder.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;

struct Evaluated {
  explicit Evaluated(const std::vector<std::string>& set) : config(tiny_run(set).config) {
    DatasetCache cache;
    experiment = build(config, cache);
  }
  std::vector<EvaluationRow> rows() const {
    return evaluate(config, experiment, [](int64_t) {}).rows;
  }

  RunConfig config;
  Experiment experiment;
};

const EvaluationRow& find_row(const std::vector<EvaluationRow>& rows, int64_t size,
                              const std::string& metric, const std::string& condition = "") {
  for (const auto& row : rows) {
    if (row.size == size && row.metric == metric && row.condition == condition) return row;
  }
  throw std::runtime_error("no row " + metric + " " + condition);
}

void expect_same(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b,
                 double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].value, b[i].value, tolerance) << a[i].metric << ' ' << a[i].size;
    EXPECT_EQ(a[i].samples, b[i].samples);
  }
}

TEST(Evaluation, HasARowASizeAndMetric) {
  const auto rows = Evaluated({}).rows();
  EXPECT_EQ(rows.size(), 4u);  // 2 sizes, accuracy and cross-entropy
  const EvaluationRow& row = find_row(rows, 24, "accuracy");
  EXPECT_EQ(row.factor, 2.0);
  EXPECT_GT(row.chance, 0.125);  // the commonest symbol so far is right more often
  EXPECT_EQ(row.samples, 8);
  EXPECT_TRUE(row.defined);
  EXPECT_TRUE(std::isnan(find_row(rows, 24, "cross-entropy").chance));
}

// The trivial rule is judged on the very samples of each row, whether or not the model can answer.
TEST(Evaluation, GuessesOfTheTaskAreTheChance) {
  const auto rows =
      Evaluated({"data.task=listops", "model.encoding=learned", "model.relation=token"}).rows();
  for (const char* metric : {"root accuracy", "operators accuracy"}) {
    for (const int64_t size : {12, 24}) {
      const EvaluationRow& row = find_row(rows, size, metric);
      EXPECT_GT(row.chance, 0) << metric << size;
      EXPECT_LE(row.chance, 1) << metric << size;
    }
  }
  EXPECT_FALSE(find_row(rows, 24, "root accuracy").defined);
}

TEST(Evaluation, VariantsAskTheTrainedQuestionAndChangeSomething) {
  const auto refusal = [](const std::string& variants) {
    return input_error_of([&] {
      Evaluated({"data.task=graph-theory question=distance", "model.relation=hops", "train.size=24",
                 "evaluate.sizes=[24]", "evaluate.variants=" + variants});
    });
  };
  EXPECT_THAT(refusal("[\"question=diameter\"]"),
              HasSubstr("question=diameter asks for diameter, the trained task for distance"));
  EXPECT_THAT(refusal("[\"question=distance\"]"), HasSubstr("is the task itself"));
}

// Samples of unlike length: what is undefined for the longest is not watched either.
TEST(Evaluation, WatchesOnlyWhatIsDefined) {
  const Evaluated evaluated({"data.task=listops", "model.encoding=learned", "model.relation=token",
                             "train.size=20", "evaluate.sizes=[8, 24]"});
  EXPECT_FALSE(find_row(evaluated.rows(), 24, "root accuracy").defined);
  const std::vector<Monitor> watched = watch_attention(evaluated.config, evaluated.experiment);
  ASSERT_FALSE(watched.empty());
  EXPECT_THAT(watched.front().values, testing::ElementsAre(8));
}

TEST(Evaluation, DoesNotDependOnTheBatch) {
  const auto together = Evaluated({"evaluate.batch_tokens=1000"}).rows();
  const auto alone = Evaluated({"evaluate.batch_tokens=1"}).rows();
  expect_same(together, alone, 1e-6);
}

// Seen elsewhere: dropout left on in evaluation. Dropout is off, nothing depends on what ran
// before, and nothing after it is changed.
TEST(Evaluation, TouchesNoRandomState) {
  const Evaluated evaluated({"model.dropout=0.5"});
  at::manual_seed(3);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(3);
  const auto first = evaluated.rows();
  EXPECT_TRUE(at::equal(at::rand({4}), expected));
  expect_same(first, evaluated.rows(), 0);
}

TEST(Evaluation, SaysWhereAnEncodingHasNoMeaning) {
  const auto rows = Evaluated({"model.encoding=learned"}).rows();
  EXPECT_TRUE(find_row(rows, 12, "accuracy").defined);
  const EvaluationRow& past = find_row(rows, 24, "accuracy");
  EXPECT_FALSE(past.defined);
  EXPECT_TRUE(std::isnan(past.value));
  EXPECT_THAT(past.reason, HasSubstr("24 found, 12 trained"));
}

// 32 positions to draw from do for the trained size and not for the larger one.
TEST(Evaluation, SaysWhereARelationHasNoMeaning) {
  const auto rows =
      Evaluated({"model.relation=token randomize=32", "train.size=16", "evaluate.sizes=[16, 64]"})
          .rows();
  EXPECT_EQ(rows.size(), 4u);
  EXPECT_TRUE(find_row(rows, 16, "accuracy").defined);
  EXPECT_FALSE(std::isnan(find_row(rows, 16, "accuracy").value));
  for (const char* metric : {"accuracy", "cross-entropy"}) {
    const EvaluationRow& past = find_row(rows, 64, metric);
    EXPECT_FALSE(past.defined) << metric;
    EXPECT_TRUE(std::isnan(past.value)) << metric;
    EXPECT_EQ(past.reason, "relation token randomize=32: 64 tokens found, at most 32 expected");
  }
}

TEST(Evaluation, WatchesOnlySizesThatTheRelationTakes) {
  const Evaluated evaluated(
      {"model.relation=token randomize=32", "train.size=16", "evaluate.sizes=[16, 64]"});
  const std::vector<Monitor> watched = watch_attention(evaluated.config, evaluated.experiment);
  ASSERT_FALSE(watched.empty());
  EXPECT_THAT(watched.front().values, testing::ElementsAre(16));
}

TEST(Evaluation, IsTheSameForEverySeed) {
  const Evaluated a({"seed=0"}), b({"seed=1"});
  std::vector<at::Tensor> inputs;
  for (const auto* evaluated : {&a, &b}) {
    evaluated->experiment.task->evaluation(
        evaluation_requests(evaluated->config, *evaluated->experiment.task)[0],
        [&](const Batch& batch) { inputs.push_back(batch.inputs); });
  }
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_TRUE(at::equal(inputs[0], inputs[1]));
}

TEST(Evaluation, ByPositionAddsUpToTheWhole) {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string file = folder.write("text.txt", text);
  const Evaluated evaluated({"data.task=language-model", "data.dataset=text-file path=" + file,
                             "evaluate.sizes=[64]", "evaluate.tokens=256"});
  const auto rows = evaluated.rows();
  const double whole = find_row(rows, 64, "bits-per-byte").value;
  const double parts = 16 * find_row(rows, 64, "bits-per-byte", "position 1-16").value +
                       16 * find_row(rows, 64, "bits-per-byte", "position 17-32").value +
                       32 * find_row(rows, 64, "bits-per-byte", "position 33-64").value;
  EXPECT_NEAR(parts / 64, whole, 1e-9);
  EXPECT_NEAR(find_row(rows, 64, "cross-entropy").value, whole * std::log(2.0), 1e-9);
  EXPECT_NEAR(find_row(rows, 64, "perplexity").value, std::exp2(whole), 1e-9);
}

TEST(PastClip, SaysWhatShareOfTheTargetsTheRelationCannotTell) {
  const auto said = [](const std::string& relation) {
    const Evaluated run({"data.task=graph-theory question=distance", "model.relation=" + relation,
                         "train.size=20", "evaluate.sizes=[20]"});
    return past_clip(run.config, run.experiment);
  };
  EXPECT_THAT(said("hops clip=2"),
              HasSubstr(" % of targets to size 20 lie past the clip of hops, 2"));
  EXPECT_EQ(said("hops clip=20"), "");
}

}  // namespace
}  // namespace relbias::experiments
