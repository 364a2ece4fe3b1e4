// SPDX-License-Identifier: Apache-2.0
// results/store/hdf5: a table as HDF5 takes it, row after row in one piece of memory.
#include "results/store/hdf5/packed_rows.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "modalities/plain/utf8.h"

namespace relbias::results {
namespace {

// A column before it is spread over the rows: its values one after the other.
struct Strip {
  PackedKind kind;
  size_t width;
  std::vector<char> bytes;
};

template <typename Number>
Strip strip_of_numbers(PackedKind kind, const std::vector<Number>& values) {
  Strip strip{kind, sizeof(Number), std::vector<char>(values.size() * sizeof(Number))};
  if (!values.empty()) std::memcpy(strip.bytes.data(), values.data(), strip.bytes.size());
  return strip;
}
Strip strip_of(const std::vector<int64_t>& values) {
  return strip_of_numbers(PackedKind::integer, values);
}
Strip strip_of(const std::vector<double>& values) {
  return strip_of_numbers(PackedKind::real, values);
}
Strip strip_of(const std::vector<bool>& values) {
  return {PackedKind::boolean, 1, {values.begin(), values.end()}};
}
Strip strip_of(std::vector<std::string> texts) {
  size_t width = 1;
  for (std::string& text : texts) {
    text = valid_utf8(text);
    width = std::max(width, text.size());
  }
  Strip strip{PackedKind::text, width, std::vector<char>(width * texts.size())};
  for (size_t i = 0; i < texts.size(); ++i) texts[i].copy(&strip.bytes[i * width], width);
  return strip;
}

template <typename Number>
std::vector<Number> numbers_in(const PackedRows& rows, const PackedColumn& column) {
  std::vector<Number> values(rows.count);
  for (size_t row = 0; row < rows.count; ++row) {
    std::memcpy(&values[row], &rows.bytes[row * rows.row_size + column.offset], sizeof(Number));
  }
  return values;
}

std::vector<std::string> texts_in(const PackedRows& rows, const PackedColumn& column) {
  std::vector<std::string> values(rows.count);
  for (size_t row = 0; row < rows.count; ++row) {
    const char* begin = &rows.bytes[row * rows.row_size + column.offset];
    const std::string_view padded(begin, column.width);
    values[row] = padded.substr(0, padded.find('\0'));
  }
  return values;
}

StoredColumnValues values_in(const PackedRows& rows, const PackedColumn& column) {
  switch (column.kind) {
    case PackedKind::integer:
      return numbers_in<int64_t>(rows, column);
    case PackedKind::real:
      return numbers_in<double>(rows, column);
    case PackedKind::text:
      return texts_in(rows, column);
    case PackedKind::boolean:
      break;
  }
  const std::vector<char> bits = numbers_in<char>(rows, column);
  return std::vector<bool>(bits.begin(), bits.end());
}

}  // namespace

void PackedRows::add_column(const std::string& name, PackedKind kind, size_t width) {
  columns.push_back({name, kind, width, row_size});
  row_size += width;
}

PackedRows pack(const StoredTable& table) {
  std::vector<Strip> strips;
  PackedRows rows;
  for (const StoredColumn& column : table) {
    strips.push_back(
        std::visit([](const auto& values) { return strip_of(values); }, column.values));
    rows.add_column(column.name, strips.back().kind, strips.back().width);
    rows.count = strips.back().bytes.size() / strips.back().width;
  }
  rows.bytes.resize(rows.count * rows.row_size);
  for (size_t i = 0; i < strips.size(); ++i) {
    const PackedColumn& column = rows.columns[i];
    for (size_t row = 0; row < rows.count; ++row) {
      std::memcpy(&rows.bytes[row * rows.row_size + column.offset],
                  &strips[i].bytes[row * column.width], column.width);
    }
  }
  return rows;
}

StoredTable unpack(const PackedRows& rows) {
  StoredTable table;
  for (const PackedColumn& column : rows.columns) {
    table.push_back({column.name, values_in(rows, column)});
  }
  return table;
}

}  // namespace relbias::results
