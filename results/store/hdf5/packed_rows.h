// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: a table as HDF5 takes it, row after row in one piece of memory.
#pragma once

#include <string>
#include <vector>

#include "results/store/contents.h"

namespace relbias::results {

/// In memory: int64, double, one byte, and UTF-8 of fixed width padded with NULs. Every reader of
/// HDF5 tables knows such texts, unlike texts of variable length.
enum class PackedKind { integer, real, boolean, text };

struct PackedColumn {
  std::string name;
  PackedKind kind = PackedKind::integer;
  size_t width = 0;   // bytes
  size_t offset = 0;  // in the row
};

struct PackedRows {
  std::vector<PackedColumn> columns;
  size_t row_size = 0;
  size_t count = 0;
  std::vector<char> bytes;

  /// A further column at the end of the row.
  void add_column(const std::string& name, PackedKind kind, size_t width);
};

/// Texts are made valid UTF-8.
PackedRows pack(const StoredTable& table);
StoredTable unpack(const PackedRows& rows);

}  // namespace relbias::results
