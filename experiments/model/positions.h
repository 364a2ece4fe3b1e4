// SPDX-License-Identifier: Apache-2.0
// experiments/model: the encodings of a model on their relations, evaluated for a batch.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "encodings/encoding.h"
#include "experiments/model/model.h"

namespace relbias::experiments {

/// What the encodings of a model are built for, beside the config.
struct PositionContext {
  int64_t layers;    // blocks
  int64_t pointers;  // output heads with scores of their own, numbered after the blocks
  int64_t heads;
  int64_t width;
  bool causal;
  std::string default_relation;  // of the task
  Structure trained;
  std::vector<Tensor> groups{};  // [N] of the trained sample, one a layer: within them it attends;
                                 // none: everywhere
};

/// What a user should know of these positions before believing a number: rotations by coordinates
/// that are eigenvectors. One sentence a position, or none.
std::vector<std::string> position_caveats(const std::vector<PositionConfig>& configs,
                                          const std::string& default_relation);

/// All encodings of a model. An encoding with terms has an instance a layer, or one for all with
/// `shared=true`; one that changes token embeddings has a single instance.
class Positions : public torch::nn::Module {
 public:
  Positions(const std::vector<PositionConfig>& configs, const PositionContext& context,
            const Initialiser& initial);

  /// The samples' structures with what relations leave to chance drawn, one a sample.
  std::vector<Structure> with_random_positions(const std::vector<Structure>& structures,
                                               int64_t samples, at::Generator& generator) const;
  /// The relations of a batch, one map a position config. Maps of whole shapes are kept, those of
  /// single samples are not. Queries and keys may differ: samples then have as many more keys.
  std::vector<RelationMap> relations(const std::vector<Structure>& structures, BatchTokens tokens,
                                     c10::Device device);
  /// What encodings add to the embeddings before block `block`, [B, N, C].
  Tensor on_tokens(Tensor embeddings, int64_t block, const std::vector<RelationMap>& relations);
  std::vector<Position> terms(int64_t layer, const std::vector<RelationMap>& relations);

  std::optional<std::string> undefined_at(const Structure& sample);
  std::vector<std::pair<Tensor, double>> parameters_and_rates();
  std::vector<LearnedTerm> learned_terms();

 private:
  struct Pair {
    std::unique_ptr<Relation> relation;
    Options options;  // of the relation
    RelationMap trained;
    Tensor met{};  // [R] bool: rows by which evaluated samples attend; undefined: none was seen
    bool on_tokens;
    int64_t after_block;
    std::vector<std::shared_ptr<Encoding>> encodings;  // one a layer, or one
    std::map<std::vector<int64_t>, RelationMap> maps;  // by shape
  };
  RelationMap map_of(Pair& pair, const std::vector<Structure>& structures, BatchTokens tokens,
                     c10::Device device);
  /// One map for all samples, kept where it depends on nothing but a shape.
  RelationMap shared_map(Pair& pair, const Structure& sample, c10::Device device);
  static RelationMap some_map(const Relation& relation, const Structure& sample);
  Encoding& encoding_of(Pair& pair, int64_t layer);
  /// Of a relation whose samples differ: notes the rows by which those of an evaluation attend that
  /// are no larger than the trained one.
  void note_met(Pair& pair, const RelationMap& map, const std::vector<Structure>& samples) const;
  /// Which rows of a relation some query may attend by, [R] bool; undefined: not known.
  Tensor attended_rows(const Pair& pair) const;
  std::string layer_name(const Pair& pair, int64_t layer) const;
  // What tells its terms from those of other pairs of the relation: ` t5`, ` t5 1`, or nothing.
  std::string names_beside(const Pair& pair) const;

  std::vector<Pair> pairs_;
  int64_t layers_;
  bool causal_;
  std::vector<Tensor> groups_;
};

}  // namespace relbias::experiments
