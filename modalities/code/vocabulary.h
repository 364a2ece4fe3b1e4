// SPDX-License-Identifier: Apache-2.0
// modalities/code: the ids of a token: its type, its whole text and the words it is made of.
#pragma once

#include <array>
#include <map>
#include <unordered_map>

#include "modalities/code/syntax/snippet.h"

namespace relbias::modalities {

/// A token has five ids whose embeddings add up, each with rows of its own in one table:
///
///   type     node type of the grammar (`identifier`, `if`, ERROR)
///   text     the whole text, where it is among the 4,096 most frequent of the training split and
///            occurs twice there; any other text shares one of 256 rows by its hash
///   words    the first three words of a name, likewise: 2,048 frequent ones, 256 rows by hash.
///            Words end at `_`, before a capital after a small letter, and at digits; case does
///            not count: `HTTPServer_maxRetries2` has httpserver, max, retries (2 is the fourth)
///
/// Rows 0 of text and words mean none. So a name never seen keeps its words, and two unseen names
/// in one function are told apart unless their hashes meet (1 in 256).
class Vocabulary {
 public:
  static constexpr size_t features = 5;
  using Ids = std::array<int32_t, features>;

  Vocabulary() = default;
  /// Counts the tokens of the training split.
  explicit Vocabulary(const std::vector<Snippet>& train);

  int64_t rows() const;
  Ids ids(const Snippet& snippet, size_t node) const;
  /// The same token with its text and words hidden.
  Ids hidden(const Ids& ids) const;

  /// The texts with a row of their own, as categories 0, 1, ... in the order of their frequency.
  int64_t known_texts() const { return static_cast<int64_t>(texts_.size()); }
  /// Of this token's ids; -1: its text is none of them.
  int64_t known_text(const Ids& ids) const;

 private:
  using Rows = std::unordered_map<std::string, int32_t>;
  int32_t text_row(const std::string& text) const;
  int32_t word_row(const std::string& word) const;

  int32_t types_ = 0;
  Rows texts_, words_;  // rank by frequency
};

/// `HTTPServer_maxRetries2`: httpserver max retries 2. No words where it is no name.
std::vector<std::string> words_of(std::string_view name);

}  // namespace relbias::modalities
