// SPDX-License-Identifier: Apache-2.0
// tests: `rope` layouts, scalings and grids against values worked out from the definitions.
#include <cmath>

#include "encodings/attention/rotate.h"
#include "tests/encodings/relation_cases.h"
#include "tests/encodings/worked.h"

namespace relbias::encodings {
namespace {

// What the key at `position` becomes.
Tensor rotated(const std::string& options, std::initializer_list<double> key, int64_t position) {
  const auto width = static_cast<int64_t>(key.size());
  const Worked worked = work("rope " + options, position + 1, position + 1, {.head_width = width});
  Tensor q = at::zeros({1, 1, position + 1, width}, at::kDouble), k = q.clone();
  k[0][0][position] = at::tensor(std::vector<double>(key), at::kDouble);
  rotate(*worked.position.terms.rotation, q, k);
  return k[0][0][position];
}

// Seen elsewhere: two layouts under one name.
TEST(Rope, TwoLayouts) {
  EXPECT_CLOSE(rotated("layout=half", {1, 2, 3, 4}, 1),
               rows({{-1.9841106, 1.9599007, 2.4623779, 4.0197997}})[0], 1e-6);
  EXPECT_CLOSE(rotated("layout=interleaved", {1, 2, 3, 4}, 1),
               rows({{-1.1426397, 1.9220756, 2.9598507, 4.0297995}})[0], 1e-6);
}

TEST(Rope, AFractionLeavesTheOtherChannelsAlone) {
  const Tensor part = rotated("fraction=0.5", {1, 2, 3, 4}, 1);
  EXPECT_CLOSE(part.narrow(0, 2, 2), rows({{3, 4}})[0], 0);
  EXPECT_NEAR(part[0].item<double>(), std::cos(1) - 2 * std::sin(1), 1e-12);
  EXPECT_NE(message_of([] { work("rope fraction=0.4", 2, 2); }).find("even number of channels"),
            std::string::npos);
}

// Seen elsewhere: angles in half precision.
TEST(Rope, KeepsFarPositionsApartInABfloat16Model) {
  Worked worked = work("rope", 2048, 2048, {.head_width = 2});
  worked.encoding->to(at::kBFloat16);
  const Tensor cos = worked.encoding->terms(worked.position.relation).rotation->key_cos[0][0];
  EXPECT_NEAR(cos[256][0].item<double>(), -0.0397908, 1e-6);
  EXPECT_NEAR(cos[257][0].item<double>(), 0.8193055, 1e-6);
  EXPECT_EQ(std::get<0>(at::_unique(cos)).size(0), 2048);
}

double dynamic_base(Encoding& encoding, int64_t keys) {
  const auto relation = make_relation("token");
  return encoding.terms(relation->map(relation->structure(1, keys))).rotation->base;
}

// Seen elsewhere: dynamic NTK that one long input changes for good.
TEST(RopeScaling, DynamicNtkDependsOnTheLengthAndOnNothingElse) {
  const Worked worked =
      work("rope scaling=dynamic-ntk factor=2 trained=2048", 1, 8, {.head_width = 64});
  EXPECT_NEAR(dynamic_base(*worked.encoding, 4096), 31082.2367, 1e-3);
  EXPECT_EQ(dynamic_base(*worked.encoding, 1024), 10000.0);
  EXPECT_NEAR(dynamic_base(*worked.encoding, 4096), 31082.2367, 1e-3);
}

double attention_factor(const std::string& options) {
  const Worked worked = work("rope scaling=yarn trained=64 " + options, 1, 1, {.head_width = 8});
  return worked.position.terms.rotation->key_cos.flatten()[0].item<double>();  // cos(0) * factor
}

// Seen elsewhere: YaRN's factor missing or applied twice.
TEST(RopeScaling, YarnScalesCosAndSinOnce) {
  EXPECT_NEAR(attention_factor("factor=4"), 1.1386294, 1e-6);
  EXPECT_NEAR(attention_factor("factor=64"), 1.4158883, 1e-6);
  EXPECT_NEAR(attention_factor("factor=128"), 1.4852030, 1e-6);
  EXPECT_EQ(attention_factor("factor=4 attention_factor=1"), 1.0);
}

// A run reads its encoding back from the text in which every option is written out.
TEST(RopeScaling, TheCanonicalTextMeansTheSame) {
  const auto canonical = [](const std::string& options) {
    return parse_encoding("rope scaling=yarn trained=64 " + options).canonical();
  };
  EXPECT_NE(canonical("factor=4"), canonical("factor=4 attention_factor=1"));
  const Worked worked = work(canonical("factor=4"), 1, 1, {.head_width = 8});
  EXPECT_NEAR(worked.position.terms.rotation->key_cos.flatten()[0].item<double>(), 1.1386294, 1e-6);
  EXPECT_NE(
      message_of([&] { work(canonical(""), 1, 1, {.head_width = 8}); }).find("needs a factor"),
      std::string::npos);
}

TEST(RopeScaling, OptionsWithoutMeaningAreNamed) {
  const auto message = [](const std::string& options) {
    return message_of([&] { work("rope " + options, 2, 2, {.head_width = 8}); });
  };
  EXPECT_NE(message("scaling=linear").find("needs a factor"), std::string::npos);
  EXPECT_NE(message("scaling=linear factor=-1").find("-1 found, at least 1"), std::string::npos);
  EXPECT_NE(message("scaling=longrope factor=2 short_factor=1,1").find("4 comma-separated numbers"),
            std::string::npos);
  for (const std::string bad : {"nan", "0", "-1", "inf"}) {
    const std::string list = "1,1,1," + bad;
    EXPECT_NE(message("scaling=longrope factor=2 short_factor=" + list + " long_factor=1,1,1,1")
                  .find("short_factor '" + list + "' found, 4 comma-separated numbers above 0"),
              std::string::npos)
        << bad;
  }
  EXPECT_NE(message("scaling=yarn factor=2 beta_fast=1 beta_slow=32").find("less than beta_fast 1"),
            std::string::npos);
  EXPECT_NE(message("scaling=yarn factor=2 attention_factor=0").find("auto or a number above 0"),
            std::string::npos);
  EXPECT_NE(message("factor=2").find("factor found with scaling=none"), std::string::npos);
  EXPECT_NE(message("scaling=linear factor=2 beta_fast=16").find("scaling=yarn expected"),
            std::string::npos);
  EXPECT_NE(message("scaling=llama3 factor=2 low_freq_factor=4").find("less than high_freq_factor"),
            std::string::npos);
  EXPECT_NE(message("layout=halves").find("did you mean 'half'"), std::string::npos);
}

// Seen elsewhere: two-dimensional rotation right on squares alone.
TEST(RopeOnGrids, RowsTurnTheFirstHalfAndColumnsTheSecond) {
  const RelationCase grid = relation_case("small-grid");  // 2 x 3 cells, raster order
  const auto encoding =
      make_encoding(parse_encoding("rope"), grid.name, context_for(grid, false), 1);
  const auto rotation = *encoding->terms(grid.map(6, 6)).rotation;
  Tensor q = at::zeros({1, 1, 6, 4}, at::kDouble), k = q.clone();
  k[0][0][5] = at::tensor({1., 0., 1., 0.}, at::kDouble);  // row 1, column 2
  rotate(rotation, q, k);
  EXPECT_CLOSE(k[0][0][5], rows({{0.5403023, 0.8414710, -0.4161468, 0.9092974}})[0], 1e-6);
}

}  // namespace
}  // namespace relbias::encodings
