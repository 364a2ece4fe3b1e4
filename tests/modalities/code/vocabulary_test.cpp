// SPDX-License-Identifier: Apache-2.0
// tests: names split into words, ids of what is known and of what is not.
#include "modalities/code/vocabulary.h"

#include <gmock/gmock.h>

#include <set>

namespace relbias::modalities {
namespace {

using testing::ElementsAre;

Snippet function(const std::string& source) {
  const SyntaxTree tree = parse(language_named("python"), source);
  return snippet_of(tree, outer_functions(tree).at(0), 1000);
}

TEST(Words, EndAtUnderscoresCapitalsAndDigits) {
  EXPECT_THAT(words_of("HTTPServer_maxRetries2"), ElementsAre("httpserver", "max", "retries", "2"));
  EXPECT_THAT(words_of("__init__"), ElementsAre("init"));
  EXPECT_THAT(words_of("utf8name"), ElementsAre("utf", "8", "name"));
  EXPECT_THAT(words_of("\xCF\x80_x"), ElementsAre("\xCF\x80", "x"));
  EXPECT_THAT(words_of("_"), ElementsAre());
  EXPECT_THAT(words_of("+="), ElementsAre());
  EXPECT_THAT(words_of("<string>"), ElementsAre());
  EXPECT_THAT(words_of(""), ElementsAre());
}

TEST(Vocabulary, EveryFeatureHasRowsOfItsOwn) {
  const Snippet seen = function("def get_max(a): return a + get_max(a)");
  const Vocabulary vocabulary({seen});
  // get_max, a, the brackets and nothing else occur twice.
  EXPECT_EQ(vocabulary.known_texts(), 4);
  std::array<std::set<int32_t>, Vocabulary::features> rows;
  for (size_t node = 0; node < seen.tree.nodes.size(); ++node) {
    const auto ids = vocabulary.ids(seen, node);
    for (size_t feature = 0; feature < ids.size(); ++feature) rows[feature].insert(ids[feature]);
  }
  EXPECT_LT(*rows[0].rbegin(), *rows[1].begin());
  EXPECT_LT(*rows[1].rbegin(), *rows[2].begin());
  EXPECT_LT(*rows[2].rbegin(), vocabulary.rows());
}

TEST(Vocabulary, UnknownNamesKeepTheirWords) {
  const Vocabulary vocabulary({function("def get_max(a): return a + get_max(a)")});
  const Snippet other = function("def set_max(b): pass");
  const auto known = vocabulary.ids(function("def get_max(a): pass"), 2);
  const auto unknown = vocabulary.ids(other, 2);
  EXPECT_EQ(token_text(other, 2), "set_max");
  EXPECT_EQ(vocabulary.known_text(unknown), -1);
  EXPECT_GE(vocabulary.known_text(known), 0);
  EXPECT_EQ(unknown[0], known[0]);
  EXPECT_NE(unknown[1], known[1]);
  EXPECT_NE(unknown[2], known[2]);  // set, get
  EXPECT_EQ(unknown[3], known[3]);  // max
}

TEST(Vocabulary, HiddenTokensKeepOnlyTheirType) {
  const Snippet snippet = function("def f(a): return a + f(a)");
  const Vocabulary vocabulary({snippet});
  const auto a = vocabulary.ids(snippet, 5), hidden = vocabulary.hidden(a);
  ASSERT_EQ(token_text(snippet, 5), "a");
  EXPECT_EQ(hidden[0], a[0]);
  EXPECT_NE(hidden[1], a[1]);
  EXPECT_EQ(vocabulary.known_text(hidden), -1);
  EXPECT_EQ(hidden, vocabulary.hidden(vocabulary.ids(snippet, 2)));
}

TEST(Vocabulary, CategoriesGoByFrequency) {
  const Snippet snippet = function("def f(a): return a + a + f(a)");
  const Vocabulary vocabulary({snippet});
  EXPECT_EQ(vocabulary.known_text(vocabulary.ids(snippet, 5)), 0);  // a, four times
}

}  // namespace
}  // namespace relbias::modalities
