// SPDX-License-Identifier: Apache-2.0
// experiments/model: a transformer that reads tokens and answers at every token.
#include <ATen/ATen.h>

#include <charconv>
#include <cmath>

#include "experiments/model/block.h"
#include "experiments/model/positions.h"

namespace relbias {
namespace {

std::optional<double> scale_from(const std::string& word) {
  if (word == "rsqrt") return std::nullopt;
  if (word == "none") return 1.0;
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(number)) {
    input_error("model.scale: '{}' found, rsqrt, none or a number expected", word);
  }
  return number;
}

void check_config(const ModelConfig& config) {
  if (config.heads < 1 || config.width % config.heads != 0) {
    input_error("model.heads: {} found, a divisor of the width {} expected", config.heads,
                config.width);
  }
  if (config.length_scale != "none" && config.length_scale != "log") {
    unknown_word("value of model.length_scale", config.length_scale, {"none", "log"});
  }
}

Batch sample_of(const Batch& batch, int64_t b) {
  Batch sample;
  sample.inputs = batch.inputs.narrow(0, b, 1);
  if (batch.valid.defined()) sample.valid = batch.valid.narrow(0, b, 1);
  sample.structures = {batch.structures[batch.structures.size() == 1 ? 0 : static_cast<size_t>(b)]};
  return sample;
}

class Transformer final : public Model {
 public:
  Transformer(const ModelConfig& config, const TaskTraits& task, const PositionContext& context,
              const Initialiser& initial)
      : config_(config), task_(task) {
    // A tied table starts small enough for the output and is scaled up to N(0, 1) for the input.
    const double deviation =
        task.tied_outputs ? 1.0 / std::sqrt(static_cast<double>(config.width)) : 1.0;
    embedding_ = register_parameter(
        "embedding", initial.normal("embedding", {task.vocabulary, config.width}, deviation));
    positions_ = register_module("positions", std::make_shared<Positions>(config.positions, context,
                                                                          initial.in("positions")));
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string name = fmt::format("block{}", layer);
      blocks_.push_back(register_module(name, std::make_shared<Block>(config, initial.in(name))));
    }
    gain_ = register_parameter("gain", initial.constant({config.width}, 1.0));
    output_ = embedding_;
    if (!task.tied_outputs) {
      output_ = register_parameter(
          "output", initial.normal("output", {task.outputs, config.width},
                                   1.0 / std::sqrt(static_cast<double>(config.width))));
    }
    attention_.causal = task.causal;
    attention_.scale = scale_from(config.scale);
    attention_.backend = backend_from(config.backend);
    attention_.dropout = config.dropout;
    if (config.length_scale == "log") attention_.length_scale_keys = context.trained.keys;
  }

  Tensor forward(const Batch& batch) override { return run(batch, {}, nullptr); }

  AttentionMonitor watched(const Batch& batch) override {
    const at::NoGradGuard no_gradients;
    AttentionMonitor monitor(config_.layers);
    for (int64_t b = 0; b < batch.inputs.size(0); ++b) run(sample_of(batch, b), {}, &monitor);
    return monitor;
  }

  std::string first_non_finite(const Batch& batch) override {
    const at::NoGradGuard no_gradients;
    std::string first;
    run(
        batch,
        [&](const std::string& name, const Tensor& output) {
          if (first.empty() && !at::isfinite(output).all().item<bool>()) first = name;
        },
        nullptr);
    return first;
  }

  std::optional<std::string> undefined_at(const Structure& sample) override {
    return positions_->undefined_at(sample);
  }
  std::vector<std::pair<Tensor, double>> position_parameters() override {
    return positions_->parameters_and_rates();
  }
  std::vector<LearnedTerm> learned_terms() override { return positions_->learned_terms(); }

  Batch drawn(const Batch& batch, at::Generator generator) const override {
    Batch placed = batch;
    placed.structures = positions_->drawn(batch.structures, batch.inputs.size(0), generator);
    return placed;
  }

  double forward_flops(int64_t size) const override {
    const auto tokens = static_cast<double>(size), width = static_cast<double>(config_.width);
    const double matrices = 2.0 * width * width * static_cast<double>(4 + 2 * config_.mlp_ratio);
    const double attention = 4.0 * tokens * width;
    const double output = 2.0 * width * static_cast<double>(task_.outputs);
    return tokens * (static_cast<double>(config_.layers) * (matrices + attention) + output);
  }

  std::string backend() const override {
    return blocks_.empty() || blocks_.front()->backend() == Backend::reference ? "reference"
                                                                               : "fused";
  }

 private:
  Tensor run(const Batch& batch, const Probe& probe, AttentionMonitor* monitor) {
    const c10::Device device = embedding_.device();
    const Tensor inputs = batch.inputs.to(device);
    const int64_t size = inputs.size(1);
    auto relations = positions_->relations(batch.structures, size, device);
    AttentionOptions attention = attention_;
    Tensor padding;  // [B, N, 1]
    if (batch.valid.defined()) {
      const Tensor valid = batch.valid.to(device);
      padding = valid.bitwise_not().unsqueeze(2);
      attention.mask = valid.view({valid.size(0), 1, 1, size}).expand({-1, -1, size, -1});
      for (auto& relation : relations) relation = counted_from_first(relation, valid);
    }
    const auto without_padding = [&](const Tensor& x) {
      return padding.defined() ? x.masked_fill(padding, 0.0) : x;
    };
    Tensor x = at::embedding(embedding_, inputs);
    if (task_.tied_outputs) x = x * std::sqrt(static_cast<double>(config_.width));
    x = without_padding(positions_->on_tokens(x, 0, relations));
    if (probe) probe("embedding", x);
    for (size_t layer = 0; layer < blocks_.size(); ++layer) {
      const auto terms = positions_->terms(static_cast<int64_t>(layer), relations);
      const Watch watch{monitor, static_cast<int64_t>(layer), relations.data()};
      const Probe inner = !probe ? Probe{} : [&](const std::string& part, const Tensor& output) {
        probe(fmt::format("block{}.{}", layer, part), output);
      };
      x = without_padding(blocks_[layer]->forward(x, terms, attention, inner, watch));
      x = positions_->on_tokens(x, static_cast<int64_t>(layer) + 1, relations);
    }
    const Tensor logits = at::linear(root_mean_square_norm(x, gain_), output_);
    if (probe) probe("output", logits);
    return logits;
  }

  const ModelConfig config_;
  const TaskTraits task_;
  AttentionOptions attention_;
  Tensor embedding_;  // [vocabulary, C]
  std::shared_ptr<Positions> positions_;
  std::vector<std::shared_ptr<Block>> blocks_;
  Tensor gain_;    // [C]
  Tensor output_;  // [outputs, C]
};

}  // namespace

std::shared_ptr<Model> make_model(const ModelConfig& config, const TaskEntry& entry,
                                  const TaskTraits& task, const Structure& trained,
                                  const Initialiser& initial) {
  check_config(config);
  const PositionContext context{config.layers, config.heads,   config.width,
                                task.causal,   entry.relation, trained};
  return std::make_shared<Transformer>(config, task, context, initial);
}

std::string position_label(const ModelConfig& config, const TaskEntry& entry) {
  std::string label;
  for (const auto& position : config.positions) {
    if (!label.empty()) label += " + ";
    label += parse_encoding(position.encoding).label();
    if (config.positions.size() == 1) continue;
    label += "@" + (position.relation.empty() ? entry.relation : position.relation);
  }
  return label;
}

}  // namespace relbias
