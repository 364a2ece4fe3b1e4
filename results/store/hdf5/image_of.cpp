// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: contents become the image of an HDF5 file.
#include <algorithm>
#include "modalities/plain/utf8.h"

#include "results/store/hdf5/carry_over.h"
#include "results/store/hdf5/handles.h"
#include "results/store/hdf5/image.h"

namespace relbias::results::hdf5 {
namespace {

void write_attribute(hid_t object, const std::string& name, const StoredAttribute& attribute) {
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, name);
  const auto write = [&](hid_t type, const void* value) {
    const Handle created(H5Acreate2(object, name.c_str(), type, scalar, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, name);
    checked(H5Awrite(created, type, value), name);
  };
  if (const auto* text = std::get_if<std::string>(&attribute)) {
    const std::string valid = valid_utf8(*text);
    const char* pointer = valid.c_str();
    write(text_type(H5T_VARIABLE), &pointer);
  } else if (const auto* integer = std::get_if<int64_t>(&attribute)) {
    write(native(*integer), integer);
  } else {
    write(native(double{}), &std::get<double>(attribute));
  }
}

// Properties of an object that keeps the order of its attributes and, where it is a group, of what
// is put in, and not the second in which it was made: the same record gives the same bytes. HDF5
// then writes headers with checksums too. (Its newer formats have them anyway, but releases
// before 2.0 get the superblock's checksum wrong in H5Fget_file_image: HDFGroup/hdf5#1915.)
Handle ordered(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose, "creation properties");
  constexpr unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  checked(H5Pset_attr_creation_order(properties, order), "order of attributes");
  checked(H5Pset_obj_track_times(properties, false), "times");
  if (kind != H5P_DATASET_CREATE) {
    checked(H5Pset_link_creation_order(properties, order), "order of groups");
  }
  return properties;
}

// Opens the group, or creates it.
Handle group_at(hid_t parent, const std::string& name) {
  if (checked(H5Lexists(parent, name.c_str(), H5P_DEFAULT), name) > 0) {
    return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose, name};
  }
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, ordered(H5P_GROUP_CREATE), H5P_DEFAULT),
          H5Gclose, name};
}

// One that is packed lies in one piece: it is read whole.
Handle creation_of(const std::vector<hsize_t>& extents, bool compressed) {
  Handle properties = ordered(H5P_DATASET_CREATE);
  const bool has_values = std::ranges::find(extents, hsize_t{0}) == extents.end();
  if (!compressed || extents.empty() || !has_values) return properties;
  constexpr unsigned level = 4;
  const auto rank = static_cast<int>(extents.size());
  checked(H5Pset_chunk(properties, rank, extents.data()), "chunks");
  checked(H5Pset_shuffle(properties), "shuffle");
  checked(H5Pset_deflate(properties, level), "deflate");
  return properties;
}

struct Values {
  hid_t type;
  const std::vector<int64_t>& shape;
  const void* values;
  bool compressed;
};

// A dataset with its values; creates the groups on the way.
Handle write_dataset(hid_t parent, const std::string& path, const Values& written) {
  if (const size_t slash = path.find('/'); slash != std::string::npos) {
    return write_dataset(group_at(parent, path.substr(0, slash)), path.substr(slash + 1), written);
  }
  const auto& [type, shape, values, compressed] = written;
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose, path);
  Handle dataset(H5Dcreate2(parent, path.c_str(), type, space, H5P_DEFAULT,
                            creation_of(extents, compressed), H5P_DEFAULT),
                 H5Dclose, path);
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), path);
  return dataset;
}

Handle write(hid_t file, const StoredDataset& dataset, const StoredArray& array) {
  return std::visit(
      [&]<typename Value>(const std::vector<Value>& values) {
        return write_dataset(file, dataset.path,
                             {native(Value{}), array.shape, values.data(), dataset.compressed});
      },
      array.values);
}

Handle write(hid_t file, const StoredDataset& dataset, const StoredTable& table) {
  const PackedRows rows = pack(table);
  const Handle type = type_of(rows);
  const std::vector<int64_t> shape = {static_cast<int64_t>(rows.count)};
  return write_dataset(file, dataset.path, {type, shape, rows.bytes.data(), dataset.compressed});
}

}  // namespace

std::vector<char> image_of(const StoredContents& contents, const Earlier& earlier) {
  const Session session;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  checked(H5Pset_fapl_core(access, size_t{1} << 16U, false), "file access");
  const Handle file(H5Fcreate(no_file, H5F_ACC_EXCL, ordered(H5P_FILE_CREATE), access), H5Fclose,
                    "new image");
  for (const auto& [name, value] : contents.attributes) write_attribute(file, name, value);
  for (const StoredDataset& dataset : contents.datasets) {
    const Handle written =
        std::visit([&](const auto& data) { return write(file, dataset, data); }, dataset.data);
    for (const auto& [name, value] : dataset.attributes) write_attribute(written, name, value);
  }
  if (!earlier.image.empty()) carry_over(earlier, file);
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "flushing the image");
  std::vector<char> image(checked(H5Fget_file_image(file, nullptr, 0), "size of the image"));
  checked(H5Fget_file_image(file, image.data(), image.size()), "copying the image");
  return image;
}

}  // namespace relbias::results::hdf5
