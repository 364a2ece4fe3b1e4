// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: trials compared.
#include "experiments/tuning/choice.h"

#include <algorithm>
#include <cmath>

#include "modalities/plain/check.h"
#include "results/metrics/metric.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

// What a trial is judged by, less is better.
struct Judged {
  bool diverged = false;
  double error = 0;  // the first metric, or its negative
  double loss = 0;   // cross-entropies, where there are any

  auto operator<=>(const Judged&) const = default;
};

// The plain row of a size comes before those by position.
const EvaluationRow* row_of(const RunRecord& run, const std::string& metric) {
  const auto row = std::ranges::find(run.evaluation, metric, &EvaluationRow::metric);
  return row == run.evaluation.end() ? nullptr : &*row;
}

double loss_of(const RunRecord& run) {
  double loss = 0;
  std::vector<std::string> seen;
  for (const EvaluationRow& row : run.evaluation) {
    if (std::ranges::find(seen, row.metric) != seen.end()) continue;
    seen.push_back(row.metric);
    if (read_metric(row.metric).entry->name == "cross-entropy") loss += row.value;
  }
  return std::isfinite(loss) ? loss : INFINITY;
}

void check_trial(const RunRecord& run) {
  const auto split = run.settings.find("evaluate.split");
  if (run.role == "trial" && split != run.settings.end() && split->second == "validation") return;
  input_error("{}: a trial evaluated on the validation split expected, {} found", run.file,
              run.role);
}

Judged judged(const std::vector<RunRecord>& seeds) {
  Judged all;
  for (const RunRecord& run : seeds) {
    check_trial(run);
    const EvaluationRow* row = row_of(run, run.primary_metric);
    if (run.status == RunStatus::diverged || row == nullptr || !std::isfinite(row->value)) {
      return {.diverged = true};
    }
    all.error += run.better == "higher" ? -row->value : row->value;
    all.loss += loss_of(run);
  }
  return all;
}

}  // namespace

std::optional<Choice> best_of(const std::vector<std::vector<RunRecord>>& trials) {
  std::vector<Judged> all;
  for (const auto& seeds : trials) {
    for (const RunRecord& run : seeds) {
      if (!is_finished(run.status)) return std::nullopt;
    }
    all.push_back(judged(seeds));
  }
  const auto best = std::ranges::min_element(all);  // the first of equal ones
  return Choice{.trial = static_cast<size_t>(best - all.begin()), .diverged = best->diverged};
}

ChoicesMade choices_made(const Study& study, const Selection& selection,
                         const std::filesystem::path& out) {
  ChoicesMade made;
  for (const TunedCell& cell : tuned_cells(study, selection)) {
    std::vector<std::vector<RunRecord>> trials;
    bool complete = true;
    for (const auto& seeds : cell.trials) {
      auto& records = trials.emplace_back();
      for (const Run& run : seeds) {
        const std::filesystem::path file = out / study.name / (run.id + ".h5");
        ++made.trials;
        RunRecord record;  // unfinished
        if (std::filesystem::exists(file)) record = read_run(file, RunParts::numbers);
        const bool finished = is_finished(record.status);
        made.unfinished += finished ? 0 : 1;
        complete &= finished;
        records.push_back(std::move(record));
      }
    }
    if (complete) made.choices[cell.name] = best_of(trials).value();
  }
  return made;
}

}  // namespace relbias::experiments
