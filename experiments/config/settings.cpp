// SPDX-License-Identifier: Apache-2.0
// experiments/config: settings of the command line, and the flattening of tables to dotted keys.
#include "experiments/config/settings.h"

#include <sstream>

namespace relbias::experiments {
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

}  // namespace relbias::experiments
