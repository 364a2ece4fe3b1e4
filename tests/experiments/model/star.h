// SPDX-License-Identifier: Apache-2.0
// tests: a tree of one root and its leaves, the smallest structure whose pairs have ids of their
// own.
#pragma once

#include "modalities/code/tree_structure.h"
#include "modalities/relation.h"

namespace relbias::experiments {

/// Root with `leaves` children, the tokens; the last `queries` of them ask.
inline Structure star(int64_t queries, int64_t leaves) {
  Structure tree{.queries = queries, .keys = leaves};
  edit_tree(tree).parents.assign(static_cast<size_t>(leaves) + 1, 0);
  edit_tree(tree).parents[0] = -1;
  for (int64_t leaf = 1; leaf <= leaves; ++leaf) edit_tree(tree).token_nodes.push_back(leaf);
  return tree;
}
inline Structure star(int64_t leaves) { return star(leaves, leaves); }

}  // namespace relbias::experiments
