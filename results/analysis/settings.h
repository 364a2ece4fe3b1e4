// SPDX-License-Identifier: Apache-2.0
// results/analysis: the settings of a run: what has to agree for two runs to be compared.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/record.h"

namespace relbias::results {

using Settings = std::map<std::string, std::string>;

/// The one key that rivals in a table may differ in.
inline constexpr const char* rival_setting = "model.length_scale";
/// What runs have whose encodings learn something; the others are rivals at every rate.
inline constexpr const char* rate_setting = "train.encoding_rate";

/// Every setting of a run but encoding, relation and seed, with the hash of its data and the
/// versions of what computed it. What was tuned is still there.
Settings setting_of(const RunRecord& run);

/// The value of a key, `unset` without one.
std::string value_of(const Settings& settings, const std::string& key);

/// Of a run that was planned and never began: no file says so, but the plan of its study.
inline constexpr const char* not_begun = "not begun";  // its message
inline bool is_begun(const RunRecord& run) {
  return run.status != RunStatus::running || run.message != not_begun;
}

/// How the settings of a run were chosen, or what it tried for others.
struct Tuning {
  int64_t trials = 0;
  int64_t of = 0;     // 0: not tuned
  Settings chosen;    // `train.learning_rate` and `0.003`; options of an encoding by their names
  std::string cell;   // the encoding that was tuned, as a table shows it; empty: the run's own
  Settings setting;   // of a trial: what it tried
  int64_t trial = 0;  // of a trial: its number
  std::vector<std::string> edge;  // keys whose choice lies at the edge of their grid
  bool diverged = false;          // all trials
};
Tuning tuning_in(const RunRecord& run);

/// "learning_rate=0.003, base=100": what was chosen, each key without its section.
std::string chosen_text(const Tuning& tuning);

}  // namespace relbias::results
