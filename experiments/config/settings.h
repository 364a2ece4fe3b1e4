// SPDX-License-Identifier: Apache-2.0
// experiments/config: settings as written, in a study file or on the command line, each with its
// place.
#pragma once

#include <toml++/toml.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "modalities/plain/check.h"

namespace relbias::experiments {

/// One run's settings: dotted key (`train.steps`) -> value, which knows where it was written.
/// Whoever sets a key again replaces it (base < sweep < smoke < --set). The values live elsewhere.
using Settings = std::map<std::string, const toml::node*>;

/// `study.toml:7:12`, or `--set train.steps=x` for what came from the command line.
std::string place_of(const toml::node& value);

/// The value as a user would write it on the command line: `5`, `[12, 16]`, `rope layout=half`.
std::string text_of(const toml::node& value);

/// Parses a TOML document. `name` is what error messages call it.
std::shared_ptr<const toml::table> parse_toml(std::string_view text, const std::string& name);

/// `key=value`, the value in TOML or else taken as a string. One key of the table is set, dotted.
struct Assignment {
  std::string key;
  std::shared_ptr<const toml::table> source;  // {value = ...}

  const toml::node& value() const { return *source->get("value"); }
};
Assignment parse_assignment(const std::string& text, const std::string& flag);

/// Sets a key; a table sets the keys below it. Throws InputError where it holds none.
void assign(const std::string& key, const toml::node& value, Settings& settings);

/// Every value below a table, tables flattened to dotted keys. Quoted keys may hold dots.
void flatten(const toml::table& table, const std::string& prefix, Settings& settings);

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

}  // namespace relbias::experiments
