// SPDX-License-Identifier: Apache-2.0
// results/store: test samples and weights of a run in its file.
#pragma once

#include "results/record.h"
#include "results/store/contents.h"

namespace relbias::results {

/// What tables do not read: where a sample is from.
inline constexpr const char* source_column = "source";

/// `samples/128`, or `samples/128 segments=4` where there is a condition; `samples/128, step 250`
/// of an evaluation that was not the last.
StoredDataset stored_samples(const SampleSet& set, bool is_last);
SampleSet sample_set_of(const StoredDataset& dataset);

/// `model/blocks.0.mlp.weight`, float32.
StoredDataset stored_weights(const Weights& weights);
Weights weights_of(StoredDataset& dataset);

}  // namespace relbias::results
