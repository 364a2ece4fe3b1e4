// SPDX-License-Identifier: Apache-2.0
// tests: small folders of source, and datasets and tasks made of them.
#pragma once

#include "modalities/code/code.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {

/// `dataset python-stdlib path=...` as a user writes it.
inline std::shared_ptr<CodeDataset> code_data(const std::string& text) {
  const auto& entry = find_entry("dataset", option_name(text), dataset_entries());
  const std::shared_ptr<Dataset> made = entry.make(parse_options("dataset", text, entry.options));
  return std::dynamic_pointer_cast<CodeDataset>(made);
}

/// A dataset whose files hold functions, a different one each.
inline std::shared_ptr<CodeDataset> code_of(const ScratchFolder& folder,
                                            const std::vector<std::string>& sources,
                                            const std::string& options = "") {
  for (size_t n = 0; n < sources.size(); ++n) {
    folder.write(fmt::format("f{}.py", n), sources[n]);
  }
  return code_data(fmt::format("source-tree path=\"{}\" {}", folder.path().string(), options));
}

inline std::unique_ptr<Task> code_task(const std::string& text, const Dataset* dataset = nullptr) {
  const auto& entry = find_entry("task", option_name(text), task_entries());
  return entry.make(parse_options("task", text, entry.options), dataset);
}

/// All evaluation samples of a size in one batch.
inline Batch evaluated(const Task& task, int64_t size, int64_t above = 0) {
  Batch all;
  task.evaluation({.size = size, .samples = 1000, .tokens = 0, .batch = 1000, .above = above},
                  [&](const Batch& batch) { all = batch; });
  return all;
}

}  // namespace relbias::modalities
