// SPDX-License-Identifier: Apache-2.0
// results/analysis: which runs belong in one table, and which are repetitions of one row.
#include "results/analysis/grouping.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace relbias::results {
namespace {

using Setting = std::pair<std::string, std::string>;

constexpr size_t hash_digits = 12;

// How far a run has come; a continued one keeps the time of its start.
auto progress_of(const RunRecord& run) {
  const int64_t last_step = run.train.empty() ? 0 : run.train.back().step;
  return std::tuple(run.started, is_finished(run.status), last_step);
}

// One file a run: the one that started last and came furthest, where a folder holds copies.
std::vector<const RunRecord*> without_copies(const std::vector<const RunRecord*>& runs) {
  std::map<std::pair<std::string, std::string>, const RunRecord*> kept;
  const auto key_of = [](const RunRecord& run) { return std::pair(run.run_id, run.dataset_hash); };
  for (const RunRecord* run : runs) {
    const auto [place, is_new] = kept.emplace(key_of(*run), run);
    if (!is_new && progress_of(*run) > progress_of(*place->second)) place->second = run;
  }
  std::vector<const RunRecord*> unique;
  for (const RunRecord* run : runs) {
    if (kept.at(key_of(*run)) == run) unique.push_back(run);
  }
  return unique;
}

// What may tell rows of one encoding and relation apart.
Settings variations_of(const RunRecord& run) {
  Settings found = tuning_in(run).chosen;
  const Settings settings = setting_of(run);
  if (settings.contains(rival_setting)) found[rival_setting] = settings.at(rival_setting);
  for (const RecordedPosition& position : run.positions) {
    for (const auto& [key, value] : position.relation_options) {
      found["relation." + key] = value;
    }
  }
  return found;
}

// Of one row before it has its label.
struct RowKey {
  bool is_encoded = false;  // `none` comes first
  std::string encoding, relation;
  Settings variations;
  auto operator<=>(const RowKey&) const = default;
};

// The settings that belong into the label: length_scale where the table has several, what was
// tuned and the options of relations only where nothing else tells rows apart.
std::vector<Setting> variant_of(const RowKey& key,
                                const std::map<RowKey, std::vector<const RunRecord*>>& rows) {
  std::set<std::string> differing;
  for (const auto& [other, runs] : rows) {
    const bool same_name = other.encoding == key.encoding && other.relation == key.relation;
    for (const Settings* settings : {&key.variations, &other.variations}) {
      for (const auto& [name, value] : *settings) {
        const bool differs = value_of(key.variations, name) != value_of(other.variations, name);
        if (differs && (same_name || name == rival_setting)) differing.insert(name);
      }
    }
  }
  std::vector<Setting> variant;
  for (const std::string& name : differing) {
    variant.emplace_back(name, value_of(key.variations, name));
  }
  return variant;
}

std::vector<Repetitions> rows_of(const std::vector<const RunRecord*>& runs) {
  std::map<RowKey, std::vector<const RunRecord*>> found;
  std::set<std::string> relations;
  for (const RunRecord* run : runs) {
    found[{run->encoding != "none", run->encoding, run->relation, variations_of(*run)}].push_back(
        run);
    if (!run->relation.empty()) relations.insert(run->relation);
  }
  std::vector<Repetitions> rows;
  for (auto& [key, members] : found) {
    Repetitions& row = rows.emplace_back();
    const bool tell_relation = relations.size() > 1 && !key.relation.empty() &&
                               key.encoding.find('@') == std::string::npos;
    row.variant = variant_of(key, found);
    row.form = key.encoding;
    row.label = tell_relation ? key.encoding + "@" + key.relation : key.encoding;
    for (const auto& [name, value] : row.variant) {
      row.form += ", " + name + "=" + value;
      row.label += ", " + name + "=" + value;
    }
    std::ranges::sort(members, {}, &RunRecord::seed);
    row.runs = std::move(members);
  }
  std::ranges::sort(rows, {}, [](const Repetitions& row) {
    return std::tuple(row.runs.front()->encoding != "none", row.label);
  });
  return rows;
}

// What has to agree within a table. `tuned`: every key that was chosen for any run, which says
// nothing about the others.
Settings table_key(const RunRecord& run, const std::set<std::string>& tuned) {
  Settings settings = setting_of(run);
  settings.erase(rival_setting);
  const Tuning tuning = tuning_in(run);
  settings["tuning"] = tuning.of == 0 ? "none" : std::to_string(tuning.of) + " trials";
  if (tuning.of > 0) {
    for (const std::string& key : tuned) settings.erase(key);
  }
  return settings;
}

using Tables = std::map<Settings, std::vector<const RunRecord*>>;

// Runs without a rate stand in every table that is theirs but for the rate.
void spread_without_rate(Tables& tables) {
  for (auto at = tables.begin(); at != tables.end();) {
    bool spread = false;
    for (auto& [settings, runs] : tables) {
      Settings rest = settings;
      if (at->first.contains(rate_setting) || rest.erase(rate_setting) == 0 || rest != at->first) {
        continue;
      }
      runs.insert(runs.end(), at->second.begin(), at->second.end());
      spread = true;
    }
    at = spread ? tables.erase(at) : std::next(at);
  }
}

// Every key in which tables of one task differ, with the value of this one.
std::vector<Setting> apart_of(const Settings& table, const Tables& tables) {
  std::set<std::string> differing;
  for (const auto& [other, runs] : tables) {
    for (const Settings* settings : {&table, &other}) {
      for (const auto& [key, value] : *settings) {
        if (value_of(table, key) != value_of(other, key)) differing.insert(key);
      }
    }
  }
  std::vector<Setting> apart;
  for (const std::string& key : differing) {
    const std::string value = value_of(table, key);
    apart.emplace_back(key, key == "dataset_hash" ? value.substr(0, hash_digits) : value);
  }
  return apart;
}

// The tables of one study, task and dataset.
void add_tables(const std::vector<const RunRecord*>& members, std::vector<TaskRuns>& grouped) {
  std::map<std::string, int64_t> files;  // by run
  std::set<std::string> tuned;
  for (const RunRecord* run : members) {
    ++files[run->run_id + run->dataset_hash];
    for (const auto& [key, value] : tuning_in(*run).chosen) tuned.insert(key);
  }
  Tables tables;
  for (const RunRecord* run : without_copies(members)) {
    tables[table_key(*run, tuned)].push_back(run);
  }
  spread_without_rate(tables);
  for (const auto& [settings, runs] : tables) {
    TaskRuns& group = grouped.emplace_back();
    group.rows = rows_of(runs);
    group.apart = apart_of(settings, tables);
    for (const RunRecord* run : runs) group.copies += files[run->run_id + run->dataset_hash] - 1;
  }
}

}  // namespace

bool same_settings(const Repetitions& one, const Repetitions& other) {
  const auto value = [](const Repetitions& row) {
    return value_of(Settings(row.variant.begin(), row.variant.end()), rival_setting);
  };
  return value(one) == value(other);
}

std::string encoding_name(const RunRecord& run) {
  return run.positions.size() == 1 ? run.positions.front().encoding : run.encoding;
}

std::string better_of(std::span<const TaskRuns> groups, const std::string& metric) {
  for (const TaskRuns& group : groups) {
    for (const Repetitions& row : group.rows) {
      for (const RunRecord* run : row.runs) {
        if (run->primary_metric == metric && !run->better.empty()) return run->better;
      }
    }
  }
  return {};
}

std::vector<TaskRuns> group_runs(const std::vector<RunRecord>& runs) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::vector<const RunRecord*>> tasks;
  for (const RunRecord& run : runs) {
    if (run.role == "trial") continue;
    tasks[{run.study, run.modality, run.task, run.dataset}].push_back(&run);
  }
  std::vector<TaskRuns> grouped;
  for (const auto& [key, members] : tasks) add_tables(members, grouped);
  return grouped;
}

}  // namespace relbias::results
