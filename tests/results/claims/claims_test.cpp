// SPDX-License-Identifier: Apache-2.0
// tests: claims and the texts of studies, read and written.
#include "results/claims/claims.h"

#include <gmock/gmock.h>

#include "results/claims/read_claims.h"
#include "results/claims/study_text.h"
#include "tests/error_of.h"
#include "tests/results/example_run.h"
#include "tests/scratch_folder.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;

TEST(Claims, AreReadBackAsTheyAreWritten) {
  const std::vector<Claim> claims = {
      {.better = "t5@token + table@tree", .worse = "rope", .at = 2.5, .why = "a \"why\" \\ here"},
      {.better = "a", .worse = "b", .condition = "segments=4"}};
  const auto read = parse_study_text(claims_as_toml(claims), "s").claims;
  ASSERT_EQ(read.size(), 2);
  EXPECT_EQ(read[0].better, claims[0].better);
  EXPECT_EQ(read[0].at, 2.5);
  EXPECT_EQ(read[0].why, claims[0].why);
  EXPECT_EQ(read[1].condition, "segments=4");
  EXPECT_EQ(read[1].at, 1);
}

TEST(StudyText, IsReadBesideTheRuns) {
  const ScratchFolder folder;
  const std::string claim =
      "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\nat = 8\ntask = \"t\"\n";
  folder.write("gates/gates.toml", "question = \"Q?\"\nexpected = \"E\"\n[data]\nx = 1\n" + claim);
  folder.write("gates/other.toml", "not toml at all");  // no study of that name
  folder.write("broken/broken.toml", "question = \n");  // half-written
  folder.write("wrong/wrong.toml", "[[claim]]\nbetter = \"alibi\"\n");
  const StudiesRead read = read_studies(folder.path());
  ASSERT_EQ(read.studies.size(), 1);
  EXPECT_EQ(read.studies[0].name, "gates");
  EXPECT_EQ(read.studies[0].question, "Q?");
  ASSERT_EQ(read.studies[0].claims.size(), 1);
  EXPECT_EQ(read.studies[0].claims[0].at, 8);
  EXPECT_EQ(read.studies[0].claims[0].task, "t");
  ASSERT_EQ(read.problems.size(), 2);
  EXPECT_THAT(read.problems[0], HasSubstr("broken:1:"));
  EXPECT_THAT(read.problems[1], HasSubstr("wrong:1:1: claim: better and worse expected"));
  EXPECT_TRUE(read_studies(folder.path() / "nowhere").studies.empty());

  folder.write("renamed/one.h5", "a run");
  folder.write("renamed/gates.toml", claim);
  folder.write("no runs/gates.toml", claim);
  EXPECT_EQ(read_studies(folder.path() / "renamed").studies.size(), 1);
  EXPECT_TRUE(read_studies(folder.path() / "no runs").studies.empty());
}

TEST(StudyText, ValuesOfAnotherTypeAreFaults) {
  const auto fault_in = [](const std::string& text) {
    return error_of([&] { (void)parse_study_text(text, "bad"); });
  };
  const std::string claim = "[[claim]]\nbetter = \"alibi\"\nworse = \"rope\"\n";
  EXPECT_EQ(fault_in(claim + "at = \"4\"\n"),
            "bad:4:6: claim.at: \"4\" found, a multiple of the trained size expected");
  EXPECT_EQ(fault_in("[[claim]]\nbetter = 3\n"), "bad:2:10: claim.better: 3 found, text expected");
  EXPECT_EQ(fault_in("question = true\n"), "bad:1:12: question: true found, text expected");
  EXPECT_THAT(fault_in("\n[claim]\nbetter = \"alibi\"\n"),
              HasSubstr("found, a list of tables, [[claim]], expected"));
  EXPECT_EQ(fault_in("claim = [1]\n"),
            "bad:1:9: claim: [1] found, a list of tables, [[claim]], expected");
  EXPECT_THAT(fault_in(claim + "tsk = \"copy\"\n"), HasSubstr("did you mean 'task'?"));
  EXPECT_EQ(parse_study_text(claim + "at = 4\n", "good").claims.at(0).at, 4);
}

// `describe study` names what the reader takes, no less and no more.
TEST(ClaimKeys, AreThoseOfAClaim) {
  std::vector<std::string> named, taken{"at"};
  for (const KeyMeaning& one : claim_keys()) named.push_back(one.key);
  for (const auto& [key, member] : claim_texts) taken.emplace_back(key);
  EXPECT_THAT(named, testing::UnorderedElementsAreArray(taken));
}

}  // namespace
}  // namespace relbias::results
