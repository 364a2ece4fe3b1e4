// SPDX-License-Identifier: Apache-2.0
// results/claims: values of a TOML table. What has another type is an error, never its default.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <concepts>
#include <sstream>
#include <string>
#include <string_view>

#include "results/record.h"

namespace relbias::results {

/// Throws StoreError: `table.toml: line 3: at = '4' found, a number expected`.
[[noreturn]] inline void toml_error(const toml::node& node, std::string_view key,
                                    std::string_view expected) {
  std::ostringstream found;
  if (node.is_value()) {
    node.visit([&](const auto& value) { found << value; });
  } else {
    found << node.type();
  }
  const toml::source_region& source = node.source();
  throw StoreError(fmt::format("{}: line {}: {} = {} found, {} expected",
                               source.path ? *source.path : "", source.begin.line, key, found.str(),
                               expected));
}

/// The value of `key`, or `missing` where there is none. An integer may stand for a real number.
template <typename Value>
Value value_in(const toml::table& table, std::string_view key, Value missing) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return missing;
  const bool is_whole = std::floating_point<Value> && node->is_integer();
  const auto found = is_whole ? node->value<Value>() : node->value_exact<Value>();
  if (found) return *found;
  if constexpr (std::same_as<Value, std::string>) toml_error(*node, key, "a text");
  if constexpr (std::same_as<Value, bool>) toml_error(*node, key, "true or false");
  toml_error(*node, key, std::integral<Value> ? "a whole number" : "a number");
}

inline std::string text_in(const toml::table& table, std::string_view key) {
  return value_in(table, key, std::string());
}

/// The table [key], or null where there is none.
inline const toml::table* table_in(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node != nullptr && !node->is_table()) toml_error(*node, key, fmt::format("[{}]", key));
  return node == nullptr ? nullptr : node->as_table();
}

/// Calls read(table) for each of [[key]].
template <typename Read>
void each_table(const toml::table& table, std::string_view key, Read read) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return;
  const bool empty = node->is_array() && node->as_array()->empty();
  if (!empty && !node->is_array_of_tables()) toml_error(*node, key, fmt::format("[[{}]]", key));
  for (const toml::node& one : *node->as_array()) read(*one.as_table());
}

}  // namespace relbias::results
