// SPDX-License-Identifier: Apache-2.0
// modalities/code: what the tasks share that ask which variable is read.
#pragma once

#include <unordered_map>

#include "modalities/code/function_task.h"
#include "modalities/code/syntax/variables.h"

namespace relbias::modalities {

/// A task on functions with at least two reads that may be mistaken.
class VariableTask : public FunctionTask {
 protected:
  struct Function {
    Variables variables;
    std::vector<size_t> slots;  // Variables::mistakable()
  };

  using FunctionTask::FunctionTask;
  bool suits(const Snippet& snippet) final;
  const Function& function_of(const Snippet& snippet) const { return functions_.at(&snippet); }

 private:
  std::unordered_map<const Snippet*, Function> functions_;
};

}  // namespace relbias::modalities
