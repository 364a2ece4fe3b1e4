// SPDX-License-Identifier: Apache-2.0
// experiments/config: the configuration of one run, its canonical text and its identity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/config/settings.h"
#include "experiments/model/model.h"

namespace relbias::experiments {

struct DataConfig {
  std::string dataset;  // `text-file path=notes`; empty: the task makes its own samples
  std::string task;     // `lag-copy lag=5`
};

struct TrainConfig {
  int64_t size = 0;            // of the largest sample, N: tokens, image side, frames, nodes
  std::vector<int64_t> sizes;  // one is drawn for each batch; the largest is N
  int64_t steps = 500;
  int64_t batch = 16;
  double learning_rate = 3e-3;
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
  int64_t samples = 384;
  int64_t tokens = 65536;
  int64_t batch_tokens = 8192;
};

/// Everything that decides what a run computes. Where and how fast it runs (device, threads, jobs)
/// is no part of it.
struct RunConfig {
  DataConfig data;
  ModelConfig model;
  TrainConfig train;
  EvaluateConfig evaluate;
  int64_t seed = 0;
};

/// Reads settings strictly and fills in every default; option strings get their canonical form.
/// Throws InputError naming the place, the value found and what was expected: unknown keys, wrong
/// types, values out of range, unknown names, settings that contradict each other.
RunConfig read_config(const Settings& settings);

/// The configuration as TOML, every value written out, always in the same order and spelling.
/// read_config reads it back to the same configuration.
std::string config_text(const RunConfig& config);

/// What names a run and its file: the first 12 hex digits of the SHA-1 of its config_text.
std::string run_id(const std::string& config_text);

/// The encodings as a reader wants to see them, `t5 num_buckets=8`: what differs from the defaults
/// of the encoding and of the study (`train.encoding_rate`).
std::string encoding_label(const RunConfig& config);

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
