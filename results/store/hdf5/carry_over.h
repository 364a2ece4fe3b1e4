// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: what others added to a file goes into the one that takes its place.
#pragma once

#include "results/store/hdf5/handles.h"
#include "results/store/hdf5/image.h"

namespace relbias::results::hdf5 {

/// Copies attributes, groups, datasets and links that `file` lacks, of any type, unless they are
/// the program's own. Throws StoreError.
void carry_over(const Earlier& earlier, hid_t file);

}  // namespace relbias::results::hdf5
