// SPDX-License-Identifier: Apache-2.0
// experiments/config: typed reading of single settings.
#include "experiments/config/setting_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "encodings/encoding.h"
#include "modalities/plain/range_text.h"

namespace relbias::experiments {
namespace {

[[noreturn]] void refuse(const Field& field, const toml::node& value, const std::string& type) {
  const std::string allowed = allowed_values(field);
  wrong_value(field.key, value, allowed.empty() ? type : type + ", " + allowed + ",");
}

bool in_range(const Field& field, double number) {
  return std::isfinite(number) && number >= field.minimum && number <= field.maximum;
}

int64_t whole_number(const Field& field, const toml::node& value) {
  const auto* number = value.as_integer();
  if (number == nullptr || !in_range(field, static_cast<double>(number->get()))) {
    refuse(field, value, "a whole number");
  }
  return number->get();
}

double real_number(const Field& field, const toml::node& value) {
  const auto number = value.is_number() ? value.value<double>() : std::nullopt;
  if (!number || !in_range(field, *number)) refuse(field, value, "a number");
  return *number;
}

// `0.50` -> `0.5`; other text stays as it is.
std::string plain_number(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc() && stop == end && std::isfinite(number);
  return is_number ? fmt::format("{}", number) : text;
}

std::string word(const Field& field, const toml::node& value) {
  const bool number = value.is_number() && field.number_allowed;
  if (!value.is_string() && !number) refuse(field, value, "text");
  std::string text = text_of(value);
  if (field.number_allowed) {
    const std::string plain = plain_number(text);
    const char first = plain.empty() ? 'x' : plain.front();
    if (first == '-' || (first >= '0' && first <= '9')) return plain;
  }
  const auto& choices = field.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
    if (field.number_allowed) refuse(field, value, "a word or a number");
    at_place(field.key, &value, [&]() { unknown_word("value", text, choices); });
  }
  return text;
}

const toml::array& list(const Field& field, const toml::node& value, const std::string& type) {
  const auto* array = value.as_array();
  if (array == nullptr || array->empty()) refuse(field, value, type);
  return *array;
}

PositionConfig position(const Field& field, const toml::node& value) {
  const auto* table = value.as_table();
  if (table == nullptr) refuse(field, value, "{encoding = ..., relation = ...}");
  std::string encoding, relation;
  for (const auto& [key, member] : *table) {
    const std::string name(key.str());
    if (name != "encoding" && name != "relation") {
      at_place(field.key, &member, [&]() { unknown_word("key", name, {"encoding", "relation"}); });
    }
    (name == "encoding" ? encoding : relation) = word({.key = name}, member);
  }
  if (encoding.empty()) refuse(field, value, "an encoding");
  return at_place(field.key, &value, [&]() { return PositionConfig(encoding, relation); });
}

}  // namespace

std::string allowed_values(const Field& field) {
  if (!field.choices.empty()) {
    return fmt::format("{}{}", fmt::join(field.choices, " or "),
                       field.number_allowed ? " or a number" : "");
  }
  return range_text(field.minimum, field.maximum);
}

const toml::node* SettingReader::find(const std::string& key) const {
  const auto found = settings.find(key);
  return found == settings.end() ? nullptr : found->second;
}

void SettingReader::operator()(const Field& field, int64_t& member) const {
  if (const auto* value = find(field.key)) member = whole_number(field, *value);
}

void SettingReader::operator()(const Field& field, double& member) const {
  if (const auto* value = find(field.key)) member = real_number(field, *value);
}

void SettingReader::operator()(const Field& field, bool& member) const {
  const auto* value = find(field.key);
  if (value == nullptr) return;
  if (!value->is_boolean()) refuse(field, *value, "true or false");
  member = value->as_boolean()->get();
}

// A task or a dataset; an empty text is as good as none.
void SettingReader::operator()(const Field& field, Options& member) const {
  const auto* value = find(field.key);
  if (value == nullptr) return;
  const std::string text = word(field, *value);
  if (text.empty()) return;
  at_place(field.key, value,
           [&]() { member = field.key == "data.task" ? parse_task(text) : parse_dataset(text); });
}

void SettingReader::operator()(const Field& field, std::string& member) const {
  if (const auto* value = find(field.key)) member = word(field, *value);
}

void SettingReader::operator()(const Field& field, std::vector<int64_t>& member) const {
  const auto* value = find(field.key);
  if (value == nullptr) return;
  member.clear();
  for (const auto& element : list(field, *value, "a list of whole numbers")) {
    member.push_back(whole_number(field, element));
  }
}

void SettingReader::operator()(const Field& field, std::vector<double>& member) const {
  const auto* value = find(field.key);
  if (value == nullptr) return;
  member.clear();
  for (const auto& element : list(field, *value, "a list of numbers")) {
    member.push_back(real_number(field, element));
  }
}

void SettingReader::operator()(const Field& field, std::vector<std::string>& member) const {
  const auto* value = find(field.key);
  if (value == nullptr) return;
  const auto* array = value->as_array();
  if (array == nullptr) refuse(field, *value, "a list of texts");
  member.clear();
  for (const auto& element : *array) member.push_back(word(field, element));
}

void SettingReader::operator()(const Field& field, std::vector<PositionConfig>& member) const {
  const auto *value = find(field.key), *encoding = find("model.encoding"),
             *relation = find("model.relation");
  if (value == nullptr) {
    const auto read = [](const std::string& key, const toml::node* given, auto parse) {
      return at_place(key, given, [&]() { return parse(word({.key = key}, *given)); });
    };
    if (encoding) member[0].encoding = read("model.encoding", encoding, parse_encoding);
    if (relation) member[0].relation = read("model.relation", relation, parse_relation);
    return;
  }
  if (encoding || relation) {
    const auto& second = encoding ? *encoding : *relation;
    input_error("{}: model.positions and {} are two spellings of one thing: use one of them",
                place_of(second), encoding ? "model.encoding" : "model.relation");
  }
  member.clear();
  for (const auto& element : list(field, *value, "a list of {encoding = ..., relation = ...}")) {
    member.push_back(position(field, element));
  }
}

}  // namespace relbias::experiments
