// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: texts of variable length lie in heaps. Where those are damaged, HDF5 1.10
// walks without an end or asks for memory without a limit.
#pragma once

#include <vector>

namespace relbias::results::hdf5 {

/// Throws StoreError where a heap in the image of a file has an object that leads nowhere, or an
/// attribute claims a text that is longer than the file.
void check_heaps(const std::vector<char>& image);

}  // namespace relbias::results::hdf5
