// SPDX-License-Identifier: Apache-2.0
// experiments/run: one training step, and what is kept of it.
#include "experiments/run/trainer.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "encodings/attention/memory.h"
#include "experiments/run/loss.h"
#include "experiments/run/schedule.h"

namespace relbias::experiments {

using torch::Tensor;

namespace {

int64_t tokens_of(const Batch& batch) {
  return batch.valid.defined() ? batch.valid.sum().item<int64_t>()
                               : batch.inputs.size(0) * batch.inputs.size(1);
}

// The norm of all gradients together; where it is finite, they are scaled down to at most `clip`.
double clip_gradients(const std::vector<Tensor>& parameters, double clip) {
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  const double norm = at::stack(at::_foreach_norm(gradients)).norm().item<double>();
  if (clip > 0 && std::isfinite(norm) && norm > clip) at::_foreach_mul_(gradients, clip / norm);
  return norm;
}

// A batch that cannot fit must not get to an allocator that overcommits. What every layer keeps of
// every token for the way back, float32: a lower bound. Binned samples may have one token.
void check_memory_of(const RunConfig& config, const Experiment& experiment) {
  if (!experiment.model->parameters().front().device().is_cpu()) return;
  const int64_t size = *std::ranges::max_element(config.train.sizes);
  const int64_t tokens = experiment.traits.binned ? 1 : experiment.task->tokens(size);
  double bytes = sizeof(float);
  for (const int64_t factor : {config.train.batch, tokens, config.model.width,
                               std::max<int64_t>(1, config.model.layers)}) {
    bytes *= static_cast<double>(factor);
  }
  const auto available = static_cast<double>(main_memory());
  if (bytes <= available) return;
  input_error(
      "train.batch {}: a step on so many samples of {} tokens needs more than {:.3g} GB, "
      "this machine has {:.3g} GB",
      config.train.batch, tokens, bytes / 1e9, available / 1e9);
}

}  // namespace

Batch to_device_of(Model& model, const Batch& batch) {
  const torch::Device device = model.parameters().front().device();
  return batch.each([&](const Tensor& tensor) { return tensor.to(device); });
}

Trainer::Trainer(const RunConfig& config, Experiment& experiment)
    : config_(config),
      experiment_(experiment),
      optimiser_(make_optimiser(config.train,
                                parameter_groups(*experiment.model, config.train.weight_decay))) {
  check_memory_of(config, experiment);
}

Tensor Trainer::loss(const Batch& batch) {
  const auto seed = static_cast<uint64_t>(config_.seed);
  at::manual_seed(stream_seed(seed, "dropout", static_cast<uint64_t>(step_)));
  const std::vector<Tensor> outputs = experiment_.model->forward(batch);
  Tensor sum;
  for (size_t n = 0; n < outputs.size(); ++n) {
    const Tensor one =
        question_loss(experiment_.traits.questions[n], outputs[n], batch.answers[n]).mean();
    sum = sum.defined() ? sum + one : one;
  }
  return sum;
}

StepReport Trainer::advance() {
  Model& model = *experiment_.model;
  const TrainingRequest request{.size = training_size(config_, step_),
                                .batch = config_.train.batch,
                                .seed = static_cast<uint64_t>(config_.seed),
                                .step = static_cast<uint64_t>(step_)};
  const Batch whole = model.with_random_positions(experiment_.task->training(request),
                                                  stream(request.seed, "positions", request.step));
  const Batch batch = to_device_of(model, share_of(whole, request));

  model.train();
  model.zero_grad();
  const Tensor mean_loss = loss(batch);
  StepReport report{.loss = mean_loss.item<double>(),
                    .learning_rate = learning_rate(config_.train, step_),
                    .gradient_norm = std::numeric_limits<double>::quiet_NaN(),
                    .tokens = tokens_of(batch)};
  if (std::isfinite(report.loss)) {
    mean_loss.backward();
    report.gradient_norm = clip_gradients(model.parameters(), config_.train.clip);
  }
  if (!std::isfinite(report.gradient_norm)) {
    throw Diverged(fmt::format("step {}: {}", step_ + 1, source_of_divergence(batch, mean_loss)));
  }
  optimiser_->step(report.learning_rate);
  ++step_;
  return report;
}

// The way back is gone once more: the first gradient in time is where it comes from, and all that
// lies before it in the model has it from there.
std::string Trainer::first_gradient(const Batch& batch) {
  Model& model = *experiment_.model;
  model.zero_grad();
  std::string first;
  std::vector<std::pair<Tensor, unsigned>> hooks;
  for (const auto& item : model.named_parameters()) {
    const Tensor& parameter = item.value();
    hooks.emplace_back(parameter,
                       parameter.register_hook([&first, name = item.key()](Tensor gradient) {
                         if (first.empty() && !at::isfinite(gradient).all().item<bool>()) {
                           first = name;
                         }
                       }));
  }
  loss(batch).backward();
  for (const auto& [parameter, hook] : hooks) parameter.remove_hook(hook);
  return first;
}

std::string Trainer::source_of_divergence(const Batch& batch, const Tensor& loss) {
  for (const auto& parameter : experiment_.model->named_parameters()) {
    if (!at::isfinite(parameter.value()).all().item<bool>()) {
      return fmt::format("parameter {} is not finite", parameter.key());
    }
  }
  if (!std::isfinite(loss.item<double>())) {
    const std::string module = experiment_.model->first_non_finite(batch);
    return fmt::format("the output of {} is not finite", module.empty() ? "the loss" : module);
  }
  const std::string first = first_gradient(batch);
  return first.empty() ? "the norm of the gradient is not finite"
                       : fmt::format("the gradient of {} is not finite", first);
}

NamedTensors Trainer::state() const {
  NamedTensors tensors = optimiser_->state();
  for (const auto& item : experiment_.model->named_parameters()) {
    tensors.emplace_back("model." + item.key(), item.value());
  }
  for (const auto& item : experiment_.model->named_buffers()) {
    tensors.emplace_back("model." + item.key(), item.value());
  }
  return tensors;
}

}  // namespace relbias::experiments
