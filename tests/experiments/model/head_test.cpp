// SPDX-License-Identifier: Apache-2.0
// tests: output heads: readouts, numbers, pointers and the class token, on frames and summed ids.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <limits>

#include "experiments/evaluation/scores.h"
#include "experiments/model/model.h"
#include "experiments/run/loss.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/plain/check.h"
#include "tests/error_of.h"

namespace relbias::experiments {
namespace {

constexpr int64_t kSamples = 2, kTokens = 6, kFeatures = 3;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TaskEntry line_task() {
  TaskEntry entry;
  entry.name = "test";
  entry.relation = "token";
  return entry;
}

Structure line(int64_t size) { return {.queries = size, .keys = size}; }

std::shared_ptr<Model> model_of(const TaskTraits& task, const std::string& readout = "mean",
                                const std::string& encoding = "t5") {
  ModelConfig config;
  config.layers = 1;
  config.width = 8;
  config.heads = 2;
  config.readout = readout;
  config.positions = {{encoding, ""}};
  auto model = make_model(config, line_task(), task, line(kTokens), Initialiser(1));
  model->eval();
  // Tables start at zero, where position terms could not be seen.
  const at::NoGradGuard no_gradients;
  for (const auto& [parameter, rate] : model->position_parameters()) {
    Tensor(parameter).normal_(0, 1, stream(2, "head test"));
  }
  return model;
}

Tensor frames(int64_t tokens) {
  return at::empty({kSamples, tokens, kFeatures}).normal_(0, 1, stream(3, "head test"));
}

Batch batch_of(const Tensor& inputs, size_t questions = 1) {
  Batch batch;
  batch.inputs = inputs;
  batch.answers.resize(questions);
  batch.structures = {line(inputs.size(1))};
  return batch;
}

double gap(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

const Question sample_class{
    .name = "", .kind = Question::Kind::category, .about = Question::About::sample, .outputs = 4};

TEST(Head, AnswersForTheSampleWhateverIsPadded) {
  const at::NoGradGuard no_gradients;
  for (const char* readout : {"mean", "max", "class"}) {
    const auto model = model_of({.features = kFeatures, .questions = {sample_class}}, readout);
    const Tensor inputs = frames(kTokens);
    const Tensor plain = model->forward(batch_of(inputs))[0];
    EXPECT_EQ(plain.sizes(), (at::IntArrayRef{kSamples, 1, 4}));
    Batch padded = batch_of(at::constant_pad_nd(inputs, {0, 0, 0, 3}, kNaN));
    padded.valid = at::arange(kTokens + 3).lt(kTokens).expand({kSamples, -1}).contiguous();
    EXPECT_LT(gap(model->forward(padded)[0], plain), 1e-5) << readout;
  }
}

TEST(Head, PoolsOnlyTheTokensThatAreAsked) {
  const at::NoGradGuard no_gradients;
  // Without layers that mix tokens, the mean of two tokens is theirs alone.
  const TaskTraits task{.vocabulary = 5, .questions = {sample_class}};
  const auto model = model_of(task);
  Batch batch = batch_of(at::tensor({0, 1, 2, 3, 4, 0}).view({1, 6}));
  const Tensor all = model->forward(batch)[0];
  batch.answers[0].pooled = at::tensor({0, 1, 1, 0, 0, 0}).to(at::kBool).view({1, 6});
  EXPECT_GT(gap(model->forward(batch)[0], all), 1e-4);
  batch.answers[0].pooled = at::ones({1, 6}, at::kBool);
  EXPECT_LT(gap(model->forward(batch)[0], all), 1e-6);
}

TEST(Head, IdsOfATokenAddUp) {
  const at::NoGradGuard no_gradients;
  const auto model = model_of({.vocabulary = 7, .questions = {{.outputs = 3}}}, "mean", "none");
  const Tensor pair = at::tensor({0, 5, 1, 6}).view({1, 2, 2});
  const Tensor swapped = at::tensor({5, 0, 6, 1}).view({1, 2, 2});
  EXPECT_LT(gap(model->forward(batch_of(pair))[0], model->forward(batch_of(swapped))[0]), 1e-6);
}

TEST(Head, PointersSeeCandidatesAndThePastOnly) {
  const at::NoGradGuard no_gradients;
  const Question pointer{.name = "to", .kind = Question::Kind::pointer};
  const auto model = model_of({.vocabulary = 5, .questions = {pointer}, .causal = true});
  Batch batch = batch_of(at::tensor({0, 1, 2, 3, 4, 0}).view({1, 6}));
  batch.answers[0].candidates = at::tensor({1, 0, 1, 1, 1, 1}).to(at::kBool).view({1, 6});
  const Tensor weights = model->forward(batch)[0].softmax(2)[0];  // [6, 6]
  EXPECT_EQ(weights.triu(1).abs().max().item<float>(), 0);
  EXPECT_EQ(weights.select(1, 1).abs().max().item<float>(), 0);
  EXPECT_GT(weights[5][2].item<float>(), 0);
  // Its scores carry the position term of an encoding instance of its own: block 0 and pointer.
  EXPECT_EQ(model->position_parameters().size(), 2u);
  EXPECT_EQ(model->learned_terms().back().layer, "pointer");
}

TEST(Head, PointersFromASampleHaveNoPlace) {
  const at::NoGradGuard no_gradients;
  const Question pointer{
      .name = "at", .kind = Question::Kind::pointer, .about = Question::About::sample};
  for (const char* readout : {"mean", "class"}) {
    const auto model = model_of({.vocabulary = 5, .questions = {pointer}}, readout);
    Batch batch = batch_of(at::tensor({0, 1, 2, 3, 4, 0}).view({1, 6}));
    EXPECT_EQ(model->forward(batch)[0].sizes(), (at::IntArrayRef{1, 1, 6})) << readout;
    EXPECT_EQ(model->position_parameters().size(), 1u);
  }
}

TEST(Head, LossesOfNumbersAreInUnitsOfTheirDeviation) {
  const Question number{.name = "",
                        .kind = Question::Kind::number,
                        .about = Question::About::sample,
                        .mean = 10,
                        .deviation = 2};
  // Output 0.5 says 11. Of the targets 13 and NaN the second is missing: smooth L1 of 1.5 - 0.5.
  const Tensor output = at::tensor({0.5f, 7.f}).view({2, 1}).requires_grad_();
  const Answers answers{.targets = at::tensor({13.f, kNaN}).view({2, 1}),
                        .scored = at::tensor({1, 0}).to(at::kBool).view({2, 1})};
  const Tensor loss = question_loss(number, output, answers).mean();
  EXPECT_FLOAT_EQ(loss.item<float>(), 0.5f);
  loss.backward();
  EXPECT_TRUE(at::equal(output.grad(), at::tensor({-1.f, 0.f}).view({2, 1})));

  const TaskTraits task{.questions = {number}, .metrics = {"mean-absolute-error"}};
  Scores scores(task);
  Batch batch;
  batch.answers = {answers};
  scores.add({output.detach()}, batch);
  EXPECT_DOUBLE_EQ(scores.metric("mean-absolute-error").value, 2.0);
  EXPECT_EQ(scores.samples("mean-absolute-error"), 1);
}

TEST(Head, AnUnscoredQuestionHasNoLossAndNoGradient) {
  const Question pointer{.name = "at", .kind = Question::Kind::pointer};
  const Tensor output = at::full({1, 2, 3}, std::numeric_limits<float>::lowest()).requires_grad_();
  const Answers answers{.targets = at::zeros({1, 2}, at::kLong),
                        .scored = at::zeros({1, 2}, at::kBool)};
  const Tensor loss = question_loss(pointer, output, answers).mean();
  EXPECT_EQ(loss.item<float>(), 0);
  loss.backward();
  EXPECT_EQ(output.grad().abs().max().item<float>(), 0);
}

TEST(Scores, BalancesCategoriesAndJoinsQuestions) {
  const TaskTraits task{
      .questions = {{.name = "bug", .about = Question::About::sample, .outputs = 2},
                    {.name = "place", .about = Question::About::sample, .outputs = 2}},
      .metrics = {"bug accuracy", "bug balanced accuracy", "place accuracy", "joint accuracy"}};
  Scores scores(task);
  Batch batch;  // four samples; the place of the last is not scored
  const Tensor bug = at::tensor({0, 0, 0, 1}).view({4, 1});
  batch.answers = {{.targets = bug, .scored = at::ones({4, 1}, at::kBool)},
                   {.targets = at::tensor({0, 1, 1, 0}).view({4, 1}),
                    .scored = at::tensor({1, 1, 1, 0}).to(at::kBool).view({4, 1})}};
  // The model says no bug, and place 1, whatever comes.
  const Tensor zero = at::tensor({1.f, 0.f}).expand({4, 1, 2}), one = zero.flip(2);
  scores.add({zero, one}, batch);
  EXPECT_DOUBLE_EQ(scores.metric("bug accuracy").value, 0.75);
  EXPECT_DOUBLE_EQ(scores.metric("bug balanced accuracy").value, 0.5);
  EXPECT_DOUBLE_EQ(scores.metric("place accuracy").value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.metric("joint accuracy").value, 0.5);  // right: samples 1 and 2
}

TEST(Scores, JudgesGuessesLikeAnswers) {
  const TaskTraits task{
      .questions = {{.name = "size", .kind = Question::Kind::number},
                    {.name = "place", .kind = Question::Kind::pointer}},
      .metrics = {"size mean-absolute-error", "place accuracy", "place cross-entropy"}};
  Scores scores(task);
  Batch batch;  // the last number is not scored
  batch.answers = {{.targets = at::tensor({1.f, 4.f, kNaN}).view({1, 3}),
                    .scored = at::tensor({1, 1, 0}).to(at::kBool).view({1, 3}),
                    .guesses = at::full({1, 3}, 2.f)},
                   {.targets = at::tensor({0, 1, 2}).view({1, 3}),
                    .scored = at::ones({1, 3}, at::kBool),
                    .guesses = at::tensor({0, 0, 2}).view({1, 3})}};
  EXPECT_TRUE(std::isnan(scores.guessing("place accuracy")));
  scores.add_guesses(batch);
  EXPECT_DOUBLE_EQ(scores.guessing("size mean-absolute-error"), 1.5);
  EXPECT_DOUBLE_EQ(scores.guessing("place accuracy"), 2.0 / 3);
  EXPECT_TRUE(std::isnan(scores.guessing("place cross-entropy")));
  EXPECT_EQ(scores.samples("place accuracy"), 0);
}

TEST(Scores, JoinGuessesWhereAllQuestionsHaveThem) {
  const TaskTraits task{.questions = {{.name = "one", .kind = Question::Kind::pointer},
                                      {.name = "two", .kind = Question::Kind::pointer}},
                        .metrics = {"joint accuracy"}};
  Scores both(task), half(task);
  Batch batch;
  const Tensor all = at::ones({1, 3}, at::kBool);
  batch.answers = {{.targets = at::tensor({0, 1, 2}).view({1, 3}), .scored = all},
                   {.targets = at::tensor({0, 1, 2}).view({1, 3}), .scored = all}};
  batch.answers[0].guesses = at::tensor({0, 1, 0}).view({1, 3});
  half.add_guesses(batch);
  EXPECT_TRUE(std::isnan(half.guessing("joint accuracy")));
  batch.answers[1].guesses = at::tensor({0, 0, 2}).view({1, 3});
  both.add_guesses(batch);
  EXPECT_DOUBLE_EQ(both.guessing("joint accuracy"), 1.0 / 3);
}

TEST(Scores, KeepWhatTheMetricOfAnyNameAsksFor) {
  const TaskTraits task{
      .questions = {{.name = "bug", .about = Question::About::sample, .outputs = 2}},
      .metrics = {"auroc", "f1", "bug balanced accuracy"}};
  Scores scores(task);
  Batch batch;
  batch.answers = {
      {.targets = at::tensor({0, 0, 1, 1}).view({4, 1}), .scored = at::ones({4, 1}, at::kBool)}};
  const Tensor log_odds = at::tensor({-1.f, 0.4f, 0.1f, 2.f});
  scores.add({at::stack({at::zeros({4}), log_odds}, 1).view({4, 1, 2})}, batch);
  EXPECT_DOUBLE_EQ(scores.metric("auroc").value, 0.75);
  EXPECT_DOUBLE_EQ(scores.metric("f1").value, 0.8);
  EXPECT_EQ(scores.columns("bug balanced accuracy"),
            (Columns{{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}));
}

TEST(Scores, RefuseMetricsThatCannotJudge) {
  const TaskTraits task{.questions = {{.name = "depth", .outputs = 3},
                                      {.name = "size", .kind = Question::Kind::number}}};
  const auto refusal = [&](const char* metric) {
    return plain::error_of([&] { task_metric(metric, task); });
  };
  EXPECT_EQ(task_metric("size r2", task).question, 1U);
  EXPECT_THAT(refusal("width accuracy"), testing::HasSubstr("valid: depth accuracy, size"));
  EXPECT_THAT(refusal("size accuracy"), testing::HasSubstr("a category or a token expected"));
  EXPECT_THAT(refusal("r2"), testing::HasSubstr("question depth found, a number expected"));
  EXPECT_THAT(refusal("f1"), testing::HasSubstr("one of two categories expected"));
  EXPECT_THAT(refusal("auroc"), testing::HasSubstr("about the whole sample expected"));
  EXPECT_THAT(refusal("joint accuracy"), testing::HasSubstr("question size found"));
  EXPECT_THAT(refusal("acuracy"), testing::HasSubstr("did you mean 'accuracy'"));
}

TEST(Scores, TellQuestionsApartWhoseNamesBeginAlike) {
  const Question plain{.name = "logP", .kind = Question::Kind::number};
  const Question longer{.name = "logP exp", .kind = Question::Kind::number};
  for (const bool plain_first : {true, false}) {
    TaskTraits task{.metrics = {"logP mean-absolute-error", "logP exp mean-absolute-error"}};
    task.questions = plain_first ? std::vector{plain, longer} : std::vector{longer, plain};
    Scores scores(task);
    Batch batch;
    const Answers zero{.targets = at::zeros({1, 1}), .scored = at::ones({1, 1}, at::kBool)};
    batch.answers = {zero, zero};
    const Tensor half = at::full({1, 1}, 0.5), four = at::full({1, 1}, 4.0);
    scores.add(plain_first ? std::vector{half, four} : std::vector{four, half}, batch);
    EXPECT_DOUBLE_EQ(scores.metric("logP mean-absolute-error").value, 0.5);
    EXPECT_DOUBLE_EQ(scores.metric("logP exp mean-absolute-error").value, 4.0);
  }
}

// One padded sample alone: its relation of pairs is padded with it.
TEST(Model, WatchesAPaddedSampleOfAGraph) {
  TaskEntry graph_task = line_task();
  graph_task.relation = "hops";
  Structure path{.queries = 3, .keys = 3};
  edit_graph(path).nodes = 3;
  edit_graph(path).edges = {{0, 1}, {1, 2}};
  ModelConfig config;
  config.layers = 1;
  config.width = 8;
  config.heads = 2;
  config.positions = {{"table", ""}};
  const auto model = make_model(config, graph_task, {.vocabulary = 5, .questions = {sample_class}},
                                path, Initialiser(1));
  model->eval();
  Batch batch = batch_of(at::tensor({1, 2, 3, 0}).view({1, 4}));
  batch.valid = at::tensor({1, 1, 1, 0}).to(at::kBool).view({1, 4});
  batch.structures = {path};
  // Rows of padding are no attention of the model's.
  const AttentionSums padded = model->watched(batch).layers()[0];
  EXPECT_EQ(padded.rows, 3);
  EXPECT_EQ(padded.pairs, 9);
  Batch alone = batch_of(at::tensor({1, 2, 3}).view({1, 3}));
  alone.structures = {path};
  const AttentionSums whole = model->watched(alone).layers()[0];
  EXPECT_TRUE(at::allclose(padded.share, whole.share));
  EXPECT_TRUE(at::allclose(padded.entropy, whole.entropy));
}

// Two windows of one row each, not shifted: a change in the second reaches nothing in the first.
TEST(Model, AttendsWithinItsPattern) {
  const at::NoGradGuard no_gradients;
  TaskEntry grid_task = line_task();
  grid_task.relation = "grid";
  const Structure grid{.queries = 8, .keys = 8, .sides = {2, 4}};
  for (const std::string pattern : {"full", "window size=2 shift=false"}) {
    ModelConfig config;
    config.width = 8;
    config.heads = 2;
    config.pattern = pattern;
    const TaskTraits task{.vocabulary = 5, .questions = {{.outputs = 3}}};
    const auto model = make_model(config, grid_task, task, grid, Initialiser(1));
    model->eval();
    Batch batch = batch_of(at::arange(8).remainder(5).view({1, 8}));
    batch.structures = {grid};
    const Tensor before = model->forward(batch)[0];
    batch.inputs[0][7] = 0;
    const Tensor after = model->forward(batch)[0];
    EXPECT_EQ(gap(before[0][0], after[0][0]) == 0, pattern != "full") << pattern;
    EXPECT_GT(gap(before[0][2], after[0][2]), 0) << pattern;
  }
}

TEST(Model, AClassTokenNeedsAQuestionAboutTheSample) {
  try {
    model_of({.vocabulary = 5, .questions = {{.outputs = 5}}}, "class");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "model.readout: class found, but the task asks nothing about a whole sample");
  }
}

}  // namespace
}  // namespace relbias::experiments
