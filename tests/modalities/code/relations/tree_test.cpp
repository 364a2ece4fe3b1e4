// SPDX-License-Identifier: Apache-2.0
// tests: relation `tree`: worked examples, an oracle by walking up, depth, wrong input.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <chrono>
#include <random>

#include "modalities/code/syntax/tree_order.h"
#include "modalities/code/tree_structure.h"
#include "tests/error_of.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using at::Tensor;
using testing::HasSubstr;

Structure tree_of(std::vector<int64_t> parents, std::vector<int64_t> tokens) {
  Structure sample;
  sample.queries = sample.keys = static_cast<int64_t>(tokens.size());
  edit_tree(sample).parents = std::move(parents);
  edit_tree(sample).token_nodes = std::move(tokens);
  return sample;
}

Structure leaves_as_tokens(const std::vector<int64_t>& parents) {
  return tree_of(parents, leaves_of(parents));
}

Tensor ids(const std::string& relation, const Structure& sample) {
  return make_relation(relation)->map(sample).index.select(0, 0).to(at::kLong);
}

TEST(Tree, TheExamplesOfTheDesign) {
  EXPECT_TRUE(at::equal(ids("tree clip=2", leaves_as_tokens({-1, 0, 0})),
                        at::tensor({0, 9, 4, 0}, at::kLong).view({2, 2})));
  EXPECT_TRUE(at::equal(ids("tree clip=2 tokens=nodes", tree_of({-1, 0}, {0, 1})),
                        at::tensor({0, 1, 3, 0}, at::kLong).view({2, 2})));
}

TEST(Tree, RowsSayStepsUpAndDown) {
  const RelationMap map = make_relation("tree clip=2")->map(leaves_as_tokens({-1, 0, 0}));
  ASSERT_EQ(map.rows, 10);
  EXPECT_TRUE(at::equal(map.offsets[5], at::tensor({-1.f, 2.f})));  // one up, two down
  EXPECT_TRUE(at::equal(map.offsets[9], at::tensor({-1.f, 1.f})));  // the sibling after
  EXPECT_EQ(map.distance[5].item<float>(), 3);
  EXPECT_EQ(map.distance[9].item<float>(), 2);
  EXPECT_FALSE(map.special.defined());
}

// Root 0 with children 1 (leaf), 2 with children 3 4: tokens 1 3 4.
TEST(Tree, StepsAreClipped) {
  const Structure sample = leaves_as_tokens({-1, 0, 0, 2, 2});
  EXPECT_TRUE(at::equal(ids("tree clip=8", sample),
                        at::tensor({0, 11, 11, 19, 0, 81, 19, 10, 0}, at::kLong).view({3, 3})));
  EXPECT_TRUE(at::equal(ids("tree clip=1", sample),
                        at::tensor({0, 3, 3, 3, 0, 4, 3, 3, 0}, at::kLong).view({3, 3})));
}

TEST(Tree, AClassTokenHasThreeIdsOfItsOwn) {
  Structure sample = leaves_as_tokens({-1, 0, 0});
  sample.class_token = true;
  sample.keys = sample.queries = 3;
  EXPECT_TRUE(at::equal(ids("tree clip=2 class_token=true", sample),
                        at::tensor({12, 10, 10, 11, 0, 9, 11, 4, 0}, at::kLong).view({3, 3})));
  const RelationMap map = make_relation("tree clip=2 class_token=true")->map(sample);
  EXPECT_EQ(map.rows, 13);
  EXPECT_TRUE(at::equal(map.special.slice(0, 9), at::tensor({-1, 0, 1, 2}, at::kLong)));
  EXPECT_THAT(error_of([&] { make_relation("tree")->map(sample); }),
              HasSubstr("has a class token, the relation has class_token=false"));
}

std::vector<int64_t> path_up(const std::vector<int64_t>& parents, int64_t node) {
  std::vector<int64_t> path;
  for (; node >= 0; node = parents[static_cast<size_t>(node)]) path.push_back(node);
  return path;
}

// By the definition, path against path; siblings by their index.
int64_t plain_id(const std::vector<int64_t>& parents, int64_t i, int64_t j, int64_t clip) {
  const auto from = path_up(parents, i), to = path_up(parents, j);
  size_t common = 0;
  while (common < from.size() && common < to.size() &&
         from[from.size() - 1 - common] == to[to.size() - 1 - common]) {
    ++common;
  }
  const auto up = static_cast<int64_t>(from.size() - common);
  const auto down = static_cast<int64_t>(to.size() - common);
  if (up == 1 && down == 1 && j > i) return (clip + 1) * (clip + 1);
  return std::min(up, clip) * (clip + 1) + std::min(down, clip);
}

TEST(Tree, AgreesWithWalkingUpOnAnyTreeInAnyOrder) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    // A random tree whose nodes are then renumbered, so that children may come before parents.
    const size_t nodes = 1 + random() % 40;
    std::vector<int64_t> number(nodes), parents(nodes);
    std::iota(number.begin(), number.end(), int64_t{0});
    if (trial % 2 == 0) std::shuffle(number.begin(), number.end(), random);
    for (size_t node = 0; node < nodes; ++node) {
      const bool chain = random() % 2 == 0;
      parents[static_cast<size_t>(number[node])] =
          node == 0 ? -1 : number[chain ? node - 1 : random() % node];
    }
    std::vector<int64_t> tokens = leaves_of(parents);
    if (trial % 3 == 0) {
      tokens.resize(nodes);
      std::iota(tokens.begin(), tokens.end(), int64_t{0});
    }
    const int64_t clip = 1 + static_cast<int64_t>(random() % 20);
    const Tensor found = ids(fmt::format("tree clip={}", clip), tree_of(parents, tokens));
    for (size_t a = 0; a < tokens.size(); ++a) {
      for (size_t b = 0; b < tokens.size(); ++b) {
        ASSERT_EQ(found[static_cast<int64_t>(a)][static_cast<int64_t>(b)].item<int64_t>(),
                  plain_id(parents, tokens[a], tokens[b], clip))
            << "trial " << trial << " tokens " << a << " " << b;
      }
    }
  }
}

// Seen elsewhere: deep trees overflow the stack. The encoding clips depth, not the stack.
TEST(Tree, A50TwentyThousandDeep) {
  std::vector<int64_t> parents(20003);
  for (size_t node = 0; node < parents.size(); ++node)
    parents[node] = static_cast<int64_t>(node) - 1;
  const TreeOrder order = tree_order(parents, {0, 20002});
  EXPECT_EQ(order.depth, (std::vector<int32_t>{0, 20002}));
  const Tensor found = ids("tree tokens=nodes", tree_of(parents, {0, 10000, 20002}));
  EXPECT_EQ(found[0][2].item<int64_t>(), 8);   // down only, clipped
  EXPECT_EQ(found[2][1].item<int64_t>(), 72);  // up only
}

TEST(Tree, FewerQueriesStandAtTheLastKeys) {
  Structure sample = leaves_as_tokens({-1, 0, 0, 2, 2});
  sample.queries = 1;
  EXPECT_TRUE(at::equal(ids("tree", sample), at::tensor({19, 10, 0}, at::kLong).view({1, 3})));
}

TEST(Tree, MoreQueriesThanKeysAreRefused) {
  Structure sample = leaves_as_tokens({-1, 0, 0, 2, 2});
  sample.queries = 4;
  EXPECT_EQ(error_of([&] { make_relation("tree")->map(sample); }),
            "relation tree: 4 queries and 3 keys found, at most as many expected");
}

TEST(Tree, TooManyTokensForTheirPairsAreRefused) {
  std::vector<int64_t> parents(16'386, 0);
  parents[0] = -1;
  EXPECT_THAT(error_of([&] { make_relation("tree")->map(leaves_as_tokens(parents)); }),
              HasSubstr("relation tree: 16385 tokens found, at most 16384 expected"));
}

TEST(Tree, OneTokenAndNone) {
  EXPECT_EQ(ids("tree", tree_of({-1}, {0})).item<int64_t>(), 0);
  EXPECT_EQ(ids("tree", tree_of({-1}, {})).numel(), 0);
}

TEST(Tree, ParentsThatAreNoTree) {
  const auto refusal = [](std::vector<int64_t> parents, std::vector<int64_t> tokens) {
    return error_of([&] { make_relation("tree")->map(tree_of(parents, tokens)); });
  };
  EXPECT_THAT(refusal({-1, -1}, {1}), HasSubstr("nodes 0 and 1 have no parent"));
  EXPECT_THAT(refusal({1, 0}, {1}), HasSubstr("no node has parent -1"));
  EXPECT_THAT(refusal({-1, 2, 1}, {1}), HasSubstr("2 of 3 nodes do not hang below the root"));
  EXPECT_THAT(refusal({-1, 5}, {1}), HasSubstr("parent of node 1 is 5"));
  EXPECT_THAT(refusal({-1, 1}, {1}), HasSubstr("parent of node 1 is 1"));
  EXPECT_THAT(refusal({-1, 0}, {2}), HasSubstr("a token is node 2, a number below 2"));
  EXPECT_THAT(refusal({}, {}), HasSubstr("no syntax tree"));
}

TEST(Tree, ReadsAFile) {
  const ScratchFolder folder;
  const std::string file = folder.write("x.py", "x = f(a)\r\n");
  const auto structure = [&](const std::string& more) {
    return make_relation("tree file=" + file + more)->structure(std::nullopt, std::nullopt);
  };
  EXPECT_EQ(structure("").keys, 6);
  EXPECT_EQ(structure(" tokens=nodes").keys, 11);
  EXPECT_EQ(structure(" class_token=true").keys, 7);
  EXPECT_THAT(error_of([&] { make_relation("tree file=" + file)->structure(5, 5); }),
              HasSubstr("x.py has 6 tokens"));
  EXPECT_THAT(error_of([&] {
                make_relation("tree file=" + folder.write("b.py", std::string("\0x", 2)))
                    ->structure(std::nullopt, std::nullopt);
              }),
              HasSubstr("b.py: binary: byte 0x00 at offset 0"));
  const auto empty =
      make_relation("tree file=" + folder.write("e.py", ""))->structure(std::nullopt, std::nullopt);
  EXPECT_EQ(empty.keys, 0);
}

// Some 5 ms; 20 were promised. A time fails no test unless it says that this is quadratic in nodes.
TEST(Tree, TwoThousandTokensTakeMilliseconds) {
  std::mt19937_64 random(3);
  std::vector<int64_t> parents = {-1};
  while (leaves_of(parents).size() < 2000) {
    for (int n = 0; n < 200; ++n) {
      const auto nodes = static_cast<int64_t>(parents.size());
      parents.push_back(std::max<int64_t>(0, nodes - 1 - static_cast<int64_t>(random() % 8)));
    }
  }
  Structure sample = leaves_as_tokens(parents);
  const auto relation = make_relation("tree");
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    relation->map(sample);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  fmt::print("relation ids of {} tokens: {:.1f} ms\n", sample.keys, best);
  EXPECT_LT(best, 2000);
}

}  // namespace
}  // namespace relbias::modalities
