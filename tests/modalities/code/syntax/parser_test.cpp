// SPDX-License-Identifier: Apache-2.0
// tests: parsing, also of what went wrong elsewhere: columns are bytes, deep trees, CRLF and
// (broken and empty source).
#include "modalities/code/syntax/parser.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace relbias::modalities {
namespace {

using testing::ElementsAre;

SyntaxTree python(const std::string& source) { return parse(language_named("python"), source); }

std::vector<std::string> types(const SyntaxTree& tree) {
  std::vector<std::string> found;
  for (size_t node = 0; node < tree.nodes.size(); ++node) found.emplace_back(tree.type(node));
  return found;
}

std::vector<std::string> leaf_texts(const SyntaxTree& tree) {
  std::vector<std::string> found;
  for (size_t node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].leaf) found.emplace_back(tree.text(node));
  }
  return found;
}

int32_t depth_of(const SyntaxTree& tree) {
  std::vector<int32_t> depths(tree.nodes.size());
  for (size_t node = 1; node < depths.size(); ++node) {
    depths[node] = depths[static_cast<size_t>(tree.nodes[node].parent)] + 1;
  }
  return *std::max_element(depths.begin(), depths.end());
}

TEST(Parser, TheExampleOfTheComment) {
  const SyntaxTree tree = python("x = f(a)");
  EXPECT_THAT(types(tree),
              ElementsAre("module", "expression_statement", "assignment", "identifier", "=", "call",
                          "identifier", "argument_list", "(", "identifier", ")"));
  EXPECT_THAT(leaf_texts(tree), ElementsAre("x", "=", "f", "(", "a", ")"));
  EXPECT_EQ(tree.end_of(5), 11u);
  EXPECT_EQ(tree.end_of(6), 7u);
  EXPECT_EQ(tree.nodes[3].field, field_named(*tree.language, "left"));
}

TEST(Parser, A49OffsetsAreBytesPlacesAreCodePoints) {
  const SyntaxTree tree = python("x = '\xE4\xB8\xAD\xE6\x96\x87' + y");
  const SyntaxNode& last = tree.nodes.back();
  EXPECT_EQ(tree.text(tree.nodes.size() - 1), "y");
  EXPECT_EQ(last.begin, 15u);
  EXPECT_EQ(place_of(tree.source, last.begin).column, 12u);  // code point 11, counted from 1
  EXPECT_EQ(place_of("a\n\tb", 3).column, 2u);               // a tab counts one
  EXPECT_EQ(place_of("a\n\tb", 3).line, 2u);
}

TEST(Parser, A50DeepTreesDoNotTouchTheStack) {
  const std::string open(20000, '('), close(20000, ')');
  const SyntaxTree nested = python(open + "1" + close);
  EXPECT_EQ(nested.nodes.size(), 60003u);
  EXPECT_EQ(depth_of(nested), 20002);
  EXPECT_FALSE(nested.has_error);
  std::string sum;
  for (int term = 0; term < 3000; ++term) sum += "a+";
  EXPECT_EQ(depth_of(python(sum + "a")), 3002);
}

TEST(Parser, A51LineEndsDoNotChangeTheTokens) {
  const std::string unix = "a = 1 # c\nb = 2\n", dos = "a = 1 # c\r\nb = 2\r\n";
  const auto comment = [](const SyntaxTree& tree) {
    for (const SyntaxNode& node : tree.nodes) {
      if (node.extra) return std::pair(node.begin, node.end);
    }
    return std::pair(0u, 0u);
  };
  EXPECT_EQ(comment(python(unix)), std::pair(6u, 9u));
  EXPECT_EQ(comment(python(dos)), std::pair(6u, 10u));  // what with_plain_lines is for
  EXPECT_EQ(with_plain_lines(dos), unix);
  EXPECT_EQ(types(python(with_plain_lines(dos))), types(python(unix)));
  EXPECT_EQ(with_plain_lines("\xEF\xBB\xBF"
                             "a\rb\r\n\r"),
            "a\nb\n\n");
  EXPECT_EQ(with_plain_lines(""), "");
}

TEST(Parser, A52BrokenAndEmptySource) {
  const SyntaxTree broken = python("def f(:\n  pass");
  EXPECT_TRUE(broken.has_error);
  const auto names = types(broken);
  EXPECT_EQ(std::count(names.begin(), names.end(), "ERROR"), 0);
  std::vector<SyntaxNode> missing;
  for (const SyntaxNode& node : broken.nodes) {
    if (node.missing) missing.push_back(node);
  }
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].begin, 6u);
  EXPECT_EQ(missing[0].end, 6u);
  EXPECT_EQ(type_name(*broken.language, missing[0].type), ")");

  const SyntaxTree empty = python("");
  EXPECT_EQ(empty.nodes.size(), 1u);
  EXPECT_FALSE(empty.has_error);
  EXPECT_TRUE(leaf_texts(empty).empty());
  EXPECT_EQ(python("# only this").nodes.size(), 2u);
}

TEST(Parser, AnyBytesHaveATree) {
  const SyntaxTree binary =
      python(std::string("\x7F"
                         "ELF\x02\x00\xFF\xFE(((",
                         11));
  EXPECT_TRUE(binary.has_error);
  EXPECT_GE(binary.nodes.size(), 2u);
  const auto names = types(python("a ? b"));
  EXPECT_GE(std::count(names.begin(), names.end(), "ERROR"), 1);
}

TEST(Parser, UnicodeNamesAreOneToken) {
  EXPECT_THAT(leaf_texts(python("na\xC3\xAFve = \xCF\x80")),
              ElementsAre("na\xC3\xAFve", "=", "\xCF\x80"));
}

}  // namespace
}  // namespace relbias::modalities
