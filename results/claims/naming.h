// SPDX-License-Identifier: Apache-2.0
// results/claims: what an encoding in a claim names: positions of runs, rows of tables.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/comparison.h"

namespace relbias::results {

/// Whether `wanted` names `text`, a name with options: the same name, and each option that `wanted`
/// gives among those of `text`. `tree clip=4` is named by `tree`, and by itself.
bool is_named(const std::string& text, const std::string& wanted);

/// Whether positions are what `wanted` names: each of its encodings, joined by ` + `, is one of
/// them, and there are no more. `rope base=100@token` asks for that option and that relation;
/// options and relations that are not given may be any.
bool is_meant(const std::vector<RecordedPosition>& positions, const std::string& wanted);

/// Likewise of a run, which its label names too.
bool is_meant(const RunRecord& run, const std::string& wanted);

/// Whether `relation` names the relation of each of a run's positions; empty names any.
bool is_on(const RunRecord& run, const std::string& relation);

/// The rows that are meant, on this relation: those of just this label, else those with the fewest
/// options besides the ones asked for.
std::vector<const ComparisonRow*> rows_named(const Comparison& comparison,
                                             const std::string& wanted,
                                             const std::string& relation = "");

/// The first of them; null without any.
const ComparisonRow* row_named(const Comparison& comparison, const std::string& wanted);

}  // namespace relbias::results
