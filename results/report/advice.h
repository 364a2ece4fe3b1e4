// SPDX-License-Identifier: Apache-2.0
// results/report: "Which encoding should I take?", answered by the runs alone.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/across/standings.h"

namespace relbias::results {

/// What is recommended for one size.
struct Choice {
  std::string purpose;   // "at the training size", "at 4x"
  std::string encoding;  // the best, and all that is not told from it
  std::string reason;    // the score with its interval, and over how many tasks
};

struct Advice {
  std::string modality;
  int64_t tasks = 0;
  int64_t seeds = 0;  // the fewest of any encoding with a finished run
  std::vector<Choice> choices;
  std::vector<std::string> missing;  // without which there is no advice
};

/// For each modality, from tuned runs of three seeds or more of benchmark tasks alone: the
/// encodings of the best score (standings.h) and all that are not told from them, at the training
/// size and at 4x, or the evaluated size nearest to it. Where there are no such runs it says what
/// is missing.
std::vector<Advice> advise(const std::vector<TaskRuns>& groups);

}  // namespace relbias::results
