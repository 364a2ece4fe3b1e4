// SPDX-License-Identifier: Apache-2.0
// results/report: every run with its settings and its environment, each said once.
#include <algorithm>
#include <cmath>

#include "results/print/tuning_table.h"
#include "results/report/contents.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

// How often each setting has each value, over the runs of one study.
using Counts = std::map<std::pair<std::string, std::string>, size_t>;

// Gives equal objects one number, in the order of their first use.
class Numbered {
 public:
  size_t number_of(const Json& object) {
    const auto [place, is_new] =
        numbers_.emplace(object.dump(-1, ' ', false, replace), all_.size());
    if (is_new) all_.push_back(object);
    return place->second;
  }
  const Json& all() const { return all_; }

 private:
  static constexpr auto replace = Json::error_handler_t::replace;
  std::map<std::string, size_t> numbers_;
  Json all_ = Json::array();
};

Json environment_of(const RunRecord& run) {
  return {{"commit", run.commit}, {"versions", run.versions}, {"device", run.device},
          {"cpu", run.cpu},       {"threads", run.threads},   {"backend", run.backend}};
}

Json run_json(const RunRecord& run, size_t environment) {
  Json json = {{"id", run.run_id},
               {"study", run.study},
               {"modality", run.modality},
               {"task", run.task},
               {"dataset", run.dataset},
               {"relation", run.relation},
               {"label", run.encoding},
               {"encoding", encoding_name(run)},
               {"seed", run.seed},
               {"status", to_string(run.status)},
               {"parameters", run.parameters_total},
               {"position", run.parameters_position},
               {"environment", environment}};
  if (!run.message.empty()) json["message"] = run.message;
  if (std::isfinite(run.wall_seconds)) json["seconds"] = std::round(run.wall_seconds * 10) / 10;
  return json;
}

}  // namespace

Json runs_json(const std::vector<RunRecord>& all) {
  std::vector<const RunRecord*> runs;
  for (const RunRecord& run : all) {
    if (!is_trial(run)) runs.push_back(&run);
  }
  std::vector<Settings> settings;
  std::map<std::string, Counts> counts;
  std::map<std::string, size_t> sizes;
  for (const RunRecord* run : runs) {
    settings.push_back(setting_of(*run));
    ++sizes[run->study];
    for (const auto& setting : settings.back()) ++counts[run->study][setting];
  }
  Json shared = Json::object();
  for (const auto& [study, of_study] : counts) {
    shared[study] = Json::object();
    for (const auto& [setting, count] : of_study) {
      if (count == sizes[study]) shared[study][setting.first] = setting.second;
    }
  }
  Numbered environments;
  Json list = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    const std::string& study = runs[i]->study;
    Json run = run_json(*runs[i], environments.number_of(environment_of(*runs[i])));
    Json& own = run["settings"] = Json::object();
    for (const auto& setting : settings[i]) {
      if (counts[study][setting] != sizes[study]) own[setting.first] = setting.second;
    }
    list.push_back(std::move(run));
  }
  return {{"list", std::move(list)},
          {"shared", std::move(shared)},
          {"environments", environments.all()}};
}

}  // namespace relbias::results
