// SPDX-License-Identifier: Apache-2.0
// modalities/text: text as bytes, in three splits that share no document.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modalities/modality.h"
#include "modalities/plain/files.h"
#include "modalities/sampling/split.h"

namespace relbias::modalities {

/// Files by Split, in the order of the text.
using TextSplits = std::array<std::vector<File>, 3>;

/// What a text dataset was read from, and how it was divided.
struct TextSource {
  std::string origin;        // for the report: what was read, what was skipped
  std::string content_hash;  // of the files as they were found
  TextSplits splits;
};

/// Text is the bytes of UTF-8 files exactly as they stand: no case folding, no Unicode
/// normalisation, no change of line ends, no byte-order mark removed, since bits per byte compare
/// only on equal bytes. The documents of a split follow each other, a newline between two where the
/// first does not end in one.
class TextDataset final : public Dataset {
 public:
  /// Throws InputError where a split is without text.
  explicit TextDataset(TextSource source);

  std::string content_hash() const override { return hash_; }
  std::string report() const override { return report_; }

  const std::string& bytes(Split split) const { return at(split).bytes; }
  /// The names of the files that the split was read from.
  const std::vector<std::string>& documents(Split split) const { return at(split).documents; }

 private:
  struct Part {
    std::string bytes;
    std::vector<std::string> documents;
  };
  const Part& at(Split split) const { return parts_[static_cast<size_t>(split)]; }

  std::string hash_;
  std::string report_;
  std::array<Part, 3> parts_;
};

/// Why these bytes are no text, or nothing where they are UTF-8 without a zero byte: `not UTF-8:
/// byte 0xff at offset 12`. The offset is where the first bad character begins.
std::optional<std::string> not_text(std::string_view bytes);

/// Leaves out files that are empty, no text, or copies of one before: a copy in another split would
/// be a leak. Says how many, and names the first of each kind: `3 of 5 files read (1 empty, 0 not
/// UTF-8 text, 1 copies; the first: a.txt, b.txt)`.
std::string keep_distinct_texts(std::vector<File>& files);

}  // namespace relbias::modalities
