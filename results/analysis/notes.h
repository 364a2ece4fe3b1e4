// SPDX-License-Identifier: Apache-2.0
// results/analysis: what is said below a table, and the marks that point to it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace relbias::results {

struct Note {
  std::string mark;  // empty: of the whole table
  std::string text;
};

/// Notes get the marks a, b, ..., z, aa, ... in the order of their first use; the same text keeps
/// its mark.
class Notes {
 public:
  std::string mark(const std::string& text) {
    for (const Note& note : notes_) {
      if (note.text == text && !note.mark.empty()) return note.mark;
    }
    std::string mark;
    for (size_t number = ++lettered_; number > 0; number = (number - 1) / 26) {
      mark.insert(mark.begin(), static_cast<char>('a' + (number - 1) % 26));
    }
    add(mark, text);
    return mark;
  }
  void add(const std::string& mark, const std::string& text) {
    for (const Note& note : notes_) {
      if (note.mark == mark && note.text == text) return;
    }
    notes_.push_back({mark, text});
  }
  std::vector<Note> take() { return std::move(notes_); }

 private:
  std::vector<Note> notes_;
  size_t lettered_ = 0;
};

}  // namespace relbias::results
