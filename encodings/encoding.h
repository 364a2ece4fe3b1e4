// SPDX-License-Identifier: Apache-2.0
// encodings: what attention does with a relation. Learnable or fixed, blind to the modality.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encodings/initialiser.h"
#include "encodings/terms.h"
#include "modalities/relation.h"

namespace relbias::encodings {

/// What an encoding does with positions past the trained range.
///   extend       the formula goes on
///   clamp        the position counts as the last trained one
///   interpolate  the larger size is mapped onto the trained range
///   undefined    the result is recorded as undefined: neither a crash nor a number
enum class PastRange { extend, clamp, interpolate, undefined };
PastRange past_range_from(const std::string& word);

/// What an encoding is built for.
struct EncodingContext {
  int64_t heads = 0;
  int64_t head_width = 0;
  int64_t width = 0;  // of the model: heads * head_width
  bool causal = false;
  RelationTraits relation;
  RelationMap trained;  // of the largest size in training
};

/// Base of all encodings. Subclasses fill in compute_terms or compute_tokens; what all encodings
/// share (past range, alpha, special ids, one table for all heads, float32 tables) happens here.
class Encoding : public torch::nn::Module {
 public:
  Encoding(const Options& options, const EncodingContext& context, const Initialiser& initial);

  /// The position terms for a relation. Throws InputError where undefined_at gives a reason.
  Terms terms(const RelationMap& relation);
  /// Token embeddings with absolute positions added; most encodings return them as they are.
  Tensor tokens(const Tensor& embeddings,  // [B, N, C]
                const RelationMap& relation);
  /// Why this encoding has no meaning at a size, or nothing where it has.
  std::optional<std::string> undefined_at(const RelationMap& relation) const;

  /// Learning-rate factor of this encoding's parameters.
  double rate() const { return rate_; }

  // Position tables stay float32 in a bfloat16 model: at distance 512 and slope 0.5 two neighbours
  // have the same bfloat16 bias.
  using torch::nn::Module::to;
  void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false) override;
  void to(torch::Dtype dtype, bool non_blocking = false) override;

 protected:
  /// The terms of a relation whose offsets have been brought into range. Tables [1|H, R(, D)].
  virtual Terms compute_terms(const RelationMap& relation);
  /// Why numbers of this size would be none, beyond past_range: `xpos` past what float32 holds.
  virtual std::optional<std::string> undefined_size(const RelationMap&) const {
    return std::nullopt;
  }
  /// What is added to the embeddings, [B|1, N, C]; undefined: nothing.
  virtual Tensor compute_tokens(const Tensor& embeddings,  // [B, N, C]
                                const RelationMap& relation);

  /// Heads of what is learned: H, or 1 where `per_head=false`.
  int64_t table_heads() const { return table_heads_; }
  /// A learned table [table_heads, rows (, width)] from N(0, init_std^2), registered as a
  /// parameter.
  Tensor learned_table(const std::string& name, at::IntArrayRef row_shape);
  /// Ids without a distance (class token, unreachable, virtual node) get one learned scalar each,
  /// zero at the start, and no vector. For encodings whose formula needs a distance or an offset.
  void learn_special_ids();

  const Options options_;
  const EncodingContext context_;
  const Initialiser initial_;

 private:
  void replace_special(Terms& terms, const RelationMap& relation) const;
  void scale_by_alpha(Terms& terms) const;

  PastRange past_range_;
  int64_t table_heads_;
  double rate_;
  Tensor alpha_;    // [] undefined: off
  Tensor special_;  // [1|H, S] undefined: not learned or not there
};

/// What a relation must offer before an encoding means anything on it.
enum class Need {
  nothing,
  anything,    // offsets, a distance or features: any measure of a pair
  axes,        // signed offsets
  distance,    // a non-negative distance
  ids,         // a finite set of ids at the trained size
  features,    // real-valued features a pair
  coordinates  // coordinates a token
};

struct EncodingEntry {
  std::string name{};   // from the file name, set by the catalogue
  int64_t version = 1;  // raised where a default changes, or what it computes
  std::string formula;  // one or a few lines
  std::string source;   // paper, equation
  std::string initial;  // how its parameters start
  Need need = Need::nothing;
  bool on_tokens = false;   // adds to the token embeddings, once a model, instead of emitting terms
  int64_t after_block = 0;  // where it does so: 0 before the first block
  std::vector<PastRange> past_range{PastRange::extend};  // what it can do; the first is the default
  std::optional<double> init_std{};   // of its learned tables; nothing: it has none
  std::optional<bool> per_head{};     // default of the option; nothing: nothing learned has heads
  bool has_factor = true;             // `alpha` has a meaning; a rotation has no factor
  std::vector<OptionSpec> options{};  // its own; those shared by all are added by encoding_options
  /// Further reasons why it has no meaning with these options, beyond `need`.
  std::function<std::optional<std::string>(const Options&, const EncodingContext&)> undefined{};
  std::function<std::shared_ptr<Encoding>(const Options&, const EncodingContext&,
                                          const Initialiser&)>
      make;
};

/// Whether an option has another value than its default. A configuration writes every option out,
/// so that being written says nothing.
bool differs(const Options& options, const std::string& option);

/// All encodings, in the order of their names. Generated from the files in encodings/.
const std::vector<EncodingEntry>& encoding_entries();

/// Its own options and those that every encoding has.
std::vector<OptionSpec> encoding_options(const EncodingEntry& entry);

/// Reads `rope layout=half`.
Options parse_encoding(const std::string& text);

/// Why an encoding has no meaning on a relation, or nothing where it has.
std::optional<std::string> undefined_reason(const Options& encoding, const std::string& relation,
                                            const EncodingContext& context);

/// Builds an encoding. Throws InputError with the reason where it has no meaning on the relation.
std::shared_ptr<Encoding> make_encoding(const Options& encoding, const std::string& relation,
                                        const EncodingContext& context, const Initialiser& initial);

}  // namespace relbias::encodings
