// SPDX-License-Identifier: Apache-2.0
// experiments/model/transformer: a transformer that reads tokens and answers the questions of its
// task.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "experiments/model/pattern.h"
#include "experiments/model/positions.h"
#include "experiments/model/scale.h"
#include "experiments/model/transformer/block.h"
#include "experiments/model/transformer/embedding.h"
#include "experiments/model/transformer/head.h"

namespace relbias::experiments {
namespace {

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

// A pointer from token to token has position terms of its own.
bool has_scores(const Question& question) {
  return question.kind == Question::Kind::pointer && question.about == Question::About::token;
}

// With the class token that the model itself puts before the tokens of the task.
Structure with_class_token(Structure sample) {
  if (sample.class_token) return sample;
  sample.class_token = true;
  ++sample.queries;
  ++sample.keys;
  return sample;
}

class Transformer final : public Model {
 public:
  Transformer(const ModelConfig& config, const TaskTraits& task, const PositionContext& context,
              const Initialiser& initial)
      : config_(config),
        task_(task),
        class_token_(config.readout == "class"),
        pattern_(config.pattern) {
    pattern_.check(context.trained);
    embedding_ = register_module(
        "embedding", std::make_shared<Embedding>(task, config.width, class_token_, initial));
    PositionContext placed = context;
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      placed.groups.push_back(pattern_.groups(context.trained, layer));
    }
    placed.groups.resize(static_cast<size_t>(config.layers + context.pointers));  // these see all
    positions_ = register_module("positions", std::make_shared<Positions>(config.positions, placed,
                                                                          initial.in("positions")));
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      const std::string name = fmt::format("block{}", layer);
      blocks_.push_back(register_module(name, std::make_shared<Block>(config, initial.in(name))));
    }
    gain_ = register_parameter("gain", initial.constant({config.width}, 1.0));
    for (const Question& question : task.questions) {
      std::string name = question.name.empty() ? "head" : "head_" + question.name;
      std::ranges::replace(name, '.', ':');  // LibTorch allows modules no dot, tables do columns
      const Tensor tied = task.tied_outputs && heads_.empty() ? embedding_->table() : Tensor();
      heads_.push_back(register_module(
          name, std::make_shared<Head>(question, config, tied, initial.in(question.name))));
    }
    attention_.causal = task.causal;
    attention_.scale = scale_in(config.scale);
    attention_.backend = backend_from(config.backend);
    attention_.dropout = config.dropout;
    if (config.length_scale == "log") attention_.length_scale_keys = context.trained.keys;
  }

  std::vector<Tensor> forward(const Batch& batch) override { return run(batch, {}); }

  AttentionMonitor watched(const Batch& batch) override {
    const at::NoGradGuard no_gradients;
    AttentionMonitor monitor(config_.layers);
    for (int64_t b = 0; b < batch.inputs.size(0); ++b) {
      const Batch sample = sample_of(batch, b);
      encode(sample, placed(sample), {}, &monitor);
    }
    return monitor;
  }

  std::string first_non_finite(const Batch& batch) override {
    const at::NoGradGuard no_gradients;
    std::string first;
    run(batch, [&](const std::string& name, const Tensor& output) {
      if (first.empty() && !at::isfinite(output).all().item<bool>()) first = name;
    });
    return first;
  }

  std::optional<std::string> undefined_at(const Structure& sample) override {
    return positions_->undefined_at(class_token_ ? with_class_token(sample) : sample);
  }
  std::vector<std::pair<Tensor, double>> position_parameters() override {
    return positions_->parameters_and_rates();
  }
  std::vector<LearnedTerm> learned_terms() override { return positions_->learned_terms(); }

  Batch with_random_positions(const Batch& batch, at::Generator generator) const override {
    Batch result = batch;
    result.structures = positions_->with_random_positions(structures(batch.structures),
                                                          batch.inputs.size(0), generator);
    return result;
  }

  double forward_flops(int64_t size) const override {
    const auto tokens = static_cast<double>(size + class_token_),
               width = static_cast<double>(config_.width);
    const double matrices = 2.0 * width * width * static_cast<double>(4 + 2 * config_.mlp_ratio);
    const double attention = 4.0 * tokens * width;
    double heads = 0;
    for (const Question& question : task_.questions) {
      const bool pointer = question.kind == Question::Kind::pointer;
      const double answers = question.about == Question::About::sample ? 1.0 : tokens;
      heads += pointer ? 2.0 * width * (width * (tokens + answers) + tokens * answers)
                       : 2.0 * width * answers * static_cast<double>(question.outputs);
    }
    const double inputs = 2.0 * width * static_cast<double>(task_.features);
    return tokens * (static_cast<double>(config_.layers) * (matrices + attention) + inputs) + heads;
  }

  std::string backend() const override {
    return blocks_.empty() || blocks_.front()->backend() == Backend::reference ? "reference"
                                                                               : "fused";
  }

 private:
  // Where the tokens of a batch stand, and which may attend.
  struct Placed {
    std::vector<RelationMap> relations;
    Tensor valid;  // [B, N] bool; undefined: all
    AttentionOptions attention;
    std::vector<Tensor> groups;  // of the pattern in every layer, [N] int64; undefined: one
  };

  std::vector<Structure> structures(std::vector<Structure> samples) const {
    if (class_token_) {
      for (Structure& sample : samples) sample = with_class_token(sample);
    }
    return samples;
  }

  Placed placed(const Batch& batch) {
    const c10::Device device = embedding_->device();
    const int64_t size = batch.inputs.size(1) + class_token_;
    std::vector<Structure> with_class;  // a graph's edges are not copied for nothing
    if (class_token_) with_class = structures(batch.structures);
    const auto& placed_structures = class_token_ ? with_class : batch.structures;
    Placed place{.relations = positions_->relations(placed_structures, size, device),
                 .valid = {},
                 .attention = attention_,
                 .groups = {}};
    for (int64_t layer = 0; layer < config_.layers; ++layer) {
      const Tensor groups = pattern_.groups(placed_structures.front(), layer);
      place.groups.push_back(groups.defined() ? groups.to(device) : groups);
    }
    if (!batch.valid.defined()) return place;
    place.valid = batch.valid.to(device);
    if (class_token_) place.valid = at::constant_pad_nd(place.valid, {1, 0}, true);
    place.attention.valid_keys = place.valid;
    for (auto& relation : place.relations) relation = counted_from_first(relation, place.valid);
    return place;
  }

  // Padding and the layer's pattern together.
  static AttentionOptions attention_in(const Placed& place, size_t layer) {
    AttentionOptions attention = place.attention;
    attention.groups = place.groups[layer];
    return attention;
  }

  // What the blocks make of the inputs, normed, [B, N, C].
  Tensor encode(const Batch& batch, const Placed& place, const Probe& probe,
                AttentionMonitor* monitor) {
    const Tensor padding =
        place.valid.defined() ? place.valid.bitwise_not().unsqueeze(2) : Tensor();  // [B, N, 1]
    const auto without_padding = [&](const Tensor& x) {
      return padding.defined() ? x.masked_fill(padding, 0.0) : x;
    };
    Tensor x = without_padding(embedding_->forward(batch.inputs.to(embedding_->device())));
    x = without_padding(positions_->on_tokens(x, 0, place.relations));
    if (probe) probe("embedding", x);
    for (size_t layer = 0; layer < blocks_.size(); ++layer) {
      const auto number = static_cast<int64_t>(layer);
      const auto terms = positions_->terms(number, place.relations);
      const Watch watch{monitor, number, place.relations.data(), place.valid};
      const Probe inner = !probe ? Probe{} : [&](const std::string& part, const Tensor& output) {
        probe(fmt::format("block{}.{}", layer, part), output);
      };
      x = without_padding(
          blocks_[layer]->forward(x, terms, attention_in(place, layer), inner, watch));
      x = positions_->on_tokens(x, number + 1, place.relations);
    }
    return root_mean_square_norm(x, gain_);
  }

  std::vector<Tensor> run(const Batch& batch, const Probe& probe) {
    const Placed place = placed(batch);
    Encoded encoded{.tokens = encode(batch, place, probe, nullptr),
                    .valid = place.valid,
                    .class_token = class_token_,
                    .positions = {}};
    std::vector<Tensor> outputs;
    int64_t attention = config_.layers;  // pointers score after the blocks
    for (size_t n = 0; n < heads_.size(); ++n) {
      const bool scores = has_scores(heads_[n]->question());
      if (scores) encoded.positions = positions_->terms(attention++, place.relations);
      const Answers none, &answers = batch.answers.empty() ? none : batch.answers.at(n);
      outputs.push_back(heads_[n]->forward(encoded, answers, place.attention));
      if (probe) probe("output", outputs.back());
    }
    return outputs;
  }

  const ModelConfig config_;
  const TaskTraits task_;
  const bool class_token_;
  const Pattern pattern_;
  AttentionOptions attention_;
  std::shared_ptr<Embedding> embedding_;
  std::shared_ptr<Positions> positions_;
  std::vector<std::shared_ptr<Block>> blocks_;
  Tensor gain_;  // [C]
  std::vector<std::shared_ptr<Head>> heads_;
};

void check_readout(const ModelConfig& config, const TaskTraits& task) {
  const bool asked = std::any_of(
      task.questions.begin(), task.questions.end(),
      [](const Question& question) { return question.about == Question::About::sample; });
  if (config.readout == "class" && !asked) {
    input_error("model.readout: class found, but the task asks nothing about a whole sample");
  }
}

}  // namespace

std::shared_ptr<Model> make_model(const ModelConfig& config, const TaskEntry& entry,
                                  const TaskTraits& task, const Structure& trained,
                                  const Initialiser& initial) {
  check_config(config);
  check_readout(config, task);
  const PositionContext context{
      .layers = config.layers,
      .pointers = std::count_if(task.questions.begin(), task.questions.end(), has_scores),
      .heads = config.heads,
      .width = config.width,
      .causal = task.causal,
      .default_relation = entry.relation,
      .trained = config.readout == "class" ? with_class_token(trained) : trained};
  return std::make_shared<Transformer>(config, task, context, initial);
}

Options PositionConfig::relation_or(const std::string& of_task) const {
  return relation.name().empty() ? parse_relation(of_task) : relation;
}

PositionConfig::PositionConfig(const std::string& encoding_text, const std::string& relation_text)
    : encoding(parse_encoding(encoding_text)),
      relation(relation_text.empty() ? Options() : parse_relation(relation_text)) {}

std::string position_label(const ModelConfig& config) {
  std::string label;
  for (const auto& position : config.positions) {
    if (!label.empty()) label += " + ";
    label += position.encoding.label();
    if (config.positions.size() > 1) label += "@" + position.relation.label();
  }
  return label;
}

}  // namespace relbias::experiments
