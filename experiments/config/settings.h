// SPDX-License-Identifier: Apache-2.0
// experiments/config: settings as written, in a study file or on the command line, each with its
// place.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "modalities/plain/toml.h"

namespace relbias::experiments {

/// One run's settings: dotted key (`train.steps`) -> value, which knows where it was written.
/// Whoever sets a key again replaces it (base < sweep < smoke < --set). The values live elsewhere.
using Settings = std::map<std::string, const toml::node*>;

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

}  // namespace relbias::experiments
