// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: HDF5's last error, and the types of what runs store.
#include "results/store/hdf5/handles.h"

namespace relbias::results::hdf5 {

std::string last_message() {
  std::string message = "HDF5 gives no reason";
  const auto innermost = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &message);
  return message;
}

Handle open_image(const std::vector<char>& image, const char* name) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  checked(H5Pset_fapl_core(access, size_t{1} << 16U, false), "file access");
  void* const bytes = const_cast<char*>(image.data());  // HDF5 copies them
  checked(H5Pset_file_image(access, bytes, image.size()), "file access");
  return {H5Fopen(name, H5F_ACC_RDONLY, access), H5Fclose, "damaged HDF5 file"};
}

Handle text_type(size_t width) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text type");
  checked(H5Tset_size(type, width), "text type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "text type");
  if (width != H5T_VARIABLE) checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "text type");
  return type;
}

Handle type_of(const PackedColumn& column) {
  if (column.kind == PackedKind::text) return text_type(column.width);
  if (column.kind != PackedKind::boolean) {
    const bool whole = column.kind == PackedKind::integer;
    return {H5Tcopy(whole ? native(int64_t{}) : native(double{})), H5Tclose, column.name};
  }
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, column.name);  // as h5py writes them
  for (const auto& [name, value] : {std::pair<const char*, int8_t>{"FALSE", 0}, {"TRUE", 1}}) {
    checked(H5Tenum_insert(type, name, &value), column.name);
  }
  return type;
}

Handle type_of(const PackedRows& rows) {
  Handle type(H5Tcreate(H5T_COMPOUND, rows.row_size), H5Tclose, "table type");
  for (const PackedColumn& column : rows.columns) {
    checked(H5Tinsert(type, column.name.c_str(), column.offset, type_of(column)), column.name);
  }
  return type;
}

}  // namespace relbias::results::hdf5
