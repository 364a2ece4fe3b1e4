// SPDX-License-Identifier: Apache-2.0
// experiments/study: planning of runs: checks, costs, files.
#include "experiments/study/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "experiments/run/device.h"
#include "experiments/run/perform.h"
#include "experiments/run/record/identity.h"
#include "experiments/tuning/trial.h"
#include "modalities/plain/files.h"
#include "results/claims/study_text.h"
#include "results/store/store.h"
#include "results/store/study_plan.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

// The first batch is drawn and the model made: what is too large for this machine shows here.
Experiment built(const RunConfig& config, DatasetCache& cache) {
  try {
    return build(config, cache);
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    input_error("sizes {}, batch {}: a batch or the model needs more memory than there is",
                fmt::join(config.train.sizes, ", "), config.train.batch);
  }
}

PlannedRun checked(const Study& study, const Run& run, DatasetCache& cache) {
  return at_place(fmt::format("study {}, run {}", study.name, run.label), nullptr, [&]() {
    const Experiment experiment = built(run.config, cache);
    PlannedRun planned{.study = study.name,
                       .run = run,
                       .cost = cost_of(run.config, experiment),
                       .dataset_hash = "",
                       .dataset_report = "",
                       .file = {}};
    planned.binned = experiment.traits.binned;
    if (!experiment.dataset) return planned;
    planned.dataset_hash = experiment.dataset->content_hash();
    planned.dataset_report = experiment.dataset->report();
    return planned;
  });
}

// A claim at a size that no run evaluates would never be judged. The table takes a size within 5 %,
// and of bins, whose samples lie between two sizes, any that is as large.
void check_claims(const Study& study, const std::vector<Run>& runs, bool binned) {
  for (const Claim& claim : study.claims) {
    std::set<double> factors;
    bool found = false;
    for (const Run& run : runs) {
      for (const int64_t size : run.config.evaluate.sizes) {
        const double factor =
            static_cast<double>(size) / static_cast<double>(run.config.train.size);
        factors.insert(factor);
        const double off = factor / claim.at;
        found |= off > 1 / 1.05 && (binned || off < 1.05);
      }
    }
    if (!found) {
      input_error(
          "study {}: claim.at: {} found, one of the evaluated multiples of the trained size "
          "expected: {}",
          study.name, claim.at, fmt::join(factors, ", "));
    }
  }
}

void check_writable(const fs::path& folder) {
  const auto refuse = [&](const std::string& reason) {
    input_error("results folder {}: cannot be written: {}", folder.string(), reason);
  };
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse(error.message());
  // Permission bits do not tell: the file system may be read-only, the user may be root.
  const fs::path probe = folder / fmt::format(".writable-{}", getpid());
  errno = 0;
  const bool written = static_cast<bool>(std::ofstream(probe).put('\n').flush());
  const int reason = errno;
  fs::remove(probe, error);
  if (!written) refuse(std::strerror(reason));
}

// A number with a unit of thousands: `25.3 k`, `1.2 T`.
std::string short_number(double number) {
  const char* units[] = {"", " k", " M", " G", " T", " P", " E"};
  size_t unit = 0;
  while (number >= 999.95 && unit + 1 < std::size(units)) {
    number /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", number, unit == 0 ? 0 : 1, units[unit]);
}

bool is_finished_file(const PlannedRun& planned) {
  if (!fs::exists(planned.file)) return false;
  RunRecord record;
  try {
    record = read_run(planned.file, RunParts::numbers);
  } catch (const StoreError&) {
    return false;  // the run itself refuses, with the reason
  }
  if (!is_finished(record.status) || record.identity != planned.run.identity) return false;
  if (record.dataset_hash != planned.dataset_hash) {
    input_error("{}: finished before, but on other data: remove it, or choose another --out",
                planned.file.string());
  }
  return true;
}

// The runs of this shard, each checked.
class Planner {
 public:
  explicit Planner(const Shard& shard) : shard_(shard), binned_(false) {}

  void begin(const Study& study) {
    const auto& [name, file] = *files_.emplace(study.name, study.file).first;
    if (file != study.file) {
      input_error("two studies are called {}, {} and {}: their results would share a folder", name,
                  file, study.file);
    }
    study_ = &study;
    binned_ = shard_.of > 1;  // a shard may hold none of the runs that are not
  }

  void add(const Run& run) {
    if (!seen_.emplace(study_->name, run.is_open ? "open: " + run.label : run.id).second) {
      // Two cells that differ in nothing that a trial depends on share their trials.
      if (run.role == "trial") return;
      input_error("study {} is given twice", study_->name);
    }
    if (number_++ % shard_.of != shard_.part - 1) return;
    planned_.push_back(checked(*study_, run, cache_));
    binned_ |= planned_.back().binned;
  }

  bool binned() const { return binned_; }
  std::vector<PlannedRun> planned() { return std::move(planned_); }

 private:
  const Shard shard_;
  const Study* study_ = nullptr;
  bool binned_;
  int64_t number_ = 0;
  DatasetCache cache_;
  std::set<std::pair<std::string, std::string>> seen_;
  std::map<std::string, std::string> files_;  // of studies, by name
  std::vector<PlannedRun> planned_;
};

// A finished run is what was chosen now, or is not any more: neither changes its numbers.
void keep_role(const PlannedRun& planned) {
  RunRecord record = read_run(planned.file, RunParts::numbers);
  if (record.role == planned.run.role && record.tuning == planned.run.tuning) return;
  record = read_run(planned.file);
  const RunRecord named =
      new_record(planned.study, planned.run.config, {planned.run.role, planned.run.tuning});
  record.role = named.role;
  record.tuning = named.tuning;
  record.encoding = named.encoding;
  record.positions = named.positions;
  write_run(planned.file, record);
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard{0, 0};
  const char* end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, shard.part);
  if (error == std::errc() && slash != end && *slash == '/') {
    const auto [stop, second_error] = std::from_chars(slash + 1, end, shard.of);
    const bool good = second_error == std::errc() && stop == end;
    if (good && shard.part >= 1 && shard.part <= shard.of) return shard;
  }
  input_error("--shard: '{}' found, i/n with i from 1 to n expected, for example 1/4", text);
}

std::vector<PlannedRun> plan(const std::vector<Study>& studies, const Selection& selection,
                             const Shard& shard, const ChoicesOf& choices) {
  const bool whole = selection.set.empty() && selection.only.empty() && !selection.smoke;
  Planner planner(shard);
  for (const Study& study : studies) {
    planner.begin(study);
    const auto made = choices.find(study.name);
    const std::vector<Run> runs =
        expand(study, selection, made == choices.end() ? Choices{} : made->second);
    for (const Run& run : runs) planner.add(run);
    if (whole) check_claims(study, runs, planner.binned());
  }
  return planner.planned();
}

std::vector<PlannedRun> plan_trials(const std::vector<Study>& studies, const Selection& selection,
                                    const Shard& shard) {
  Planner planner(shard);
  for (const Study& study : studies) {
    planner.begin(study);
    for (const TunedCell& cell : tuned_cells(study, selection)) {
      for (const auto& seeds : cell.trials) {
        for (const Run& run : seeds) planner.add(run);
      }
    }
  }
  return planner.planned();
}

void find(std::vector<PlannedRun>& runs, const fs::path& out) {
  for (PlannedRun& planned : runs) {
    planned.file = out / planned.study / (planned.run.id + ".h5");
    planned.finished = is_finished_file(planned);
    planned.begun = !planned.finished && fs::exists(planned.file);
  }
}

void place(std::vector<PlannedRun>& runs, const fs::path& out) {
  check_writable(out);
  for (const PlannedRun& planned : runs) {
    if (!fs::exists(out / planned.study)) check_writable(out / planned.study);
  }
  find(runs, out);
  for (const PlannedRun& planned : runs) {
    if (planned.finished) keep_role(planned);
  }
}

void keep_text(const Study& study, const fs::path& out) {
  const fs::path file = out / study.name / (study.name + ".toml");
  // Where it came from, by a hash: what lies there may be an earlier state of this study, or the
  // text of another one.
  constexpr std::string_view mark = "\n# Of the study file ";
  const std::string text = read_file(study.file);
  const std::string origin =
      content_hash({{fs::weakly_canonical(study.file).string(), ""}}).substr(0, 12);
  if (fs::exists(file)) {
    const std::string there = read_file(file);
    const size_t at = there.rfind(mark);
    const bool marked = at != std::string::npos;
    const bool same_file = marked && there.substr(at + mark.size()).starts_with(origin);
    if (marked && !same_file && there.substr(0, at) != text) {
      input_error(
          "{}: holds another study of the name {}: another --out, or another name for {} expected",
          file.string(), study.name, study.file);
    }
  }
  write_study_text(file, fmt::format("{}{}{}.\n", text, mark, origin));
}

void keep_plan(const Study& study, const Selection& selection, const ChoicesOf& choices,
               const fs::path& out) {
  const auto made = choices.find(study.name);
  std::vector<Run> all = expand(study, selection, made == choices.end() ? Choices{} : made->second);
  std::erase_if(all, [](const Run& run) { return run.is_open; });
  for (const TunedCell& cell : tuned_cells(study, selection)) {
    for (const auto& seeds : cell.trials) all.insert(all.end(), seeds.begin(), seeds.end());
  }
  std::vector<StudyRun> runs;
  for (const Run& run : all) {
    RunConfig named = run.config;
    take_tuned_out(run.tuning, named);
    runs.push_back({.id = run.id,
                    .identity = run.identity,
                    .settings = recorded_settings(run.config),
                    .positions = recorded_positions(named),
                    .task = run.config.data.task.label(),
                    .dataset = run.config.data.dataset.label(),
                    .seed = run.config.seed,
                    .role = run.role,
                    .tuning = run.tuning});
  }
  add_to_study_plan(out / study.name, runs);
}

int64_t earlier_files(const std::vector<PlannedRun>& runs) {
  std::set<fs::path> folders, planned;
  for (const PlannedRun& run : runs) {
    folders.insert(run.file.parent_path());
    planned.insert(run.file);
  }
  int64_t earlier = 0;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".h5" || planned.contains(entry.path())) continue;
      try {
        earlier += read_run(entry.path(), RunParts::numbers).schema_version < current_schema;
      } catch (const StoreError&) {
        continue;  // no run
      }
    }
  }
  return earlier;
}

std::string plan_table(const std::vector<PlannedRun>& runs) {
  size_t study_width = 5, label_width = 3;
  for (const auto& planned : runs) {
    study_width = std::max(study_width, planned.study.size());
    label_width = std::max(label_width, planned.run.label.size());
  }
  std::string table = fmt::format("{:<12}  {:<{}}  {:<{}}  {:>10}  {:>10}  {:>8}  {:>8}  {}\n",
                                  "id", "study", study_width, "run", label_width, "parameters",
                                  "position", "tokens", "FLOPs", "state");
  Cost sum;
  for (const auto& [study, run, cost, hash, report, file, finished, begun, binned] : runs) {
    const std::string id = run.is_open ? "after trials" : run.id;
    table +=
        fmt::format("{:<12}  {:<{}}  {:<{}}  {:>10}  {:>10}  {:>8}  {:>8}  {}\n", id, study,
                    study_width, run.label, label_width, cost.parameters, cost.position_parameters,
                    short_number(cost.tokens), short_number(cost.flops),
                    finished ? "finished"
                    : begun  ? "begun"
                             : "open");
    sum.tokens += cost.tokens;
    sum.flops += cost.flops;
  }
  table += fmt::format("{} runs, {} training tokens, {} training FLOPs\n", runs.size(),
                       short_number(sum.tokens), short_number(sum.flops));
  return table;
}

}  // namespace relbias::experiments
