// SPDX-License-Identifier: Apache-2.0
// experiments/attend: one attention call from a file, so that any language can check an encoding.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::experiments {

/// Reads q, k, v, an encoding, a relation and parameters from `input`, writes the output, the
/// weights and, given grad_out, all gradients to `output`. Throws InputError or StoreError naming
/// the file and the dataset or attribute that is wrong.
void attend(const std::filesystem::path& input, const std::filesystem::path& output);

/// The same of many files, each output under its case's name in the folder `output`. A case that is
/// wrong keeps none of the others; then all that is wrong is thrown together.
void attend_all(const std::vector<std::filesystem::path>& inputs,
                const std::filesystem::path& output);

/// The layout of both files.
std::string attend_format();

}  // namespace relbias::experiments
