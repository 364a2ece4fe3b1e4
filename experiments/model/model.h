// SPDX-License-Identifier: Apache-2.0
// experiments/model: the front door of all models: built from a config, fed with batches.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encodings/initialiser.h"
#include "experiments/model/monitor.h"
#include "modalities/modality.h"

namespace relbias::experiments {

/// Raised where a default of [model] changes, or what a model of some settings computes.
inline constexpr int64_t model_version = 1;

/// One encoding on one relation.
struct PositionConfig {
  Options encoding;
  Options relation;  // without a name: the task's own

  /// As written in a config: `t5 num_buckets=8`, `token`.
  PositionConfig(const std::string& encoding = "none", const std::string& relation = "");

  /// The relation, where it has no name that of the task.
  Options relation_or(const std::string& of_task) const;
};

/// The table [model] of a study.
struct ModelConfig {
  int64_t layers = 2;
  int64_t width = 128;  // C
  int64_t heads = 4;    // H, must divide the width
  int64_t mlp_ratio = 4;
  double dropout = 0.0;
  std::vector<PositionConfig> positions{{}};
  std::string scale = "rsqrt";        // rsqrt: 1/sqrt(D) | none: 1 | a number
  std::string length_scale = "none";  // none | log: times ln(keys)/ln(trained keys)
  std::string pattern = "full";       // full | window size=4 shift=true (pattern.h)
  std::string readout = "mean";       // mean | max | class: what answers for a whole sample
  std::string backend = "auto";       // auto | reference | fused
};

/// A term that an encoding has learned, read for every id of its relation at the trained size.
struct LearnedTerm {
  std::string layer;     // "0", "1", ..., "pointer" (of an output head), or "shared"
  std::string term;      // score, key, query, value
  std::string relation;  // as tables show it, `token`
  Tensor values;         // [H, R(, D)]
  Tensor offsets;   // [R, A] float32, where the ids stand; undefined: the relation has no place
  Tensor special;   // [R] int64: which special id, -1 none; undefined: none at all
  Tensor attended;  // [R] bool: whether any query may attend so; undefined: not known
  std::vector<std::string> special_ids;
  std::vector<std::string> places;  // names of the axes; empty: the one is `offset`
};

/// A transformer for one task: causal or not, with a head for every question. Runs on the device
/// its parameters are on.
class Model : public torch::nn::Module {
 public:
  /// The batch with random positions drawn where a relation asks for them (`token randomize=512`);
  /// they travel in the batch.
  virtual Batch with_random_positions(const Batch& batch, at::Generator generator) const = 0;
  /// The outputs of every question: categories [B, T, outputs], numbers [B, T], pointers [B, T, N]
  /// (experiments/model/transformer/head.h). Of the answers only candidates and pooled tokens are
  /// read.
  virtual std::vector<Tensor> forward(const Batch& batch) = 0;
  /// Why the model has no meaning on such samples (`learned` past its table), or nothing.
  virtual std::optional<std::string> undefined_at(const Structure& sample) = 0;
  /// Parameters that belong to encodings, with their learning-rate factor.
  virtual std::vector<std::pair<Tensor, double>> position_parameters() = 0;
  virtual std::vector<LearnedTerm> learned_terms() = 0;
  /// What every layer's attention does on these samples.
  virtual AttentionMonitor watched(const Batch& batch) = 0;
  /// Floating-point operations of one forward pass over a sample (a multiply-add counts two).
  virtual double forward_flops(int64_t size) const = 0;
  /// The first module whose output on these samples is not finite: `embedding`, `block1.attention`,
  /// `block1.other attention`, `block1.mlp`, `output`; "": all are.
  virtual std::string first_non_finite(const Batch& batch) = 0;
  /// The attention that ran: `reference` or `fused`.
  virtual std::string backend() const = 0;
};

/// `trained` is the structure of the largest training sample. Throws InputError where the config
/// has no meaning: heads that do not divide the width, an encoding undefined on its relation.
std::shared_ptr<Model> make_model(const ModelConfig& config, const TaskEntry& entry,
                                  const TaskTraits& task, const Structure& trained,
                                  const Initialiser& initial);

/// `t5 num_buckets=8@token + table@tree`: what tables and logs show.
std::string position_label(const ModelConfig& config);

}  // namespace relbias::experiments
