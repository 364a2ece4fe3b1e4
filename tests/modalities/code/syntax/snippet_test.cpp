// SPDX-License-Identifier: Apache-2.0
// tests: functions cut out of files, their tokens and what they say.
#include "modalities/code/syntax/snippet.h"
#include "modalities/code/tree_structure.h"

#include <gmock/gmock.h>

namespace relbias::modalities {
namespace {

using testing::ElementsAre;

SyntaxTree python(const std::string& source) { return parse(language_named("python"), source); }

std::vector<std::string> texts(const Snippet& snippet) {
  std::vector<std::string> found;
  for (const int32_t token : snippet.tokens) {
    found.push_back(token_text(snippet, static_cast<size_t>(token)));
  }
  return found;
}

Snippet first_function(const std::string& source, size_t limit = 1000) {
  const SyntaxTree tree = python(source);
  return snippet_of(tree, outer_functions(tree).at(0), limit);
}

TEST(Snippet, CommentsAreLeftOutAndLiteralsAreOneToken) {
  const Snippet snippet = first_function("x = 1\ndef f():  # why\n  '''doc'''\n  return 12\n");
  EXPECT_THAT(texts(snippet),
              ElementsAre("def", "f", "(", ")", ":", "<string>", "return", "<integer>"));
  EXPECT_EQ(snippet.tree.nodes.front().parent, -1);
  for (size_t node = 1; node < snippet.tree.nodes.size(); ++node) {
    EXPECT_LT(snippet.tree.nodes[node].parent, static_cast<int32_t>(node));
    EXPECT_GE(snippet.tree.nodes[node].parent, 0);
  }
}

TEST(Snippet, CodeInsideALiteralStays) {
  EXPECT_THAT(texts(first_function("def f(a): return f'x{a}'")),
              ElementsAre("def", "f", "(", "a", ")", ":", "return", "f'", "x", "{", "a", "}", "'"));
}

TEST(Snippet, OnlyOutermostFunctions) {
  const SyntaxTree tree =
      python("class C:\n  def a(self):\n    def b(): pass\n  def c(self): pass\ndef d(): pass\n");
  std::vector<std::string> names;
  for (const size_t node : outer_functions(tree)) {
    names.push_back(texts(snippet_of(tree, node, 1000)).at(1));
  }
  EXPECT_THAT(names, ElementsAre("a", "c", "d"));
}

TEST(Snippet, LongFunctionsAreCutAndSaySo) {
  const Snippet whole = first_function("def f(a):\n  return a\n", 8);
  EXPECT_FALSE(whole.cut);
  const Snippet snippet = first_function("def f(a):\n  return a\n", 6);
  EXPECT_TRUE(snippet.cut);
  EXPECT_THAT(texts(snippet), ElementsAre("def", "f", "(", "a", ")", ":"));
}

TEST(Snippet, LayoutCommentsAndLiteralsDoNotTellCopiesApart) {
  EXPECT_EQ(token_texts(first_function("def f(a):\n  return a + 1\n")),
            token_texts(first_function("def f(a): return a+2 # c\n")));
  EXPECT_NE(token_texts(first_function("def f(a): return a + 1\n")),
            token_texts(first_function("def f(a): return a - 1\n")));
}

TEST(Snippet, JoinedBelowACommonRoot) {
  const Snippet a = first_function("def a(): pass"), b = first_function("def b(x): return x");
  const Snippet both = joined(a, b);
  EXPECT_EQ(both.tokens.size(), a.tokens.size() + b.tokens.size());
  EXPECT_EQ(both.tree.nodes.size(), a.tree.nodes.size() + b.tree.nodes.size() + 1);
  EXPECT_EQ(texts(both).at(7), "b");
  EXPECT_EQ(both.tree.nodes[1].parent, 0);
  EXPECT_EQ(both.tree.nodes[1 + a.tree.nodes.size()].parent, 0);
}

TEST(Snippet, TokensAreLeavesOrNodes) {
  const Snippet snippet = first_function("def f(): pass");
  EXPECT_EQ(structure_of(snippet, false).keys, 6);
  EXPECT_EQ(structure_of(snippet, true).keys, static_cast<int64_t>(snippet.tree.nodes.size()));
  EXPECT_EQ(tree_of(structure_of(snippet, true)).token_nodes.at(3), 3);
}

}  // namespace
}  // namespace relbias::modalities
