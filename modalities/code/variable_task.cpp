// SPDX-License-Identifier: Apache-2.0
// modalities/code: finding the reads that may be mistaken, once a function.
#include "modalities/code/variable_task.h"

namespace relbias::modalities {

bool VariableTask::suits(const Snippet& snippet) {
  Function function{local_variables(snippet), {}};
  function.slots = function.variables.mistakable();
  if (function.slots.size() < 2) return false;
  functions_.emplace(&snippet, std::move(function));
  return true;
}

}  // namespace relbias::modalities
