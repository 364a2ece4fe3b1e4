// SPDX-License-Identifier: Apache-2.0
// modalities: how key j stands to query i. A relation has no parameters and knows no encoding.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modalities/plain/options.h"
#include "modalities/sample_cache.h"

namespace relbias::modalities {

using at::Tensor;

/// What a modality knows of a sample beside the places of its tokens: edges, a syntax tree. Each
/// has a type of its own in its folder (modalities/graph/graph_structure.h).
struct Payload {
  virtual ~Payload() = default;
};

/// What one sample is made of, as far as position goes. A modality fills in what it has.
struct Structure {
  int64_t queries = 0;  // the last query stands at the last key
  int64_t keys = 0;
  Tensor positions{};            // [K] int64: position of every token where it is not its index
  std::vector<int64_t> sides{};  // of a grid of any number of axes, the last running fastest
  bool class_token = false;      // first of all, before the grid or the nodes: a token of no place
  double hop_seconds = 0;        // audio: seconds from one token to the next; 0: unknown
  std::string name{};            // `graph 17`, for messages
  std::shared_ptr<const Payload> payload{};  // shared by all copies, never changed; null: none
  std::shared_ptr<SampleCache> cache{};      // what relations computed for this sample; null: none
};

/// The payload of a sample as that of its modality; an empty one where it has none.
template <class Wanted>
const Wanted& payload_of(const Structure& sample) {
  static const Wanted none;
  const auto* const found = dynamic_cast<const Wanted*>(sample.payload.get());
  return found == nullptr ? none : *found;
}

/// The payload to be filled in: the sample's own, a copy of it where others share it.
template <class Wanted>
Wanted& edit_payload(Structure& sample) {
  auto own = std::dynamic_pointer_cast<const Wanted>(sample.payload);
  sample.payload.reset();
  auto editable = own.use_count() == 1 ? std::const_pointer_cast<Wanted>(std::move(own))
                                       : std::make_shared<Wanted>(own ? *own : Wanted());
  sample.payload = editable;
  return *editable;
}

/// How the id r(i,j) of a pair is stored.
enum class IndexClass {
  line,  // r = j - i + Q - 1: never materialised
  grid,  // one index [Q, K] for every sample
  pairs  // one index [Q, K] a sample
};

/// What a relation offers, known before any data is seen.
struct RelationTraits {
  IndexClass index_class = IndexClass::line;
  int64_t axes = 0;                        // signed offsets a pair: 1 line, 2 grid and tree
  bool distance = false;                   // a non-negative distance a pair
  int64_t ids = 0;                         // size of the finite id set; 0: grows with the input
  std::vector<std::string> special_ids{};  // ids without offset or distance, last in the id set
  int64_t features = 0;                    // real-valued features a pair
  int64_t coordinates = 0;                 // coordinates a token
  std::vector<std::string> places{};       // names of the axes, or of the distance; empty: `offset`
};

/// A relation evaluated: the id of every pair, and what each id means. Computed once per shape or
/// sample, shared by all layers and heads. Row r of the tables below describes id r.
///
/// Worked example, `token` with Q = K = 3: line, R = 5 rows with offsets -2 -1 0 1 2; pair (i, j)
/// has row j - i + 2, so query 1 uses the rows 1 2 3, offsets -1 0 1.
struct RelationMap {
  IndexClass index_class = IndexClass::line;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t rows = 0;          // R
  Tensor index;              // grid [Q, K], pairs [B, Q, K]; an integer type; line: undefined
  Tensor offsets;            // [R, A] float32, key - query on every axis; undefined: no axes
  Tensor distance;           // [R] float32, >= 0; undefined: no distance
  Tensor special;            // [R] int64: which special id a row is, -1 none; undefined: no such id
  Tensor features;           // [B|1, Q, K, F] float32
  Tensor query_coordinates;  // [B|1, Q, A] float32
  Tensor key_coordinates;    // [B|1, K, A] float32
  Tensor unplaced;           // [K] bool: keys without coordinates (class token); undefined: none
  std::vector<int64_t> sides;  // positions on every axis, against which a trained size is held
  double unit_seconds = 0;     // audio: one step of axis 0 in seconds

  RelationMap to(c10::Device device) const;
  /// r(i,j) of every pair, [1, Q, K] or [B, Q, K] int64.
  Tensor pair_rows() const;
};

/// Queries and keys of a batch, padding included.
struct BatchTokens {
  BatchTokens(int64_t tokens) : queries(tokens), keys(tokens) {}  // NOLINT: a size is one
  BatchTokens(int64_t queries_, int64_t keys_) : queries(queries_), keys(keys_) {}

  int64_t queries, keys;
};

/// Joins the maps of single samples into one batch; padding stands behind, and pairs with a padded
/// token get id 0, which a mask must hide. Line and grid maps are the same for all samples and
/// returned as is.
RelationMap stack(const std::vector<RelationMap>& samples, BatchTokens tokens);

/// Coordinates on a line counted from each sample's first real token, so that padding on the left
/// moves no absolute position: real tokens 0 0 1 1 1 stand at 0 1 2. Other maps are returned as is.
RelationMap counted_from_first(const RelationMap& map, const Tensor& valid);  // [B, N] bool

class Relation {
 public:
  virtual ~Relation() = default;
  virtual RelationTraits traits() const = 0;
  /// The ids and tables of one sample. Throws InputError where the structure lacks what it needs.
  virtual RelationMap map(const Structure& sample) const = 0;
  /// All that the map of a sample is made of, in numbers: samples of equal keys have equal maps,
  /// and one map serves them. Nothing: the map depends on what numbers do not hold, and is made
  /// anew.
  virtual std::optional<std::vector<int64_t>> map_key(const Structure&) const {
    return std::nullopt;
  }
  /// Whether a sample's positions are drawn at random (`token randomize=512`), in training and
  /// testing.
  virtual bool is_random() const { return false; }
  /// The sample with positions drawn for it; as it is where nothing is left to chance.
  virtual Structure with_random_positions(const Structure& sample, at::Generator&) const {
    return sample;
  }
  /// The structure that the relation's own options describe (`grid height=3 width=4`), or a small
  /// example; sizes given from outside must agree with it.
  virtual Structure structure(std::optional<int64_t> queries,
                              std::optional<int64_t> keys) const = 0;
};

struct RelationEntry {
  std::string name{};      // from the file name, set by the catalogue
  std::string modality{};  // from the folder, set by the catalogue
  int64_t version = 1;     // raised where a default changes, or what it computes
  std::string summary;     // what r is
  std::string example;     // three or four tokens, worked
  std::vector<OptionSpec> options{};
  std::function<std::unique_ptr<Relation>(const Options&)> make;
};

/// All relations, in the order of their names. Generated from the files in modalities/*/relations/.
const std::vector<RelationEntry>& relation_entries();

/// Reads `token`, `grid height=3 width=4 class_token=true`.
Options parse_relation(const std::string& text);

std::unique_ptr<Relation> make_relation(const Options& relation);
std::unique_ptr<Relation> make_relation(const std::string& text);

/// The size that a model on `relation` was trained at, in tokens, `16`, or, where a number of
/// tokens is not enough, as the relation itself: `grid height=2 width=2`. Both as written by the
/// user.
struct TrainedAt {
  std::unique_ptr<Relation> relation;
  Structure structure;

  RelationMap map() const { return relation->map(structure); }
};
TrainedAt trained_at(const std::string& relation, const std::string& trained);

}  // namespace relbias::modalities
