// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: whole HDF5 files in memory. HDF5 never opens a file of ours: it cuts files
// that it may not write, reports a full disk too late and leaves half a file when killed.
#pragma once

#include <vector>

#include "results/store/store.h"

namespace relbias::results::hdf5 {

/// What stood in a file before, and which of it need not stay.
struct Earlier {
  std::vector<char> image{};  // empty: nothing
  IsOwn is_own{};
};

/// The bytes of an HDF5 file with these contents, and with what others added to an earlier one.
/// Throws StoreError.
std::vector<char> image_of(const StoredContents& contents, const Earlier& earlier);

/// What the bytes of an HDF5 file hold, as far as the filter wants it. Throws StoreError.
StoredContents contents_in(std::vector<char>& image, const ContentsFilter& filter);

}  // namespace relbias::results::hdf5
