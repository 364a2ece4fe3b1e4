// SPDX-License-Identifier: Apache-2.0
// tests/experiments/run: what names a run, and what does not.
#include "experiments/run/record/identity.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "encodings/encoding.h"
#include "experiments/evaluation/evaluation.h"
#include "experiments/run/trainer.h"
#include "tests/experiments/studies.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string id_of(const RunConfig& config) { return run_id(identity_text(config)); }

// An id that changes makes every finished run of every user run again. Where this fails, be sure
// that it must.
TEST(Identity, IsWhatDiffersFromTheDefaults) {
  const auto run = tiny_run({"model.encoding=t5 num_buckets=8", "data.task=lag-copy lag=3"});
  EXPECT_EQ(run.identity, R"(task lag-copy, version 1
  lag = 3
encoding t5, version 1
  num_buckets = 8
relation token, version 1
model, version 1
  model.layers = 1
  model.width = 16
  model.heads = 2
  model.backend = fused
training, version 1
  train.size = 12
  train.sizes = [12]
  train.steps = 20
  train.batch = 4
  train.warmup = 4
evaluation, version 1
  evaluate.sizes = [12, 24]
  evaluate.samples = 8
seed = 0
)");
  EXPECT_EQ(run.id, "0ed7b0b53094");
}

TEST(Identity, StaysWhereASettingIsAddedWithADefault) {
  for (const std::string& name : study_names()) {
    for (const auto& run : expand(load_study(name), {})) {
      std::vector<SettingText> settings = deciding_settings(run.config);
      settings.push_back({"train.momentum", "0.5", "0.5"});
      settings.insert(settings.begin(), {"model.depth_scale", "none", "none"});
      EXPECT_EQ(run_id(identity_text(run.config, settings)), run.id) << name << ", " << run.label;
      settings.back().value = "0.25";
      EXPECT_NE(run_id(identity_text(run.config, settings)), run.id) << name << ", " << run.label;
    }
  }
}

TEST(Identity, StaysWhereAnOptionIsAddedWithADefault) {
  const auto run = tiny_run({"model.encoding=t5 num_buckets=8"});
  std::vector<OptionSpec> specs =
      encoding_options(find_entry("encoding", "t5", encoding_entries()));
  specs.insert(specs.begin(), {"decay", 0.5, "of the far buckets"});
  RunConfig later = run.config;
  later.model.positions[0].encoding = parse_options("encoding", "t5 num_buckets=8", specs);
  EXPECT_EQ(id_of(later), run.id);
  later.model.positions[0].encoding = parse_options("encoding", "t5 num_buckets=8 decay=1", specs);
  EXPECT_NE(id_of(later), run.id);
}

TEST(Identity, IsOfWhatIsResolved) {
  const std::string id = tiny_run().id;
  EXPECT_EQ(tiny_run({"train.warmup=4"}).id, id);
  EXPECT_EQ(tiny_run({"train.sizes=[12]"}).id, id);
  EXPECT_EQ(tiny_run({"model.backend=fused"}).id, id);
  EXPECT_EQ(tiny_run({"model.encoding=t5 num_buckets=32"}).id, id);
  EXPECT_EQ(tiny_run({"model.relation=token"}).id, id);
  EXPECT_EQ(tiny_run({"model.encoding=t5 encoding_rate=1"}).id, id);
  for (const std::string set :
       {"train.warmup=5", "train.sizes=[12, 8]", "model.encoding=t5 max_distance=64", "seed=1",
        "train.encoding_rate=10", "model.encoding=t5 encoding_rate=10", "model.backend=reference",
        "model.relation=token randomize=64", "data.task=lag-copy lag=3", "evaluate.samples=9",
        "model.layers=2"}) {
    EXPECT_NE(tiny_run({set}).id, id) << set;
  }
}

// The slopes of alibi are no parameters, but a factor on them is.
TEST(Identity, HasTheRateOfEncodingsWhereOneHasIt) {
  const auto same = [](const std::string& encoding) {
    const auto at = [&](const char* rate) {
      return tiny_run({"model.encoding=" + encoding, std::string("train.encoding_rate=") + rate});
    };
    EXPECT_EQ(recorded_settings(at("10").config).contains("train.encoding_rate"),
              at("1").id != at("10").id);
    return at("1").id == at("10").id;
  };
  EXPECT_TRUE(same("alibi"));
  EXPECT_TRUE(same("none"));
  EXPECT_TRUE(same("rope"));
  EXPECT_TRUE(same("t5 encoding_rate=2"));
  EXPECT_FALSE(same("t5"));
  EXPECT_FALSE(same("alibi alpha=0.5"));
}

TEST(Identity, HasNothingThatChangesNoNumber) {
  const std::string id = tiny_run().id;
  for (const std::string set :
       {"train.log_every=7", "evaluate.batch_tokens=64", "keep.weights=true"}) {
    EXPECT_EQ(tiny_run({set}).id, id) << set;
  }
}

TEST(Identity, TablesCompareSettingsAndPositions) {
  const RunConfig config =
      tiny_run({"train.encoding_rate=10", "data.task=lag-copy lag=3",
                "model.positions=[{encoding = \"t5 num_buckets=8\"}, {encoding = \"alibi\", "
                "relation = \"token randomize=64\"}]"})
          .config;
  const auto settings = recorded_settings(config);
  EXPECT_EQ(settings.at("train.encoding_rate"), "10.0");
  EXPECT_EQ(settings.at("data.task"), "lag-copy lag=3");
  EXPECT_EQ(settings.at("data.dataset"), "");
  EXPECT_EQ(settings.at("model.backend"), "auto");
  EXPECT_EQ(settings.at("evaluate.sizes"), "[12, 24]");
  EXPECT_EQ(settings.at("version.model"), "1");
  for (const char* key : {"seed", "model.positions", "train.log_every", "keep.weights"}) {
    EXPECT_EQ(settings.count(key), 0) << key;
  }
  const auto positions = recorded_positions(config);
  ASSERT_EQ(positions.size(), 2);
  EXPECT_EQ(positions[0], (RecordedPosition{.encoding = "t5",
                                            .options = {{"num_buckets", "8"}},
                                            .relation = "token",
                                            .relation_options = {}}));
  EXPECT_EQ(positions[1].relation_options.at("randomize"), "64");
}

// ---- defaults, owner by owner ----

using Defaults = std::map<std::string, std::map<std::string, std::string>>;

template <class Entry>
void add_entries(const std::string& kind, const std::vector<Entry>& entries, Defaults& defaults) {
  for (const Entry& entry : entries) {
    std::vector<OptionSpec> specs = entry.options;
    if constexpr (std::is_same_v<Entry, EncodingEntry>) specs = encoding_options(entry);
    auto& of_entry = defaults[fmt::format("{} {}, version {}", kind, entry.name, entry.version)];
    for (const OptionSpec& spec : specs) of_entry[spec.name] = option_text(spec.value);
  }
}

Defaults defaults_now() {
  Defaults defaults;
  add_entries("task", task_entries(), defaults);
  add_entries("dataset", dataset_entries(), defaults);
  add_entries("encoding", encoding_entries(), defaults);
  add_entries("relation", relation_entries(), defaults);
  const std::map<std::string, std::string> owners = {
      {"model.", fmt::format("model, version {}", model_version)},
      {"train.", fmt::format("training, version {}", training_version)},
      {"evaluate.", fmt::format("evaluation, version {}", evaluation_version)}};
  for (const SettingText& setting : deciding_settings(RunConfig())) {
    for (const auto& [prefix, owner] : owners) {
      if (setting.key.starts_with(prefix)) defaults[owner][setting.key] = setting.initial;
    }
  }
  return defaults;
}

std::string recorded_file() {
  return source_folder() + "/tests/experiments/run/recorded_defaults.tsv";
}

// A line a default: owner, key, value.
Defaults recorded_defaults() {
  Defaults defaults;
  std::ifstream file(recorded_file());
  EXPECT_TRUE(file) << recorded_file();
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    defaults[line.substr(0, first)][line.substr(first + 1, second - first - 1)] =
        line.substr(second + 1);
  }
  return defaults;
}

void record(const Defaults& recorded, Defaults now) {
  now.insert(recorded.begin(), recorded.end());  // what earlier versions had stays
  for (auto& [owner, values] : now) {
    if (const auto found = recorded.find(owner); found != recorded.end()) {
      values.insert(found->second.begin(), found->second.end());
    }
  }
  std::ofstream file(recorded_file());
  for (const auto& [owner, values] : now) {
    for (const auto& [key, value] : values) file << owner << '\t' << key << '\t' << value << '\n';
  }
}

// A run's identity leaves out what has its default: one that changes without a new version would
// let two unlike runs have one id. New defaults are recorded by RELBIAS_RECORD_DEFAULTS=1.
TEST(Identity, NoDefaultChangesWithoutANewVersionOfItsOwner) {
  const Defaults now = defaults_now(), recorded = recorded_defaults();
  size_t unrecorded = 0;
  for (const auto& [owner, values] : now) {
    const auto then = recorded.find(owner);
    for (const auto& [key, value] : values) {
      if (then == recorded.end() || !then->second.contains(key)) {
        ++unrecorded;
        continue;
      }
      EXPECT_EQ(value, then->second.at(key))
          << owner << ": the default of " << key << " changed: raise the version of its owner";
    }
    if (then == recorded.end()) continue;
    for (const auto& [key, value] : then->second) {
      EXPECT_TRUE(values.contains(key))
          << owner << ": " << key << " is gone: raise the version of its owner";
    }
  }
  if (std::getenv("RELBIAS_RECORD_DEFAULTS") != nullptr) {
    record(recorded, now);
  } else if (unrecorded > 0) {
    std::cout << unrecorded << " defaults are not recorded; RELBIAS_RECORD_DEFAULTS=1 adds them\n";
  }
}

}  // namespace
}  // namespace relbias::experiments
