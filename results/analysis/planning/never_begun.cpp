// SPDX-License-Identifier: Apache-2.0
// results/analysis/planning: runs that were planned and never began.
#include "results/analysis/planning/never_begun.h"

#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "results/analysis/settings.h"
#include "results/store/study_plan.h"

namespace relbias::results {
namespace {

// Settings but for what rivals may differ in and what was chosen.
Settings shared_settings(Settings settings, const Settings& chosen) {
  settings.erase(rival_setting);
  for (const auto& [key, value] : chosen) settings.erase(key);
  return settings;
}

bool shares_table(const StudyRun& planned, const Tuning& tuning, const RunRecord& run) {
  if (run.task != planned.task || run.dataset != planned.dataset || run.role != "run") return false;
  const Tuning other = tuning_in(run);
  if (other.of != tuning.of) return false;
  Settings chosen = tuning.chosen;
  chosen.insert(other.chosen.begin(), other.chosen.end());
  if (!planned.settings.contains(rate_setting) || !run.settings.contains(rate_setting)) {
    chosen[rate_setting];
  }
  return shared_settings(planned.settings, chosen) == shared_settings(run.settings, chosen);
}

std::string text_of(const std::string& name, const Settings& options) {
  std::string text = name;
  for (const auto& [key, value] : options) text += " " + key + "=" + value;
  return text;
}

// As a record has it: "t5 num_buckets=8", "t5@token + table@tree".
std::pair<std::string, std::string> labels_of(const std::vector<RecordedPosition>& positions) {
  std::string encoding, relation;
  for (const RecordedPosition& position : positions) {
    const std::string separator = encoding.empty() ? "" : " + ";
    const std::string on = text_of(position.relation, position.relation_options);
    encoding += separator + text_of(position.encoding, position.options);
    if (positions.size() > 1) encoding += "@" + on;
    relation += separator + on;
  }
  return {encoding, relation};
}

RunRecord record_of(const StudyRun& planned, const RunRecord& like) {
  RunRecord run;
  run.message = not_begun;
  run.run_id = planned.id;
  run.identity = planned.identity;
  run.settings = planned.settings;
  run.positions = planned.positions;
  run.seed = planned.seed;
  run.tuning = planned.tuning;
  std::tie(run.encoding, run.relation) = labels_of(planned.positions);
  if (planned.positions == like.positions) {
    run.encoding = like.encoding;
    run.relation = like.relation;
    run.parameters_position = like.parameters_position;
  }
  run.study = like.study;
  run.modality = like.modality;
  run.task = like.task;
  run.task_kind = like.task_kind;
  run.ability = like.ability;
  run.past_clip = like.past_clip;
  run.dataset = like.dataset;
  run.dataset_hash = like.dataset_hash;
  run.train_size = like.train_size;
  run.primary_metric = like.primary_metric;
  run.better = like.better;
  run.ceiling = like.ceiling;
  return run;
}

// A run of the table that it would stand in, at best one of the same encoding;
// of several data the one that began last. Null without any.
const RunRecord* run_like(const StudyRun& planned, const std::vector<const RunRecord*>& runs) {
  RunRecord tuned;
  tuned.tuning = planned.tuning;
  const Tuning tuning = tuning_in(tuned);
  const RunRecord* found = nullptr;
  const auto rank = [&](const RunRecord& run) {
    return std::pair(run.started, run.positions == planned.positions);
  };
  for (const RunRecord* run : runs) {
    if (!shares_table(planned, tuning, *run)) continue;
    if (found == nullptr || rank(*run) > rank(*found)) found = run;
  }
  if (found == nullptr) return nullptr;
  for (const RunRecord* run : runs) {  // of the same data and encoding
    const bool same = run->positions == planned.positions;
    if (same && run->dataset_hash == found->dataset_hash && shares_table(planned, tuning, *run)) {
      return run;
    }
  }
  return found;
}

}  // namespace

void add_never_begun(std::vector<RunRecord>& runs) {
  std::map<std::filesystem::path, std::vector<const RunRecord*>> folders;
  for (const RunRecord& run : runs) {
    if (!run.file.empty()) folders[std::filesystem::path(run.file).parent_path()].push_back(&run);
  }
  std::vector<RunRecord> never_begun;
  for (const auto& [folder, members] : folders) {
    std::set<std::string> begun;
    for (const RunRecord* run : members) begun.insert(run->run_id);
    for (const StudyRun& planned : read_study_plan(folder)) {
      if (planned.role != "run" || begun.contains(planned.id)) continue;
      const RunRecord* like = run_like(planned, members);
      if (like != nullptr) never_begun.push_back(record_of(planned, *like));
    }
  }
  runs.insert(runs.end(), std::make_move_iterator(never_begun.begin()),
              std::make_move_iterator(never_begun.end()));
}

}  // namespace relbias::results
