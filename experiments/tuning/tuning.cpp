// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: the table `tune` as written.
#include "experiments/tuning/tuning.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/encoding.h"

namespace relbias::experiments {
namespace {

const toml::table& table_at(const std::string& key, const toml::node& value) {
  if (!value.is_table()) wrong_value(key, value, "a table");
  return *value.as_table();
}

std::vector<const toml::node*> values_of(const std::string& key, const toml::node& node) {
  if (!node.is_array() || node.as_array()->size() < 2) {
    wrong_value(key, node, "a list of two values or more");
  }
  std::vector<const toml::node*> values;
  for (const toml::node& value : *node.as_array()) values.push_back(&value);
  return values;
}

// What is tuned must train the model, and leave what it is asked and which one it is.
void check_setting(const std::string& key, const toml::node& value) {
  const std::vector<std::string> keys = setting_keys();
  const bool known = std::ranges::find(keys, key) != keys.end();
  if (!known) at_place("tune.over", &value, [&]() { unknown_word("setting", key, keys); });
  const bool identity = key == "model.encoding" || key == "model.positions" ||
                        key == "model.relation" || key == "train.size" || key == "train.sizes";
  if (!identity && (key.starts_with("train.") || key.starts_with("model."))) return;
  at_place("tune.over", &value, [&]() {
    input_error(
        "{} found, a setting of the model or of its training expected; options of an "
        "encoding, encoding_rate too, are tuned by tune.each",
        key);
  });
}

void check_option(const TunedAxis& axis, const toml::node& place) {
  at_place("tune.each", &place, [&]() {
    const Options options = parse_encoding(axis.encoding);
    if (options.given(axis.key)) {
      input_error("{} found, whose {} is fixed already", axis.encoding, axis.key);
    }
    for (const toml::node* value : axis.values) {
      parse_encoding(fmt::format("{} {}={}", axis.encoding, axis.key, text_of(*value)));
    }
  });
}

void read_each(const toml::table& table, std::vector<TunedAxis>& each) {
  for (const auto& [encoding, options] : table) {
    const std::string label(encoding.str());
    for (const auto& [option, node] : table_at("tune.each", options)) {
      const std::string key(option.str());
      each.push_back({key, label, values_of("tune.each." + key, node)});
      check_option(each.back(), node);
    }
  }
}

int64_t count_of(const std::string& key, const toml::node& node, int64_t least) {
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < least) {
    wrong_value(key, node, fmt::format("a whole number, at least {}", least));
  }
  return number->get();
}

void read_seeds(const toml::node& node, std::vector<int64_t>& seeds) {
  if (!node.is_array() || node.as_array()->empty()) {
    wrong_value("tune.seeds", node, "a list of seeds");
  }
  for (const toml::node& seed : *node.as_array()) {
    seeds.push_back(count_of("tune.seeds", seed, 0));
    if (std::ranges::count(seeds, seeds.back()) > 1) {
      at_place("tune.seeds", &seed, [&]() { input_error("{} is listed twice", seeds.back()); });
    }
  }
}

// In the order of the file; the library sorts tables by key.
void sort_by_place(std::vector<TunedAxis>& axes) {
  std::ranges::stable_sort(axes, [](const TunedAxis& a, const TunedAxis& b) {
    return a.values.front()->source().begin < b.values.front()->source().begin;
  });
}

}  // namespace

Tuning read_tuning(const toml::table& table) {
  Tuning tuning;
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    if (key == "over") {
      Settings lists;
      flatten(table_at("tune.over", node), "", lists);
      for (const auto& [setting, value] : lists) {
        check_setting(setting, *value);
        tuning.over.push_back({setting, "", values_of("tune.over." + setting, *value)});
      }
    } else if (key == "each") {
      read_each(table_at("tune.each", node), tuning.each);
    } else if (key == "trials") {
      tuning.trials = count_of("tune.trials", node, 1);
    } else if (key == "seeds") {
      read_seeds(node, tuning.seeds);
    } else {
      at_place("", &node, [&]() {
        unknown_word("key of tune", key, {"over", "each", "trials", "seeds"});
      });
    }
  }
  const auto missing = [&](const char* key, const char* what) {
    input_error("{}: tune.{}: missing, {} expected", place_of(table), key, what);
  };
  if (tuning.over.empty() && tuning.each.empty()) missing("over", "a table of lists");
  if (tuning.trials == 0) missing("trials", "how many of each encoding on each task");
  if (tuning.seeds.empty()) missing("seeds", "a list of seeds that the study does not use");
  sort_by_place(tuning.over);
  sort_by_place(tuning.each);
  return tuning;
}

std::map<std::string, std::string> GridPoint::texts() const {
  std::map<std::string, std::string> texts;
  for (const auto& [axis, value] : values) texts[axis->name()] = text_of(*value);
  return texts;
}

std::string GridPoint::label() const {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : values) parts.push_back(axis->name() + "=" + text_of(*value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> GridPoint::at_edge() const {
  std::vector<std::string> names;
  for (const auto& [axis, value] : values) {
    if (!value->is_number()) continue;
    const double chosen = value->value<double>().value();
    bool less = false, more = false;
    for (const toml::node* other : axis->values) {
      const double number = other->value<double>().value_or(chosen);
      less |= number < chosen;
      more |= number > chosen;
    }
    if (!less || !more) names.push_back(axis->name());
  }
  return names;
}

}  // namespace relbias::experiments
