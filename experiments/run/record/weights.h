// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: the weights of a trained model as a record keeps them.
#pragma once

#include <vector>

#include "experiments/model/model.h"
#include "results/record.h"

namespace relbias::experiments {

/// Every parameter and buffer by its name, float32.
std::vector<Weights> weights_of(const Model& model);

/// Puts them into a model of the same configuration. Throws InputError, naming the array, where one
/// is missing or of another shape.
void load_weights(const std::vector<Weights>& weights, Model& model);

}  // namespace relbias::experiments
