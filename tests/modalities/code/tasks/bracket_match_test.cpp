// SPDX-License-Identifier: Apache-2.0
// tests: task `bracket-match`: brackets match, nest as deep as allowed, and the tree says so.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/code/tree_structure.h"
#include "modalities/relation.h"
#include "tests/error_of.h"
#include "tests/modalities/code/code_data.h"

namespace relbias::modalities {
namespace {

using at::Tensor;
using testing::HasSubstr;

Batch draw(const std::string& task, int64_t size, int64_t samples) {
  return code_task(task)->training({.size = size, .batch = samples, .seed = 1, .step = 2});
}

// Matching by hand; the deepest nesting on the way.
int64_t check_sequence(const Batch& batch, int64_t n) {
  std::vector<int64_t> open;
  size_t deepest = 0;
  for (int64_t at = 0; at < batch.inputs.size(1); ++at) {
    const int64_t symbol = batch.inputs[n][at].item<int64_t>();
    const bool closes = symbol >= 8;
    EXPECT_EQ(batch.answers[0].scored[n][at].item<bool>(), closes);
    if (symbol >= 4 && !closes) open.push_back(at);
    deepest = std::max(deepest, open.size());
    if (!closes) continue;
    if (open.empty()) {
      ADD_FAILURE() << "nothing to close at " << at;
      return -1;
    }
    EXPECT_EQ(batch.answers[0].targets[n][at].item<int64_t>(), open.back());
    EXPECT_EQ(batch.inputs[n][open.back()].item<int64_t>() + 4, symbol);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  return static_cast<int64_t>(deepest);
}

TEST(BracketMatch, EveryBracketClosesTheLastOpenOne) {
  int64_t deepest = 0;
  const Batch batch = draw("bracket-match", 64, 40);
  for (int64_t n = 0; n < 40; ++n) deepest = std::max(deepest, check_sequence(batch, n));
  EXPECT_EQ(deepest, 8);
  const Batch flat = draw("bracket-match depth=1", 7, 40);
  for (int64_t n = 0; n < 40; ++n) EXPECT_LE(check_sequence(flat, n), 1);
  const Batch full = draw("bracket-match filler=0", 64, 10);
  for (int64_t n = 0; n < 10; ++n) check_sequence(full, n);
  EXPECT_EQ((full.inputs < 4).sum().item<int64_t>(), 0);
}

TEST(BracketMatch, InTheTreeTheOpenerIsTheFirstSibling) {
  const Batch batch = draw("bracket-match", 32, 10);
  const auto tree = make_relation("tree");
  for (int64_t n = 0; n < 10; ++n) {
    const Structure& structure = batch.structures.at(static_cast<size_t>(n));
    EXPECT_EQ(tree_of(structure).token_nodes.size(), 32u);
    const Tensor ids = tree->map(structure).index.select(0, 0);
    for (int64_t at = 0; at < 32; ++at) {
      if (!batch.answers[0].scored[n][at].item<bool>()) continue;
      const int64_t opener = batch.answers[0].targets[n][at].item<int64_t>();
      EXPECT_EQ(ids[at][opener].item<int64_t>(), 10);  // one up, one down, before
      EXPECT_EQ(ids[opener][at].item<int64_t>(), 81);
      EXPECT_NE(ids[at][std::max<int64_t>(opener - 1, 0)].item<int64_t>(), opener > 0 ? 10 : -1);
    }
  }
}

TEST(BracketMatch, GuessesTheLatestOpenerOfTheKind) {
  const Batch batch = draw("bracket-match", 64, 20);
  int64_t right = 0, all = 0;
  for (int64_t n = 0; n < 20; ++n) {
    for (int64_t at = 0; at < 64; ++at) {
      if (!batch.answers[0].scored[n][at].item<bool>()) continue;
      const int64_t wanted = batch.inputs[n][at].item<int64_t>() - 4;
      int64_t opener = at - 1;
      while (batch.inputs[n][opener].item<int64_t>() != wanted) --opener;
      EXPECT_EQ(batch.answers[0].guesses[n][at].item<int64_t>(), opener);
      right += batch.answers[0].targets[n][at].item<int64_t>() == opener;
      ++all;
    }
  }
  EXPECT_LT(right, all);
  EXPECT_GT(2 * right, all);
}

TEST(BracketMatch, SizesThatAreNone) {
  EXPECT_THAT(error_of([] { code_task("bracket-match")->check({3}, {}); }),
              HasSubstr("size 3 found, at least 4 expected"));
}

}  // namespace
}  // namespace relbias::modalities
