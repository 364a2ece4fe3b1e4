// SPDX-License-Identifier: Apache-2.0
// experiments/config: from settings as written to a configuration in which nothing is left open.
#include "experiments/config/config.h"

#if __has_include(<c10/util/sha1.h>)
#include <c10/util/sha1.h>
#else
#include <c10/util/hash.h>
#endif
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

// The value of an option string in its canonical form, and the entry it names.
template <class Entry>
Options named_options(const char* kind, const std::string& text,
                      const std::vector<Entry>& entries) {
  return parse_options(kind, text, find_entry(kind, option_name(text), entries).options);
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
      if (task.empty()) {
        std::vector<std::string> names;
        for (const auto& known : task_entries()) names.push_back(known.name);
        input_error("missing; valid: {}", fmt::join(names, ", "));
      }
      task = named_options("task", task, task_entries()).canonical();
      return find_entry("task", option_name(task), task_entries());
    });
    default_relation_ = entry.relation;
    at("data.dataset", [&]() { resolve_dataset(entry, dataset); });
  }

  static void resolve_dataset(const TaskEntry& task, std::string& dataset) {
    if (!task.needs_dataset) {
      if (!dataset.empty()) input_error("task {} makes its own samples, no dataset", task.name);
      return;
    }
    if (dataset.empty()) {
      std::vector<std::string> names;
      for (const auto& known : dataset_entries()) {
        if (known.modality == task.modality) names.push_back(known.name);
      }
      input_error("missing; task {} needs one of: {}", task.name, fmt::join(names, ", "));
    }
    dataset = named_options("dataset", dataset, dataset_entries()).canonical();
    const auto& entry = find_entry("dataset", option_name(dataset), dataset_entries());
    if (entry.modality != task.modality) {
      input_error("{} holds {}, task {} needs {}", entry.name, entry.modality, task.name,
                  task.modality);
    }
  }

  void resolve_position(PositionConfig& position) const {
    const bool is_list = found("model.positions") != nullptr;
    const double rate = config_.train.encoding_rate;
    at(is_list ? "model.positions" : "model.encoding", [&]() {
      const Options written = parse_encoding(position.encoding);
      const bool open = written.has("encoding_rate") && !written.given("encoding_rate");
      if (open) position.encoding += fmt::format(" encoding_rate={}", rate);
      position.encoding = parse_encoding(position.encoding).canonical();
    });
    at(is_list ? "model.positions" : "model.relation", [&]() {
      if (position.relation.empty()) position.relation = default_relation_;
      Options relation = named_options("relation", position.relation, relation_entries());
      // A relation that must know of a class token knows it from the readout.
      const bool has_class_token = config_.model.readout == "class";
      if (has_class_token && relation.has("class_token") && !relation.given("class_token")) {
        relation =
            named_options("relation", position.relation + " class_token=true", relation_entries());
      }
      refuse_example(relation);
      position.relation = relation.canonical();
    });
  }

  void refuse_twin_positions() const {
    std::set<std::pair<std::string, std::string>> seen;
    for (const PositionConfig& position : config_.model.positions) {
      if (seen.emplace(position.encoding, position.relation).second) continue;
      at("model.positions", [&]() {
        input_error("{} on {} is listed twice", option_name(position.encoding),
                    option_name(position.relation));
      });
    }
  }

  // What describes the structure that `terms` shows says nothing about samples, which bring theirs.
  static void refuse_example(const Options& relation) {
    const auto& entry = find_entry("relation", relation.name(), relation_entries());
    const Options changed = parse_options("relation", relation.label(), entry.options);
    for (const OptionSpec& spec : entry.options) {
      if (!spec.of_example || !changed.given(spec.name)) continue;
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
    at("evaluate.variants", [&]() {
      const std::string& task = config_.data.task;
      const auto& options = find_entry("task", option_name(task), task_entries()).options;
      for (std::string& variant : config_.evaluate.variants) {
        variant = parse_options("task", option_name(task) + " " + variant, options).written();
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

std::string run_id(const std::string& config_text) {
  return c10::sha1(config_text).str().substr(0, 12);
}

std::string encoding_label(const RunConfig& config) {
  // The rate is part of every canonical encoding; the study's own says nothing in a table.
  const std::string study_rate =
      fmt::format(" encoding_rate={} ", option_text(config.train.encoding_rate));
  ModelConfig model = config.model;
  for (PositionConfig& position : model.positions) {
    position.encoding += ' ';
    const auto start = position.encoding.find(study_rate);
    if (start != std::string::npos) position.encoding.erase(start, study_rate.size() - 1);
  }
  return position_label(model, find_entry("task", option_name(config.data.task), task_entries()));
}

std::vector<std::string> setting_keys() {
  std::vector<std::string> keys;
  const RunConfig defaults;
  visit_settings(defaults, [&](const Field& field, const auto&) { keys.push_back(field.key); });
  keys.insert(keys.end(), {"model.encoding", "model.preset", "model.relation"});
  return keys;
}

}  // namespace relbias::experiments
