// SPDX-License-Identifier: Apache-2.0
// results/analysis/notes: what stands under every table.
#include "results/analysis/notes/underneath.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace relbias::results {
namespace {

constexpr size_t hash_digits = 12;

std::vector<const RunRecord*> runs_of(const TaskRuns& group) {
  std::vector<const RunRecord*> runs;
  for (const Repetitions& row : group.rows) {
    runs.insert(runs.end(), row.runs.begin(), row.runs.end());
  }
  return runs;
}

// "seeds 0, 1, 2"
std::string seeds_text(const std::vector<const RunRecord*>& runs) {
  std::set<int64_t> seeds;
  for (const RunRecord* run : runs) seeds.insert(run->seed);
  return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

// "384 samples, each a sequence", "2 to 64 samples, each a block of 1024 bytes"
std::string samples_text(const std::vector<const Cell*>& cells) {
  std::set<int64_t> counts;
  std::set<std::string> units;
  bool any_without = false;
  for (const Cell* cell : cells) {
    if (cell->state != CellState::value) continue;
    any_without = any_without || cell->samples.empty();
    if (cell->samples.empty()) continue;
    counts.insert(cell->samples.count());
    if (!cell->unit.empty()) units.insert(cell->unit);
  }
  const std::string without =
      "values without test samples in their files (schema 1, or another metric) are tabulated "
      "without verdicts";
  if (counts.empty()) return any_without ? without : "no test samples";
  std::string text = counts.size() == 1
                         ? fmt::format("{} samples", *counts.begin())
                         : fmt::format("{} to {} samples", *counts.begin(), *counts.rbegin());
  if (!units.empty()) text += fmt::format(", each a {}", fmt::join(units, " or a "));
  return any_without ? text + "; " + without : text;
}

std::vector<const Cell*> cells_of(const Comparison& comparison) {
  std::vector<const Cell*> cells;
  for (const ComparisonRow& row : comparison.rows) {
    for (const Cell& cell : row.cells) cells.push_back(&cell);
  }
  return cells;
}

// What holds of a table and of several together.
void add_measured(const std::vector<const RunRecord*>& runs, const std::vector<const Cell*>& cells,
                  Notes& notes) {
  notes.add("",
            fmt::format("{}; {}; {}", seeds_text(runs), samples_text(cells), tuning_text(runs)));
  if (std::ranges::any_of(cells, [](const Cell* cell) { return !cell->samples.empty(); })) {
    notes.add("", "[low, high]: 95 % intervals, over seeds and test samples together");
  }
}

// What runs were made with, in the words of the note; each is one of all runs or told apart.
std::map<std::string, std::set<std::string>> provenance_of(
    const std::vector<const RunRecord*>& runs) {
  std::map<std::string, std::set<std::string>> found;
  for (const RunRecord* run : runs) {
    const auto add = [&](const std::string& kind, const std::string& text) {
      if (!text.empty()) found[kind].insert(text);
    };
    add("data", run->dataset_hash.substr(0, hash_digits));
    const std::string commit = run->commit.substr(0, hash_digits);
    add("commit", run->uncommitted.empty() ? commit
                                           : fmt::format("{} with uncommitted changes {}", commit,
                                                         run->uncommitted.substr(0, hash_digits)));
    add("device", run->cpu.empty() ? run->device : fmt::format("{} ({})", run->device, run->cpu));
    for (const auto& [name, version] : run->versions) add("version of " + name, version);
  }
  return found;
}

}  // namespace

std::string tuning_text(const std::vector<const RunRecord*>& runs) {
  std::set<std::string> untuned, fewer;
  std::set<int64_t> of;
  for (const RunRecord* run : runs) {
    const Tuning tuning = tuning_in(*run);
    if (tuning.of == 0) {
      untuned.insert(run->encoding);
      continue;
    }
    of.insert(tuning.of);
    if (tuning.trials < tuning.of) {
      fewer.insert(fmt::format("{} of {} of {}", tuning.trials, tuning.of, run->encoding));
    }
  }
  if (of.empty()) return "not tuned";
  std::string text = fmt::format("tuned: {} trials each", fmt::join(of, " or "));
  if (!fewer.empty()) text += fmt::format(", {}", fmt::join(fewer, ", "));
  if (!untuned.empty()) text += fmt::format("; not tuned: {}", fmt::join(untuned, ", "));
  return text;
}

std::vector<Note> provenance_notes(const std::vector<const RunRecord*>& runs, bool across) {
  std::vector<std::string> same;
  std::vector<Note> differ;
  for (const auto& [kind, texts] : provenance_of(runs)) {
    const std::string text = fmt::format("{}", fmt::join(texts, ", "));
    if (texts.size() > 1 && !(across && kind == "data")) {
      differ.push_back({"", fmt::format("runs differ in {}: {}", kind, text)});
    } else if (!kind.starts_with("version")) {
      same.push_back(kind + " " + text);
    }
  }
  std::vector<Note> notes;
  if (!same.empty()) notes.push_back({"", fmt::format("{}", fmt::join(same, ", "))});
  notes.insert(notes.end(), differ.begin(), differ.end());
  return notes;
}

namespace {

// "t5: the choice is at the edge of the grid of train.encoding_rate"; no choice is one where all
// trials diverged.
std::vector<std::string> choices_of(const TaskRuns& group) {
  std::vector<std::string> notes;
  for (const Repetitions& row : group.rows) {
    const Tuning tuning = tuning_in(*row.runs.front());
    if (tuning.diverged) {
      notes.push_back(fmt::format("{}: diverged in tuning, in every trial", row.label));
    } else if (!tuning.edge.empty()) {
      notes.push_back(fmt::format("{}: the choice is at the edge of the grid of {}", row.label,
                                  fmt::join(tuning.edge, ", ")));
    }
  }
  return notes;
}

// What a relation's clip hides of the targets, on several relations each by its name.
std::set<std::string> clips_of(const TaskRuns& group) {
  std::set<std::string> clips;
  for (const Repetitions& row : group.rows) {
    const std::string& clip = row.runs.front()->past_clip;
    if (!clip.empty()) clips.insert(clip);
  }
  return clips;
}

}  // namespace

std::vector<Note> notes_underneath(const Comparison& comparison, const TaskRuns& group) {
  const std::vector<const RunRecord*> runs = runs_of(group);
  const std::vector<const Cell*> cells = cells_of(comparison);
  Notes notes;
  add_measured(runs, cells, notes);
  for (const std::string& clip : clips_of(group)) notes.add("", clip);
  for (const std::string& choice : choices_of(group)) notes.add("", choice);
  if (std::ranges::any_of(cells,
                          [](const Cell* cell) { return cell->samples.seeds.size() == 1; })) {
    notes.add("", "one seed: other seeds may differ more");
  }
  for (const Note& note : provenance_notes(runs)) notes.add(note.mark, note.text);
  if (group.copies > 0) {
    notes.add("", fmt::format("{} further files of the same runs were not counted", group.copies));
  }
  return notes.take();
}

std::vector<Note> notes_across(const std::vector<const Comparison*>& comparisons) {
  std::vector<const RunRecord*> runs;
  std::vector<const Cell*> cells;
  for (const Comparison* comparison : comparisons) {
    const std::vector<const Cell*> here = cells_of(*comparison);
    cells.insert(cells.end(), here.begin(), here.end());
    for (const ComparisonRow& row : comparison->rows) {
      runs.insert(runs.end(), row.repetitions->runs.begin(), row.repetitions->runs.end());
    }
  }
  Notes notes;
  add_measured(runs, cells, notes);
  for (const Note& note : provenance_notes(runs, true)) notes.add(note.mark, note.text);
  return notes.take();
}

}  // namespace relbias::results
