// SPDX-License-Identifier: Apache-2.0
// results/analysis/notes: what stands under every table: what it was measured on, with what, and
// how its intervals are meant.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/comparison.h"

namespace relbias::results {

/// "not tuned", "tuned: 6 trials each", "tuned: 6 trials each, 2 of 6 of none".
std::string tuning_text(const std::vector<const RunRecord*>& runs);

/// "data 1f3a..., commit 17d7906 (uncommitted changes 5e...), device cpu (its model)"; where runs
/// differ in one of them, a note of its own says so; `across` tasks data differ anyway.
std::vector<Note> provenance_notes(const std::vector<const RunRecord*>& runs, bool across = false);

/// Seeds, samples and what one is, which intervals, tuned or not, data, commit and machine.
std::vector<Note> notes_underneath(const Comparison& comparison, const TaskRuns& group);

/// Likewise of a table over several tasks.
std::vector<Note> notes_across(const std::vector<const Comparison*>& comparisons);

}  // namespace relbias::results
