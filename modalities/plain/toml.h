// SPDX-License-Identifier: Apache-2.0
// modalities/plain: values of TOML documents, each with its place. What has another type is an
// error, never its default.
#pragma once

#include <toml++/toml.h>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>

#include "modalities/plain/check.h"

namespace relbias::plain {

/// Parses a TOML document. `name` is what error messages call it.
std::shared_ptr<const toml::table> parse_toml(std::string_view text, const std::string& name);

/// `study.toml:7:12`, or `--set train.steps=x` for what came from the command line.
std::string place_of(const toml::node& value);

/// The value as a user would write it on the command line: `5`, `[12, 16]`, `rope layout=half`.
std::string text_of(const toml::node& value);

/// `PLACE: KEY: 5 found, EXPECTED expected`
[[noreturn]] void wrong_value(const std::string& key, const toml::node& found,
                              std::string_view expected);

/// Runs `read`; an InputError gets the place and the key of the value put before it, where given.
template <class Read>
auto at_place(const std::string& key, const toml::node* value, Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string colon = key.empty() ? "" : key + ": ";
    if (value == nullptr) input_error("{}{}", colon, error.what());
    input_error("{}: {}{}", place_of(*value), colon, error.what());
  }
}

/// The value of `key`, or `missing` where there is none. An integer may stand for a real number.
template <typename Value>
Value value_in(const toml::table& table, std::string_view key, Value missing) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return missing;
  const bool is_whole = std::floating_point<Value> && node->is_integer();
  const auto found = is_whole ? node->value<Value>() : node->value_exact<Value>();
  if (found) return *found;
  const std::string name(key);
  if constexpr (std::same_as<Value, std::string>) wrong_value(name, *node, "text");
  if constexpr (std::same_as<Value, bool>) wrong_value(name, *node, "true or false");
  wrong_value(name, *node, std::integral<Value> ? "a whole number" : "a number");
}

inline std::string text_in(const toml::table& table, std::string_view key) {
  return value_in(table, key, std::string());
}

/// The table [key], or null where there is none.
const toml::table* table_in(const toml::table& table, std::string_view key);

/// A value that is a text and not empty, or a table: `key` names it where it is neither.
const std::string& text_value(const std::string& key, const toml::node& value);
const toml::table& table_value(const std::string& key, const toml::node& value);

/// Calls read(table) for each of [[key]].
template <typename Read>
void each_table(const toml::table& table, std::string_view key, Read read) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return;
  const bool empty = node->is_array() && node->as_array()->empty();
  if (!empty && !node->is_array_of_tables()) {
    wrong_value(std::string(key), *node, fmt::format("a list of tables, [[{}]],", key));
  }
  for (const toml::node& one : *node->as_array()) read(*one.as_table());
}

}  // namespace relbias::plain
