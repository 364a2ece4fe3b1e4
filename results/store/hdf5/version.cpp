// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: the version of the library that runs.
#include <fmt/ranges.h>

#include <array>

#include "results/store/hdf5/handles.h"
#include "results/store/store.h"

namespace relbias::results {

std::string hdf5_version() {
  const hdf5::Session session;
  std::array<unsigned, 3> version{};
  hdf5::checked(H5get_libversion(&version[0], &version[1], &version[2]), "version of HDF5");
  return fmt::format("{}", fmt::join(version, "."));
}

}  // namespace relbias::results
