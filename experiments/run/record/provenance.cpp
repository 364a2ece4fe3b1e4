// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: by what program, on what machine and data a run is made.
#include "experiments/run/record/provenance.h"

#include <fmt/format.h>

#include <fstream>

#include "experiments/version.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

void compare(const std::string& what, const std::string& here, const std::string& begun,
             std::vector<std::string>& found) {
  if (here != begun)
    found.push_back(fmt::format("{} {}, not {}", what, or_none(here), or_none(begun)));
}

}  // namespace

void stamp(RunRecord& record) {
  record.commit = git_commit();
  record.uncommitted = uncommitted_changes();
  record.versions = {
      {"libtorch", libtorch_version()}, {"compiler", compiler_version()}, {"hdf5", hdf5_version()}};
  record.cpu = cpu_model();
}

std::vector<std::string> differences(const RunRecord& begun, const RunRecord& here) {
  std::vector<std::string> found;
  compare("commit", here.commit, begun.commit, found);
  compare("uncommitted changes", here.uncommitted, begun.uncommitted, found);
  for (const auto& [name, version] : here.versions) {
    const auto other = begun.versions.find(name);
    compare(name, version, other == begun.versions.end() ? "" : other->second, found);
  }
  compare("data", here.dataset_hash, begun.dataset_hash, found);
  compare("device", here.device, begun.device, found);
  return found;
}

bool is_same_cpu(const RunRecord& begun, const RunRecord& here) {
  return begun.cpu.empty() || here.cpu.empty() || begun.cpu == here.cpu;
}

}  // namespace relbias::experiments
