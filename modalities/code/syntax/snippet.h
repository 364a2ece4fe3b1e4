// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: a function (or a file) as the tokens and the tree that a model sees.
#pragma once

#include "modalities/code/syntax/parser.h"
#include "modalities/relation.h"

namespace relbias::modalities {

/// A subtree of a file: comments are left out, a literal is one token, and at most so many tokens
/// are kept, the first.
struct Snippet {
  SyntaxTree tree;
  std::vector<int32_t> tokens;  // nodes: the leaves, in the order of the source
  std::vector<int32_t> ids;     // [nodes, Vocabulary::features], once there is a vocabulary
  std::string name;             // `ast.py line 33`
  std::string source;           // the file, whose functions are alike; empty: its own
  int64_t label = -1;           // what the dataset says of it; -1: nothing
  bool cut = false;
};

/// The functions of a file that do not stand in another function: nodes in preorder.
std::vector<size_t> outer_functions(const SyntaxTree& tree);

Snippet snippet_of(const SyntaxTree& file, size_t node, size_t limit);

/// Two snippets below a common root, first all of `a`.
Snippet joined(const Snippet& a, const Snippet& b);

/// What a token says: its text, `<integer>` for a literal, nothing for a node with children.
std::string token_text(const Snippet& snippet, size_t node);

/// All texts of the tokens: equal for snippets that differ in layout, comments and literals alone.
std::string token_texts(const Snippet& snippet);

/// Tokens are the leaves, or all nodes.
Structure structure_of(const Snippet& snippet, bool all_nodes);

}  // namespace relbias::modalities
