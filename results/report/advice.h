// SPDX-License-Identifier: Apache-2.0
// results/report: "Which encoding should I take?", answered by the runs alone.
#pragma once

#include <string>
#include <vector>

#include "results/standings.h"

namespace relbias {

/// What one encoding is recommended for.
struct Choice {
  std::string purpose;  // "at the training size", "at 4x", "at the least cost"
  std::string encoding;
  std::string reason;  // figures
};

struct Advice {
  std::string modality;
  int64_t tasks = 0;
  int64_t seeds = 0;  // the fewest of any encoding that was ranked
  std::vector<Choice> choices;
  std::string caution;  // empty where seeds and tasks suffice
};

/// For each modality: the encoding of the best score (standings.h) at the training size; at 4x, or
/// the largest size below it that was evaluated; and the fastest in training among those within 5 %
/// of the best score at the training size.
std::vector<Advice> advise(const std::vector<TaskRuns>& groups);

}  // namespace relbias
