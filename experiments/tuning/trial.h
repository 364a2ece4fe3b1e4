// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: one setting tried, and what records say of it.
#pragma once

#include <string>
#include <vector>

#include "experiments/tuning/tuning.h"
#include "results/record.h"

namespace relbias::experiments {

/// A run of these settings at the point, evaluated on the validation split at the training size
/// only: nothing of it may depend on test data.
RunConfig trial_config(const Settings& settings, const GridPoint& point, int64_t seed);

/// A trial's RunRecord::tuning:
///     {"cell": "t5, lag-copy", "trial": 2, "trials": 6, "setting": {"train.learning_rate":
///     "0.003"}}
std::string trial_text(const std::vector<GridPoint>& points, size_t trial, const std::string& cell);

/// What was tried and chosen.
struct ChoiceMade {
  const std::vector<GridPoint>& points;
  size_t chosen = 0;
  int64_t of = 0;         // trials asked for
  bool diverged = false;  // every one of them
  std::string cell;
};

/// A chosen run's RunRecord::tuning; `diverged` only where all trials did:
///     {"cell": "t5, lag-copy", "trials": 6, "of": 6, "chosen": {"train.learning_rate": "0.003"},
///      "edge": ["train.learning_rate"], "diverged": true}
std::string choice_text(const ChoiceMade& choice);

/// Takes the tuned options out of a record's encodings: what was chosen is no part of an encoding's
/// name. `tuning` is either of the texts above, or empty.
void take_tuned_out(const std::string& tuning, RunConfig& config);

}  // namespace relbias::experiments
