// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: from source text to a syntax tree, by tree-sitter.
#pragma once

#include "modalities/code/syntax/languages.h"

namespace relbias::modalities {

struct SyntaxNode {
  int32_t parent = -1;  // -1: the root
  uint16_t type = 0;    // languages.h: type_name
  uint16_t field = 0;   // what the parent calls it; 0: nothing
  uint32_t begin = 0;   // bytes of the source, `end` excluded
  uint32_t end = 0;
  bool leaf = false;     // without children, and not the root
  bool missing = false;  // what the parser put in to go on, of no width
  bool extra = false;    // may stand anywhere, as comments
};

/// Nodes in preorder. All offsets count bytes: `x = '中文' + y` has y at byte 15, which is code
/// point 11.
struct SyntaxTree {
  const Language* language = nullptr;
  std::string source;
  std::vector<SyntaxNode> nodes;
  bool has_error = false;  // ERROR or missing nodes

  std::string_view text(size_t node) const {
    return std::string_view(source).substr(nodes[node].begin, nodes[node].end - nodes[node].begin);
  }
  std::string_view type(size_t node) const { return type_name(*language, nodes[node].type); }
  /// The first node after `node` that does not stand below it.
  size_t end_of(size_t node) const;
};

/// Without byte-order mark, and with a newline where a line ends in CR or CR LF: else comments
/// would carry the CR.
std::string with_plain_lines(std::string source);

/// Any bytes have a tree. Text that does not follow the grammar gets ERROR nodes and missing ones
/// of no width; an empty file has a root and nothing else. A tree of any depth is walked without
/// recursion.
///
///   x = f(a)   module (expression_statement (assignment x = (call f (argument_list ( a )))))
SyntaxTree parse(const Language& language, std::string source);

/// A place as people count: line and column from 1; the column in code points, a tab is one.
struct Place {
  size_t line, column;
};
Place place_of(std::string_view source, size_t byte);

}  // namespace relbias::modalities
