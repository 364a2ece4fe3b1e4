// SPDX-License-Identifier: Apache-2.0
// tests/results/store: values and names that lead out of a file are never taken for zeros.
#include <gmock/gmock.h>
#define H5_USE_110_API
#include <hdf5.h>

#include "results/record.h"
#include "results/store/arrays.h"
#include "tests/scratch_folder.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr hsize_t four = 4;

std::string message_of(const std::string& file) {
  try {
    read_arrays(file);
  } catch (const StoreError& error) {
    return error.what();
  }
  return "no error";
}

// A file with the dataset `q` of four numbers, as `make` says.
template <class Make>
std::string file_with(const ScratchFolder& folder, Make&& make) {
  const std::string path = (folder.path() / "case.h5").string();
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  make(file);
  H5Fclose(file);
  return path;
}

void add_dataset(hid_t file, const char* name, hid_t creation) {
  const hid_t space = H5Screate_simple(1, &four, nullptr);
  const hid_t dataset =
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Dclose(dataset);
  H5Sclose(space);
}

// Its source is not beside the working folder: HDF5 gives zeros, and no error.
TEST(Elsewhere, AVirtualDatasetIsRefused) {
  const ScratchFolder folder;
  const std::string file = file_with(folder, [](hid_t id) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &four, nullptr);
    H5Pset_virtual(creation, space, "source.h5", "q", space);
    add_dataset(id, "q", creation);
    H5Sclose(space);
    H5Pclose(creation);
  });
  EXPECT_THAT(message_of(file), HasSubstr("dataset 'q': its values lie in other files"));
}

TEST(Elsewhere, ExternalStorageIsRefused) {
  const ScratchFolder folder;
  const std::string file = file_with(folder, [](hid_t id) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "raw.bin", 0, four * sizeof(double));
    add_dataset(id, "q", creation);
    H5Pclose(creation);
  });
  EXPECT_THAT(message_of(file), HasSubstr("dataset 'q': its values lie in other files"));
}

TEST(Elsewhere, LinksAreNamed) {
  const ScratchFolder folder;
  const std::string file = file_with(folder, [](hid_t id) {
    add_dataset(id, "q", H5P_DEFAULT);
    H5Lcreate_soft("/q", id, "soft", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/mask", id, "mask", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(id, "q", id, "twin", H5P_DEFAULT, H5P_DEFAULT);
  });
  const NamedArrays found = read_arrays(file);
  EXPECT_EQ(found.arrays.count("q"), 1U);
  EXPECT_THAT(found.links, ElementsAre("mask", "soft", "twin"));
}

}  // namespace
}  // namespace relbias::results
