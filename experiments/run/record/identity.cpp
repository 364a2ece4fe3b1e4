// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: what a run is, as text.
#include "experiments/run/record/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "encodings/encoding.h"
#include "experiments/config/example_context.h"
#include "experiments/config/fields.h"
#include "experiments/config/planned_backend.h"
#include "experiments/config/setting_text.h"
#include "experiments/evaluation/evaluation.h"
#include "experiments/run/trainer.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {
namespace {

// Whether a setting has no type of its own (Options, positions, the seed).
template <class Member>
constexpr bool is_plain =
    !std::is_same_v<Member, Options> && !std::is_same_v<Member, std::vector<PositionConfig>>;

// Words as they are, everything else as TOML has it.
template <class Member>
std::string plain_text(const Member& member) {
  if constexpr (std::is_same_v<Member, std::string>) return member;
  return toml_text(member);
}

// One line a component and one, indented, a setting.
class IdentityWriter {
 public:
  void component(const std::string& name, int64_t version) {
    text_ += fmt::format("{}, version {}\n", name, version);
  }
  void setting(const std::string& key, const std::string& value) {
    text_ += fmt::format("  {} = {}\n", key, value);
  }
  void options(const char* kind, const Options& options, int64_t version) {
    component(fmt::format("{} {}", kind, options.name()), version);
    for (const auto& [key, value] : options.changed()) setting(key, value);
  }
  void section(const std::string& name, int64_t version, const std::string& prefix,
               const std::vector<SettingText>& settings) {
    component(name, version);
    for (const SettingText& one : settings) {
      if (one.key.starts_with(prefix) && one.value != one.initial) setting(one.key, one.value);
    }
  }
  void seed(int64_t seed) { text_ += fmt::format("seed = {}\n", seed); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <class Entry>
int64_t version_of(const char* kind, const Options& options, const std::vector<Entry>& entries) {
  return find_entry(kind, options.name(), entries).version;
}

}  // namespace

std::vector<SettingText> deciding_settings(const RunConfig& config) {
  RunConfig planned = config, defaults;
  planned.model.backend = planned_backend(config.model);
  defaults.model.backend = "reference";
  std::vector<SettingText> initial, settings;
  const auto collect = [](std::vector<SettingText>& to) {
    return [&to]<class Member>(const Field& field, const Member& member) {
      if constexpr (is_plain<Member>) {
        if (!field.decides || field.key == "seed") return;
        to.push_back({field.key, plain_text(member), field.derived});
      }
    };
  };
  visit_settings(planned, collect(settings));
  visit_settings(defaults, collect(initial));
  for (size_t n = 0; n < settings.size(); ++n) {
    const bool derived = !settings[n].initial.empty();
    settings[n].initial = derived ? "" : initial[n].value;
  }
  return settings;
}

namespace {

// Whether the study's rate is that of any encoding: one that learns nothing has none, and one that
// names its own does not take it.
bool has_rate(const RunConfig& config) {
  return std::ranges::any_of(config.model.positions, [](const PositionConfig& position) {
    const Options& encoding = position.encoding;
    return !differs(encoding, "encoding_rate") && has_parameters(encoding, position.relation);
  });
}

// Without the rate where none has it: it changes no number.
std::vector<SettingText> read_of(std::vector<SettingText> settings, const RunConfig& config) {
  if (!has_rate(config)) {
    std::erase_if(settings, [](const auto& one) { return one.key == "train.encoding_rate"; });
  }
  return settings;
}

}  // namespace

std::string identity_text(const RunConfig& config) {
  return identity_text(config, deciding_settings(config));
}

std::string identity_text(const RunConfig& config, const std::vector<SettingText>& settings) {
  IdentityWriter writer;
  const auto& [dataset, task] = config.data;
  writer.options("task", task, version_of("task", task, task_entries()));
  if (!dataset.name().empty()) {
    writer.options("dataset", dataset, version_of("dataset", dataset, dataset_entries()));
  }
  for (const auto& [encoding, relation] : config.model.positions) {
    writer.options("encoding", encoding, version_of("encoding", encoding, encoding_entries()));
    writer.options("relation", relation, version_of("relation", relation, relation_entries()));
  }
  writer.section("model", model_version, "model.", settings);
  writer.section("training", training_version, "train.", read_of(settings, config));
  writer.section("evaluation", evaluation_version, "evaluate.", settings);
  writer.seed(config.seed);
  return writer.text();
}

std::string run_id(const std::string& identity) { return sha1(identity).substr(0, 12); }

std::map<std::string, std::string> recorded_settings(const RunConfig& config) {
  std::map<std::string, std::string> settings;
  for (const SettingText& setting : read_of(deciding_settings(config), config)) {
    settings[setting.key] = setting.value;
  }
  // As asked: what `auto` comes to follows from the encoding, and rows may differ in that.
  settings["model.backend"] = config.model.backend;
  const auto& [dataset, task] = config.data;
  const auto version = [&](const char* owner, int64_t number) {
    settings[fmt::format("version.{}", owner)] = fmt::format("{}", number);
  };
  settings["data.task"] = task.label();
  settings["data.dataset"] = dataset.label();
  version("task", version_of("task", task, task_entries()));
  if (!dataset.name().empty()) {
    version("dataset", version_of("dataset", dataset, dataset_entries()));
  }
  version("model", model_version);
  version("training", training_version);
  version("evaluation", evaluation_version);
  return settings;
}

std::vector<RecordedPosition> recorded_positions(const RunConfig& config) {
  std::vector<RecordedPosition> positions;
  for (const auto& [encoding, relation] : config.model.positions) {
    positions.push_back({.encoding = encoding.name(),
                         .options = encoding.changed(),
                         .relation = relation.name(),
                         .relation_options = relation.changed(),
                         .encoding_version = version_of("encoding", encoding, encoding_entries()),
                         .relation_version = version_of("relation", relation, relation_entries())});
  }
  return positions;
}

}  // namespace relbias::experiments
