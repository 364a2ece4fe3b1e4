// SPDX-License-Identifier: Apache-2.0
// modalities: tables of text, compressed or not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace relbias {

/// A row and the line of the file it begins on.
struct CsvRow {
  std::vector<std::string> cells;
  int64_t line;
};

/// Cells between commas; a cell in double quotes may hold commas, line ends and doubled quotes.
/// Throws InputError, naming file and line, where a quote is not closed.
enum class EmptyLines { skip, keep };  // keep: a row of one empty cell
std::vector<CsvRow> parse_csv(const std::string& file, const std::string& text,
                              EmptyLines empty = EmptyLines::skip);

/// The bytes of FILE, or of FILE.gz unpacked. Throws InputError where there is neither, or where
/// the compressed data is damaged.
std::string read_maybe_compressed(const std::filesystem::path& file);

/// The number in a cell; empty cells and `nan` are NaN. Throws InputError, naming file, line and
/// column, where there is no number.
double number_in_cell(const std::string& file, const CsvRow& row, size_t column);

}  // namespace relbias
