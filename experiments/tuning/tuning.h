// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: which settings a study tries for each encoding, before it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/config.h"
#include "experiments/config/settings.h"

namespace relbias::experiments {

/// One tuned key with the values it may take: a setting, or an option of an encoding.
struct TunedAxis {
  std::string key;       // `train.learning_rate`; `base`
  std::string encoding;  // of an option: the label or the name of its encoding; otherwise empty
  std::vector<const toml::node*> values;

  /// `train.learning_rate`, `rope.base`
  std::string name() const { return encoding.empty() ? key : encoding + "." + key; }
};

/// The table `tune` of a study or of one of its parts.
struct Tuning {
  std::vector<TunedAxis> over, each;
  int64_t trials = 0;  // of each encoding on each task
  std::vector<int64_t> seeds;
};

/// Throws InputError naming the place where the table is none of these.
Tuning read_tuning(const toml::table& table);

/// One point of a grid: a value for some of its axes.
struct GridPoint {
  std::vector<std::pair<const TunedAxis*, const toml::node*>> values;

  /// What is chosen, for records: `train.learning_rate` -> `0.003`.
  std::map<std::string, std::string> texts() const;
  /// `train.learning_rate=0.003, rope.base=100`
  std::string label() const;
  /// The axes of numbers on which this is the least or the largest value.
  std::vector<std::string> at_edge() const;
};

/// The configuration of the settings with the point's values in place of theirs.
/// Throws InputError where an option of an encoding is tuned that the study writes out itself.
RunConfig config_at(Settings settings, const GridPoint& point);

/// The points to try for the encoding that these settings have: drawn by the study's name from
/// those of the grid that differ for it, so that `train.encoding_rate` is no axis for an encoding
/// without one. The learning rates come first, in the same order for every encoding; then each of
/// them once more with others of the rest; at most `tuning.trials`, or the whole grid. Throws
/// InputError where `train.encoding_rate` is tuned and the encoding names its own.
std::vector<GridPoint> drawn_points(const Tuning& tuning, const Settings& settings,
                                    const std::string& study);

}  // namespace relbias::experiments
