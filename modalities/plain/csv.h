// SPDX-License-Identifier: Apache-2.0
// modalities/plain: tables of text, compressed or not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::plain {

/// A row and the line of the file it begins on.
struct CsvRow {
  std::vector<std::string> cells;
  int64_t line;
};

/// Cells between commas; a cell in double quotes may hold commas, line ends and doubled quotes, and
/// blanks around them. A quote within other text is a character. The mark that some programs put in
/// front of UTF-8 (EF BB BF) is no part of the first cell. Throws InputError, naming file and line,
/// where a quote is not closed, or is followed by text.
enum class EmptyLines { skip, keep };  // keep: a row of one empty cell
std::vector<CsvRow> parse_csv(const std::string& file, const std::string& text,
                              EmptyLines empty = EmptyLines::skip);

/// The bytes of FILE, or of FILE.gz unpacked, whichever of the two is named. Throws InputError
/// where there is neither, or where the compressed data is damaged.
std::string read_maybe_compressed(const std::filesystem::path& file);

/// Throws InputError, naming file and line, where a row has not as many cells as the first.
void check_widths(const std::string& file, const std::vector<CsvRow>& rows);

/// A cell without the blanks and line ends around it.
std::string trimmed(const std::string& cell);

/// The number that a cell holds; NaN where it is blank or `nan`, nothing where it is other text.
std::optional<double> number_of(const std::string& cell);

/// The largest number that data may hold: its square is a float32.
inline constexpr double most_number = 1e18;

/// The number in a cell; empty cells and `nan` are NaN. Throws InputError, naming file, line and
/// column, where there is no number, or one beyond `most_number`.
double number_in_cell(const std::string& file, const CsvRow& row, size_t column);

/// The numbers in all cells of a row.
std::vector<double> numbers_in_row(const std::string& file, const CsvRow& row);

/// The whole number in a cell. Throws InputError, naming file, line, column and `what` was expected
/// (`a node`), where there is none from `low` to `high`: an empty cell and a fraction are none.
int64_t whole_in_cell(const std::string& file, const CsvRow& row, size_t column,
                      std::string_view what, int64_t low, int64_t high);

}  // namespace relbias::plain
