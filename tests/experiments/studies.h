// SPDX-License-Identifier: Apache-2.0
// tests/experiments: small studies and configurations that train in a moment.
#pragma once

#include <string>

#include "experiments/study/study.h"

namespace relbias::experiments {

/// A study of lag-copy with a tiny model; `more` is added at its end.
inline std::string tiny_study(const std::string& more = "") {
  return R"(question = "does it run?"

[data]
task = "lag-copy"

[model]
layers = 1
width = 16
heads = 2
encoding = "t5"

[train]
size = 12
steps = 20
batch = 4
log_every = 1

[evaluate]
sizes = [12, 24]
samples = 8

)" + more;
}

/// The only run of a tiny study, with `key=value` settings replaced.
inline Run tiny_run(const std::vector<std::string>& set = {}) {
  const Study study = parse_study(tiny_study(), "tiny.toml");
  return expand(study, {.smoke = false, .set = set, .only = {}}).at(0);
}

/// The message of the InputError that `action` throws, or "" where it throws none.
template <class Action>
std::string input_error_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace relbias::experiments
