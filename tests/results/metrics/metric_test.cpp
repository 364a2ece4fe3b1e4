// SPDX-License-Identifier: Apache-2.0
// tests/results: metrics against values by hand, and their influence against leaving samples out.
#include "results/metrics/metric.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "tests/error_of.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Columns kept_of(const MetricEntry& entry, const std::vector<std::vector<Answered>>& samples,
                int64_t categories = 2) {
  Columns columns(column_names(entry, categories).size());
  for (const auto& sample : samples) {
    std::vector<double> kept(columns.size());
    for (const Answered& one : sample) entry.keep(one, kept);
    for (size_t c = 0; c < kept.size(); ++c) columns[c].push_back(kept[c]);
  }
  return columns;
}

double value_of(const std::string& metric, const std::vector<std::vector<Answered>>& samples,
                int64_t categories = 2) {
  const MetricEntry& entry = *read_metric(metric).entry;
  return entry.value(kept_of(entry, samples, categories));
}

// Samples of 3 and of 1 target.
const std::vector<std::vector<Answered>> choices{{{.target = 2, .answer = 2, .nats = 0.5},
                                                  {.target = 0, .answer = 2, .nats = 1.5},
                                                  {.target = 0, .answer = 0, .nats = 0.25}},
                                                 {{.target = 1, .answer = 0, .nats = 1.75}}};

TEST(Metrics, OfChoices) {
  EXPECT_DOUBLE_EQ(value_of("accuracy", choices), 0.5);
  EXPECT_DOUBLE_EQ(value_of("joint accuracy", choices), 0.5);
  EXPECT_DOUBLE_EQ(value_of("cross-entropy", choices), 1.0);
  EXPECT_DOUBLE_EQ(value_of("perplexity", choices), std::exp(1.0));
  EXPECT_DOUBLE_EQ(value_of("bits-per-byte", choices), 1 / std::log(2.0));
  EXPECT_DOUBLE_EQ(value_of("balanced accuracy", choices, 4), (0.5 + 0 + 1) / 3);  // none of 3
}

TEST(Metrics, OfNumbers) {
  const std::vector<std::vector<Answered>> numbers{{{.target = 3, .answer = 2.5}},
                                                   {{.target = -0.5, .answer = 0}},
                                                   {{.target = 2, .answer = 2}},
                                                   {{.target = 7, .answer = 8}}};
  EXPECT_DOUBLE_EQ(value_of("mean-absolute-error", numbers), 0.5);
  EXPECT_NEAR(value_of("r2", numbers), 0.94860813704496790, 1e-15);  // scikit-learn's example
  EXPECT_TRUE(std::isnan(value_of("r2", {{{.target = 0.1, .answer = 1}},
                                         {{.target = 0.1, .answer = 2}},
                                         {{.target = 0.1, .answer = 2}}})));
}

// scikit-learn's example of roc_auc_score: targets 0 0 1 1, scores .1 .4 .35 .8.
TEST(Metrics, OfTwoCategories) {
  const std::vector<std::vector<Answered>> two{{{.target = 0, .answer = 0, .score = 0.1}},
                                               {{.target = 0, .answer = 1, .score = 0.4}},
                                               {{.target = 1, .answer = 0, .score = 0.35}},
                                               {{.target = 1, .answer = 1, .score = 0.8}}};
  EXPECT_DOUBLE_EQ(value_of("auroc", two), 0.75);
  EXPECT_DOUBLE_EQ(value_of("f1", two), 0.5);
  auto ties = two;
  ties[1][0].score = ties[2][0].score;
  EXPECT_DOUBLE_EQ(value_of("auroc", ties), 0.875);
  EXPECT_TRUE(std::isnan(value_of("auroc", {two[0], two[1]})));
  EXPECT_TRUE(std::isnan(value_of("f1", {two[0]})));
}

std::vector<std::vector<Answered>> random_samples(const MetricEntry& entry) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> category(0, 1), targets(1, entry.one_target ? 1 : 3);
  std::uniform_real_distribution<double> number(0, 3);
  std::vector<std::vector<Answered>> samples;
  for (int t = 0; t < 23; ++t) {
    auto& sample = samples.emplace_back();
    for (int n = targets(random); n > 0; --n) {
      Answered one{static_cast<double>(category(random)), static_cast<double>(category(random)),
                   number(random), std::round(4 * number(random))};
      if (entry.judges == Judges::numbers) one.target = number(random), one.answer = number(random);
      sample.push_back(one);
    }
  }
  return samples;
}

double value_without(const MetricEntry& entry, Columns columns, size_t t) {
  for (auto& column : columns) column.erase(column.begin() + static_cast<std::ptrdiff_t>(t));
  return entry.value(columns);
}

class EveryMetric : public testing::TestWithParam<MetricEntry> {};

TEST_P(EveryMetric, SaysWhatItIs) {
  const MetricEntry& entry = GetParam();
  EXPECT_FALSE(entry.summary.empty());
  EXPECT_LT(entry.least, entry.most);
  EXPECT_FALSE(entry.columns.empty());
  const double value = entry.value(kept_of(entry, random_samples(entry)));
  EXPECT_GE(value, entry.least);
  EXPECT_LE(value, entry.most);
}

// Of a ratio the influence is that of method.md, which is the jackknife's but for the weight of
// the sample itself: (m - 1) (value - value_(-t)) = influence (m - 1) N / (m (N - n_t)).
TEST_P(EveryMetric, InfluenceIsWhatLeavingASampleOutDoes) {
  const MetricEntry& entry = GetParam();
  const Columns columns = kept_of(entry, random_samples(entry));
  const std::vector<double> influence = entry.influence(columns);
  const size_t m = columns.front().size();
  ASSERT_EQ(influence.size(), m);
  const auto count = static_cast<double>(m);
  EXPECT_NEAR(std::accumulate(influence.begin(), influence.end(), 0.0), 0, 1e-10);
  std::vector<double> left_out;
  for (size_t t = 0; t < m; ++t) left_out.push_back(value_without(entry, columns, t));
  const double mean = std::accumulate(left_out.begin(), left_out.end(), 0.0) / count;
  for (size_t t = 0; t < m; ++t) {
    double expected = (count - 1) * (mean - left_out[t]);
    if (entry.is_ratio) {
      const double all = std::accumulate(columns[1].begin(), columns[1].end(), 0.0);
      expected = (entry.value(columns) - left_out[t]) * count * (all - columns[1][t]) / all;
    }
    EXPECT_NEAR(influence[t], expected, 1e-10) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryMetric, testing::ValuesIn(metric_entries()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Metrics, StandardErrorOfARatio) {
  // Sums 2 and 3 of 4 targets and 1: residuals 2 - 4 = -2 and 3 - 1 = 2: sqrt(2/1 * 8) / 5.
  const auto influence = read_metric("cross-entropy").entry->influence({{2, 3}, {4, 1}});
  EXPECT_DOUBLE_EQ(standard_error(influence), 0.8);
  EXPECT_TRUE(std::isnan(standard_error(std::vector<double>{0.0})));
}

TEST(Metrics, AreFoundByName) {
  EXPECT_EQ(read_metric("balanced accuracy").entry->name, "balanced-accuracy");
  EXPECT_EQ(read_metric("balanced accuracy").question, "");
  EXPECT_EQ(read_metric("logP exp mean-absolute-error").question, "logP exp");
  EXPECT_EQ(read_metric("depth accuracy").entry->name, "accuracy");
  EXPECT_EQ(better("depth balanced-accuracy"), "higher");
  EXPECT_EQ(better("r2"), "higher");
  EXPECT_EQ(better("bits-per-byte"), "lower");
  EXPECT_THAT(plain::error_of([] { read_metric("acuracy"); }),
              HasSubstr("unknown metric 'acuracy': did you mean 'accuracy'? valid: accuracy"));
  EXPECT_THAT(plain::error_of([] { read_metric("sub-accuracy"); }), HasSubstr("unknown"));
}

TEST(Metrics, NameTheirColumns) {
  EXPECT_THAT(column_names(*read_metric("balanced accuracy").entry, 2),
              ElementsAre("hits of 0", "count of 0", "hits of 1", "count of 1"));
  EXPECT_THAT(column_names(*read_metric("auroc").entry, 2), ElementsAre("score", "target"));
}

}  // namespace
}  // namespace relbias::results
