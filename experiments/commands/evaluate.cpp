// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias evaluate`, finished runs again at other sizes or variants.
#include <ATen/Parallel.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "experiments/commands/commands.h"
#include "experiments/run/evaluate_again.h"

namespace relbias::experiments {

void add_evaluate_command(CLI::App& app, int&) {
  struct Request {
    std::vector<std::string> files;
    EvaluationOrder order;
  };
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand(
      "evaluate", "Evaluate finished runs again, from the weights they kept (keep.weights)");
  command->add_option("RUN", request->files, "run files, *.h5")->required();
  command->add_option("--sizes", request->order.sizes, "instead of the run's own")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--variants", request->order.variants,
                   "options of the task changed, `segments=4`, instead of the run's own")
      ->delimiter(',');
  command->add_option("--device", request->order.device, "auto, cpu or cuda")
      ->capture_default_str();
  command->callback([request] {
    request->order.threads = at::get_num_threads();
    for (const std::string& file : request->files) {
      const int64_t added = evaluate_again(file, request->order);
      std::cout << file << ": " << added << " rows added" << std::endl;
    }
  });
}

}  // namespace relbias::experiments
