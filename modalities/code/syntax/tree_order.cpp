// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: preorder of a tree given by parents, and trees of files.
#include "modalities/code/syntax/tree_order.h"

#include <algorithm>
#include <numeric>

#include "modalities/code/syntax/parser.h"
#include "modalities/code/tree_structure.h"
#include "modalities/text/text.h"

namespace relbias::modalities {
namespace {

int64_t root_of(const std::vector<int64_t>& parents) {
  const auto nodes = static_cast<int64_t>(parents.size());
  int64_t root = -1;
  for (int64_t node = 0; node < nodes; ++node) {
    const int64_t parent = parents[node];
    if (parent < -1 || parent >= nodes || parent == node) {
      input_error("tree: parent of node {} is {}, -1 or another of {} nodes expected", node, parent,
                  nodes);
    }
    if (parent >= 0) continue;
    if (root >= 0)
      input_error("tree: nodes {} and {} have no parent, one root expected", root, node);
    root = node;
  }
  if (root < 0) input_error("tree: no node has parent -1, one root expected");
  return root;
}

// Nodes in preorder, children in the order of their index.
std::vector<int64_t> preorder(const std::vector<int64_t>& parents) {
  std::vector<int64_t> order, open = {root_of(parents)};  // which refuses indices out of range
  const auto nodes = static_cast<int64_t>(parents.size());
  std::vector<int64_t> last(nodes, -1), before(nodes, -1);  // children as a list from the last
  for (int64_t node = 0; node < nodes; ++node) {
    if (parents[node] < 0) continue;
    before[node] = last[parents[node]];
    last[parents[node]] = node;
  }
  order.reserve(parents.size());
  while (!open.empty()) {
    const int64_t node = open.back();
    open.pop_back();
    order.push_back(node);
    for (int64_t child = last[node]; child >= 0; child = before[child]) open.push_back(child);
  }
  if (order.size() != parents.size()) {
    input_error("tree: {} of {} nodes do not hang below the root: their parents form a circle",
                parents.size() - order.size(), parents.size());
  }
  return order;
}

}  // namespace

TreeOrder tree_order(const std::vector<int64_t>& parents, const std::vector<int64_t>& token_nodes) {
  const std::vector<int64_t> order = preorder(parents);
  std::vector<int64_t> rank(order.size());
  std::vector<int32_t> depth(order.size());  // by rank
  for (size_t at = 0; at < order.size(); ++at) {
    rank[order[at]] = static_cast<int64_t>(at);
    const int64_t parent = parents[order[at]];
    depth[at] = parent < 0 ? 0 : depth[rank[parent]] + 1;
  }
  for (const int64_t node : token_nodes) {
    if (node < 0 || node >= static_cast<int64_t>(parents.size())) {
      input_error("tree: a token is node {}, a number below {} expected", node, parents.size());
    }
  }
  TreeOrder result;
  result.token.resize(token_nodes.size());
  std::iota(result.token.begin(), result.token.end(), int64_t{0});
  const auto place = [&](int64_t token) { return rank[token_nodes[token]]; };
  std::stable_sort(result.token.begin(), result.token.end(),
                   [&](int64_t a, int64_t b) { return place(a) < place(b); });
  int64_t seen = result.token.empty() ? 0 : place(result.token.front());
  for (const int64_t token : result.token) {
    // A node met in preorder leaves all that is deeper than its parent.
    int32_t common = depth[seen];
    for (; seen < place(token); ++seen) common = std::min(common, depth[seen + 1] - 1);
    result.depth.push_back(depth[seen]);
    result.gap.push_back(common);
  }
  return result;
}

std::vector<int64_t> leaves_of(const std::vector<int64_t>& parents) {
  std::vector<bool> has_child(parents.size());
  for (const int64_t parent : parents) {
    if (parent >= 0 && parent < static_cast<int64_t>(parents.size())) has_child[parent] = true;
  }
  std::vector<int64_t> leaves;
  for (size_t node = 0; node < parents.size(); ++node) {
    if (!has_child[node] && parents[node] >= 0) leaves.push_back(static_cast<int64_t>(node));
  }
  return leaves;
}

Structure tree_of_file(const std::string& file, bool all_nodes) {
  const Language& language = language_of_file(file);
  std::string source = read_file(file);
  if (const auto fault = not_text(source)) input_error("{}: {}", file, *fault);
  const SyntaxTree tree = parse(language, with_plain_lines(std::move(source)));
  Structure sample;
  for (size_t node = 0; node < tree.nodes.size(); ++node) {
    edit_tree(sample).parents.push_back(tree.nodes[node].parent);
    if (all_nodes || tree.nodes[node].leaf) {
      edit_tree(sample).token_nodes.push_back(static_cast<int64_t>(node));
    }
  }
  return sample;
}

Structure example_tree(bool all_nodes) {
  Structure sample;
  edit_tree(sample).parents = {-1, 0, 0, 2, 2, 2, 2, 2};
  edit_tree(sample).token_nodes = leaves_of(tree_of(sample).parents);
  if (all_nodes) edit_tree(sample).token_nodes = {0, 1, 2, 3, 4, 5, 6, 7};
  return sample;
}

}  // namespace relbias::modalities
