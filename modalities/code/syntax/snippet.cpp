// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: cutting functions out of files.
#include "modalities/code/syntax/snippet.h"
#include "modalities/code/tree_structure.h"

#include <fmt/format.h>

#include <algorithm>

namespace relbias::modalities {
namespace {

bool holds_code(const SyntaxTree& file, size_t node, size_t end, const Kinds& kinds) {
  return std::any_of(file.nodes.begin() + static_cast<int64_t>(node),
                     file.nodes.begin() + static_cast<int64_t>(end),
                     [&](const SyntaxNode& inner) { return kinds.interpolation[inner.type]; });
}

}  // namespace

std::vector<size_t> outer_functions(const SyntaxTree& tree) {
  const Kinds& kinds = kinds_of(*tree.language);
  std::vector<size_t> found;
  for (size_t node = 0; node < tree.nodes.size();) {
    const bool function = kinds.function[tree.nodes[node].type];
    if (function) found.push_back(node);
    node = function ? tree.end_of(node) : node + 1;
  }
  return found;
}

Snippet snippet_of(const SyntaxTree& file, size_t node, size_t limit) {
  const Kinds& kinds = kinds_of(*file.language);
  const size_t end = file.end_of(node);
  const uint32_t first_byte = file.nodes[node].begin;
  Snippet snippet;
  snippet.tree.language = file.language;
  snippet.tree.source = std::string(file.text(node));
  snippet.tree.has_error = file.has_error;
  std::vector<int32_t> kept(end - node, -1);  // by node of the file: node of the snippet
  for (size_t old = node; old < end;) {
    SyntaxNode copy = file.nodes[old];
    const size_t next =
        kinds.comment[copy.type] || kinds.literal[copy.type] ? file.end_of(old) : old + 1;
    if (kinds.comment[copy.type]) {
      old = next;
      continue;
    }
    const bool literal =
        kinds.literal[copy.type] && old != node && !holds_code(file, old, next, kinds);
    copy.leaf = copy.leaf || literal;
    if (copy.leaf && snippet.tokens.size() == limit) {
      snippet.cut = true;
      break;
    }
    copy.parent = old == node ? -1 : kept[static_cast<size_t>(copy.parent) - node];
    copy.begin -= first_byte;
    copy.end -= first_byte;
    kept[old - node] = static_cast<int32_t>(snippet.tree.nodes.size());
    if (copy.leaf) snippet.tokens.push_back(kept[old - node]);
    snippet.tree.nodes.push_back(copy);
    old = literal ? next : old + 1;
  }
  return snippet;
}

Snippet joined(const Snippet& a, const Snippet& b) {
  Snippet both;
  both.tree.language = a.tree.language;
  both.tree.source = a.tree.source + b.tree.source;
  both.tree.has_error = a.tree.has_error || b.tree.has_error;
  both.tree.nodes.push_back(
      {.type = a.tree.nodes.front().type, .end = static_cast<uint32_t>(both.tree.source.size())});
  both.cut = a.cut || b.cut;
  uint32_t first_byte = 0;
  for (const Snippet* part : {&a, &b}) {
    const auto first = static_cast<int32_t>(both.tree.nodes.size());
    for (SyntaxNode node : part->tree.nodes) {
      node.parent = node.parent < 0 ? 0 : node.parent + first;
      node.begin += first_byte;
      node.end += first_byte;
      both.tree.nodes.push_back(node);
    }
    for (const int32_t token : part->tokens) both.tokens.push_back(token + first);
    first_byte = static_cast<uint32_t>(a.tree.source.size());
  }
  return both;
}

std::string token_text(const Snippet& snippet, size_t node) {
  const SyntaxNode& token = snippet.tree.nodes[node];
  if (!token.leaf) return {};
  if (kinds_of(*snippet.tree.language).literal[token.type]) {
    return fmt::format("<{}>", snippet.tree.type(node));
  }
  return std::string(snippet.tree.text(node));
}

std::string token_texts(const Snippet& snippet) {
  std::string texts;
  for (const int32_t token : snippet.tokens) {
    texts += token_text(snippet, static_cast<size_t>(token)) + '\n';
  }
  return texts;
}

Structure structure_of(const Snippet& snippet, bool all_nodes) {
  Structure structure;
  edit_tree(structure).parents.reserve(snippet.tree.nodes.size());
  for (const SyntaxNode& node : snippet.tree.nodes)
    edit_tree(structure).parents.push_back(node.parent);
  if (all_nodes) {
    for (size_t node = 0; node < snippet.tree.nodes.size(); ++node) {
      edit_tree(structure).token_nodes.push_back(static_cast<int64_t>(node));
    }
  } else {
    edit_tree(structure).token_nodes.assign(snippet.tokens.begin(), snippet.tokens.end());
  }
  structure.queries = structure.keys = static_cast<int64_t>(tree_of(structure).token_nodes.size());
  return structure;
}

}  // namespace relbias::modalities
