// SPDX-License-Identifier: Apache-2.0
// tests: tables of text: quotes, line ends, and what is a number.
#include "modalities/plain/csv.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/error_of.h"

namespace relbias::plain {
namespace {

using testing::ElementsAre;
using namespace std::string_literals;

TEST(Csv, AQuoteWithinACellIsACharacter) {
  const auto rows = parse_csv("a.csv", "CCO,2,tube 2\" wide\nCCCO,3,tube 3\" wide\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].cells, ElementsAre("CCO", "2", "tube 2\" wide"));
  EXPECT_THAT(rows[1].cells, ElementsAre("CCCO", "3", "tube 3\" wide"));
  EXPECT_EQ(rows[1].line, 2);
}

TEST(Csv, ACellInQuotesHoldsWhatWouldEndIt) {
  const auto rows = parse_csv("a.csv", "\"a, \"\"b\"\"\nc\",2\r\n\"d\"");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].cells, ElementsAre("a, \"b\"\nc", "2"));
  EXPECT_THAT(rows[1].cells, ElementsAre("d"));
  EXPECT_EQ(rows[1].line, 3);
}

TEST(Csv, BlanksMayStandAroundQuotes) {
  const auto rows = parse_csv("a.csv", "1, \"Smith, J\" ,\"b\"\t\n2,c,\"d\" ");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].cells, ElementsAre("1", "Smith, J", "b"));
  EXPECT_THAT(rows[1].cells, ElementsAre("2", "c", "d"));
}

TEST(Csv, TwoQuotesAreAnEmptyCell) {
  const auto rows = parse_csv("a.csv", "\"\",b,\"\"\r\nc,\"\",\"\"");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[0].cells, ElementsAre("", "b", ""));
  EXPECT_THAT(rows[1].cells, ElementsAre("c", "", ""));
}

TEST(Csv, WhatFollowsAClosingQuoteIsNamed) {
  EXPECT_EQ(error_of([] { parse_csv("a.csv", "a,b\n1,\"x\"y\n"); }),
            "a.csv, line 2: text found behind a closing quote, a comma expected");
  EXPECT_EQ(error_of([] { parse_csv("a.csv", "1,\"x\ny\" z\n"); }),
            "a.csv, line 2: text found behind a closing quote, a comma expected");
  EXPECT_EQ(error_of([] { parse_csv("a.csv", "a,b\n1,\"x\n"); }),
            "a.csv, line 2: a double quote is not closed");
}

TEST(Csv, BlanksAndLineEndsAreNoPartOfACell) {
  EXPECT_EQ(trimmed(" \tx y\r\n"), "x y");
  EXPECT_EQ(trimmed("\r"), "");
  EXPECT_EQ(number_of("6\r"), 6.0);
  EXPECT_TRUE(std::isnan(number_of(" \r\n").value()));
}

TEST(Csv, LinesMayEndAsOnAnyMachine) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    for (const std::string& last : {end, ""s}) {
      const auto rows = parse_csv("a.csv", "a,b" + end + "1,\"2\"" + end + "3,4" + last);
      ASSERT_EQ(rows.size(), 3U);
      EXPECT_THAT(rows[1].cells, ElementsAre("1", "2"));
      EXPECT_THAT(rows[2].cells, ElementsAre("3", "4"));
      EXPECT_EQ(rows[2].line, 3);
    }
  }
}

// A reader behind it would stop there: CC, a zero byte and O is no ethane.
TEST(Csv, AZeroByteIsNoText) {
  EXPECT_EQ(error_of([] { parse_csv("a.csv", "a,b\nCC\0O,1\n"s); }),
            "a.csv, line 2: a zero byte found, text in UTF-8 expected (UTF-16 has such bytes)");
}

// The C library stops at the first NUL, behind which a cell may go on.
TEST(Csv, NulBytesAreNoNumber) {
  EXPECT_FALSE(number_of("\0\0\0"s).has_value());
  EXPECT_FALSE(number_of("6\0x"s).has_value());
  EXPECT_FALSE(number_of("6\0"s).has_value());
  EXPECT_FALSE(number_of("six").has_value());
  EXPECT_EQ(number_of("6"), 6.0);
}

}  // namespace
}  // namespace relbias::plain
