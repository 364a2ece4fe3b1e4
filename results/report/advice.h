// SPDX-License-Identifier: Apache-2.0
// results/report: "Which encoding should I take?", answered by the runs alone.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/standings.h"

namespace relbias::results {

/// What one encoding is recommended for.
struct Choice {
  std::string purpose;  // "at the training size", "at 4x", "fastest within 5 % of the best"
  std::string encoding;
  std::string reason;  // figures
};

struct Advice {
  std::string modality;
  int64_t tasks = 0;
  int64_t seeds = 0;  // the fewest of any encoding with a finished run
  std::vector<Choice> choices;
  std::string caution;  // empty where seeds and tasks suffice
};

/// For each modality, of the encodings that were ranked in as many tasks as any: the one of the
/// best score (standings.h) at the training size; at 4x, or the evaluated size nearest to it; and
/// the fastest in training among those within 5 % of the best score at the training size. Each with
/// what it costs: its training speed.
std::vector<Advice> advise(const std::vector<TaskRuns>& groups);

}  // namespace relbias::results
