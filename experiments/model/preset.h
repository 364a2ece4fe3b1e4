// SPDX-License-Identifier: Apache-2.0
// experiments/model: named sizes of a transformer.
#pragma once

#include <string>

#include "experiments/model/model.h"

namespace relbias::experiments {

/// Sets layers, width and heads to those of a size with a name:
///
///     mini     3 layers,  64 channels,  4 heads   trains in half a minute on one core
///     tiny    12 layers, 192 channels,  3 heads   DeiT-Ti (Touvron et al. 2021, table 1)
///     small   12 layers, 384 channels,  6 heads   DeiT-S
///     base    12 layers, 768 channels, 12 heads   DeiT-B, ViT-B
///
/// Throws InputError on another name.
void apply_preset(const std::string& name, ModelConfig& model);

}  // namespace relbias::experiments
