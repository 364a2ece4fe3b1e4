// SPDX-License-Identifier: Apache-2.0
// modalities: batches as a whole.
#include "modalities/modality.h"

#include <algorithm>

namespace relbias::modalities {

const Structure& Batch::largest() const {
  return *std::max_element(structures.begin(), structures.end(),
                           [](const auto& a, const auto& b) { return a.keys < b.keys; });
}

Batch Batch::each(const std::function<Tensor(const Tensor&)>& change) const {
  Batch changed = *this;
  const auto apply = [&](Tensor& tensor) {
    if (tensor.defined()) tensor = change(tensor);
  };
  apply(changed.inputs);
  apply(changed.valid);
  if (changed.read_too) {
    apply(changed.read_too->inputs);
    apply(changed.read_too->valid);
  }
  for (Answers& answer : changed.answers) {
    apply(answer.targets);
    apply(answer.scored);
    apply(answer.candidates);
    apply(answer.pooled);
    apply(answer.guesses);
    apply(answer.guess_nats);
  }
  return changed;
}

Batch Batch::rows(int64_t first, int64_t count) const {
  Batch some = each([&](const Tensor& tensor) { return tensor.narrow(0, first, count); });
  const auto narrow = [&](std::vector<Structure>& of) {
    if (of.size() > 1) of = {of.begin() + first, of.begin() + first + count};
  };
  narrow(some.structures);
  if (some.read_too) narrow(some.read_too->structures);
  return some;
}

Batch share_of(const Batch& whole, const TrainingRequest& request) {
  if (request.processes == 1) return whole;
  const int64_t samples = whole.inputs.size(0), share = samples / request.processes;
  if (share == 0 || share * request.processes != samples) {
    input_error("{} samples a step, a multiple of the {} processes expected", samples,
                request.processes);
  }
  return whole.rows(request.rank * share, share);
}

Structure Task::trained(int64_t size, uint64_t seed) const {
  const int64_t some = traits().binned ? 64 : 1;
  return training({.size = size, .batch = some, .seed = seed, .step = 0}).largest();
}

void check_counts(const EvaluationRequest& request, const std::string& task) {
  if (request.samples >= 1 && request.batch >= 1) return;
  input_error("{}evaluation of {} samples in batches of {}, at least 1 of each expected",
              task.empty() ? "" : task + ": ", request.samples, request.batch);
}

Options parse_task(const std::string& text) {
  return parse_options("task", text, find_entry("task", option_name(text), task_entries()).options);
}

Options parse_dataset(const std::string& text) {
  return parse_options("dataset", text,
                       find_entry("dataset", option_name(text), dataset_entries()).options);
}

}  // namespace relbias::modalities
