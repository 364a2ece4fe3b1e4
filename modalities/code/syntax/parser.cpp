// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: the one file that runs tree-sitter.
#include "modalities/code/syntax/parser.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "modalities/plain/check.h"

namespace relbias::modalities {
namespace {

SyntaxNode node_at(const TSTreeCursor& cursor, const std::vector<uint16_t>& types, int32_t parent) {
  const TSNode node = ts_tree_cursor_current_node(&cursor);
  const TSSymbol symbol = ts_node_symbol(node);
  // ERROR is the symbol 65535, beyond all others.
  const uint16_t type = symbol < types.size() ? types[symbol] : static_cast<uint16_t>(types.size());
  return {.parent = parent,
          .type = type,
          .field = ts_tree_cursor_current_field_id(&cursor),
          .begin = ts_node_start_byte(node),
          .end = ts_node_end_byte(node),
          .leaf = parent >= 0 && ts_node_child_count(node) == 0,
          .missing = ts_node_is_missing(node),
          .extra = ts_node_is_extra(node)};
}

std::vector<SyntaxNode> preorder(const TSTree* tree, const std::vector<uint16_t>& types) {
  std::vector<SyntaxNode> nodes;
  std::vector<int32_t> path = {-1};  // of the nodes above the cursor
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  while (!path.empty()) {
    nodes.push_back(node_at(cursor, types, path.back()));
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      path.push_back(static_cast<int32_t>(nodes.size()) - 1);
      continue;
    }
    while (!path.empty() && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      ts_tree_cursor_goto_parent(&cursor);
      path.pop_back();
    }
  }
  ts_tree_cursor_delete(&cursor);
  return nodes;
}

}  // namespace

size_t SyntaxTree::end_of(size_t node) const {
  size_t end = node + 1;
  while (end < nodes.size() && nodes[end].parent >= static_cast<int32_t>(node)) ++end;
  return end;
}

std::string with_plain_lines(std::string source) {
  if (source.starts_with("\xEF\xBB\xBF")) source.erase(0, 3);
  size_t kept = 0;
  for (size_t at = 0; at < source.size(); ++at) {
    const bool before_newline = at + 1 < source.size() && source[at + 1] == '\n';
    if (source[at] == '\r' && before_newline) continue;
    source[kept++] = source[at] == '\r' ? '\n' : source[at];
  }
  source.resize(kept);
  return source;
}

SyntaxTree parse(const Language& language, std::string source) {
  if (source.size() > std::numeric_limits<int32_t>::max()) {
    input_error("source of {} bytes found, less than 2 GiB expected", source.size());
  }
  const std::unique_ptr<TSParser, void (*)(TSParser*)> parser(ts_parser_new(), ts_parser_delete);
  TORCH_INTERNAL_ASSERT(ts_parser_set_language(parser.get(), language.grammar()), language.name,
                        ": the grammar does not fit this tree-sitter");
  const std::unique_ptr<TSTree, void (*)(TSTree*)> tree(
      ts_parser_parse_string(parser.get(), nullptr, source.data(),
                             static_cast<uint32_t>(source.size())),
      ts_tree_delete);
  TORCH_INTERNAL_ASSERT(tree != nullptr, language.name, ": no tree");
  SyntaxTree result{.language = &language, .source = std::move(source), .nodes = {}};
  result.nodes = preorder(tree.get(), types_of_symbols(language));
  result.has_error = ts_node_has_error(ts_tree_root_node(tree.get()));
  return result;
}

Place place_of(std::string_view source, size_t byte) {
  const std::string_view before = source.substr(0, byte);
  const size_t newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto starts_character = [](unsigned char c) { return (c & 0xC0) != 0x80; };
  return {
      .line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
      .column = 1 + static_cast<size_t>(std::count_if(line.begin(), line.end(), starts_character))};
}

}  // namespace relbias::modalities
