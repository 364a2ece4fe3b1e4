// SPDX-License-Identifier: Apache-2.0
// experiments/config: the configuration of one run, read and written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/config/settings.h"
#include "experiments/model/model.h"

namespace relbias::experiments {

struct DataConfig {
  Options dataset;  // without a name: the task makes its own samples
  Options task;
};

struct TrainConfig {
  int64_t size = 0;            // of the largest sample, N: tokens, image side, frames, nodes
  std::vector<int64_t> sizes;  // one is drawn for each batch; the largest is N
  int64_t steps = 500;
  int64_t batch = 16;
  std::string optimiser = "adamw";
  double learning_rate = 3e-3;
  std::string schedule = "cosine";  // of the learning rate, behind the warm-up
  int64_t warmup = 0;
  double weight_decay = 0.01;
  std::vector<double> betas{0.9, 0.999};
  double clip = 1.0;
  double encoding_rate = 1.0;
  int64_t log_every = 10;
};

struct EvaluateConfig {
  std::vector<int64_t> sizes;
  std::vector<std::string> variants;  // `segments=4`: options of the task, each evaluated as well
  std::vector<std::string> metrics;   // `auroc`: beside the task's own
  std::string split = "test";
  std::vector<double> at{1.0};  // shares of the steps
  int64_t samples = 384;
  int64_t tokens = 65536;
  int64_t batch_tokens = 8192;
};

/// What a run's file keeps beside its results.
struct KeepConfig {
  bool weights = false;
};

/// Everything that decides what a run computes. Where and how fast it runs (device, threads, jobs)
/// is no part of it.
struct RunConfig {
  DataConfig data;
  ModelConfig model;
  TrainConfig train;
  EvaluateConfig evaluate;
  KeepConfig keep;
  int64_t seed = 0;
};

/// Reads settings strictly and fills in every default.
/// Throws InputError naming the place, the value found and what was expected: unknown keys, wrong
/// types, values out of range, unknown names, settings that contradict each other.
RunConfig read_config(const Settings& settings);

/// Likewise of a configuration as config_text writes it; `name` is what messages call it.
RunConfig read_config_text(const std::string& text, const std::string& name);

/// The configuration as TOML, every value written out, always in the same order and spelling.
/// read_config reads it back to the same configuration.
std::string config_text(const RunConfig& config);

/// One setting, for the documentation.
struct SettingDescription {
  std::string key;
  std::string type;     // `whole number`
  std::string value;    // the default
  std::string allowed;  // `at least 1`, or empty
  std::string meaning;
};
std::vector<SettingDescription> describe_settings();

/// Every key that a study can set, sweep or override.
std::vector<std::string> setting_keys();

}  // namespace relbias::experiments
