// SPDX-License-Identifier: Apache-2.0
// results/analysis: the settings of a run: what has to agree for two runs to be compared.
#include "results/analysis/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace relbias::results {

Settings setting_of(const RunRecord& run) {
  Settings settings = run.settings;
  settings["dataset_hash"] = run.dataset_hash;
  settings["schema_version"] = std::to_string(run.schema_version);
  return settings;
}

std::string value_of(const Settings& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "unset" : found->second;
}

namespace {

Settings settings_in(const nlohmann::json& json, const char* name) {
  Settings settings;
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) return settings;
  for (const auto& [key, value] : found->items()) {
    settings[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return settings;
}

}  // namespace

Tuning tuning_in(const RunRecord& run) {
  if (run.tuning.empty()) return {};
  const auto json = nlohmann::json::parse(run.tuning, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return {};
  return {.trials = json.value("trials", int64_t{0}),
          .of = json.value("of", int64_t{0}),
          .chosen = settings_in(json, "chosen"),
          .cell = json.value("cell", std::string()),
          .setting = settings_in(json, "setting"),
          .trial = json.value("trial", int64_t{0}),
          .edge = json.value("edge", std::vector<std::string>()),
          .diverged = json.value("diverged", false)};
}

std::string chosen_text(const Tuning& tuning) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : tuning.chosen) {
    parts.push_back(fmt::format("{}={}", key.substr(key.rfind('.') + 1), value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace relbias::results
