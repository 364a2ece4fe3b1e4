// SPDX-License-Identifier: Apache-2.0
// tests: inference against numpy and scipy, every intermediate: tests/golden/method/.
#include "results/inference/inference.h"
#include "tests/source_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace relbias::results {
namespace {

using Json = nlohmann::json;
using Matrix = std::vector<std::vector<double>>;

const Json& golden() {
  static const Json numbers = [] {
    std::ifstream file(source_folder() + "/tests/golden/method/method.json");
    return Json::parse(file);
  }();
  return numbers;
}

// Sums and counts as a metric keeps them: each sample's part of the mean.
SampleValues values_of(const Matrix& sums, const std::vector<double>& counts) {
  SampleValues row{.samples = "those"};
  double total = 0;
  for (const double count : counts) total += count;
  const double factor = static_cast<double>(counts.size()) / total;
  for (const std::vector<double>& seed : sums) {
    row.seeds.push_back(static_cast<int64_t>(row.seeds.size()));
    row.values.push_back(seed);
    for (double& value : row.values.back()) value *= factor;
  }
  for (const double count : counts) row.shares.push_back(factor * count);
  return row;
}

SampleValues ones(size_t seeds, size_t samples, double value = 1) {
  return values_of(Matrix(seeds, std::vector<double>(samples, value)),
                   std::vector<double>(samples, 1));
}

void expect_near(double found, const Json& expected, const std::string& what) {
  if (expected.is_null()) {
    EXPECT_TRUE(std::isnan(found)) << what << ": " << found;
  } else {
    const double value = expected.get<double>();
    EXPECT_NEAR(found, value, 1e-15 + 1e-10 * std::abs(value)) << what;
  }
}

TEST(Inference, AgreesWithTheReferenceInEveryIntermediate) {
  for (const Json& pair : golden().at("pairs")) {
    const std::string name = pair.at("name").get<std::string>() + ": ";
    const auto counts = pair.at("count").get<std::vector<double>>();
    const SampleValues first = values_of(pair.at("first").get<Matrix>(), counts);
    const SampleValues second = values_of(pair.at("second").get<Matrix>(), counts);
    const Terms terms = terms_of(first, second);
    EXPECT_EQ(terms.seeds, pair.at("n")) << name;
    EXPECT_EQ(terms.samples, pair.at("m")) << name;
    expect_near(terms.difference, pair.at("d"), name + "d");
    expect_near(terms.over_seeds, pair.at("v1"), name + "v1");
    expect_near(terms.over_samples, pair.at("v2"), name + "v2");
    expect_near(terms.residual, pair.at("v3"), name + "v3");
    const Inference found = infer(terms);
    expect_near(found.variance, pair.at("v"), name + "v");
    if (found.variance > 0) expect_near(found.degrees, pair.at("df"), name + "df");
    expect_near(found.p, pair.at("p"), name + "p");
    if (pair.at("interval").is_null()) {
      EXPECT_TRUE(std::isnan(found.interval.low)) << name;
      continue;
    }
    expect_near(found.interval.low, pair.at("interval").at(0), name + "low");
    expect_near(found.interval.high, pair.at("interval").at(1), name + "high");
    expect_near(infer(terms.reversed()).p, pair.at("p"), name + "p of the reverse");
    if (name.starts_with("one value alone")) {
      expect_near(infer(terms_of(first)).p, pair.at("p"), name + "without a second");
    }
  }
}

TEST(Inference, ColumnsAgreeWithTheReference) {
  for (const Json& column : golden().at("columns")) {
    const std::string name = column.at("name").get<std::string>() + ": ";
    const auto counts = column.at("count").get<std::vector<double>>();
    std::vector<std::string> labels;
    std::vector<SampleValues> rows;
    for (const auto& [label, sums] : column.at("rows").items()) {
      labels.push_back(label);
      rows.push_back(values_of(sums.get<Matrix>(), counts));
    }
    for (const int direction : {1, -1}) {
      std::vector<Rival> rivals;
      for (SampleValues& row : rows) {
        if (direction < 0) {  // the same where lower is better
          for (auto& seed : row.values) {
            for (double& value : seed) value = -value;
          }
        }
        rivals.push_back({&row, true});
      }
      const ColumnInference found = infer_column(rivals, direction);
      ASSERT_GE(found.best, 0) << name;
      EXPECT_EQ(Json(labels[static_cast<size_t>(found.best)]), column.at("best")) << name;
      EXPECT_EQ(found.pairs, column.at("pairs")) << name;
      const auto seeds = static_cast<double>(found.pool.seeds);
      expect_near(found.pool.variance / seeds, column.at("pooled_v1"), name + "pooled v1");
      std::vector<std::string> stars;
      for (size_t i = 0; i < rivals.size(); ++i) {
        if (!found.is_told(i)) stars.push_back(labels[i]);
        if (static_cast<int64_t>(i) == found.best) continue;
        expect_near(found.led[i].p, column.at("p").at(labels[i]), name + labels[i]);
        EXPECT_GE(found.led[i].terms.difference, 0) << name;
      }
      if (stars.size() == rivals.size()) stars.clear();  // that all are the best says nothing
      EXPECT_EQ(Json(stars), column.at("stars")) << name;
    }
  }
}

TEST(Inference, HolmAgreesWithTheReference) {
  const Json& expected = golden().at("holm");
  const auto found = holm(expected.at("p").get<std::vector<double>>());
  ASSERT_EQ(found.size(), expected.at("adjusted").size());
  for (size_t i = 0; i < found.size(); ++i) {
    expect_near(found[i], expected.at("adjusted").at(i), "adjusted " + std::to_string(i));
  }
  EXPECT_TRUE(holm({}).empty());
}

TEST(Inference, OnlyCommonSeedsAndTheSameSamplesPair) {
  SampleValues first = ones(3, 4), second = ones(2, 4, 0.5);
  second.seeds = {1, 7};
  EXPECT_EQ(terms_of(first, second).seeds, 1);
  EXPECT_EQ(terms_of(first, second).difference, 0.5);
  second.seeds = {5, 7};
  EXPECT_EQ(terms_of(first, second).seeds, 0);
  second.seeds = {0, 1};
  second.samples = "others";
  EXPECT_EQ(terms_of(first, second).seeds, 0);
  EXPECT_TRUE(std::isnan(infer(terms_of(first, second)).p));
  EXPECT_EQ(terms_of(first, {}).seeds, 0);
  EXPECT_EQ(terms_of(SampleValues{}).seeds, 0);
}

TEST(Inference, RoundingIsNoVariance) {
  const Inference found = infer(terms_of(ones(3, 7, 0.3), ones(3, 7, 0.1)));
  EXPECT_EQ(found.variance, 0);
  EXPECT_EQ(found.p, std::exp2(-6));
  EXPECT_EQ(found.p_above(), std::exp2(-7));
  EXPECT_EQ(infer(terms_of(ones(3, 7, 0.1), ones(3, 7, 0.3))).p_above(), 1);
}

TEST(Inference, AboveIsOneSided) {
  SampleValues row = values_of({{1, 1, 0, 1}, {1, 0, 1, 1}, {1, 1, 1, 0}}, {1, 1, 1, 1});
  const Inference ahead = infer(terms_of(row, ones(3, 4, 0.5)));
  const Inference behind = infer(terms_of(ones(3, 4, 0.5), row));
  EXPECT_NEAR(ahead.p_above(), ahead.p / 2, 1e-12);
  EXPECT_NEAR(behind.p_above(), 1 - ahead.p / 2, 1e-12);
}

// The difference that is told at p = .05 is half the interval.
TEST(Inference, TheLeastDifferenceToldHasJustThatP) {
  const SampleValues row = values_of({{1, 1, 0, 1}, {1, 0, 1, 1}, {1, 1, 1, 0}}, {1, 1, 1, 1});
  Inference found = infer(terms_of(row, ones(3, 4, 0.5)));
  EXPECT_NEAR(found.least_told(significance), (found.interval.high - found.interval.low) / 2,
              1e-12);
  Terms told = found.terms;
  told.difference = found.least_told(0.01);
  EXPECT_NEAR(infer(told).p, 0.01, 1e-12);
}

// Three seeds that happen to agree prove little where the others of the column vary.
TEST(Inference, FewSeedsBorrowTheSpreadOfTheirColumn) {
  const std::vector<double> counts(4, 1);
  const SampleValues steady =
      values_of({{1, 0.8, 0.9, 0.9}, {0.8, 1, 0.9, 0.9}, {0.9, 0.9, 1, 0.8}}, counts);
  const SampleValues close =
      values_of({{0.9, 0.7, 0.8, 0.8}, {0.7, 0.9, 0.8, 0.82}, {0.8, 0.8, 0.9, 0.68}}, counts);
  const SampleValues uneven =
      values_of({{0.2, 0.1, 0.3, 0.2}, {0.8, 0.9, 0.7, 0.8}, {0.5, 0.6, 0.4, 0.5}}, counts);
  const Inference alone = infer_column({{&steady, true}, {&close, true}}, 1).led[1];
  const auto column = infer_column({{&steady, true}, {&close, true}, {&uneven, true}}, 1);
  EXPECT_LT(alone.p, significance);
  EXPECT_GT(column.led[1].p, significance);
  EXPECT_NEAR(column.led[1].degrees, 4, 0.1);  // (3 - 1)(3 - 1): seeds vary by far the most
}

TEST(Inference, TheBestHasAllPlannedSeeds) {
  const SampleValues all = ones(3, 4, 0.5), few = ones(2, 4, 0.9), one = ones(1, 4, 0.9);
  const auto column = infer_column({{&all, true}, {&few, false}, {&one, false}}, 1);
  EXPECT_EQ(column.best, 0);
  EXPECT_TRUE(column.is_judged(1));
  EXPECT_FALSE(column.is_judged(2));  // one common seed
  EXPECT_EQ(column.pairs, 1);
  EXPECT_LT(column.led[1].terms.difference, 0);
  EXPECT_EQ(infer_column({{&few, false}}, 1).best, -1);
  const auto guessing = infer_column({{&all, true}, {&few, true, false}}, 1);
  EXPECT_EQ(guessing.best, 0);
  EXPECT_EQ(guessing.pairs, 1);
}

}  // namespace
}  // namespace relbias::results
