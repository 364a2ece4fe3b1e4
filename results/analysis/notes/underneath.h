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
/// differ in one of them, a note of its own says so.
std::vector<Note> provenance_notes(const std::vector<const RunRecord*>& runs);

/// Adds seeds, samples and what one is, which intervals, tuned or not, data, commit and machine.
void note_underneath(const Comparison& comparison, const TaskRuns& group, Notes& notes);

}  // namespace relbias::results
