// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: a tree's tokens in preorder, with what is needed for the ancestor of any
// two.
#pragma once

#include "modalities/relation.h"

namespace relbias::modalities {

/// Tokens by their place in the tree. The depth of the lowest common ancestor of the a-th and the
/// b-th, a < b, is the minimum of depth[a] and gap[a + 1] .. gap[b].
///
/// Root with children x and b, x with child a; tokens a b: depth 2 1, gap[1] = 0.
struct TreeOrder {
  std::vector<int64_t> token;  // by place: the token's own number
  std::vector<int32_t> depth;  // by place; the root has 0
  std::vector<int32_t> gap;    // by place: depth of its common ancestor with the place before
};

/// Linear in the nodes, no recursion. Children stand in the order of their index, parents may have
/// any. Throws InputError unless `parents` is one tree and `token_nodes` are nodes of it.
TreeOrder tree_order(const std::vector<int64_t>& parents, const std::vector<int64_t>& token_nodes);

/// The nodes that have no children and are not the root, in preorder of any tree whose children
/// follow their parents.
std::vector<int64_t> leaves_of(const std::vector<int64_t>& parents);

/// Parents and tokens of a source file; only those two fields are filled in. Throws InputError
/// where it is no text, or of no known language.
Structure tree_of_file(const std::string& file, bool all_nodes);

/// `f(a, b)`: call f and arguments ( a , b ).
Structure example_tree(bool all_nodes);

}  // namespace relbias::modalities
