// SPDX-License-Identifier: Apache-2.0
// experiments/study: from a study and what the command line asks for to the list of runs.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "experiments/run/record/identity.h"
#include "experiments/study/selection.h"
#include "experiments/study/study.h"
#include "experiments/tuning/trial.h"

namespace relbias::experiments {
namespace {

// What a run is called among the others: the swept values, encodings and tasks by their text alone.
std::string label_of(const std::vector<Axis>& sweep, const std::vector<size_t>& choice,
                     bool with_seed) {
  std::vector<std::string> parts;
  for (size_t axis = 0; axis < sweep.size(); ++axis) {
    const std::string& key = sweep[axis].key;
    if (key == "seed" && !with_seed) continue;
    const std::string text = text_of(*sweep[axis].values[choice[axis]]);
    const bool is_named = key == "model.encoding" || key == "data.task" || key == "data.dataset";
    parts.push_back(is_named ? text : fmt::format("{}={}", key.substr(key.rfind('.') + 1), text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The next choice of one value an axis, the last axis fastest; false after the last choice.
bool next_choice(const std::vector<Axis>& sweep, std::vector<size_t>& choice) {
  for (size_t axis = sweep.size(); axis-- > 0;) {
    if (++choice[axis] < sweep[axis].values.size()) return true;
    choice[axis] = 0;
  }
  return false;
}

Run resolved(RunConfig config, std::string label) {
  Run run{.config = std::move(config), .label = std::move(label)};
  run.text = config_text(run.config);
  run.identity = identity_text(run.config);
  run.id = run_id(run.identity);
  return run;
}

// Of a sweep over the rate of encodings, one that learns nothing has a single run. What tuning
// chose may be what another part has written out: one run, which stands for both. Other twins are a
// mistake. Open runs have no id yet.
std::vector<Run> without_twins(std::vector<Run> runs) {
  std::map<std::string, Run*> first;
  std::vector<Run> kept;
  kept.reserve(runs.size());
  for (Run& run : runs) {
    Run*& twin = first[run.is_open ? "open: " + run.label : run.id];
    if (twin == nullptr) {
      twin = &kept.emplace_back(std::move(run));
    } else if (twin->tuning != run.tuning) {
      const std::string label = twin->label;
      if (twin->tuning.empty()) *twin = run;
      twin->label += fmt::format(" (and {})", run.label == twin->label ? label : run.label);
    } else if (twin->config.train.encoding_rate == run.config.train.encoding_rate) {
      input_error("sweep: '{}' and '{}' are the same run, {}", twin->label, run.label, run.id);
    }
  }
  return kept;
}

// One choice of a value for every axis of a part.
struct Chosen {
  Settings settings;
  std::string label;
  std::string cell;  // the label without the seed: runs of one cell share what was tuned
};

// In the order of the runs.
std::vector<Chosen> choices_of(const Part& part) {
  std::vector<Chosen> all;
  std::vector<size_t> choice(part.sweep.size(), 0);
  do {
    Chosen& one = all.emplace_back();
    one.settings = part.base;
    for (size_t axis = 0; axis < part.sweep.size(); ++axis) {
      assign(part.sweep[axis].key, *part.sweep[axis].values[choice[axis]], one.settings);
    }
    for (const auto& [key, value] : part.smoke) one.settings[key] = value;
    one.label = label_of(part.sweep, choice, true);
    one.cell = label_of(part.sweep, choice, false);
    for (std::string* text : {&one.label, &one.cell}) {
      if (text->empty()) *text = position_label(read_config(one.settings).model);
      if (!part.name.empty()) *text = fmt::format("{}: {}", part.name, *text);
    }
  } while (next_choice(part.sweep, choice));
  return all;
}

// A seed that a trial had would be part of what was chosen.
void refuse_seed_of_trials(const Tuning& tuning, int64_t seed) {
  if (std::ranges::find(tuning.seeds, seed) == tuning.seeds.end()) return;
  input_error("tune.seeds: {} found, which is a seed of the study itself", seed);
}

TunedCell cell_of(const Chosen& chosen, const Tuning& tuning, const std::string& study) {
  TunedCell cell{.name = chosen.cell, .of = tuning.trials};
  const std::vector<GridPoint> points = drawn_points(tuning, chosen.settings, study);
  for (size_t n = 0; n < points.size(); ++n) {
    std::vector<Run>& runs = cell.trials.emplace_back();
    for (const int64_t seed : tuning.seeds) {
      const std::string label = fmt::format("{}, trial {} of {}: {}, seed={}", cell.name, n + 1,
                                            points.size(), points[n].label(), seed);
      Run& run = runs.emplace_back(resolved(trial_config(chosen.settings, points[n], seed), label));
      run.role = "trial";
      run.tuning = trial_text(points, n, cell.name);
    }
  }
  return cell;
}

Run tuned_run(const Chosen& chosen, const Tuning& tuning, const std::string& study,
              const Choices& choices) {
  const std::vector<GridPoint> points = drawn_points(tuning, chosen.settings, study);
  const auto found = choices.find(chosen.cell);
  const Choice choice = found == choices.end() ? Choice{} : found->second;
  const GridPoint& point = points.at(choice.trial);
  Run run = resolved(config_at(chosen.settings, point), chosen.label);
  refuse_seed_of_trials(tuning, run.config.seed);
  run.is_open = found == choices.end();
  run.tuning = choice_text({.points = points,
                            .chosen = choice.trial,
                            .of = tuning.trials,
                            .diverged = choice.diverged,
                            .cell = chosen.cell});
  return run;
}

// An error about a setting that is written nowhere has no place: the study is the place.
template <class Read>
auto naming_study(const Study& study, Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(study.file) || message.starts_with("--")) throw;
    input_error("study {}: {}", study.name, message);
  }
}

}  // namespace

std::vector<Run> expand(const Study& study, const Selection& selection, const Choices& choices) {
  return naming_study(study, [&]() {
    const SelectedParts selected = selected_parts(study, selection);
    std::vector<Run> runs;
    for (const Part& part : selected.parts) {
      for (Chosen& chosen : choices_of(part)) {
        runs.push_back(part.tuning
                           ? tuned_run(chosen, *part.tuning, study.name, choices)
                           : resolved(read_config(chosen.settings), std::move(chosen.label)));
      }
    }
    return without_twins(std::move(runs));
  });
}

std::vector<TunedCell> tuned_cells(const Study& study, const Selection& selection) {
  return naming_study(study, [&]() {
    const SelectedParts selected = selected_parts(study, selection);
    std::vector<TunedCell> cells;
    std::set<std::string> seen;
    for (const Part& part : selected.parts) {
      if (!part.tuning) continue;
      for (const Chosen& chosen : choices_of(part)) {
        if (seen.insert(chosen.cell).second) {
          cells.push_back(cell_of(chosen, *part.tuning, study.name));
        }
      }
    }
    return cells;
  });
}

}  // namespace relbias::experiments
