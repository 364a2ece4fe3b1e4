// SPDX-License-Identifier: Apache-2.0
// results/store: what an HDF5 file holds, in plain types, so that nothing but hdf5/ has to know
// HDF5.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "results/record.h"

namespace relbias::results {

using StoredAttribute = std::variant<int64_t, double, std::string>;
using StoredAttributes = std::map<std::string, StoredAttribute>;

/// Row-major. char: bytes, int8 in the file.
using StoredValues = std::variant<std::vector<double>, std::vector<float>, std::vector<char>>;

struct StoredArray {
  std::vector<int64_t> shape;
  StoredValues values;
};

using StoredColumnValues = std::variant<std::vector<int64_t>, std::vector<double>,
                                        std::vector<bool>, std::vector<std::string>>;

struct StoredColumn {
  std::string name;
  StoredColumnValues values;
};

/// A compound dataset; its columns are equally long.
using StoredTable = std::vector<StoredColumn>;

struct StoredDataset {
  std::string path;  // without the leading '/'
  std::variant<StoredArray, StoredTable> data;
  StoredAttributes attributes{};
  bool compressed = false;  // written so; read in either case
};

struct StoredContents {
  StoredAttributes attributes;  // of the root
  std::vector<StoredDataset> datasets;
  // Read only: what else the file holds, for those who must not overlook it.
  std::vector<std::string> groups{};            // paths of all groups but the root
  std::vector<std::string> links{};             // soft, external, or further names of what is above
  std::vector<std::string> other_attributes{};  // of the root, lists or of another type
};

/// A member of a variant (attribute, values, data) that `what` names.
/// Throws StoreError where another type stands there.
template <typename Value, typename Variant>
auto& held(Variant& variant, const std::string& what) {
  auto* value = std::get_if<std::remove_const_t<Value>>(&variant);
  if (value == nullptr) throw StoreError(what + " is of another type");
  return *value;
}

/// Throws StoreError where the attribute is missing or of another type.
template <typename Value>
const Value& attribute_in(const StoredAttributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) throw StoreError("attribute '" + name + "' is missing");
  return held<const Value>(found->second, "attribute '" + name + "'");
}

template <typename Value>
const std::vector<Value>& column_in(const StoredTable& table, const std::string& name) {
  for (const StoredColumn& column : table) {
    if (column.name == name)
      return held<const std::vector<Value>>(column.values, "column '" + name + "'");
  }
  throw StoreError("column '" + name + "' is missing");
}

}  // namespace relbias::results
