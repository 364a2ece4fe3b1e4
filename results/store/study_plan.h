// SPDX-License-Identifier: Apache-2.0
// results/store: which runs a study consists of, also those that never began.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "results/record.h"

namespace relbias::results {

/// What is known of a run before it begins; the fields are those of a RunRecord.
struct StudyRun {
  std::string id;
  std::string identity;
  std::map<std::string, std::string> settings{};
  std::vector<RecordedPosition> positions{};
  std::string task;
  std::string dataset;
  int64_t seed = 0;
  std::string role = "run";
  std::string tuning{};
};

/// `<folder>/<study>.plan.json` in the folder of a study's runs, which has its name.
std::filesystem::path plan_file(const std::filesystem::path& study_folder);

/// The runs that were planned into a study's folder, in the order of their first planning; none
/// where nothing was. Throws StoreError, naming the file, where it is damaged.
std::vector<StudyRun> read_study_plan(const std::filesystem::path& study_folder);

/// Adds runs to the plan; those of an id that it has take its place. The file is complete or
/// untouched, and of two processes that add at once neither loses what it adds. Throws StoreError.
void add_to_study_plan(const std::filesystem::path& study_folder,
                       const std::vector<StudyRun>& runs);

}  // namespace relbias::results
