// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: reading of attributes, whoever wrote them.
#pragma once

#include "results/store/hdf5/handles.h"

namespace relbias::results::hdf5 {

/// The attributes of an object that are one number or text; `others`: the names of the rest.
StoredAttributes read_attributes(hid_t object, std::vector<std::string>& others);

}  // namespace relbias::results::hdf5
