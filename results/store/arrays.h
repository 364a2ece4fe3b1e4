// SPDX-License-Identifier: Apache-2.0
// results/store: HDF5 files of named arrays, for exchange with other programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::results {

struct Array {
  std::vector<int64_t> shape;
  std::vector<double> values;  // row-major
};

/// A file of numbers: datasets by path, attributes of the root by name.
struct NamedArrays {
  std::map<std::string, Array> arrays;
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
  // Read only, so that nothing is overlooked.
  std::vector<std::string> groups{};            // paths of groups
  std::vector<std::string> links{};             // names that lead elsewhere, which are not followed
  std::vector<std::string> other_attributes{};  // lists, or of another type
};

/// Numbers of any HDF5 integer, real or boolean type become doubles, attributes too.
/// Throws StoreError, naming the file and the dataset, for what is damaged or holds no numbers.
NamedArrays read_arrays(const std::filesystem::path& file);

/// Complete or not at all, as run files are.
void write_arrays(const std::filesystem::path& file, const NamedArrays& arrays);

}  // namespace relbias::results
