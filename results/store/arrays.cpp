// SPDX-License-Identifier: Apache-2.0
// results/store: HDF5 files of named arrays, for exchange with other programs.
#include "results/store/arrays.h"

#include "results/store/store.h"

namespace relbias::results {
namespace {

std::vector<double> numbers(const StoredValues& values) {
  return std::visit([](const auto& list) { return std::vector<double>(list.begin(), list.end()); },
                    values);
}

}  // namespace

NamedArrays read_arrays(const std::filesystem::path& file) {
  const StoredContents contents = read_contents(file);
  NamedArrays read;
  read.groups = contents.groups;
  read.links = contents.links;
  read.other_attributes = contents.other_attributes;
  for (const auto& [name, value] : contents.attributes) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      read.texts[name] = *text;
    } else if (const auto* whole = std::get_if<int64_t>(&value)) {
      read.numbers[name] = static_cast<double>(*whole);
    } else {
      read.numbers[name] = std::get<double>(value);
    }
  }
  for (const StoredDataset& dataset : contents.datasets) {
    const std::string& path = dataset.path;
    const auto* array = std::get_if<StoredArray>(&dataset.data);
    if (array == nullptr) {
      throw StoreError(file.string() + ": dataset '" + path +
                       "' is a table, or complex: real numbers expected");
    }
    read.arrays[path] = {array->shape, numbers(array->values)};
  }
  return read;
}

void write_arrays(const std::filesystem::path& file, const NamedArrays& arrays) {
  StoredContents contents;
  for (const auto& [name, text] : arrays.texts) contents.attributes[name] = text;
  for (const auto& [name, number] : arrays.numbers) contents.attributes[name] = number;
  for (const auto& [path, array] : arrays.arrays) {
    contents.datasets.push_back({path, StoredArray{array.shape, array.values}});
  }
  write_contents(file, contents);
}

}  // namespace relbias::results
