// SPDX-License-Identifier: Apache-2.0
// results/claims: what the runs of a study say about its claims.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/comparison.h"
#include "results/claims/claims.h"

namespace relbias::results {

/// `unlearned`: the side that is ahead is not above the trivial rule, at the training size or at
/// the claimed one. `diverged`: a side has a seed that diverged or failed. `one_seed`: nothing is
/// known of other seeds.
enum class Verdict { holds, fails, undecided, unlearned, diverged, one_seed };

/// "holds", "fails", "undecided", "unlearned", "diverged", "one seed".
std::string to_string(Verdict verdict);

struct Judgement {
  Claim claim;
  std::string where;  // the task that it was judged on
  Verdict verdict = Verdict::undecided;
  std::string evidence;         // the values, d, its interval, p, n, m, and what else decided
  Inference inference;          // of what `better` is better by; of no seed: nothing was measured
  double adjusted = not_given;  // p after Holm
};

/// Judges each claim on each group of the study that it speaks of, all claims together: p is
/// adjusted by Holm over all that have two common seeds and no diverged side. `holds` and `fails`
/// need an adjusted p of at most .05; with fewer than ten seeds not where a row's seeds are uneven.
/// A claim that no group can judge is undecided and says why. What is no number decides nothing.
std::vector<Judgement> judge(const std::vector<Claim>& claims,
                             const std::vector<const TaskRuns*>& groups);

/// The groups of one study.
std::vector<const TaskRuns*> groups_of(const std::vector<TaskRuns>& groups,
                                       const std::string& study);

}  // namespace relbias::results
