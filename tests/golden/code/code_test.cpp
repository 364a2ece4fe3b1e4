// SPDX-License-Identifier: Apache-2.0
// tests/golden/code: syntax trees of py-tree-sitter, and the relation `tree` on them.
#include <ATen/ATen.h>

#include "modalities/code/syntax/parser.h"
#include "modalities/code/syntax/tree_order.h"
#include "modalities/code/tree_structure.h"
#include "tests/golden/golden.h"

namespace relbias::golden {
namespace {

class GoldenCode : public testing::TestWithParam<CaseId> {
 protected:
  GoldenCode() {
    const Tensor bytes = golden.read("in/source_bytes");
    std::string source;
    for (int64_t n = 0; n < bytes.numel(); ++n) {
      source += static_cast<char>(bytes[n].item<int64_t>());
    }
    tree = parse(language_named("python"), source);
    for (size_t node = 0; node < tree.nodes.size(); ++node) {
      parents.push_back(tree.nodes[node].parent);
      if (tree.nodes[node].leaf) leaves.push_back(static_cast<int64_t>(node));
    }
  }

  // A number of every node against a data set.
  template <class Number>
  void expect_nodes(const std::string& name, Number&& number) {
    const Tensor expected = golden.read("out/node_" + name);
    ASSERT_EQ(expected.numel(), static_cast<int64_t>(tree.nodes.size())) << name;
    for (size_t node = 0; node < tree.nodes.size(); ++node) {
      EXPECT_EQ(static_cast<int64_t>(number(node)),
                expected[static_cast<int64_t>(node)].item<int64_t>())
          << name << " of node " << node;
    }
  }

  Tensor ids(const std::string& relation, const std::vector<int64_t>& tokens) const {
    Structure sample;
    sample.queries = sample.keys = static_cast<int64_t>(tokens.size());
    edit_tree(sample).parents = parents;
    edit_tree(sample).token_nodes = tokens;
    return make_relation(relation)->map(sample).index.select(0, 0).to(at::kLong);
  }

  std::vector<int64_t> path_up(int64_t node) const {
    std::vector<int64_t> path;
    for (; node >= 0; node = parents[static_cast<size_t>(node)]) path.push_back(node);
    return path;
  }

  Case golden{GetParam()};
  SyntaxTree tree;
  std::vector<int64_t> parents, leaves;
};

TEST_P(GoldenCode, EveryNodeIsTheirs) {
  const auto types = golden.words("out/type_table"), fields = golden.words("out/field_table");
  const Tensor type = golden.read("out/node_type_id"), field = golden.read("out/node_field_id");
  ASSERT_EQ(type.numel(), static_cast<int64_t>(tree.nodes.size()));
  for (size_t node = 0; node < tree.nodes.size(); ++node) {
    const auto place = static_cast<int64_t>(node);
    EXPECT_EQ(tree.type(node), types.at(static_cast<size_t>(type[place].item<int64_t>())));
    EXPECT_EQ(
        tree.nodes[node].field,
        field_named(*tree.language, fields.at(static_cast<size_t>(field[place].item<int64_t>()))));
  }
  const auto& nodes = tree.nodes;
  std::vector<int64_t> children(nodes.size()), depths(nodes.size());
  expect_nodes("parent", [&](size_t node) { return nodes[node].parent; });
  expect_nodes("start_byte", [&](size_t node) { return nodes[node].begin; });
  expect_nodes("end_byte", [&](size_t node) { return nodes[node].end; });
  expect_nodes("missing", [&](size_t node) { return nodes[node].missing; });
  expect_nodes("extra", [&](size_t node) { return nodes[node].extra; });
  expect_nodes("error", [&](size_t node) { return tree.type(node) == "ERROR"; });
  expect_nodes("child_index", [&](size_t node) {
    return node == 0 ? 0 : children[static_cast<size_t>(nodes[node].parent)]++;
  });
  expect_nodes("depth", [&](size_t node) {
    return depths[node] = node == 0 ? 0 : depths[static_cast<size_t>(nodes[node].parent)] + 1;
  });
  const auto line_start = [&](size_t node) {
    const size_t newline = std::string_view(tree.source).substr(0, nodes[node].begin).rfind('\n');
    return newline == std::string_view::npos ? 0 : newline + 1;
  };
  expect_nodes("start_row",
               [&](size_t node) { return place_of(tree.source, nodes[node].begin).line - 1; });
  expect_nodes("start_col", [&](size_t node) { return nodes[node].begin - line_start(node); });
  EXPECT_EQ(tree.has_error, golden.integer("root_has_error") != 0);
}

TEST_P(GoldenCode, LeavesPathsAndStepsAreTheirs) {
  const Tensor index = golden.read("out/leaf_index");
  ASSERT_EQ(index.numel(), static_cast<int64_t>(leaves.size()));
  if (leaves.empty()) return;
  EXPECT_TRUE(at::equal(index, at::tensor(leaves, at::kLong)));
  const auto texts = golden.words("out/leaf_text");
  const Tensor paths = golden.read("out/leaf_path_nodes"), lca = golden.read("out/lca");
  const Tensor up = golden.read("out/up"), down = golden.read("out/down");
  // The sibling after has an id of its own; it is one step up and one down as the others.
  Tensor found = ids("tree clip=127", leaves);
  found = found.masked_fill(found == 128 * 128, 129);
  EXPECT_TRUE(at::equal(found.div(128, "floor"), up));
  EXPECT_TRUE(at::equal(found.remainder(128), down));
  EXPECT_TRUE(at::equal(found.div(128, "floor") + found.remainder(128), golden.read("out/dist")));
  const Tensor lca_depth = golden.read("out/lca_depth");
  const TreeOrder order = tree_order(parents, leaves);
  for (size_t a = 0; a < leaves.size(); ++a) {
    const auto row = static_cast<int64_t>(a);
    EXPECT_EQ(tree.text(static_cast<size_t>(leaves[a])), texts.at(a));
    std::vector<int64_t> path = path_up(leaves[a]);
    for (size_t b = 0; b < leaves.size(); ++b) {
      const auto column = static_cast<int64_t>(b);
      const auto steps = static_cast<size_t>(found[row][column].item<int64_t>() / 128);
      EXPECT_EQ(path.at(steps), lca[row][column].item<int64_t>());
      EXPECT_EQ(order.depth[a] - static_cast<int64_t>(steps),
                lca_depth[row][column].item<int64_t>());
    }
    path.resize(static_cast<size_t>(paths.size(1)), -1);
    EXPECT_TRUE(at::equal(paths[row], at::tensor(path, at::kLong)));
  }
}

// 0 none, 1 self, 2 i is parent of j, 3 i is child of j, 4 siblings.
TEST_P(GoldenCode, RelationsOfNodesAreTheirs) {
  std::vector<int64_t> nodes(tree.nodes.size());
  for (size_t node = 0; node < nodes.size(); ++node) nodes[node] = static_cast<int64_t>(node);
  const Tensor found = ids("tree clip=8 tokens=nodes", nodes);
  Tensor named = at::zeros_like(found);
  named.masked_fill_(found == 0, 1);
  named.masked_fill_(found == 1, 2);
  named.masked_fill_(found == 9, 3);
  named.masked_fill_((found == 10).logical_or(found == 81), 4);
  EXPECT_TRUE(at::equal(named, golden.read("out/relation")));
}

RELBIAS_GOLDEN_TESTS(GoldenCode, cases("code_treesitter"));

}  // namespace
}  // namespace relbias::golden
