// SPDX-License-Identifier: Apache-2.0
// experiments/config: reads settings into the members of a configuration, with their types and
// ranges.
#pragma once

#include "experiments/config/fields.h"

namespace relbias::experiments {

/// A visitor of visit_settings: gives a member the value its setting has, if it has one.
struct SettingReader {
  const Settings& settings;

  void operator()(const Field& field, int64_t& member) const;
  void operator()(const Field& field, double& member) const;
  void operator()(const Field& field, bool& member) const;
  void operator()(const Field& field, std::string& member) const;
  void operator()(const Field& field, Options& member) const;
  void operator()(const Field& field, std::vector<int64_t>& member) const;
  void operator()(const Field& field, std::vector<double>& member) const;
  void operator()(const Field& field, std::vector<std::string>& member) const;
  void operator()(const Field& field, std::vector<PositionConfig>& member) const;

 private:
  const toml::node* find(const std::string& key) const;
};

/// `at least 1`, `0 to 0.99`, `none or log`; empty: anything of its type.
std::string allowed_values(const Field& field);

}  // namespace relbias::experiments
