// SPDX-License-Identifier: Apache-2.0
// results/store: which runs a study consists of, also those that never began.
#include "results/store/study_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "results/schema.h"
#include "results/store/disk/run_file.h"

namespace relbias::results {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const StudyRun& run) {
  return {{"id", run.id},
          {"identity", run.identity},
          {"settings", run.settings},
          {"positions", ordered_json::parse(stored(run.positions))},
          {"task", run.task},
          {"dataset", run.dataset},
          {"seed", run.seed},
          {"role", run.role},
          {"tuning", run.tuning}};
}

StudyRun run_of(const ordered_json& json) {
  StudyRun run;
  json.at("id").get_to(run.id);
  json.at("identity").get_to(run.identity);
  json.at("settings").get_to(run.settings);
  restore(json.at("positions").dump(), run.positions);
  json.at("task").get_to(run.task);
  json.at("dataset").get_to(run.dataset);
  json.at("seed").get_to(run.seed);
  json.at("role").get_to(run.role);
  json.at("tuning").get_to(run.tuning);
  return run;
}

std::string text_of(const std::string& study, const std::vector<StudyRun>& runs) {
  ordered_json list = ordered_json::array();
  for (const StudyRun& run : runs) list.push_back(json_of(run));
  const ordered_json whole = {{"study", study}, {"runs", std::move(list)}};
  return whole.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// The right to write the plan. Others hold it for a moment only.
RunLock wait_for_lock(const std::filesystem::path& file) {
  constexpr int most_tries = 300;
  for (int tries = 1;; ++tries) {
    try {
      return RunLock(file);
    } catch (const StoreError&) {
      if (tries == most_tries) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

}  // namespace

std::filesystem::path plan_file(const std::filesystem::path& study_folder) {
  return study_folder / (study_folder.filename().string() + ".plan.json");
}

std::vector<StudyRun> read_study_plan(const std::filesystem::path& study_folder) {
  const std::filesystem::path file = plan_file(study_folder);
  std::error_code unreadable;
  if (!std::filesystem::exists(file, unreadable)) return {};
  const std::vector<char> bytes = file_bytes(file);
  std::vector<StudyRun> runs;
  try {
    const ordered_json whole = ordered_json::parse(bytes.begin(), bytes.end());
    for (const ordered_json& json : whole.at("runs")) {
      runs.push_back(run_of(json));
    }
  } catch (const ordered_json::exception& error) {
    throw StoreError(fmt::format("{}: no plan of a study: {}", file.string(), error.what()));
  }
  return runs;
}

void add_to_study_plan(const std::filesystem::path& study_folder,
                       const std::vector<StudyRun>& runs) {
  const std::filesystem::path file = plan_file(study_folder);
  const RunLock lock = wait_for_lock(file);
  std::vector<StudyRun> all = read_study_plan(study_folder);
  for (const StudyRun& run : runs) {
    const auto same = std::ranges::find(all, run.id, &StudyRun::id);
    if (same == all.end()) {
      all.push_back(run);
    } else {
      *same = run;
    }
  }
  replace_file(file, text_of(study_folder.filename().string(), all));
}

}  // namespace relbias::results
