// SPDX-License-Identifier: Apache-2.0
// tests: task `listops`: values by an evaluator of its own, sizes, guesses.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "modalities/relation.h"
#include "tests/error_of.h"
#include "tests/modalities/code/code_data.h"

namespace relbias::modalities {
namespace {

using at::Tensor;
using testing::HasSubstr;

Batch draw(const std::string& task, int64_t size, int64_t samples) {
  return code_task(task)->training({.size = size, .batch = samples, .seed = 3, .step = 1});
}

// Recursive, unlike the task: the value of the expression at `at`, which moves behind it.
int64_t value_at(const std::vector<int64_t>& tokens, size_t& at,
                 std::map<size_t, int64_t>& values) {
  const size_t start = at++;
  if (tokens[start] < 10) return tokens[start];
  std::vector<int64_t> arguments;
  while (tokens.at(at) != 14) arguments.push_back(value_at(tokens, at, values));
  ++at;
  EXPECT_GE(arguments.size(), 2u);
  std::sort(arguments.begin(), arguments.end());
  const size_t count = arguments.size();
  int64_t value = 0;
  if (tokens[start] == 10) value = arguments.front();
  if (tokens[start] == 11) value = arguments.back();
  if (tokens[start] == 12) {
    value = (arguments[(count - 1) / 2] + arguments[count / 2]) / 2;
  }
  if (tokens[start] == 13) {
    for (const int64_t argument : arguments) value = (value + argument) % 10;
  }
  values[start] = value;
  return value;
}

std::vector<int64_t> tokens_of(const Batch& batch, int64_t n) {
  const Tensor row = batch.inputs[n].masked_select(batch.valid[n]).contiguous();
  return {row.data_ptr<int64_t>(), row.data_ptr<int64_t>() + row.numel()};
}

TEST(ListOps, EveryOperatorHasItsValue) {
  for (const int operators : {2, 4}) {
    const Batch batch = draw(fmt::format("listops operators={}", operators), 64, 30);
    for (int64_t n = 0; n < 30; ++n) {
      const auto tokens = tokens_of(batch, n);
      EXPECT_GT(tokens.size(), 32u);
      EXPECT_LE(tokens.size(), 64u);
      std::map<size_t, int64_t> values;
      size_t at = 0;
      value_at(tokens, at, values);
      EXPECT_EQ(at, tokens.size());
      for (size_t token = 0; token < tokens.size(); ++token) {
        const Answers& answers = batch.answers[token == 0 ? 0 : 1];
        const auto place = static_cast<int64_t>(token);
        ASSERT_EQ(answers.scored[n][place].item<bool>(), tokens[token] >= 10 && tokens[token] < 14);
        if (values.count(token) == 0) continue;
        EXPECT_EQ(answers.targets[n][place].item<int64_t>(), values[token]);
        EXPECT_LT(tokens[token], 10 + operators);
      }
      EXPECT_EQ(batch.answers[0].scored[n].sum().item<int64_t>(), 1);
    }
  }
}

TEST(ListOps, ArgumentsAreSiblingsOfTheirOperator) {
  // [MIN a b ]: in the tree the arguments that are digits stand one up, one down, after.
  const Batch batch = draw("listops depth=1", 8, 5);
  const auto tree = make_relation("tree");
  for (int64_t n = 0; n < 5; ++n) {
    const Structure& structure = batch.structures.at(static_cast<size_t>(n));
    const Tensor first = tree->map(structure).index[0][0];
    EXPECT_EQ((first == 81).sum().item<int64_t>(), structure.keys - 1);
  }
}

TEST(ListOps, LongOnesAreDrawnToo) {
  for (const int64_t size : {128, 256, 512}) {
    const Batch batch = draw("listops", size, 4);
    EXPECT_GT(batch.valid.sum(1).min().item<int64_t>(), size / 2);
  }
  EXPECT_THAT(error_of([] { code_task("listops depth=1")->check({64}, {}); }),
              HasSubstr("listops: size 64 found, but depth=1 and arity=5 hardly ever"));
  EXPECT_THAT(error_of([] { code_task("listops")->check({3}, {}); }), HasSubstr("at least 4"));
}

TEST(ListOps, GuessesByOperator) {
  const Batch batch = draw("listops operators=4", 64, 200);
  std::map<int64_t, std::map<int64_t, int64_t>> values;  // by operator: how often each
  for (int64_t n = 0; n < 200; ++n) {
    const auto tokens = tokens_of(batch, n);
    for (size_t token = 0; token < tokens.size(); ++token) {
      if (tokens[token] < 10 || tokens[token] == 14) continue;
      const Answers& answers = batch.answers[token == 0 ? 0 : 1];
      const auto place = static_cast<int64_t>(token);
      const std::vector<int64_t> expected = {0, 9, 4, 0};
      ASSERT_EQ(answers.guesses[n][place].item<int64_t>(),
                expected[static_cast<size_t>(tokens[token] - 10)]);
      ++values[tokens[token]][answers.targets[n][place].item<int64_t>()];
    }
  }
  const auto commonest = [](const auto& counts) {
    return std::ranges::max_element(counts, {}, [](auto& each) { return each.second; })->first;
  };
  EXPECT_EQ(commonest(values[10]), 0);
  EXPECT_EQ(commonest(values[11]), 9);
  EXPECT_NEAR(static_cast<double>(commonest(values[12])), 4, 1);
}

}  // namespace
}  // namespace relbias::modalities
