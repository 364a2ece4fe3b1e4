// SPDX-License-Identifier: Apache-2.0
// results/analysis: the settings of a run: what has to agree for two runs to be compared.
#include "results/analysis/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace relbias::results {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// A word in quotes is the word, as settings have it.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const std::string& config) {
  std::vector<std::pair<std::string, std::string>> settings;
  std::string section;
  for (size_t begin = 0; begin < config.size();) {
    const size_t end = std::min(config.find('\n', begin), config.size());
    const std::string line = trimmed(config.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line[0] == '#') continue;
    const size_t equals = line.find('=');
    if (line[0] == '[' && line.back() == ']' && equals == std::string::npos) {
      section = line.substr(1, line.size() - 2) + ".";
    } else if (equals != std::string::npos) {
      settings.emplace_back(section + trimmed(line.substr(0, equals)),
                            trimmed(line.substr(equals + 1)));
    }
  }
  return settings;
}

Settings setting_of(const RunRecord& run) {
  Settings settings = run.settings;
  if (settings.empty()) {
    for (const auto& [key, value] : settings_of(run.config)) settings[key] = unquoted(value);
    for (const char* key : {"seed", "model.encoding", "model.relation", "model.positions"}) {
      settings.erase(key);
    }
  }
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
