// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: what a run is, as text: what names it, and what tables tell it from
// others by.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/config/config.h"
#include "results/record.h"

namespace relbias::experiments {

/// A setting that decides a number, resolved. Encodings, relations, task, dataset and seed are none
/// of these: they have types of their own.
struct SettingText {
  std::string key;      // `train.steps`
  std::string value;    // `500`
  std::string initial;  // its default; empty: it follows from other settings
};
std::vector<SettingText> deciding_settings(const RunConfig& config);

/// What the run is: task, dataset, encodings, relations, model, training and evaluation, each with
/// its version and every setting that differs from its default. A new setting with a default
/// changes no identity; a changed default must raise the version of its owner.
///
///     task lag-copy, version 1
///       lag = 5
///     encoding t5, version 1
///       num_buckets = 8
///     relation token, version 1
///     model, version 1
///     training, version 1
///       train.size = 16
///     evaluation, version 1
///     seed = 0
std::string identity_text(const RunConfig& config);
std::string identity_text(const RunConfig& config, const std::vector<SettingText>& settings);

/// What names a run and its file: the first 12 hex digits of the SHA-1 of its identity.
std::string run_id(const std::string& identity);

/// What tables compare and group by: deciding settings, task and dataset with what differs from
/// their defaults, and versions (`version.model`), but no encoding and no relation.
std::map<std::string, std::string> recorded_settings(const RunConfig& config);

std::vector<RecordedPosition> recorded_positions(const RunConfig& config);

}  // namespace relbias::experiments
