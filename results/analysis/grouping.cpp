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

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// What the row's label says already, or what repetitions may differ in.
bool is_no_variation(const std::string& key) {
  static const std::set<std::string> keys = {"seed", "model.encoding", "model.relation",
                                             "model.positions"};
  return keys.contains(key);
}

std::string value_of(const std::map<std::string, std::string>& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "unset" : found->second;
}

// For each run the settings that tell it from others of the same encoding. Runs of one seed and
// unlike settings are no repetitions: averaging them would invent a spread. A setting that follows
// from one before it (evaluate.sizes from train.size) is not repeated.
std::vector<std::vector<Setting>> variants_of(const std::vector<const RunRecord*>& runs) {
  std::vector<std::map<std::string, std::string>> settings;
  std::vector<std::string> keys;  // in the order of the configs
  for (const RunRecord* run : runs) {
    const std::vector<Setting> found = settings_of(run->config);
    settings.emplace_back(found.begin(), found.end());
    for (const Setting& setting : found) {
      if (!is_no_variation(setting.first) && std::ranges::find(keys, setting.first) == keys.end()) {
        keys.push_back(setting.first);
      }
    }
  }
  std::vector<std::vector<Setting>> variants(runs.size());
  size_t distinct = 1;
  for (const std::string& key : keys) {
    auto longer = variants;
    for (size_t i = 0; i < runs.size(); ++i) {
      longer[i].emplace_back(key, value_of(settings[i], key));
    }
    const size_t distinct_now = std::set(longer.begin(), longer.end()).size();
    if (distinct_now > distinct) {
      variants = std::move(longer);
      distinct = distinct_now;
    }
  }
  return variants;
}

// How far a run has come; a continued one keeps the time of its start.
auto progress_of(const RunRecord& run) {
  const int64_t last_step = run.train.empty() ? 0 : run.train.back().step;
  return std::tuple(run.started, is_finished(run.status), last_step);
}

// One file a run: the one that started last and came furthest, where a folder holds copies.
std::vector<const RunRecord*> without_copies(const std::vector<const RunRecord*>& runs) {
  std::map<std::string, const RunRecord*> kept;
  for (const RunRecord* run : runs) {
    const auto [place, is_new] = kept.emplace(run->run_id, run);
    if (!is_new && progress_of(*run) > progress_of(*place->second)) place->second = run;
  }
  std::vector<const RunRecord*> unique;
  for (const RunRecord* run : runs) {
    if (kept.at(run->run_id) == run) unique.push_back(run);
  }
  return unique;
}

std::vector<Repetitions> rows_of(const std::vector<const RunRecord*>& runs) {
  std::map<std::pair<std::string, std::string>, std::vector<const RunRecord*>> by_encoding;
  std::set<std::string> relations;
  for (const RunRecord* run : runs) {
    by_encoding[{run->encoding, run->relation}].push_back(run);
    if (!run->relation.empty()) relations.insert(run->relation);
  }
  std::map<std::tuple<bool, std::string, std::vector<Setting>>, Repetitions> rows;
  for (const auto& [name, members] : by_encoding) {
    const auto& [encoding, relation] = name;
    const bool tell_relation =
        relations.size() > 1 && !relation.empty() && encoding.find('@') == std::string::npos;
    const std::string label = tell_relation ? encoding + "@" + relation : encoding;
    const auto variants = variants_of(members);
    for (size_t i = 0; i < members.size(); ++i) {
      Repetitions& row = rows[{encoding != "none", label, variants[i]}];
      row.label = label;
      for (const auto& [key, value] : variants[i]) row.label += ", " + key + "=" + value;
      row.variant = variants[i];
      row.runs.push_back(members[i]);
    }
  }
  std::vector<Repetitions> sorted;
  for (auto& [key, row] : rows) {
    std::ranges::sort(row.runs, {}, &RunRecord::seed);
    sorted.push_back(std::move(row));
  }
  return sorted;
}

}  // namespace

std::vector<Setting> settings_of(const std::string& config) {
  std::vector<Setting> settings;
  std::string section;
  for (size_t begin = 0; begin < config.size();) {
    const size_t end = std::min(config.find('\n', begin), config.size());
    const std::string line = trimmed(config.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line[0] == '#') continue;
    const size_t equals = line.find('=');
    if (line[0] == '[' && line.back() == ']' && equals == std::string::npos) {
      section = line.substr(1, line.size() - 2) + ".";
    } else if (equals != std::string::npos) {
      settings.emplace_back(section + trimmed(line.substr(0, equals)),
                            trimmed(line.substr(equals + 1)));
    }
  }
  return settings;
}

bool same_settings(const Repetitions& one, const Repetitions& other) {
  const auto fits = [](const std::vector<Setting>& variant, const Repetitions& row) {
    if (variant.empty()) return true;
    const std::vector<Setting> found = settings_of(row.runs.front()->config);
    const std::map<std::string, std::string> settings(found.begin(), found.end());
    return std::ranges::all_of(variant, [&](const Setting& setting) {
      return value_of(settings, setting.first) == setting.second;
    });
  };
  return fits(one.variant, other) && fits(other.variant, one);
}

std::string encoding_name(const std::string& encoding) {
  if (encoding.find(" + ") != std::string::npos) return encoding;
  const std::string name = encoding.substr(0, encoding.find(' '));
  return name.substr(0, name.find('@'));
}

std::string better_of(const TaskRuns& group, const std::string& metric) {
  for (const Repetitions& row : group.rows) {
    for (const RunRecord* run : row.runs) {
      if (run->primary_metric == metric && !run->better.empty()) return run->better;
    }
  }
  return {};
}

std::vector<TaskRuns> group_runs(const std::vector<RunRecord>& runs) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::vector<const RunRecord*>> groups;
  for (const RunRecord& run : runs) {
    groups[{run.study, run.modality, run.task, run.dataset}].push_back(&run);
  }
  std::vector<TaskRuns> grouped;
  for (const auto& [key, members] : groups) {
    const std::vector<const RunRecord*> unique = without_copies(members);
    grouped.push_back({rows_of(unique), static_cast<int64_t>(members.size() - unique.size())});
  }
  return grouped;
}

}  // namespace relbias::results
