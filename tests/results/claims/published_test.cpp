// SPDX-License-Identifier: Apache-2.0
// tests: published tables and ours beside them.
#include "results/claims/published.h"

#include <gmock/gmock.h>

#include "tests/error_of.h"
#include "tests/results/claims/supports.h"
#include "tests/results/example_run.h"
#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;

constexpr const char* table = R"(
title = "A table"
citation = "Someone 2022"
source = "Table 2"
metric = "accuracy, percent"
better = "higher"
train_size = 100
model = "12 layers"
notes = "One run each."
[[row]]
encoding = "alibi"
size = 100
value = 91.5
[[row]]
encoding = "rope"
base = 500
size = 100
value = 92.5
std = 0.25
[[row]]
encoding = "alibi"
size = 203
value = 90.5
[[row]]
encoding = "rope"
base = 500
size = 203
value = 60.5
[[row]]
encoding = "learned"
size = 203
defined = false
reason = "no rows"
[[claim]]
better = "alibi"
worse = "rope"
at = 2.0
[[claim]]
better = "alibi"
worse = "rope"
at = 1.0
[reproduction]
deviates = "size: small"
data = "yours"
[reproduction.names]
"rope base=500" = "rope"
)";

std::vector<RunRecord> our_runs() {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 3; ++seed) {
    runs.push_back(sampled_run("alibi", seed, {{1, 0.96}, {2, 0.9}}, 0.02));
    runs.push_back(sampled_run("rope", seed, {{1, 1}, {2, 0.6}}, 0.02));
  }
  for (RunRecord& run : runs) run.study = "a-table-scaled";
  return runs;
}

TEST(Published, RowsKeepTheirOptions) {
  const Published read = parse_published(table, "a-table");
  EXPECT_EQ(read.rows.size(), 5);
  EXPECT_EQ(read.rows[1].encoding, "rope base=500");
  EXPECT_EQ(read.rows[1].deviation, 0.25);
  EXPECT_EQ(read.rows[1].train_size, 100);
  EXPECT_FALSE(read.rows[4].defined);
  EXPECT_EQ(read.ours.names.at("rope base=500"), "rope");
}

TEST(Published, ClaimsAreCheckedAgainstTheTableItself) {
  const Published read = parse_published(table, "a-table");
  EXPECT_TRUE(supports(read, read.claims[0]));  // 203 stands for 2x
  EXPECT_FALSE(supports(read, read.claims[1]));
  EXPECT_FALSE(supports(read, {.claim = {.better = "alibi", .worse = "fire", .at = 2}}));
}

// One space for several: widths of columns are the business of sheets.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  }
  return result;
}

TEST(Published, StandsBesideOurs) {
  const Published read = parse_published(table, "a-table");
  const std::string text = squeezed(side_by_side(read, our_runs(), "a-table-scaled"));
  EXPECT_THAT(text, HasSubstr("\nencoding 1x published 1x ours 2x published 2x ours\n"));
  EXPECT_THAT(text, HasSubstr("\nalibi 91.50 96.00 ± 0.00 90.50 90.00 ± 0.00\n"));
  EXPECT_THAT(text, HasSubstr("\nrope base=500 92.50 ± 0.25 100.0 ± 0.0 60.50 60.00 ± 0.00\n"));
  EXPECT_THAT(text, HasSubstr("\nlearned - not run undefined not run\n"));
  EXPECT_THAT(text, HasSubstr(" holds alibi before rope at 2x\n"));
  EXPECT_THAT(text, HasSubstr(" fails alibi before rope at 1x\n"));
  EXPECT_THAT(text, HasSubstr("published with: 12 layers; trained at 100\n"));
  EXPECT_THAT(text, HasSubstr("size: small"));
  EXPECT_THAT(text, HasSubstr("source: Someone 2022; Table 2"));
  EXPECT_THROW(side_by_side(read, our_runs(), "other"), StoreError);
}

TEST(Published, TheBinThatHoldsASizeStandsForIt) {
  std::vector<RunRecord> runs = our_runs();
  for (RunRecord& run : runs) {
    for (EvaluationRow& row : run.evaluation) {
      row.factor = not_given;
      row.condition = row.size == run.train_size ? "<=32" : "33-64";
    }
  }
  const std::string text =
      squeezed(side_by_side(parse_published(table, "a-table"), runs, "a-table-scaled"));
  EXPECT_THAT(text, HasSubstr("\nalibi 91.50 96.00 ± 0.00 90.50 90.00 ± 0.00\n"));
}

std::string fault_in(const std::string& text) {
  return error_of([&] { (void)parse_published(text, "bad"); });
}

TEST(Published, FaultsNameFileAndLine) {
  EXPECT_THAT(fault_in("title = "), HasSubstr("bad:1:"));
  EXPECT_THAT(fault_in("better = \"lower\"\n"), HasSubstr("[[row]] expected, none found"));
  EXPECT_THAT(fault_in("better = \"lower\"\n[[row]]\nencoding = \"alibi\"\n"),
              HasSubstr("bad:2:1: a row needs encoding, size and value"));
}

// As its default a value of another type would change the table, and a claim with it, unnoticed.
TEST(Published, ValuesOfAnotherTypeAreFaults) {
  const std::string head = "better = \"lower\"\n";
  const std::string row = head + "[[row]]\nencoding = \"alibi\"\nsize = 8\nvalue = 1.5\n";
  const std::string claim = head + "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\n";
  EXPECT_EQ(fault_in(claim + "at = \"4\"\n"),
            "bad:5:6: claim.at: \"4\" found, a multiple of the trained size expected");
  EXPECT_EQ(fault_in(row + "defined = \"false\"\n"),
            "bad:6:11: defined: \"false\" found, true or false expected");
  EXPECT_EQ(fault_in(row + "seeds = 2.5\n"), "bad:6:9: seeds: 2.5 found, a whole number expected");
  EXPECT_EQ(fault_in(row + "[reproduction.names]\nalibi = 3\n"),
            "bad:7:9: alibi: 3 found, text expected");
  EXPECT_THAT(fault_in(row + "[claim]\nbetter = \"alibi\"\n"),
              HasSubstr("found, a list of tables, [[claim]], expected"));
}

// A misspelt key would be left out of the table unnoticed.
TEST(Published, UnknownKeysAreRefusedWithTheirPlace) {
  const std::string head = "better = \"lower\"\n";
  const std::string row = head + "[[row]]\nencoding = \"alibi\"\nsize = 8\nvalue = 1.5\n";
  EXPECT_THAT(fault_in("trainsize = 8\n" + row),
              AllOf(HasSubstr("bad:1:13: unknown key of a published table 'trainsize'"),
                    HasSubstr("did you mean 'train_size'?")));
  EXPECT_THAT(fault_in(row + "[reproduction]\ndeviate = \"size\"\n"),
              AllOf(HasSubstr("bad:7:11: unknown key of [reproduction] 'deviate'"),
                    HasSubstr("did you mean 'deviates'?")));
  EXPECT_THAT(fault_in(row + "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\nsize = 2\n"),
              HasSubstr("bad:9:8: unknown key of a claim 'size'"));
  EXPECT_EQ(fault_in("checked = \"read\"\ngrade = \"V\"\nchance = 10\n" + row), "no error");
}

// Any other word would have been taken for "higher".
TEST(Published, TheDirectionIsOneOfTwoWords) {
  EXPECT_EQ(fault_in("title = \"x\"\nbetter = \"Lower\"\n"),
            "bad:2:10: better: Lower found, lower or higher expected");
  EXPECT_THAT(fault_in("title = \"x\"\n"), HasSubstr("lower or higher expected"));
}

TEST(Published, AnIntegerMayStandForARealNumber) {
  const Published read = parse_published(
      "better = \"lower\"\n[[row]]\nencoding = \"alibi\"\nsize = 8\nvalue = 3\nstd = 1\n"
      "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\nat = 4\n",
      "a-table");
  EXPECT_EQ(read.rows.at(0).value, 3);
  EXPECT_EQ(read.rows.at(0).deviation, 1);
  EXPECT_EQ(read.claims.at(0).claim.at, 4);
}

}  // namespace
}  // namespace relbias::results
