// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: which trial was best.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/study/study.h"
#include "results/record.h"

namespace relbias::experiments {

/// The best of a cell's trials, `trials[n]` being the records of trial n, one a seed. By the mean
/// of the task's first metric; ties by the mean cross-entropy, then by order; those that diverged
/// in a seed come last. Nothing but rows of the validation split is looked at. None where a trial
/// is not finished. Throws InputError for a record that is no trial.
std::optional<Choice> best_of(const std::vector<std::vector<RunRecord>>& trials);

/// The choices of a study whose trials lie in `<out>/<study>/`, and what is missing.
struct ChoicesMade {
  Choices choices;
  int64_t trials = 0;
  int64_t unfinished = 0;
};
ChoicesMade choices_made(const Study& study, const Selection& selection,
                         const std::filesystem::path& out);

}  // namespace relbias::experiments
