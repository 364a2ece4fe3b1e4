// SPDX-License-Identifier: Apache-2.0
// experiments/run: further evaluations of a finished run, from the weights that it kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace relbias::experiments {

struct EvaluationOrder {
  std::vector<int64_t> sizes;         // empty: those of the run
  std::vector<std::string> variants;  // `segments=4`; empty: those of the run
  std::string device = "auto";
  int64_t threads = 1;
};

/// Adds rows and samples to the run's file and returns the number of rows; what it has already is
/// left as it is. Throws InputError, naming the file, where the run is not done, kept no weights,
/// or its data is not what it was; StoreError where the file cannot be read or written.
int64_t evaluate_again(const std::filesystem::path& file, const EvaluationOrder& order);

}  // namespace relbias::experiments
