// SPDX-License-Identifier: Apache-2.0
// experiments/config: places and spellings of settings, and the flattening of tables to dotted
// keys.
#include "experiments/config/settings.h"

#include <fmt/ranges.h>

#include <sstream>

namespace relbias::experiments {
namespace {

std::string place_of(const toml::source_region& source) {
  const std::string name = source.path ? *source.path : "?";
  if (name.starts_with("--")) return name;
  return fmt::format("{}:{}:{}", name, source.begin.line, source.begin.column);
}

}  // namespace

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

std::shared_ptr<const toml::table> parse_toml(std::string_view text, const std::string& name) {
  try {
    return std::make_shared<const toml::table>(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    input_error("{}: {}", place_of(error.source()), error.description());
  }
}

Assignment parse_assignment(const std::string& text, const std::string& flag) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    input_error("{} {}: key=value expected, for example train.steps=100", flag, text);
  }
  const std::string name = flag + " " + text;
  const std::string value = text.substr(equals + 1);
  Assignment assignment{text.substr(0, equals), nullptr};
  try {
    assignment.source = std::make_shared<const toml::table>(toml::parse("value = " + value, name));
  } catch (const toml::parse_error&) {
    // Shells eat quotes: what is no TOML value is meant as a string, `model.encoding=alibi`.
  }
  if (!assignment.source || assignment.source->size() != 1) {
    const toml::value<std::string> quoted(value);
    std::ostringstream document;
    document << "value = " << quoted;
    assignment.source = parse_toml(document.str(), name);
  }
  return assignment;
}

void flatten(const toml::table& table, const std::string& prefix, Settings& settings) {
  for (const auto& [key, value] : table) {
    const std::string name = prefix + std::string(key.str());
    const toml::table* inner = value.as_table();
    // An empty table is kept, so that a misspelt one is noticed.
    if (inner != nullptr && !inner->empty()) {
      flatten(*inner, name + ".", settings);
    } else {
      settings[name] = &value;
    }
  }
}

void assign(const std::string& key, const toml::node& value, Settings& settings) {
  const toml::table* table = value.as_table();
  if (table == nullptr) {
    settings[key] = &value;
    return;
  }
  if (table->empty()) wrong_value(key, value, "a table of settings");
  flatten(*table, key + ".", settings);
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

}  // namespace relbias::experiments
