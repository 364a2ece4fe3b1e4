// SPDX-License-Identifier: Apache-2.0
// results/print: a table as texts, and its three printed forms.
#pragma once

#include <string>
#include <vector>

#include "results/analysis/comparison.h"

namespace relbias::results {

struct SheetCell {
  std::string text;
  std::string mark;  // of a note
  bool best = false;
  bool grey = false;  // not above guessing
};

struct Sheet {
  std::string title;
  std::string facts;
  std::vector<std::string> headings;  // the first column is to the left, the others to the right
  std::vector<std::vector<SheetCell>> rows;
  std::vector<Note> notes;
  bool prose = false;  // cells are sentences: LaTeX breaks their lines
};

/// What stands behind a mean over seeds: [its 95 % interval], where test samples were kept, or ±
/// its standard deviation.
enum class Spread { interval, deviation };

Sheet sheet_of(const Comparison& comparison, Spread spread = Spread::interval);

/// Every other row less `baseline`, positive where the row is better: mean [95 % interval] over
/// common seeds and test samples, and p after Holm over the rows of the column.
Sheet differences_from(const ComparisonRow& baseline, const Comparison& comparison);

/// Three decimals below ten, one less for each further digit; very small numbers by their digits.
/// `scale`: the number whose digits count, for a deviation that of its mean.
std::string number_text(double value);
std::string number_text(double value, double scale);

/// UTF-8 in columns of even width; * is the best of a column, or not told from it.
std::string as_text(const Sheet& sheet);

/// Pipes, the best in bold.
std::string as_markdown(const Sheet& sheet);

/// booktabs, the best in bold; as wide as the text at most (adjustbox, or broken lines).
std::string as_latex(const Sheet& sheet);

}  // namespace relbias::results
