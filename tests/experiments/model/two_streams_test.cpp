// SPDX-License-Identifier: Apache-2.0
// tests: a block that reads a second stream: what an architecture of two sequences is made of.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "experiments/model/positions.h"
#include "experiments/model/transformer/block.h"
#include "modalities/seed.h"
#include "tests/encodings/gradients.h"
#include "tests/experiments/model/star.h"

namespace relbias::experiments {
namespace {

Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "two streams");
  return at::empty(shape, at::kDouble).normal_(0, 1, generator);
}

const ModelConfig small{.layers = 1, .width = 8, .heads = 2};

Positions tree_positions() {
  const PositionContext context{.layers = 1,
                                .pointers = 0,
                                .heads = 2,
                                .width = 8,
                                .causal = false,
                                .default_relation = "tree",
                                .trained = star(5, 5)};
  return Positions({{"table init_std=1", ""}}, context, Initialiser(1));
}

// With the parts of one matrix and the same tokens, two streams give what one gives.
TEST(Projections, ApartAreThoseOfOneMatrix) {
  const Tensor x = random({2, 5, 8}, 1), qkv = random({24, 8}, 2);
  const Projected one = projected(x, qkv, 2);
  const Projected two = projected(x, x, qkv.narrow(0, 0, 8), qkv.narrow(0, 8, 16), 2);
  EXPECT_LT(distance(one.q, two.q), 1e-12);
  EXPECT_LT(distance(one.k, two.k), 1e-12);
  EXPECT_LT(distance(one.v, two.v), 1e-12);
  EXPECT_EQ(one.q.sizes(), at::IntArrayRef({2, 2, 5, 4}));
  EXPECT_LT(distance(joined_heads(one.v), at::linear(x, qkv.narrow(0, 16, 8))), 1e-12);
}

TEST(TwoStreams, LeaveTheWeightsOfOneStreamAsTheyAre) {
  const Block one(small, Initialiser(3)), two(small, Initialiser(3), Block::Reads::another_too);
  for (const auto& weight : one.named_parameters()) {
    EXPECT_TRUE(at::equal(weight.value(), *two.named_parameters().find(weight.key())));
  }
  EXPECT_EQ(two.parameters().size(), one.parameters().size() + 4);
}

// A decoder's block: 3 and 2 tokens of their own, which stand last among 5 and 4 others.
struct Decoder {
  Decoder() : block(small, Initialiser(3), Block::Reads::another_too), related(tree_positions()) {
    block.to(at::kDouble);
    related.to(at::kDouble);
    source.narrow(0, 1, 1).select(1, 4).fill_(NAN);  // padding
  }

  Tensor operator()(const Tensor& x, const Tensor& tokens, const std::vector<Structure>& structures,
                    bool relate) {
    const auto maps =
        related.relations(structures, {x.size(1), tokens.size(1)}, c10::Device(at::kCPU));
    OtherStream other{.tokens = tokens};
    if (relate) other.positions = related.terms(0, maps);
    other.attention.valid_keys = at::isfinite(tokens).all(2);
    return block.forward(x, {}, {.causal = true}, &other, {}, {});
  }

  Block block;
  Positions related;
  Tensor own = random({2, 3, 8}, 4), source = random({2, 5, 8}, 5);
  const std::vector<Structure> samples{star(3, 5), star(2, 4)};
};

TEST(TwoStreams, SamplesInABatchAreWhatTheyAreAlone) {
  Decoder decoder;
  for (const bool relate : {true, false}) {
    const Tensor both = decoder(decoder.own, decoder.source, decoder.samples, relate);
    ASSERT_EQ(both.sizes(), at::IntArrayRef({2, 3, 8}));
    for (const int64_t b : {0, 1}) {
      const Structure& sample = decoder.samples[static_cast<size_t>(b)];
      const auto part = [&](const Tensor& x, int64_t n) {
        return x.narrow(0, b, 1).narrow(1, 0, n);
      };
      const Tensor alone = decoder(part(decoder.own, sample.queries),
                                   part(decoder.source, sample.keys), {sample}, relate);
      EXPECT_LT(distance(part(both, sample.queries), alone), 1e-12) << relate << ' ' << b;
    }
  }
}

TEST(TwoStreams, ARelationAcrossThemIsAChoice) {
  Decoder decoder;
  const auto out = [&](bool relate) {
    return decoder(decoder.own, decoder.source, decoder.samples, relate).narrow(1, 0, 2);
  };
  EXPECT_GT(distance(out(true), out(false)), 1e-3);
}

TEST(TwoStreams, GradientsByFiniteDifferences) {
  Decoder decoder;
  const Tensor own = decoder.own.narrow(0, 0, 1).clone().requires_grad_(),
               source = decoder.source.narrow(0, 0, 1).clone().requires_grad_();
  const Tensor cotangent = random({1, 3, 8}, 6);
  std::vector<std::pair<std::string, Tensor>> inputs{{"own", own}, {"source", source}};
  for (const auto& weight : decoder.block.named_parameters()) {
    if (weight.key().starts_with("other")) inputs.emplace_back(weight.key(), weight.value());
  }
  for (const auto& weight : decoder.related.named_parameters()) {
    inputs.emplace_back(weight.key(), weight.value());
  }
  expect_gradients([&] { return (decoder(own, source, {star(3, 5)}, true) * cotangent).sum(); },
                   inputs);
  for (const auto& [name, input] : inputs) {
    EXPECT_GT(input.grad().abs().max().item<double>(), 0) << name << " does nothing";
  }
}

TEST(TwoStreams, ABlockForOneReadsNoOther) {
  Block one(small, Initialiser(3));
  const Tensor x = at::zeros({1, 2, 8});
  const OtherStream other{.tokens = x};
  EXPECT_THROW(one.forward(x, {}, {}, &other, {}, {}), c10::Error);
}

TEST(TwoStreams, TravelInOneBatch) {
  Batch batch;
  batch.inputs = at::zeros({1, 3}, at::kLong);
  batch.read_too = Stream{at::ones({1, 4}, at::kLong), at::ones({1, 4}, at::kBool), {}};
  const Batch moved = batch.each([](const Tensor& x) { return x.to(at::kFloat); });
  EXPECT_EQ(moved.read_too->inputs.scalar_type(), at::kFloat);
  EXPECT_EQ(moved.read_too->valid.scalar_type(), at::kFloat);
  EXPECT_EQ(batch.read_too->inputs.scalar_type(), at::kLong);
}

}  // namespace
}  // namespace relbias::experiments
