// SPDX-License-Identifier: Apache-2.0
// encodings: what all encodings share: past range, alpha, special ids, reasons, construction.
#include "encodings/encoding.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/shared/past_range.h"

namespace relbias::encodings {
namespace {

const std::vector<std::string>& past_range_words() {
  static const std::vector<std::string> words{"extend", "clamp", "interpolate", "undefined"};
  return words;
}

std::string past_range_word(PastRange range) {
  return past_range_words()[static_cast<size_t>(range)];
}

std::optional<std::string> missing(Need need, const std::string& relation,
                                   const RelationTraits& traits) {
  const auto lacks = [&](const char* what) {
    return fmt::format("needs {}, which {} does not have", what, relation);
  };
  switch (need) {
    case Need::nothing:
      return std::nullopt;
    case Need::anything:
      if (traits.axes == 0 && !traits.distance && traits.features == 0) {
        return lacks("offsets, a distance or features");
      }
      break;
    case Need::axes:
      if (traits.axes == 0) return lacks("signed offsets");
      break;
    case Need::distance:
      if (!traits.distance) return lacks("a distance");
      break;
    case Need::ids:
      if (traits.ids == 0 && traits.axes == 0) return lacks("a finite set of ids");
      break;
    case Need::features:
      if (traits.features == 0) return lacks("real-valued features");
      break;
    case Need::coordinates:
      if (traits.coordinates == 0) return lacks("coordinates of every token");
      break;
  }
  return std::nullopt;
}

}  // namespace

PastRange past_range_from(const std::string& word) {
  const auto& words = past_range_words();
  const auto found = std::find(words.begin(), words.end(), word);
  TORCH_INTERNAL_ASSERT(found != words.end(), "past_range ", word);
  return static_cast<PastRange>(found - words.begin());
}

Encoding::Encoding(const Options& options, const EncodingContext& context,
                   const Initialiser& initial)
    : torch::nn::Module(options.name()),
      options_(options),
      context_(context),
      initial_(initial),
      past_range_(past_range_from(options.word("past_range"))),
      table_heads_(options.has("per_head") && !options.flag("per_head") ? 1 : context.heads),
      rate_(options.has("encoding_rate") ? options.real("encoding_rate") : 1.0) {
  if (options.has("alpha") && options.real("alpha") != 0) {
    alpha_ = register_parameter("alpha", initial.constant({}, options.real("alpha")));
  }
}

Tensor Encoding::learned_table(const std::string& name, at::IntArrayRef row_shape) {
  std::vector<int64_t> shape{table_heads_};
  shape.insert(shape.end(), row_shape.begin(), row_shape.end());
  return register_parameter(name, initial_.normal(name, shape, options_.real("init_std")));
}

void Encoding::learn_special_ids() {
  const auto count = static_cast<int64_t>(context_.relation.special_ids.size());
  if (count == 0) return;
  special_ = register_parameter("special", initial_.constant({table_heads_, count}, 0.0));
}

Terms Encoding::terms(const RelationMap& relation) {
  if (const auto reason = undefined_at(relation)) throw InputError(*reason);
  Terms terms = compute_terms(
      in_range(in_trained_steps(relation, context_.trained), context_.trained, past_range_));
  if (special_.defined()) replace_special(terms, relation);
  for (Tensor* table : {&terms.score, &terms.key, &terms.query, &terms.value}) {
    if (!table->defined() || table->size(0) == context_.heads) continue;
    std::vector<int64_t> shape = table->sizes().vec();
    shape[0] = context_.heads;
    *table = table->expand(shape);
  }
  if (alpha_.defined()) scale_by_alpha(terms);
  return terms;
}

Tensor Encoding::tokens(const Tensor& embeddings, const RelationMap& relation) {
  if (const auto reason = undefined_at(relation)) throw InputError(*reason);
  Tensor added = compute_tokens(embeddings, in_range(in_trained_steps(relation, context_.trained),
                                                     context_.trained, past_range_));
  if (!added.defined()) return embeddings;
  if (relation.unplaced.defined()) added = added.masked_fill(relation.unplaced.unsqueeze(1), 0.0);
  if (alpha_.defined()) added = added * alpha_;
  return embeddings + added.to(embeddings.scalar_type());
}

Terms Encoding::compute_terms(const RelationMap&) { return {}; }
Tensor Encoding::compute_tokens(const Tensor&, const RelationMap&) { return {}; }

std::optional<std::string> Encoding::undefined_at(const RelationMap& relation) const {
  const RelationMap steps = in_trained_steps(relation, context_.trained);
  if (past_range_ != PastRange::undefined || !is_past_range(steps, context_.trained)) {
    return undefined_size(steps);
  }
  return fmt::format("{} has no positions past the trained size: {} found, {} trained",
                     options_.name(), fmt::join(steps.sides, "x"),
                     fmt::join(context_.trained.sides, "x"));
}

void Encoding::replace_special(Terms& terms, const RelationMap& relation) const {
  TORCH_INTERNAL_ASSERT(relation.special.defined());
  const Tensor is_special = relation.special >= 0;  // [R]
  const Tensor learned = special_.index_select(1, relation.special.clamp_min(0));
  const Tensor score = terms.score.defined() ? terms.score : at::zeros_like(learned);
  terms.score = at::where(is_special, learned, score);
  bool indexed = false;
  for (Tensor* table : {&terms.key, &terms.query, &terms.value}) {
    if (!table->defined()) continue;
    if (!terms.table_rows.defined()) {
      *table = table->masked_fill(is_special.unsqueeze(1), 0.0);
      continue;
    }
    *table = at::constant_pad_nd(*table, {0, 0, 0, 1});  // a row of zeros behind
    indexed = true;
  }
  if (!indexed) return;
  terms.table_rows = terms.table_rows.masked_fill(is_special, terms.table_size);
  ++terms.table_size;
}

void Encoding::scale_by_alpha(Terms& terms) const {
  for (Tensor* table : {&terms.score, &terms.key, &terms.query, &terms.value}) {
    if (table->defined()) *table = *table * alpha_;
  }
  if (terms.dense) {
    terms.dense = [dense = terms.dense, alpha = alpha_](const Tensor& q, const Tensor& k,
                                                        const Tensor& mask) {
      return dense(q, k, mask) * alpha;
    };
  }
}

void Encoding::to(torch::Device device, torch::Dtype dtype, bool non_blocking) {
  Module::to(device, non_blocking);
  to(dtype, non_blocking);
}

void Encoding::to(torch::Dtype dtype, bool non_blocking) {
  if (dtype != torch::kBFloat16 && dtype != torch::kHalf) Module::to(dtype, non_blocking);
}

// Beyond it float32 ends before long, and nothing learns.
constexpr double largest_factor = 1e6;

std::vector<OptionSpec> encoding_options(const EncodingEntry& entry) {
  std::vector<OptionSpec> specs = entry.options;
  std::vector<std::string> ranges;
  for (const PastRange range : entry.past_range) ranges.push_back(past_range_word(range));
  specs.push_back({"past_range", ranges.front(), "positions past the trained size", ranges});
  if (entry.init_std) {
    specs.push_back({"init_std",
                     *entry.init_std,
                     "standard deviation of the initial tables",
                     {},
                     0.0,
                     largest_factor});
  }
  if (entry.per_head) {
    specs.push_back({"per_head", *entry.per_head, "every head learns its own, else all share one"});
  }
  if (entry.has_factor) {
    specs.push_back({"alpha",
                     0.0,
                     "start of a learnable factor on the whole term; 0: no factor",
                     {},
                     -largest_factor,
                     largest_factor});
  }
  if (entry.init_std || entry.per_head || entry.has_factor) {
    if (!entry.on_tokens) {
      specs.push_back({"shared", false, "one set of parameters for all layers"});
    }
    specs.push_back({"encoding_rate",
                     1.0,
                     "learning rate of its parameters, as a factor",
                     {},
                     0.0,
                     largest_factor});
  }
  return specs;
}

Options parse_encoding(const std::string& text) {
  const auto& entry = find_entry("encoding", option_name(text), encoding_entries());
  return parse_options("encoding", text, encoding_options(entry));
}

bool differs(const Options& options, const std::string& option) {
  return (options.label() + ' ').find(fmt::format(" {}=", option)) != std::string::npos;
}

namespace {

// Options that all encodings share and that this one, here, has nothing to do with.
std::optional<std::string> unread_here(const EncodingEntry& entry, const Options& encoding,
                                       const std::string& relation,
                                       const EncodingContext& context) {
  if (differs(encoding, "past_range") && context.trained.sides.empty()) {
    return fmt::format("{} past_range={}: {} has no size that others could be past", entry.name,
                       encoding.word("past_range"), relation);
  }
  return std::nullopt;
}

// One set of parameters for all layers, or a rate of its own, where there are none. (The rate that
// a study gives to all encodings alike, `train.encoding_rate`, is the default here and does not
// differ.)
void refuse_of_parameters(const Options& encoding, const Encoding& built) {
  if (!built.parameters().empty()) return;
  for (const char* option : {"shared", "encoding_rate"}) {
    if (!encoding.has(option) || !differs(encoding, option)) continue;
    input_error("encoding {}: {} found, but it has no parameters", encoding.label(), option);
  }
}

}  // namespace

std::optional<std::string> undefined_reason(const Options& encoding, const std::string& relation,
                                            const EncodingContext& context) {
  const auto& entry = find_entry("encoding", encoding.name(), encoding_entries());
  if (const auto reason = missing(entry.need, relation, context.relation)) {
    return fmt::format("{} {}", entry.name, *reason);
  }
  if (const auto reason = unread_here(entry, encoding, relation, context)) return reason;
  return entry.undefined ? entry.undefined(encoding, context) : std::nullopt;
}

std::shared_ptr<Encoding> make_encoding(const Options& encoding, const std::string& relation,
                                        const EncodingContext& context,
                                        const Initialiser& initial) {
  if (const auto reason = undefined_reason(encoding, relation, context)) {
    input_error("encoding {} on relation {}: {}", encoding.label(), relation, *reason);
  }
  auto built =
      find_entry("encoding", encoding.name(), encoding_entries()).make(encoding, context, initial);
  refuse_of_parameters(encoding, *built);
  return built;
}

}  // namespace relbias::encodings
