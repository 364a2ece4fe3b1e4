// SPDX-License-Identifier: Apache-2.0
// modalities/plain: cells and quotes.
#include "modalities/plain/csv.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::plain {
std::vector<CsvRow> parse_csv(const std::string& file, const std::string& text, EmptyLines empty) {
  std::vector<CsvRow> rows;
  CsvRow row{{""}, 1};
  int64_t line = 1, opened = 0;
  bool quoted = false;
  const auto finish = [&] {
    const bool blank = row.cells.size() == 1 && row.cells[0].empty();
    if (!blank || empty == EmptyLines::keep) rows.push_back(row);
    row = {{""}, line};
  };
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  for (size_t n = text.starts_with(mark) ? mark.size() : 0; n < text.size(); ++n) {
    const char c = text[n];
    // Alone it ends a line, as on old Macs; before a newline it is part of that.
    const bool ends = c == '\n' || (c == '\r' && (n + 1 == text.size() || text[n + 1] != '\n'));
    line += ends;
    if (c == '\0') {
      input_error("{}, line {}: a zero byte found, text in UTF-8 expected (UTF-16 has such bytes)",
                  file, line);
    }
    if (c == '"' && quoted && n + 1 < text.size() && text[n + 1] == '"') {
      row.cells.back() += c;
      ++n;
    } else if (c == '"' && quoted) {
      quoted = false;
      n = std::min(text.find_first_not_of(" \t", n + 1), text.size()) - 1;  // blanks behind it
      const char next = n + 1 < text.size() ? text[n + 1] : '\n';
      if (next != ',' && next != '\r' && next != '\n') {
        input_error("{}, line {}: text found behind a closing quote, a comma expected", file, line);
      }
    } else if (c == '"' && trimmed(row.cells.back()).empty()) {  // else it is an inch or a second
      row.cells.back().clear();
      quoted = true;
      opened = line;
    } else if (quoted) {
      row.cells.back() += c;
    } else if (c == ',') {
      row.cells.emplace_back();
    } else if (ends) {
      finish();
    } else if (c != '\r') {
      row.cells.back() += c;
    }
  }
  if (quoted) input_error("{}, line {}: a double quote is not closed", file, opened);
  if (!text.empty() && text.back() != '\n' && text.back() != '\r') finish();
  return rows;
}

std::string read_maybe_compressed(const std::filesystem::path& file) {
  const bool is_named = file.extension() == ".gz";
  if (!is_named && std::filesystem::exists(file)) return read_file(file);
  const std::filesystem::path compressed = is_named ? file.string() : file.string() + ".gz";
  if (!std::filesystem::exists(compressed)) {
    input_error("{} does not exist, nor does {}", file.string(), compressed.filename().string());
  }
  Unpacked content = gunzip(read_file(compressed));
  if (!content.fault.empty()) {
    input_error("{}: the compressed data ends or is damaged after {} bytes of text",
                compressed.string(), content.bytes.size());
  }
  return std::move(content.bytes);
}

void check_widths(const std::string& file, const std::vector<CsvRow>& rows) {
  for (const CsvRow& row : rows) {
    if (row.cells.size() == rows.front().cells.size()) continue;
    input_error("{}, line {}: {} cells found, {} expected as on the first line", file, row.line,
                row.cells.size(), rows.front().cells.size());
  }
}

std::string trimmed(const std::string& cell) {
  constexpr const char* blanks = " \t\r\n";
  const size_t first = cell.find_first_not_of(blanks);
  if (first == std::string::npos) return "";
  return cell.substr(first, cell.find_last_not_of(blanks) + 1 - first);
}

std::optional<double> number_of(const std::string& cell) {
  const std::string text = trimmed(cell);
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  // A NUL ends what strtod sees, not the cell.
  if (end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

double number_in_cell(const std::string& file, const CsvRow& row, size_t column) {
  if (column >= row.cells.size()) {
    input_error("{}, line {}: {} cells found, at least {} expected", file, row.line,
                row.cells.size(), column + 1);
  }
  const auto number = number_of(row.cells[column]);
  if (!number) {
    input_error("{}, line {}, column {}: '{}' found, a number expected", file, row.line, column + 1,
                trimmed(row.cells[column]));
  }
  if (std::abs(*number) > most_number) {
    input_error("{}, line {}, column {}: '{}' found, a number from {} to {} expected", file,
                row.line, column + 1, trimmed(row.cells[column]), -most_number, most_number);
  }
  return *number;
}

std::vector<double> numbers_in_row(const std::string& file, const CsvRow& row) {
  std::vector<double> numbers;
  for (size_t column = 0; column < row.cells.size(); ++column) {
    numbers.push_back(number_in_cell(file, row, column));
  }
  return numbers;
}

int64_t whole_in_cell(const std::string& file, const CsvRow& row, size_t column,
                      std::string_view what, int64_t low, int64_t high) {
  const double number = number_in_cell(file, row, column);
  // Written so that NaN is refused.
  if (number >= static_cast<double>(low) && number <= static_cast<double>(high) &&
      number == std::floor(number)) {
    return static_cast<int64_t>(number);
  }
  input_error("{}, line {}, column {}: '{}' found, {} from {} to {} expected", file, row.line,
              column + 1, trimmed(row.cells[column]), what, low, high);
}

}  // namespace relbias::plain
