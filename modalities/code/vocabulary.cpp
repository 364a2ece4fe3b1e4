// SPDX-License-Identifier: Apache-2.0
// modalities/code: counting texts and words, splitting names, hashing what is rare.
#include "modalities/code/vocabulary.h"

#include <algorithm>

namespace relbias::modalities {
namespace {

constexpr size_t most_texts = 4096, most_words = 2048;
constexpr int32_t buckets = 256;
constexpr int32_t none = 0, hidden_text = 1;  // rows before the known texts

using Counts = std::unordered_map<std::string, int64_t>;

std::unordered_map<std::string, int32_t> most_frequent(const Counts& counts, size_t most) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [text, count] : counts) {
    if (count >= 2) order.emplace_back(-count, text);
  }
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most));
  std::unordered_map<std::string, int32_t> rank;
  for (const auto& [count, text] : order) rank.emplace(text, static_cast<int32_t>(rank.size()));
  return rank;
}

// Fowler, Noll, Vo: FNV-1a.
int32_t bucket(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return static_cast<int32_t>((hash ^ (hash >> 32)) % buckets);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_name_start(char c) {
  return is_capital(c) || (c >= 'a' && c <= 'z') || c == '_' || static_cast<signed char>(c) < 0;
}

}  // namespace

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  if (name.empty() || !is_name_start(name.front())) return words;
  char before = '_';
  for (const char c : name) {
    const bool ends =
        before == '_' || is_digit(before) != is_digit(c) || (is_capital(c) && !is_capital(before));
    if (c != '_') {
      if (ends) words.emplace_back();
      words.back() += is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    before = c;
  }
  return words;
}

Vocabulary::Vocabulary(const std::vector<Snippet>& train) {
  Counts texts, words;
  for (const Snippet& snippet : train) {
    for (const int32_t token : snippet.tokens) {
      const std::string text = token_text(snippet, static_cast<size_t>(token));
      ++texts[text];
      for (const std::string& word : words_of(text)) ++words[word];
    }
  }
  texts.erase("");  // what the parser put in
  texts_ = most_frequent(texts, most_texts);
  words_ = most_frequent(words, most_words);
  if (!train.empty()) types_ = static_cast<int32_t>(type_count(*train.front().tree.language));
}

int64_t Vocabulary::rows() const {
  return types_ + 2 + static_cast<int64_t>(texts_.size()) + buckets + 1 +
         static_cast<int64_t>(words_.size()) + buckets;
}

int32_t Vocabulary::text_row(const std::string& text) const {
  const int32_t first = types_;
  if (text.empty()) return first + none;
  const auto known = texts_.find(text);
  if (known != texts_.end()) return first + 2 + known->second;
  return first + 2 + static_cast<int32_t>(texts_.size()) + bucket(text);
}

int32_t Vocabulary::word_row(const std::string& word) const {
  const int32_t first = types_ + 2 + static_cast<int32_t>(texts_.size()) + buckets;
  if (word.empty()) return first + none;
  const auto known = words_.find(word);
  if (known != words_.end()) return first + 1 + known->second;
  return first + 1 + static_cast<int32_t>(words_.size()) + bucket(word);
}

Vocabulary::Ids Vocabulary::ids(const Snippet& snippet, size_t node) const {
  const std::string text = token_text(snippet, node);
  std::vector<std::string> words = words_of(text);
  words.resize(features - 2);
  Ids ids{snippet.tree.nodes[node].type, text_row(text)};
  for (size_t word = 0; word < words.size(); ++word) ids[word + 2] = word_row(words[word]);
  return ids;
}

Vocabulary::Ids Vocabulary::hidden(const Ids& ids) const {
  const int32_t no_word = word_row("");
  return {ids[0], types_ + hidden_text, no_word, no_word, no_word};
}

int64_t Vocabulary::known_text(const Ids& ids) const {
  const int64_t rank = ids[1] - types_ - 2;
  return rank >= 0 && rank < known_texts() ? rank : -1;
}

}  // namespace relbias::modalities
