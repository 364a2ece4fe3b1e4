// SPDX-License-Identifier: Apache-2.0
// results/claims: what the runs of a study say about its claims.
#include "results/claims/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "results/claims/naming.h"

namespace relbias::results {
namespace {

constexpr int64_t seeds_for_uneven = 10;

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

bool speaks_of(const Claim& claim, const TaskRuns& group) {
  const RunRecord& run = group.example();
  const bool task_fits =
      claim.task.empty() || claim.task == run.task || claim.task == first_word(run.task);
  return task_fits && (claim.modality.empty() || claim.modality == run.modality);
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

// The two sides of a claim in one column.
struct Pair {
  const Comparison* comparison = nullptr;
  size_t column = 0;
  const ComparisonRow* better = nullptr;
  const ComparisonRow* worse = nullptr;

  const Cell& left() const { return better->cells[column]; }
  const Cell& right() const { return worse->cells[column]; }
};

std::string side(const ComparisonRow& row, const Cell& cell) {
  if (cell.state != CellState::value) {
    return fmt::format("{} is {}", row.label,
                       cell.state == CellState::missing ? "not measured" : word_for(cell.state));
  }
  return fmt::format("{} {}", row.label, number(cell.summary.mean));
}

std::string failing_text(const Pair& pair) {
  std::string text;
  for (const ComparisonRow* row : {pair.better, pair.worse}) {
    if (row->diverged()) {
      text += fmt::format("; {} diverged or failed in {} of {}", row->label, row->failing,
                          row->planned);
    }
  }
  return text;
}

// Whether a row guesses at the training size or in the column of the pair.
bool is_unlearned(const Pair& pair, const ComparisonRow& row) {
  const RunRecord& run = *row.repetitions->runs.front();
  const int64_t trained = column_at(pair.comparison->columns, 1, run.train_size);
  return row.cells[pair.column].guessing ||
         (trained >= 0 && row.cells[static_cast<size_t>(trained)].guessing);
}

std::string inference_text(const Inference& found) {
  return fmt::format("; better by {} [{}, {}], p = {:.3g}, {} seed{}, {} samples",
                     number(found.terms.difference), number(found.interval.low),
                     number(found.interval.high), found.p, found.terms.seeds,
                     found.terms.seeds == 1 ? "" : "s", found.terms.samples);
}

// What can be said of a pair before all claims are taken together: a verdict, or none yet.
struct Finding {
  Judgement judgement;
  Pair pair;
  bool counts = false;  // among those that p is adjusted over
};

Finding finding_of(const Pair& pair) {
  Finding finding{.pair = pair};
  Judgement& judgement = finding.judgement;
  judgement.where = pair.comparison->title;
  judgement.evidence = side(*pair.better, pair.left()) + ", " + side(*pair.worse, pair.right());
  if (pair.better->diverged() || pair.worse->diverged()) {
    judgement.verdict = Verdict::diverged;
    judgement.evidence += failing_text(pair);
    return finding;
  }
  if (pair.left().state != CellState::value || pair.right().state != CellState::value) {
    return finding;
  }
  if (pair.comparison->better.empty()) {
    judgement.evidence += "; no run says which way " + pair.comparison->metric + " is better";
    return finding;
  }
  if (pair.left().samples.empty() || pair.right().samples.empty()) {
    judgement.evidence += "; its runs keep no test samples of it: no verdict";
    return finding;
  }
  judgement.inference = better_by(*pair.comparison, pair.column, *pair.better, *pair.worse);
  const int64_t seeds = judgement.inference.terms.seeds;
  if (seeds == 0) {
    const bool same = pair.left().samples.samples == pair.right().samples.samples;
    judgement.evidence += same ? "; no common seed" : "; not the same test samples";
    return finding;
  }
  judgement.evidence += inference_text(judgement.inference);
  if (seeds == 1) {
    judgement.verdict = Verdict::one_seed;
    judgement.evidence += "; other seeds may differ more";
  }
  finding.counts = seeds > 1;
  return finding;
}

void decide(Finding& finding, size_t of) {
  Judgement& judgement = finding.judgement;
  const Pair& pair = finding.pair;
  const double d = judgement.inference.terms.difference;
  if (of > 1) {
    judgement.evidence += fmt::format(", {:.3g} after Holm over {}", judgement.adjusted, of);
  }
  const ComparisonRow& ahead = d >= 0 ? *pair.better : *pair.worse;
  const bool uneven = (pair.left().uneven || pair.right().uneven) &&
                      judgement.inference.terms.seeds < seeds_for_uneven;
  if (is_unlearned(pair, ahead)) {
    judgement.verdict = Verdict::unlearned;
    judgement.evidence += fmt::format("; {} is not above guessing", ahead.label);
  } else if (uneven) {
    judgement.evidence += "; uneven seeds, of which ten are needed";
  } else if (judgement.adjusted <= significance) {
    judgement.verdict = d > 0 ? Verdict::holds : Verdict::fails;
  }
  for (const ComparisonRow* row : {pair.better, pair.worse}) {
    if (row->label_mark == "†") {
      judgement.evidence += fmt::format("; {} did not solve the training size", row->label);
    }
  }
}

// The comparisons of a group in one metric, made once.
class Comparisons {
 public:
  const std::vector<Comparison>& of(const TaskRuns& group, const std::string& metric) {
    const auto [place, is_new] = made_.try_emplace({&group, metric});
    if (is_new) place->second = compare(group, metric, better_of(group, metric));
    return place->second;
  }

 private:
  std::map<std::pair<const TaskRuns*, std::string>, std::vector<Comparison>> made_;
};

// Of one claim: where it was judged, and tasks that have both encodings but not the size.
struct Findings {
  std::vector<Finding> here, elsewhere;
};

// Relations are free where a claim names them on both sides.
bool may_pair(const Claim& claim, const ComparisonRow& left, const ComparisonRow& right) {
  const bool names_relations =
      claim.better.find('@') != std::string::npos && claim.worse.find('@') != std::string::npos;
  return names_relations ||
         left.repetitions->runs.front()->relation == right.repetitions->runs.front()->relation;
}

// Every pair of rows with the same settings beside the encoding.
void find_in(const Claim& claim, const Comparison& comparison, Findings& findings) {
  const auto better = rows_named(comparison, claim.better, claim.relation);
  const auto worse = rows_named(comparison, claim.worse, claim.relation);
  if (better.empty() || worse.empty()) return;
  const RunRecord& example = *better.front()->repetitions->runs.front();
  const int64_t column = column_at(comparison.columns, claim.at, example.train_size);
  for (const ComparisonRow* left : better) {
    for (const ComparisonRow* right : worse) {
      const bool only_pair = better.size() == 1 && worse.size() == 1;
      if (left == right || !may_pair(claim, *left, *right)) continue;
      if (!only_pair && !same_settings(*left->repetitions, *right->repetitions)) continue;
      if (column < 0) {
        Finding nowhere;
        nowhere.judgement.where = comparison.title;
        nowhere.judgement.evidence = fmt::format("nothing was evaluated at {:.4g}x", claim.at);
        findings.elsewhere.push_back(std::move(nowhere));
        continue;
      }
      findings.here.push_back(finding_of({&comparison, static_cast<size_t>(column), left, right}));
    }
  }
}

std::vector<Finding> findings_of(const Claim& claim, const std::vector<const TaskRuns*>& groups,
                                 Comparisons& comparisons) {
  Findings findings;
  for (const TaskRuns* group : groups) {
    if (!speaks_of(claim, *group)) continue;
    const std::string& metric =
        claim.metric.empty() ? group->example().primary_metric : claim.metric;
    for (const Comparison& comparison : comparisons.of(*group, metric)) {
      if (comparison.condition == claim.condition) find_in(claim, comparison, findings);
    }
  }
  if (findings.here.empty()) findings.here = std::move(findings.elsewhere);
  if (findings.here.empty()) {
    findings.here.emplace_back().judgement.evidence =
        "no runs of both encodings in the same settings";
  }
  for (Finding& finding : findings.here) finding.judgement.claim = claim;
  return std::move(findings.here);
}

}  // namespace

std::string to_string(Verdict verdict) {
  static constexpr std::array<const char*, 6> words = {"holds",     "fails",    "undecided",
                                                       "unlearned", "diverged", "one seed"};
  return words.at(static_cast<size_t>(verdict));
}

std::vector<Judgement> judge(const std::vector<Claim>& claims,
                             const std::vector<const TaskRuns*>& groups) {
  Comparisons comparisons;
  std::vector<Finding> findings;
  for (const Claim& claim : claims) {
    for (Finding& finding : findings_of(claim, groups, comparisons)) {
      findings.push_back(std::move(finding));
    }
  }
  std::vector<Finding*> judged;
  std::vector<double> p;
  for (Finding& finding : findings) {
    if (!finding.counts) continue;
    judged.push_back(&finding);
    p.push_back(finding.judgement.inference.p);
  }
  const std::vector<double> adjusted = holm(p);
  for (size_t i = 0; i < judged.size(); ++i) {
    judged[i]->judgement.adjusted = adjusted[i];
    decide(*judged[i], judged.size());
  }
  std::vector<Judgement> judgements;
  for (Finding& finding : findings) judgements.push_back(std::move(finding.judgement));
  return judgements;
}

std::vector<const TaskRuns*> groups_of(const std::vector<TaskRuns>& groups,
                                       const std::string& study) {
  std::vector<const TaskRuns*> found;
  for (const TaskRuns& group : groups) {
    if (group.example().study == study) found.push_back(&group);
  }
  return found;
}

}  // namespace relbias::results
