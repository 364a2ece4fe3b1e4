// SPDX-License-Identifier: Apache-2.0
// results/report: the runs of a folder as one page that needs no network.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "results/claims/study_text.h"
#include "results/record.h"

namespace relbias::results {

struct ReportInput {
  std::string title;
  std::vector<RunRecord> runs;  // as read_runs reads them for tables
  std::vector<StudyText> studies;
  std::vector<std::string> problems;  // files that could not be read
  std::string plotly;                 // the library's JavaScript
  /// Reads a run whole, for its learned tables and monitors; called for one run of each row.
  std::function<RunRecord(const RunRecord&)> read_whole;
};

struct Report {
  std::string page;                            // HTML
  std::map<std::string, std::string> figures;  // `curves-1` -> Plotly's JSON
};

Report make_report(const ReportInput& input);

/// The page at `file`, its figures at `<file without .html>-figures/NAME.json`. Throws StoreError.
void write_report(const std::filesystem::path& file, const Report& report);

/// read_runs, and where each run was found: what ReportInput needs of a folder.
ReportInput read_report_input(const std::filesystem::path& folder);

}  // namespace relbias::results
