// SPDX-License-Identifier: Apache-2.0
// results/report: the parts of the page that are no figures, as JSON for page.js.
#include "results/report/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/claims/judge.h"
#include "results/print/sheet.h"
#include "results/print/tuning_table.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

// What a cell says on a closer look.
std::string hint_of(const Cell& cell) {
  if (cell.state != CellState::value) return {};
  const Interval interval = cell.inference.interval;
  std::string hint =
      fmt::format("{} seed{}", cell.summary.count, cell.summary.count == 1 ? "" : "s");
  if (std::isfinite(interval.low)) {
    hint += fmt::format(", 95 % interval [{:.4g}, {:.4g}]", interval.low, interval.high);
  }
  return hint;
}

}  // namespace

Json sheet_json(const Sheet& sheet) {
  Json rows = Json::array();
  for (const auto& row : sheet.rows) {
    Json cells = Json::array();
    for (const SheetCell& cell : row) {
      Json one = {{"text", cell.text}};
      if (!cell.mark.empty()) one["mark"] = cell.mark;
      if (cell.best) one["best"] = true;
      if (cell.grey) one["grey"] = true;
      cells.push_back(std::move(one));
    }
    rows.push_back({{"cells", std::move(cells)}});
  }
  Json notes = Json::array();
  for (const Note& note : sheet.notes) notes.push_back({{"mark", note.mark}, {"text", note.text}});
  return {{"title", sheet.title},
          {"facts", sheet.facts},
          {"headings", sheet.headings},
          {"rows", std::move(rows)},
          {"notes", std::move(notes)}};
}

Json table_json(const Comparison& comparison) {
  Json table = sheet_json(sheet_of(comparison));
  for (size_t i = 0; i < comparison.rows.size(); ++i) {  // a row of chance levels may follow
    const ComparisonRow& row = comparison.rows[i];
    table["rows"][i]["encoding"] = encoding_name(*row.repetitions->runs.front());
    for (size_t column = 0; column < row.cells.size(); ++column) {
      const std::string hint = hint_of(row.cells[column]);
      if (!hint.empty()) table["rows"][i]["cells"][column + 1]["hint"] = hint;
    }
  }
  return table;
}

Json table_json(const Standings& standings) {
  Json table = sheet_json(sheet_of(standings));
  for (size_t i = 0; i < standings.rows.size(); ++i) {
    table["rows"][i]["encoding"] = standings.rows[i].name;
  }
  return table;
}

Json claims_json(const std::vector<StudyText>& studies, const std::vector<TaskRuns>& groups) {
  Json claims = Json::array();
  for (const StudyText& study : studies) {
    for (const Judgement& judgement : judge(study.claims, groups_of(groups, study.name))) {
      claims.push_back({{"study", study.name},
                        {"claim", claim_text(judgement.claim)},
                        {"why", judgement.claim.why},
                        {"where", judgement.where},
                        {"verdict", to_string(judgement.verdict)},
                        {"evidence", judgement.evidence}});
    }
  }
  return claims;
}

Json advice_json(const std::vector<Advice>& advice) {
  Json all = Json::array();
  for (const Advice& one : advice) {
    Json choices = Json::array();
    for (const Choice& choice : one.choices) {
      choices.push_back(
          {{"purpose", choice.purpose}, {"encoding", choice.encoding}, {"reason", choice.reason}});
    }
    all.push_back({{"modality", one.modality},
                   {"tasks", one.tasks},
                   {"seeds", one.seeds},
                   {"missing", one.missing},
                   {"choices", std::move(choices)}});
  }
  return all;
}

Json overview_json(const ReportInput& input) {
  std::map<std::string, int64_t> states, modalities;
  int64_t trials = 0;
  for (const RunRecord& run : input.runs) {
    if (is_trial(run)) {
      ++trials;
      continue;
    }
    ++states[std::string(to_string(run.status))];
    ++modalities[run.modality];
  }
  Json studies = Json::array();
  for (const StudyText& study : input.studies) {
    studies.push_back({{"name", study.name},
                       {"question", study.question},
                       {"expected", study.expected},
                       {"cost", study.cost}});
  }
  return {{"title", input.title},      {"runs", static_cast<int64_t>(input.runs.size()) - trials},
          {"trials", trials},          {"states", states},
          {"modalities", modalities},  {"studies", studies},
          {"problems", input.problems}};
}

Json filters_json(const std::vector<RunRecord>& runs, const Palette& palette) {
  std::set<std::string> modalities;
  std::set<int64_t> seeds;
  for (const RunRecord& run : runs) {
    if (is_trial(run)) continue;
    modalities.insert(run.modality);
    if (seeds.size() < shown_seeds) seeds.insert(run.seed);
  }
  Json encodings = Json::array();
  for (const auto& [name, colour] : palette.names()) {
    encodings.push_back({{"name", name}, {"colour", colour}});
  }
  return {{"modalities", modalities}, {"encodings", encodings}, {"seeds", seeds}};
}

}  // namespace relbias::results
