// SPDX-License-Identifier: Apache-2.0
// results/print: tables of runs for people, papers and programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/analysis/across/standings.h"
#include "results/claims/study_text.h"
#include "results/record.h"

namespace relbias::results {

enum class TableFormat { text, markdown, latex, csv };

/// A table in one of the formats for readers.
std::string printed(const Sheet& sheet, TableFormat format);

struct TableOptions {
  std::string metric;  // empty: each task's own (csv: all)
  TableFormat format = TableFormat::text;
  Spread spread = Spread::interval;
  std::string against;  // a baseline: below each table what rows differ from it by
};

/// No run has the metric asked for. `known` lists those that there are.
class UnknownMetric : public StoreError {
 public:
  UnknownMetric(std::string metric, std::vector<std::string> known);
  const std::string& metric() const { return metric_; }
  const std::vector<std::string>& known() const { return known_; }

 private:
  std::string metric_;
  std::vector<std::string> known_;
};

/// The metrics that the runs were evaluated in or meant to be, sorted.
std::vector<std::string> metrics_of(const std::vector<RunRecord>& runs);

/// For each study, task and dataset a table: a row an encoding, a column a size (1x, 2x, ...), each
/// cell the mean with its 95 % interval, or a word (undefined, diverged, failed,
/// running, nan; "-" if nobody looked). csv instead has one row a run, size and metric, in full
/// precision. Throws UnknownMetric, and StoreError where no table has the baseline.
std::string render_table(const std::vector<RunRecord>& runs, const TableOptions& options);

/// Encodings against modalities, tasks or relations: ranks over benchmark tasks, probabilities of
/// improvement, and gates in a table of their own. csv has the ranks alone: a row an encoding and
/// column, and one for all columns, `overall`, with the score and its interval. Throws StoreError
/// where nothing was evaluated at that size.
std::string render_standings(const std::vector<RunRecord>& runs, StandingsBy by, double factor,
                             TableFormat format);

/// Each claim of the studies with its verdict and evidence; empty where nothing is claimed.
std::string render_claims(const std::vector<RunRecord>& runs, const std::vector<StudyText>& studies,
                          TableFormat format);

}  // namespace relbias::results
