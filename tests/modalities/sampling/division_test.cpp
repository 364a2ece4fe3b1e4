// SPDX-License-Identifier: Apache-2.0
// tests: dividing by content: one more item moves no other, copies stay together, shares hold.
#include "modalities/sampling/division.h"

#include <gmock/gmock.h>

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

std::vector<std::string> keys(int count) {
  std::vector<std::string> all;
  for (int n = 0; n < count; ++n) all.push_back("item " + std::to_string(n));
  return all;
}

TEST(PlaceOfKey, IsTheBeginningOfAHash) {
  // printf a | sha1sum, of the line `86f7e4...  ` again: c03dc5e86b5de...
  EXPECT_NEAR(place_of_key("a"), 0.750942582362192, 1e-15);
  for (const std::string& key : keys(100)) {
    EXPECT_GE(place_of_key(key), 0);
    EXPECT_LT(place_of_key(key), 1);
  }
  EXPECT_EQ(place_of_key("a"), place_of_key("a"));
  EXPECT_NE(place_of_key("a"), place_of_key("b"));
}

TEST(SplitOfKey, SharesHold) {
  std::array<int, 3> counts = {};
  for (const std::string& key : keys(4000)) {
    ++counts[static_cast<size_t>(split_of_key(key, {.validation = 0.1, .test = 0.2}))];
  }
  EXPECT_NEAR(counts[0], 2800, 90);
  EXPECT_NEAR(counts[1], 400, 60);
  EXPECT_NEAR(counts[2], 800, 80);
}

TEST(SplitOfKey, ALargerShareMovesNothingBack) {
  for (const std::string& key : keys(500)) {
    if (split_of_key(key, {.test = 0.1}) != Split::test) continue;
    EXPECT_EQ(split_of_key(key, {.test = 0.2}), Split::test);
  }
}

TEST(Divided, OneMoreItemMovesNoOther) {
  std::vector<std::string> before = keys(60);
  const Division once = divided(before, {}, "content");
  for (int n = 0; n < 200; ++n) {
    std::vector<std::string> after = before;
    after.insert(after.begin() + n % 60, "another " + std::to_string(n));
    Division again = divided(after, {}, "content");
    again.splits.erase(again.splits.begin() + n % 60);
    EXPECT_EQ(once.splits, again.splits) << n;
  }
  EXPECT_EQ(once.text, "divided by content, 80 10 10 %");
}

TEST(Divided, DoesNotDependOnTheOrder) {
  std::vector<std::string> all = keys(9);
  Division once = divided(all, {}, "file");
  std::reverse(all.begin(), all.end());
  Division again = divided(all, {}, "file");
  std::reverse(again.splits.begin(), again.splits.end());
  EXPECT_EQ(once.splits, again.splits);
}

TEST(Divided, CopiesStayTogether) {
  const Division division = divided({"a", "b", "a", "c", "b", "a"}, {}, "content");
  EXPECT_EQ(division.splits[0], division.splits[2]);
  EXPECT_EQ(division.splits[0], division.splits[5]);
  EXPECT_EQ(division.splits[1], division.splits[4]);
}

TEST(Divided, FewKeysFillEverySplitAndSayIt) {
  for (int count = 3; count < 30; ++count) {
    const Division division = divided(keys(count), {}, "file");
    for (const Split split : all_splits) {
      EXPECT_THAT(division.splits, testing::Contains(split)) << count << " " << division.text;
    }
  }
  EXPECT_THAT(divided(keys(3), {}, "file").text, HasSubstr("moved into an empty split"));
  EXPECT_THAT(divided(keys(1), {}, "file").splits, testing::ElementsAre(Split::train));
  EXPECT_THAT(divided({}, {}, "file").splits, testing::IsEmpty());
}

TEST(Divided, ASplitWithoutAShareGetsNothing) {
  const Division division = divided(keys(5), {.validation = 0.3, .test = 0}, "file");
  EXPECT_THAT(division.splits, testing::Not(testing::Contains(Split::test)));
  EXPECT_THAT(division.splits, testing::Contains(Split::validation));
}

}  // namespace
}  // namespace relbias::modalities
