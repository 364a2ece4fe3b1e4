// SPDX-License-Identifier: Apache-2.0
// tests/experiments/tuning: a study that tunes two settings of five encodings.
#pragma once

#include <string>

#include "tests/experiments/studies.h"

namespace relbias::experiments {

inline const std::string tune_table = R"(
[tune]
over   = {"train.learning_rate" = [1e-3, 3e-3], "train.encoding_rate" = [1, 10, 30]}
each   = {"rope" = {"base" = [10, 100, 10000]}}
trials = 6
seeds  = [100]
)";

inline Study tuned_study(const std::string& tune = tune_table) {
  return parse_study(tiny_study(R"(
[sweep]
"model.encoding" = ["none", "t5", "alibi", "rope", "learned"]
seed = [0, 1]

[smoke]
"train.steps" = 2
)" + tune),
                     "tuned.toml");
}

}  // namespace relbias::experiments
