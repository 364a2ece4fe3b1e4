// SPDX-License-Identifier: Apache-2.0
// modalities/code: functions of real source files in three splits.
#pragma once

#include <array>

#include "modalities/code/vocabulary.h"
#include "modalities/modality.h"
#include "modalities/text/text.h"

namespace relbias::modalities {

/// What a code dataset was read from, and how it was divided.
struct CodeSource {
  std::string origin;        // for the report: what was read, what was skipped and why
  std::string content_hash;  // of the files as they were found
  const Language* language = nullptr;
  std::array<std::vector<Snippet>, 3> splits;  // by Split
};

/// Snippets whose tokens say the same are kept once: a copy leaves the training split, then
/// validation, so that nothing held out was seen. Snippets without a token, as comments, are left
/// out. Both are counted.
class CodeDataset final : public Dataset {
 public:
  /// Throws InputError where a split is without snippets.
  explicit CodeDataset(CodeSource source);

  std::string content_hash() const override { return hash_; }
  std::string report() const override { return report_; }

  const Language& language() const { return *language_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const std::vector<Snippet>& snippets(Split split) const {
    return splits_[static_cast<size_t>(split)];
  }

 private:
  std::string hash_;
  std::string report_;
  const Language* language_;
  std::array<std::vector<Snippet>, 3> splits_;
  Vocabulary vocabulary_;
};

/// `limit`: tokens of a function that are kept, the first; functions that are cut are counted.
OptionSpec limit_option();

/// Source files by split -> their outermost functions. Adds to the origin what became of the files:
/// how many do not follow the grammar (and the first of those places), how many functions were cut.
void read_functions(CodeSource& source, const TextSplits& files, int64_t limit);

/// The files that are text and not empty, each content once, divided by file. Adds to the origin
/// what was left out, and fills in the hash.
TextSplits divided_sources(CodeSource& source, std::vector<File> files);

}  // namespace relbias::modalities
