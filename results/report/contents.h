// SPDX-License-Identifier: Apache-2.0
// results/report: the parts of the page that are no figures, as JSON for page.js.
#pragma once

#include "results/report/advice.h"
#include "results/report/figures/figure.h"
#include "results/report/report.h"

namespace relbias::results {

/// {title, facts, headings, rows: [{encoding, cells: [{text, mark, best, grey, hint}]}], notes}
Json sheet_json(const Sheet& sheet);
Json table_json(const Comparison& comparison);
Json table_json(const Standings& standings);

/// [{study, claim, why, where, verdict, evidence}]
Json claims_json(const std::vector<StudyText>& studies, const std::vector<TaskRuns>& groups);

Json advice_json(const std::vector<Advice>& advice);

/// Every run: what it was, how it ended, and the settings that tell it from the others; what all
/// runs of a study share is written once. Environments are numbered.
Json runs_json(const std::vector<RunRecord>& runs);

/// How many runs of each status, studies with their questions, files that could not be read.
Json overview_json(const ReportInput& input);

/// What can be filtered by: modalities, encodings with colours, seeds.
Json filters_json(const std::vector<RunRecord>& runs, const Palette& palette);

}  // namespace relbias::results
