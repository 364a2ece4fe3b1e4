// SPDX-License-Identifier: Apache-2.0
// experiments/config: the canonical text of a configuration and the documentation of its settings.
#include <fmt/ranges.h>

#include "experiments/config/fields.h"
#include "experiments/config/setting_reader.h"
#include "experiments/config/setting_text.h"

namespace relbias::experiments {

std::string toml_text(int64_t number) { return fmt::format("{}", number); }

std::string toml_text(double number) {
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_text(bool flag) { return flag ? "true" : "false"; }

std::string toml_text(const Options& options) {
  return toml_text(options.name().empty() ? "" : options.canonical());
}

std::string toml_text(const PositionConfig& position) {
  return fmt::format("{{encoding = {}, relation = {}}}", toml_text(position.encoding),
                     toml_text(position.relation));
}

namespace {

const char* type_name(int64_t) { return "whole number"; }
const char* type_name(double) { return "number"; }
const char* type_name(bool) { return "true or false"; }
const char* type_name(const std::string&) { return "text"; }
const char* type_name(const Options&) { return "text"; }
const char* type_name(const std::vector<int64_t>&) { return "list of whole numbers"; }
const char* type_name(const std::vector<double>&) { return "list of numbers"; }
const char* type_name(const std::vector<std::string>&) { return "list of texts"; }
const char* type_name(const std::vector<PositionConfig>&) { return "list of tables"; }

}  // namespace

std::string config_text(const RunConfig& config) {
  std::string text, section;
  visit_settings(config, [&](const Field& field, const auto& member) {
    const auto dot = field.key.find('.');
    const bool top = dot == std::string::npos;
    if (!top && field.key.substr(0, dot) != section) {
      section = field.key.substr(0, dot);
      text += fmt::format("\n[{}]\n", section);
    }
    const std::string key = top ? field.key : field.key.substr(dot + 1);
    text += fmt::format("{} = {}\n", key, toml_text(member));
  });
  return text;
}

std::vector<SettingDescription> describe_settings() {
  std::vector<SettingDescription> descriptions;
  const RunConfig defaults;
  visit_settings(defaults, [&](const Field& field, const auto& member) {
    const std::string value = field.derived.empty() ? toml_text(member) : field.derived;
    descriptions.push_back(
        {field.key, type_name(member), value, allowed_values(field), field.meaning});
  });
  return descriptions;
}

}  // namespace relbias::experiments
