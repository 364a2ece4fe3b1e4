// SPDX-License-Identifier: Apache-2.0
// experiments/config: from settings as written to a configuration in which nothing is left open.
#include "experiments/config/config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "encodings/encoding.h"
#include "experiments/config/setting_reader.h"
#include "experiments/model/pattern.h"
#include "experiments/model/preset.h"
#include "experiments/model/scale.h"
#include "experiments/run/optimiser.h"
#include "experiments/run/schedule.h"

namespace relbias::experiments {
namespace {

void refuse_unknown(const Settings& settings) {
  const std::vector<std::string> keys = setting_keys();
  for (const auto& [key, value] : settings) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const std::string section = key.substr(0, key.find('.')) + ".";
    std::vector<std::string> candidates;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(candidates),
                 [&](const std::string& valid) { return valid.starts_with(section); });
    if (section == key + "." && !candidates.empty()) {
      if (value->is_table() && value->as_table()->empty()) continue;  // [data] with nothing in it
      wrong_value(key, *value, "a table");
    }
    at_place("", value,
             [&]() { unknown_word("setting", key, candidates.empty() ? keys : candidates); });
  }
}

// An optimiser or schedule without the options that have their defaults.
template <class Entry>
std::string label_of(const char* kind, const std::string& text, const std::vector<Entry>& entries) {
  const Entry& entry = find_entry(kind, option_name(text), entries);
  return parse_options(kind, text, entry.options).label();
}

class Resolver {
 public:
  Resolver(const Settings& settings, RunConfig& config) : settings_(settings), config_(config) {}

  void resolve() {
    resolve_data();
    for (PositionConfig& position : config_.model.positions) resolve_position(position);
    refuse_twin_positions();
    resolve_words();
    resolve_training();
    resolve_evaluation();
  }

 private:
  const toml::node* found(const std::string& key) const {
    const auto value = settings_.find(key);
    return value == settings_.end() ? nullptr : value->second;
  }
  template <class Read>
  auto at(const std::string& key, Read&& read) const {
    return at_place(key, found(key), read);
  }

  void resolve_data() {
    auto& [dataset, task] = config_.data;
    const TaskEntry& entry = at("data.task", [&]() -> const TaskEntry& {
      if (task.name().empty()) {
        std::vector<std::string> names;
        for (const auto& known : task_entries()) names.push_back(known.name);
        input_error("missing; valid: {}", fmt::join(names, ", "));
      }
      return find_entry("task", task.name(), task_entries());
    });
    default_relation_ = entry.relation;
    at("data.dataset", [&]() { resolve_dataset(entry, dataset); });
  }

  static void resolve_dataset(const TaskEntry& task, const Options& dataset) {
    if (!task.needs_dataset) {
      if (!dataset.name().empty())
        input_error("task {} makes its own samples, no dataset", task.name);
      return;
    }
    if (dataset.name().empty()) {
      std::vector<std::string> names;
      for (const auto& known : dataset_entries()) {
        if (known.modality == task.modality) names.push_back(known.name);
      }
      input_error("missing; task {} needs one of: {}", task.name, fmt::join(names, ", "));
    }
    const auto& entry = find_entry("dataset", dataset.name(), dataset_entries());
    if (entry.modality != task.modality) {
      input_error("{} holds {}, task {} needs {}", entry.name, entry.modality, task.name,
                  task.modality);
    }
  }

  void resolve_position(PositionConfig& position) const {
    const bool is_list = found("model.positions") != nullptr;
    // The study's rate is the default of every encoding that has one.
    position.encoding =
        position.encoding.with_default("encoding_rate", config_.train.encoding_rate);
    at(is_list ? "model.positions" : "model.relation", [&]() {
      Options& relation = position.relation;
      relation = position.relation_or(default_relation_);
      // A relation that must know of a class token knows it from the readout.
      const bool has_class_token = config_.model.readout == "class";
      if (has_class_token && relation.has("class_token") && !relation.given("class_token")) {
        relation = relation.with("class_token", true);
      }
      refuse_example(relation);
    });
  }

  void refuse_twin_positions() const {
    std::set<std::pair<std::string, std::string>> seen;
    for (const PositionConfig& position : config_.model.positions) {
      if (seen.emplace(position.encoding.canonical(), position.relation.canonical()).second)
        continue;
      at("model.positions", [&]() {
        input_error("{} on {} is listed twice", position.encoding.name(), position.relation.name());
      });
    }
  }

  // What describes the structure that `terms` shows says nothing about samples, which bring theirs.
  static void refuse_example(const Options& relation) {
    const auto& entry = find_entry("relation", relation.name(), relation_entries());
    for (const OptionSpec& spec : entry.options) {
      if (!spec.of_example || !relation.differs(spec.name)) continue;
      input_error(
          "relation {}, option {}: describes the example that `relbias terms` shows; a task's "
          "samples bring their own",
          relation.name(), spec.name);
    }
  }

  void resolve_words() const {
    at("model.scale", [&]() { scale_in(config_.model.scale); });
    at("model.pattern",
       [&]() { config_.model.pattern = canonical_pattern(config_.model.pattern); });
  }

  // Sizes in ascending order, so that one set of sizes has one spelling.
  void sort_sizes(const std::string& key, std::vector<int64_t>& sizes) const {
    std::sort(sizes.begin(), sizes.end());
    const auto twice = std::adjacent_find(sizes.begin(), sizes.end());
    if (twice != sizes.end()) at(key, [&]() { input_error("{} is listed twice", *twice); });
  }

  void resolve_training() {
    TrainConfig& train = config_.train;
    sort_sizes("train.sizes", train.sizes);
    if (train.size == 0 && train.sizes.empty()) {
      input_error("train.size: missing, the tokens of a training sample");
    }
    if (train.sizes.empty()) train.sizes = {train.size};
    if (train.size == 0) train.size = train.sizes.back();
    at("train.size", [&]() {
      if (train.size == train.sizes.back()) return;
      input_error("{} found, {} expected, the largest of train.sizes", train.size,
                  train.sizes.back());
    });
    if (found("train.warmup") == nullptr) train.warmup = std::min<int64_t>(100, train.steps / 5);
    at("train.warmup", [&]() {
      if (train.warmup <= train.steps) return;
      input_error("{} found, at most train.steps ({}) expected", train.warmup, train.steps);
    });
    at("train.optimiser",
       [&]() { train.optimiser = label_of("optimiser", train.optimiser, optimiser_entries()); });
    at("train.schedule",
       [&]() { train.schedule = label_of("schedule", train.schedule, schedule_entries()); });
    at("train.betas", [&]() {
      if (train.betas.size() == 2) return;
      input_error("{} numbers found, 2 expected", train.betas.size());
    });
  }

  void resolve_evaluation() {
    auto& sizes = config_.evaluate.sizes;
    const int64_t size = config_.train.size;
    if (sizes.empty()) sizes = {size, 2 * size, 4 * size, 8 * size};
    sort_sizes("evaluate.sizes", sizes);
    at("evaluate.at", [&]() {
      const auto& shares = config_.evaluate.at;
      const bool ascends = std::ranges::adjacent_find(shares, std::greater_equal()) == shares.end();
      if (ascends && !shares.empty() && shares.back() == 1) return;
      input_error("[{}] found, ascending shares of the steps expected, the last of them 1",
                  fmt::join(shares, ", "));
    });
    at("evaluate.variants", [&]() {
      for (std::string& variant : config_.evaluate.variants) {
        variant = parse_task(config_.data.task.name() + " " + variant).written();
        if (variant.empty()) input_error("an empty text found, an option of the task expected");
      }
    });
  }

  const Settings& settings_;
  RunConfig& config_;
  std::string default_relation_;
};

}  // namespace

RunConfig read_config(const Settings& settings) {
  refuse_unknown(settings);
  RunConfig config;
  if (const auto preset = settings.find("model.preset"); preset != settings.end()) {
    at_place("model.preset", preset->second,
             [&]() { apply_preset(text_of(*preset->second), config.model); });
  }
  visit_settings(config, SettingReader{settings});
  Resolver(settings, config).resolve();
  return config;
}

RunConfig read_config_text(const std::string& text, const std::string& name) {
  const auto table = parse_toml(text, name);
  Settings settings;
  flatten(*table, "", settings);
  return read_config(settings);
}

std::vector<std::string> setting_keys() {
  std::vector<std::string> keys;
  const RunConfig defaults;
  visit_settings(defaults, [&](const Field& field, const auto&) { keys.push_back(field.key); });
  keys.insert(keys.end(), {"model.encoding", "model.preset", "model.relation"});
  return keys;
}

}  // namespace relbias::experiments
