// SPDX-License-Identifier: Apache-2.0
// results/claims: what a study claims, and what its runs say about that.
#include "results/claims/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "modalities/plain/escaped.h"

namespace relbias::results {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// The one encoding of a canonical config with all its options, from
// `positions = [{encoding = "t5 num_buckets=32 ...", relation = ...}]`; empty where there are more.
std::string written_out(const RunRecord& run) {
  static const std::string opening = "{encoding = \"";
  const auto begin = run.config.find(opening);
  if (begin == std::string::npos || run.config.find(opening, begin + 1) != std::string::npos) {
    return {};
  }
  const auto start = begin + opening.size();
  return run.config.substr(start, run.config.find('"', start) - start);
}

// The row that a claim names: the one of just this label, else the one with the fewest options
// besides those asked for. All rows of the group are looked at, so that variants stay apart.
std::vector<const ComparisonRow*> rows_named(const Comparison& comparison,
                                             const std::string& wanted, const Claim& claim) {
  std::vector<const ComparisonRow*> found;
  size_t fewest = std::string::npos;
  for (const ComparisonRow& row : comparison.rows) {
    const RunRecord& run = *row.repetitions->runs.front();
    const bool relation_fits = claim.relation.empty() || run.relation == claim.relation;
    if (!relation_fits || !is_meant(run, wanted)) continue;
    const bool exact = run.encoding == wanted;
    const size_t options = exact ? 0 : 1 + words_of(run.encoding).size();
    if (options > fewest) continue;
    if (options < fewest) found.clear();
    fewest = options;
    found.push_back(&row);
  }
  return found;
}

bool speaks_of(const Claim& claim, const TaskRuns& group) {
  const RunRecord& run = group.example();
  const bool task_fits =
      claim.task.empty() || claim.task == run.task || claim.task == first_word(run.task);
  return task_fits && (claim.modality.empty() || claim.modality == run.modality);
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string side(const ComparisonRow& row, const Cell& cell) {
  if (cell.state != CellState::value) {
    return fmt::format("{} is {}", row.label,
                       cell.state == CellState::missing ? "not measured" : word_for(cell.state));
  }
  return fmt::format("{} {}", row.label, number(cell.summary.mean));
}

// The verdict of one pair of rows, and what it rests on.
Judgement judge_pair(const Comparison& comparison, size_t column, const ComparisonRow& better,
                     const ComparisonRow& worse) {
  Judgement judgement;
  const Cell &left = better.cells[column], &right = worse.cells[column];
  judgement.evidence = fmt::format("{}, {}", side(better, left), side(worse, right));
  if (left.state != CellState::value || right.state != CellState::value) return judgement;

  if (comparison.better.empty()) {
    judgement.evidence += "; no run says which way " + comparison.metric + " is better";
    return judgement;
  }
  const RunRecord& example = *better.repetitions->runs.front();
  const bool past = is_past(comparison.columns[column], example.train_size);
  const PairedTest test = paired_test(paired_differences(left, right, comparison.better));
  if (past && !better.solved()) {
    judgement.evidence += fmt::format("; {} did not solve the training size", better.label);
  } else if (test.count < 3) {
    const bool ahead = comparison.better == "lower" ? left.summary.mean < right.summary.mean
                                                    : left.summary.mean > right.summary.mean;
    judgement.evidence +=
        fmt::format("; {} common seed{}, three are needed; {}", test.count,
                    test.count == 1 ? "" : "s", ahead ? "in favour so far" : "against it so far");
  } else {
    if (test.tells_apart()) judgement.verdict = test.mean > 0 ? Verdict::holds : Verdict::fails;
    judgement.evidence += fmt::format("; better by {} [{}, {}] over {} seeds, sign-flip p = {:.3g}",
                                      number(test.mean), number(test.interval.low),
                                      number(test.interval.high), test.count, test.p);
  }
  return judgement;
}

// Of one claim: where it was judged, and tasks that have both encodings but not the size.
struct Judgements {
  std::vector<Judgement> here, elsewhere;
};

// Every pair of rows with the same settings beside the encoding.
void judge_rows(const Claim& claim, const Comparison& comparison, Judgements& verdicts) {
  const auto better = rows_named(comparison, claim.better, claim);
  const auto worse = rows_named(comparison, claim.worse, claim);
  if (better.empty() || worse.empty()) return;
  const RunRecord& example = *better.front()->repetitions->runs.front();
  const int64_t column = column_at(comparison.columns, claim.at, example.train_size);
  for (const ComparisonRow* left : better) {
    for (const ComparisonRow* right : worse) {
      const bool only_pair = better.size() == 1 && worse.size() == 1;
      if (left == right) continue;
      if (!only_pair && !same_settings(*left->repetitions, *right->repetitions)) continue;
      if (column < 0) {
        verdicts.elsewhere.push_back({claim, comparison.title, Verdict::undecided,
                                      fmt::format("nothing was evaluated at {:.4g}x", claim.at)});
        continue;
      }
      Judgement judgement = judge_pair(comparison, static_cast<size_t>(column), *left, *right);
      judgement.claim = claim;
      judgement.where = comparison.title;
      verdicts.here.push_back(std::move(judgement));
    }
  }
}

void judge_claim(const Claim& claim, const TaskRuns& group, Judgements& verdicts) {
  const RunRecord& run = group.example();
  const std::string metric = claim.metric.empty() ? run.primary_metric : claim.metric;
  const std::string better = better_of(group, metric);
  for (const Comparison& comparison : compare(group, metric, better)) {
    const bool is_plain = comparison.condition.empty();
    if (claim.condition.empty() ? !is_plain : comparison.condition != claim.condition) continue;
    judge_rows(claim, comparison, verdicts);
  }
}

}  // namespace

const ComparisonRow* row_named(const Comparison& comparison, const std::string& wanted) {
  const auto rows = rows_named(comparison, wanted, {});
  return rows.empty() ? nullptr : rows.front();
}

std::string to_string(Verdict verdict) {
  if (verdict == Verdict::holds) return "holds";
  return verdict == Verdict::fails ? "does not hold" : "undecided";
}

std::string claim_text(const Claim& claim) {
  std::string text = fmt::format("{} before {} at {:.4g}x", claim.better, claim.worse, claim.at);
  if (!claim.condition.empty()) text += ", " + claim.condition;
  if (!claim.metric.empty()) text += ", in " + claim.metric;
  return text;
}

std::string claims_as_toml(const std::vector<Claim>& claims) {
  std::string toml;
  for (const Claim& claim : claims) {
    toml += fmt::format("\n[[claim]]\nat = {:#}\n", claim.at);
    for (const auto& [key, member] : claim_texts) {
      const std::string text =
          escaped(claim.*member, {{'\\', "\\\\"}, {'"', "\\\""}, {'\n', "\\n"}});
      if (!text.empty()) toml += fmt::format("{} = \"{}\"\n", key, text);
    }
  }
  return toml;
}

bool is_named(const std::string& text, const std::string& wanted) {
  const std::vector<std::string> words = words_of(text), asked = words_of(wanted);
  if (words.empty() || asked.empty() || words.front() != asked.front()) return false;
  return std::all_of(asked.begin() + 1, asked.end(), [&](const std::string& option) {
    return std::ranges::find(words, option) != words.end();
  });
}

bool is_meant(const RunRecord& run, const std::string& wanted) {
  if (run.encoding == wanted) return true;
  const auto at = wanted.find('@');
  const bool any_relation = at == std::string::npos;
  if (!any_relation && !is_named(run.relation, wanted.substr(at + 1))) return false;
  const std::string encoding = wanted.substr(0, at);
  return run.encoding == encoding || is_named(written_out(run), encoding);
}

std::vector<Judgement> judge(const std::vector<Claim>& claims,
                             const std::vector<const TaskRuns*>& groups) {
  std::vector<Judgement> verdicts;
  for (const Claim& claim : claims) {
    Judgements found;
    for (const TaskRuns* group : groups) {
      if (speaks_of(claim, *group)) judge_claim(claim, *group, found);
    }
    if (found.here.empty()) found.here = std::move(found.elsewhere);
    if (found.here.empty()) {
      found.here.push_back(
          {claim, "", Verdict::undecided, "no runs of both encodings in the same settings"});
    }
    verdicts.insert(verdicts.end(), found.here.begin(), found.here.end());
  }
  return verdicts;
}

std::vector<const TaskRuns*> groups_of(const std::vector<TaskRuns>& groups,
                                       const std::string& study) {
  std::vector<const TaskRuns*> found;
  for (const TaskRuns& group : groups) {
    if (group.example().study == study) found.push_back(&group);
  }
  return found;
}

Sheet sheet_of(const std::vector<Judgement>& judgements, const std::string& study) {
  Sheet sheet{.title = "Claims of " + study,
              .facts = "judged over paired seeds",
              .headings = {"claim", "task", "verdict", "evidence"},
              .rows = {},
              .notes = {},
              .prose = true};
  for (const Judgement& judgement : judgements) {
    sheet.rows.push_back({{claim_text(judgement.claim), ""},
                          {judgement.where, ""},
                          {to_string(judgement.verdict), ""},
                          {judgement.evidence, ""}});
  }
  return sheet;
}

}  // namespace relbias::results
