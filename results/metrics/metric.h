// SPDX-License-Identifier: Apache-2.0
// results/metrics: what a metric is: what it keeps of a sample, and how samples make its value.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::results {

/// What is kept of m samples: one list a column, [columns][m].
using Columns = std::vector<std::vector<double>>;

/// One scored target as a metric sees it.
struct Answered {
  double target = 0;  // the number of the right category or token, or the right number
  double answer = 0;  // likewise, of what was answered
  double nats = std::numeric_limits<double>::quiet_NaN();   // -ln p(target); NaN: no distribution
  double score = std::numeric_limits<double>::quiet_NaN();  // of two categories: ln p(1) - ln p(0)
};

/// Questions whose answers a metric can judge.
enum class Judges {
  choices,         // a category or a token
  categories,      // a category
  two_categories,  // category 1, the positive one, or 0
  numbers,
  joint_choices  // all questions of a task at once: target 1, answer 1 where all are right
};

/// A metric is one file in results/metrics/: its factory returns this.
struct MetricEntry {
  std::string name{};  // from the file name, set by the catalogue
  std::string summary{};
  bool higher_is_better = false;
  double least = 0;  // the range of its values
  double most = std::numeric_limits<double>::infinity();
  std::string unit{};  // empty: a share or a pure number
  Judges judges = Judges::choices;
  bool one_target = false;  // a sample has one: the question is about the sample

  std::vector<std::string> columns{};  // names of what is kept of a sample
  bool by_category = false;            // all of them once more for every category
  bool is_ratio = false;               // sum / count of two columns
  /// Adds a target to its sample's columns, which start at 0.
  std::function<void(const Answered&, std::span<double> kept)> keep{};

  /// NaN where these samples do not say.
  std::function<double(const Columns&)> value{};
  /// [m] What each sample does to the value, of mean 0: value + influence are numbers whose mean is
  /// the value and whose spread is its error, to be used as if the metric were their mean.
  std::function<std::vector<double>(const Columns&)> influence{};
};

/// sum / count of the entry's two columns. Influence of sample t, with m samples and N counts in
/// all: (m / N) (sum_t - value count_t), whose standard error is that of the ratio estimator.
MetricEntry ratio_metric(MetricEntry entry);

/// A function of the columns' totals. Influence by the jackknife: what leaving sample t out does,
/// (m - 1) (mean of all value_(-t) - value_(-t)).
MetricEntry metric_of_totals(MetricEntry entry,
                             const std::function<double(std::span<const double>)>& value);

/// Likewise of any values with one sample left out.
std::vector<double> jackknife(std::vector<double> left_out);

/// sqrt(sum of squares / (m (m - 1))); NaN for one sample.
double standard_error(std::span<const double> influence);

/// The names of what is kept of a sample: `hits`, or `hits of 0`, `count of 0`, `hits of 1`, ...
std::vector<std::string> column_names(const MetricEntry& entry, int64_t categories);

/// `depth balanced accuracy`: the metric balanced-accuracy of the question `depth`. Blanks in a
/// metric's name are as good as hyphens.
struct MetricName {
  std::string question;  // empty: the first, or all
  const MetricEntry* entry = nullptr;
};
/// Throws InputError, naming those that are known, where `text` ends in the name of none.
MetricName read_metric(std::string_view text);

/// `higher` or `lower`, for a record.
std::string better(std::string_view metric);

/// Generated from the files in results/metrics/.
const std::vector<MetricEntry>& metric_entries();

}  // namespace relbias::results
