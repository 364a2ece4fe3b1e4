// SPDX-License-Identifier: Apache-2.0
// experiments/attend: graphs and trees in the input file of `relbias attend`.
#pragma once

#include <array>

#include "experiments/attend/attend_case.h"
#include "modalities/relation.h"

namespace relbias::experiments {

/// The relation between the tokens of a case: from its datasets relation/edges, relation/distance
/// or relation/parents, or from positions, where there are any, one structure for all samples or
/// one a sample, else from the sizes and the relation's own options. Throws InputError naming the
/// dataset.
RelationMap map_in_case(AttendCase& input, const Relation& relation, const Options& options,
                        const std::array<int64_t, 3>& batch_queries_keys);

/// The relation, `token randomize=N` where the case says at which positions its tokens stand.
std::string placed_relation(AttendCase& input, const std::string& relation);

/// Throws where the case describes what none of its relations has read.
void refuse_unread(const AttendCase& input, const std::string& relations);

}  // namespace relbias::experiments
