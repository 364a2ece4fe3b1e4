// SPDX-License-Identifier: Apache-2.0
// modalities/plain: places and spellings of TOML values.
#include "modalities/plain/toml.h"

#include <fmt/ranges.h>

#include <sstream>
#include <vector>

namespace relbias::plain {
namespace {

std::string place_of(const toml::source_region& source) {
  std::string name = source.path ? *source.path : "?";
  if (name.starts_with("--")) return name;
  return fmt::format("{}:{}:{}", name, source.begin.line, source.begin.column);
}

}  // namespace

std::shared_ptr<const toml::table> parse_toml(std::string_view text, const std::string& name) {
  try {
    return std::make_shared<const toml::table>(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    input_error("{}: {}", place_of(error.source()), error.description());
  }
}

std::string place_of(const toml::node& value) { return place_of(value.source()); }

std::string text_of(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* number = value.as_floating_point()) {
    // The library writes 0.003 as 0.0030000000000000001.
    const std::string text = fmt::format("{}", number->get());
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  if (const auto* array = value.as_array()) {
    std::vector<std::string> texts;
    for (const auto& element : *array) {
      texts.push_back(element.is_string() ? fmt::format("\"{}\"", text_of(element))
                                          : text_of(element));
    }
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::ostringstream out;
  value.visit([&](const auto& concrete) { out << concrete; });
  return out.str();
}

void wrong_value(const std::string& key, const toml::node& found, std::string_view expected) {
  // A number or a truth value in quotes is told from one without.
  std::string text = text_of(found);
  const bool like_number = !text.empty() && text.find_first_of("+-0123456789") == 0;
  if (found.is_string() && (like_number || text.empty() || text == "true" || text == "false")) {
    text = '"' + text + '"';
  }
  input_error("{}: {}: {} found, {} expected", place_of(found), key, text, expected);
}

const std::string& text_value(const std::string& key, const toml::node& value) {
  const auto* text = value.as_string();
  if (text == nullptr || text->get().empty()) wrong_value(key, value, "text");
  return text->get();
}

const toml::table& table_value(const std::string& key, const toml::node& value) {
  if (!value.is_table()) wrong_value(key, value, "a table");
  return *value.as_table();
}

const toml::table* table_in(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) wrong_value(std::string(key), *node, fmt::format("a table, [{}],", key));
  return node->as_table();
}

}  // namespace relbias::plain
