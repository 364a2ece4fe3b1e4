// SPDX-License-Identifier: Apache-2.0
// tests: properties of the transformer with every encoding that is defined on a line of tokens.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "encodings/encoding.h"
#include "experiments/model/model.h"

namespace relbias::experiments {
namespace {

constexpr int64_t kTrained = 8, kVocabulary = 11;

TaskEntry line_task() {
  TaskEntry entry;
  entry.name = "test";
  entry.relation = "token";
  return entry;
}

ModelConfig config_of(const std::string& encoding) {
  ModelConfig config;
  config.layers = 2;
  config.width = 16;
  config.heads = 2;
  config.positions = {{encoding, ""}};
  return config;
}

Structure line(int64_t size) {
  Structure structure;
  structure.queries = structure.keys = size;
  return structure;
}

std::shared_ptr<Model> model_of(const ModelConfig& config, at::Device device = at::kCPU) {
  const TaskTraits task{.vocabulary = kVocabulary,
                        .questions = {{.outputs = kVocabulary}},
                        .causal = true,
                        .tied_outputs = true};
  auto model = make_model(config, line_task(), task, line(kTrained), Initialiser(1, device));
  model->eval();
  return model;
}

Batch batch_of(const Tensor& tokens) {
  Batch batch;
  batch.inputs = tokens;
  batch.structures = {line(tokens.size(1))};
  return batch;
}

Tensor tokens(int64_t samples, int64_t size) {
  at::Generator generator = stream(7, "model test");
  return at::empty({samples, size}, at::kLong).random_(0, kVocabulary, generator);
}

double gap(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

std::vector<std::string> defined_on_a_line() {
  std::vector<std::string> names;
  const auto relation = make_relation("token");
  const EncodingContext context{.heads = 2,
                                .head_width = 8,
                                .width = 16,
                                .causal = true,
                                .relation = relation->traits(),
                                .trained = relation->map(line(kTrained))};
  for (const auto& entry : encoding_entries()) {
    if (!undefined_reason(parse_encoding(entry.name), "token", context))
      names.push_back(entry.name);
  }
  return names;
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, SeesNothingOfTheFuture) {
  const at::NoGradGuard no_gradients;
  const auto model = model_of(config_of(GetParam()));
  const Tensor original = tokens(2, kTrained);
  const Tensor before = model->forward(batch_of(original))[0];
  for (int64_t changed = 1; changed < kTrained; ++changed) {
    Tensor other = original.clone();
    other.narrow(1, changed, kTrained - changed).add_(1).remainder_(kVocabulary);
    const Tensor after = model->forward(batch_of(other))[0];
    EXPECT_EQ(gap(before.narrow(1, 0, changed), after.narrow(1, 0, changed)), 0) << changed;
    EXPECT_GT(gap(before.select(1, changed), after.select(1, changed)), 1e-6) << changed;
  }
}

// Seen elsewhere: positions wrong under padding on the left.
TEST_P(EveryModel, PaddingOnEitherSideChangesNothing) {
  const at::NoGradGuard no_gradients;
  const auto model = model_of(config_of(GetParam()));
  const Tensor real = tokens(2, 3);
  const Tensor plain = model->forward(batch_of(real))[0];
  for (const int64_t left : {0, 2}) {
    Batch batch = batch_of(at::constant_pad_nd(real, {left, 2 - left}, 5));
    batch.valid = at::constant_pad_nd(at::ones_like(real), {left, 2 - left}).to(at::kBool);
    EXPECT_LT(gap(model->forward(batch)[0].narrow(1, left, 3), plain), 1e-5)
        << left << " on the left";
  }
}

TEST_P(EveryModel, RunsWhereItsParametersAre) {
  const auto model = model_of(config_of(GetParam()), at::kMeta);
  const Tensor logits = model->forward(batch_of(tokens(2, kTrained)))[0];
  EXPECT_TRUE(logits.is_meta());
  EXPECT_EQ(logits.sizes(), (at::IntArrayRef{2, kTrained, kVocabulary}));
}

TEST_P(EveryModel, SharesItsOtherInitialWeightsWithEveryEncoding) {
  const auto model = model_of(config_of(GetParam())), plain = model_of(config_of("none"));
  const auto parameters = model->named_parameters();
  for (const auto& parameter : plain->named_parameters()) {
    const Tensor* const found = parameters.find(parameter.key());
    ASSERT_NE(found, nullptr) << parameter.key();
    EXPECT_TRUE(at::equal(*found, parameter.value())) << parameter.key();
  }
  size_t positions = 0;
  for (const auto& [tensor, rate] : model->position_parameters()) positions += tensor.defined();
  EXPECT_EQ(positions, parameters.size() - plain->parameters().size());
}

TEST_P(EveryModel, GivesGradientsToEveryParameter) {
  const auto model = model_of(config_of(GetParam()));
  model->forward(batch_of(tokens(2, kTrained)))[0].pow(2).sum().backward();
  for (const auto& parameter : model->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_TRUE(at::isfinite(parameter.value().grad()).all().item<bool>()) << parameter.key();
  }
}

TEST_P(EveryModel, RunsOnOneTokenAndPastItsTrainedSizeOrSaysWhyNot) {
  const at::NoGradGuard no_gradients;
  const auto model = model_of(config_of(GetParam()));
  for (const int64_t size : {int64_t{1}, kTrained, 4 * kTrained}) {
    if (model->undefined_at(line(size))) {
      EXPECT_GT(size, kTrained);
      continue;
    }
    EXPECT_TRUE(at::isfinite(model->forward(batch_of(tokens(1, size)))[0]).all().item<bool>())
        << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryModel, ::testing::ValuesIn(defined_on_a_line()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Model, SharedTablesAreOneForAllLayers) {
  EXPECT_EQ(model_of(config_of("t5"))->position_parameters().size(), 2u);
  EXPECT_EQ(model_of(config_of("t5 shared=true"))->position_parameters().size(), 1u);
}

TEST(Model, TermsOfSeveralEncodingsAddUp) {
  ModelConfig both = config_of("alibi");
  both.positions = {{"alibi", "token"}, {"t5", "token"}};
  EXPECT_EQ(position_label(both), "alibi@token + t5@token");
  const at::NoGradGuard no_gradients;
  const Tensor input = tokens(1, kTrained);
  const Tensor sum = model_of(both)->forward(batch_of(input))[0];
  EXPECT_GT(gap(sum, model_of(config_of("alibi"))->forward(batch_of(input))[0]), 1e-6);
}

TEST(Model, ConfigsWithoutMeaningAreNamed) {
  ModelConfig uneven = config_of("none");
  uneven.heads = 3;
  EXPECT_EQ(message_of([&] { model_of(uneven); }),
            "model.heads: 3 found, a divisor of the width 16 expected");
  ModelConfig rotations = config_of("rope");
  rotations.positions = {{"rope", "token"}, {"rope base=10", "token"}};
  EXPECT_EQ(message_of([&] { model_of(rotations); }),
            "model.positions: 2 rotations found, one at most");
  ModelConfig scale = config_of("none");
  scale.scale = "fast";
  EXPECT_NE(message_of([&] { model_of(scale); }).find("'fast' found"), std::string::npos);
}

TEST(Model, ScaleOverridesTheContentScale) {
  const at::NoGradGuard no_gradients;
  ModelConfig none = config_of("none");
  none.scale = "none";
  ModelConfig named = config_of("none");
  named.scale = "0.35355339059327373";  // 1/sqrt(8)
  const Batch batch = batch_of(tokens(1, kTrained));
  const Tensor usual = model_of(config_of("none"))->forward(batch)[0];
  EXPECT_LT(gap(model_of(named)->forward(batch)[0], usual), 1e-5);
  EXPECT_GT(gap(model_of(none)->forward(batch)[0], usual), 1e-3);
}

TEST(Model, NamesTheFirstModuleThatIsNotFinite) {
  const auto model = model_of(config_of("none"));
  const Batch batch = batch_of(tokens(1, kTrained));
  EXPECT_EQ(model->first_non_finite(batch), "");
  const at::NoGradGuard no_gradients;
  model->named_parameters()["block1.widen"].fill_(std::numeric_limits<float>::infinity());
  EXPECT_EQ(model->first_non_finite(batch), "block1.mlp");
}

TEST(Model, DropoutActsInTrainingOnly) {
  const at::NoGradGuard no_gradients;
  ModelConfig config = config_of("none");
  config.dropout = 0.5;
  const auto model = model_of(config);
  const Batch batch = batch_of(tokens(1, kTrained));
  const Tensor still = model->forward(batch)[0];
  EXPECT_TRUE(at::equal(model->forward(batch)[0], still));
  model->train();
  EXPECT_FALSE(at::equal(model->forward(batch)[0], still));
}

}  // namespace
}  // namespace relbias::experiments
