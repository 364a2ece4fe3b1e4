// SPDX-License-Identifier: Apache-2.0
// experiments/attend: reading of what a case asks for.
#include "experiments/attend/asked.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "experiments/attend/attend_relation.h"
#include "experiments/model/pattern.h"

namespace relbias::experiments {
namespace {

at::ScalarType type_of(AttendCase& input) {
  const std::string word = input.word("type", "float32");
  if (word == "float32") return at::kFloat;
  if (word == "float64") return at::kDouble;
  if (word == "bfloat16") return at::kBFloat16;
  unknown_word("type", word, {"float32", "float64", "bfloat16"});
}

void set_parameters(AttendCase& input, const AskedPosition& position) {
  const at::NoGradGuard no_gradients;
  auto parameters = position.encoding->named_parameters();
  for (const auto& name : input.arrays_under(position.prefix)) {
    const std::string path = position.prefix + name;
    const Tensor value = input.required(path, at::kDouble);
    const Tensor* const parameter = parameters.find(name);
    if (parameter == nullptr) {
      input.fail("encoding {} has no parameter '{}', but: {}", position.encoding->name(), name,
                 fmt::join(parameters.keys(), ", "));
    }
    if (value.sizes() != parameter->sizes()) {
      input.fail("{} has shape [{}], [{}] expected", path, fmt::join(value.sizes(), ", "),
                 fmt::join(parameter->sizes(), ", "));
    }
    Tensor(*parameter).copy_(value);
    check_fits(input, path, *parameter);
  }
}

// A number for each pair of a query and a key.
void check_pairs(const AttendCase& input, const char* name, const Tensor& pairs, const Tensor& q,
                 const Tensor& k) {
  const std::vector<int64_t> full{q.size(0), q.size(1), q.size(2), k.size(2)};
  bool fits = pairs.dim() == 4;
  for (int64_t dim = 0; fits && dim < 4; ++dim) {
    fits = pairs.size(dim) == full[static_cast<size_t>(dim)] || (dim < 2 && pairs.size(dim) == 1);
  }
  if (fits) return;
  input.fail("{} has shape [{}], [{}] expected; the first two may be 1", name,
             fmt::join(pairs.sizes(), ", "), fmt::join(full, ", "));
}

// 1 = may attend
Tensor mask_of(AttendCase& input, const Tensor& q, const Tensor& k) {
  const Tensor mask = input.array("mask");
  if (!mask.defined()) return {};
  if (((mask != 0) & (mask != 1)).any().item<bool>()) {
    input.fail("mask: numbers other than 0 and 1 found");
  }
  check_pairs(input, "mask", mask, q, k);
  return mask == 1;
}

void check_shapes(const AttendCase& input, const Tensor& q, const Tensor& grad_out,
                  const Tensor& v) {
  for (const Tensor& tensor : {q, v}) {
    if (tensor.dim() != 4 || tensor.numel() == 0) {
      input.fail("q, k and v have 4 dimensions [B, H, tokens, D], none of them 0, [{}] found",
                 fmt::join(tensor.sizes(), ", "));
    }
  }
  const std::vector<int64_t> out{q.size(0), q.size(1), q.size(2), v.size(3)};
  if (grad_out.defined() && grad_out.sizes() != at::IntArrayRef(out)) {
    input.fail("grad_out has shape [{}], [{}] expected", fmt::join(grad_out.sizes(), ", "),
               fmt::join(out, ", "));
  }
}

// The encodings that a case names, each with its relation.
std::vector<std::pair<std::string, std::string>> names_in(AttendCase& input) {
  const std::string list = input.word("relations", "none");
  if (list == "none") return {{input.word("encoding"), input.word("relation", "token")}};
  const auto json = nlohmann::json::parse(list, nullptr, /*allow_exceptions=*/false);
  const std::string expected =
      R"(attribute 'relations': a JSON array of {"encoding": ..., "relation": ...} expected)";
  if (!json.is_array() || json.empty()) input.fail("{}", expected);
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& one : json) {
    const bool good = one.is_object() && one.size() == 2 && one.contains("encoding") &&
                      one.contains("relation") && one["encoding"].is_string() &&
                      one["relation"].is_string();
    if (!good) input.fail("{}", expected);
    names.emplace_back(one["encoding"], one["relation"]);
  }
  return names;
}

bool is_on_tokens(const std::string& encoding) {
  return find_entry("encoding", option_name(encoding), encoding_entries()).on_tokens;
}

struct Sizes {
  int64_t batch, heads, queries, keys, head_width;
};

void add_positions(AttendCase& input, const Sizes& sizes, at::ScalarType type, Asked& asked) {
  const auto names = names_in(input);
  const std::string trained = input.size("trained");
  const auto seed = static_cast<uint64_t>(input.count("seed", 0).value_or(0));
  for (const auto& [encoding, written] : names) {
    const std::string text = placed_relation(input, written);
    const auto relation = make_relation(text);
    const auto& entry = find_entry("relation", option_name(text), relation_entries());
    AskedPosition position;
    position.prefix =
        names.size() == 1 ? "parameters/" : fmt::format("parameters/{}/", asked.positions.size());
    position.map = map_in_case(input, *relation, parse_options("relation", text, entry.options),
                               {sizes.batch, sizes.queries, sizes.keys});
    // Models are trained on whole sequences; a map of pairs has its rows whatever the queries.
    const bool is_whole =
        position.map.index_class == IndexClass::pairs || sizes.queries == sizes.keys;
    const std::string size = trained.empty() && !is_whole ? std::to_string(sizes.keys) : trained;
    const EncodingContext context{
        .heads = sizes.heads,
        .head_width = sizes.head_width,
        .width = sizes.heads * sizes.head_width,
        .causal = asked.options.causal,
        .relation = relation->traits(),
        .trained = size.empty() ? position.map : trained_at(text, size).map()};
    position.encoding = make_encoding(parse_encoding(encoding), text, context, seed);
    position.encoding->to(type);
    set_parameters(input, position);
    if (input.word("length_scale", "none") == "log") {
      asked.options.length_scale_keys = context.trained.keys;
    }
    asked.positions.push_back(std::move(position));
  }
}

// Windows of a grid, as a model has them in layer 0 or in the one that is given.
Tensor windows(AttendCase& input, const Sizes& sizes) {
  const std::string text = input.word("pattern", "full");
  const int64_t layer = input.count("layer", 0).value_or(0);
  const Pattern pattern(text);
  if (canonical_pattern(text) == "full") return {};
  for (const auto& [encoding, relation] : names_in(input)) {
    const Structure sample = make_relation(relation)->structure(sizes.queries, sizes.keys);
    if (sample.sides.size() == 2) return pattern.groups(sample, layer);
  }
  input.fail("pattern '{}': no relation of the case has a grid", text);
}

// Behind the mask anything may stand; what a query may attend has to be a number.
void check_finite(const AttendCase& input, const Asked& asked) {
  if (asked.k.sizes().slice(0, 3) != asked.v.sizes().slice(0, 3) ||
      asked.k.sizes().slice(0, 2) != asked.q.sizes().slice(0, 2)) {
    return;  // attention says what does not fit
  }
  const Tensor allowed = allowed_pairs(asked.q.size(2), asked.k.size(2), asked.options, at::kCPU);
  const auto check = [&](const char* name, const Tensor& tensor, int64_t other) {
    Tensor bad = at::isfinite(tensor).all(3).logical_not();  // [B, H, tokens]
    if (allowed.defined()) bad = bad.logical_and(allowed.any(other));
    if (bad.any().item<bool>()) {
      input.fail("dataset '{}' has numbers that are not finite, where a query attends", name);
    }
  };
  check("q", asked.q, 3);
  check("k", asked.k, 2);
  check("v", asked.v, 2);
}

void read_tokens(AttendCase& input, at::ScalarType type, Asked& asked) {
  asked.tokens = input.required("tokens", type);
  const Tensor& tokens = asked.tokens;
  const int64_t heads = input.count("heads", 1).value_or(1);
  if (tokens.dim() != 3 || tokens.numel() == 0 || tokens.size(2) % heads != 0) {
    input.fail("tokens has shape [{}], [B, N, C] expected, C a multiple of the heads ({})",
               fmt::join(tokens.sizes(), ", "), heads);
  }
  add_positions(input,
                {tokens.size(0), heads, tokens.size(1), tokens.size(1), tokens.size(2) / heads},
                type, asked);
  if (input.has("grad_out")) asked.grad_out = input.required("grad_out", type);
  if (asked.grad_out.defined() && asked.grad_out.sizes() != tokens.sizes()) {
    input.fail("grad_out has shape [{}], [{}] expected", fmt::join(asked.grad_out.sizes(), ", "),
               fmt::join(tokens.sizes(), ", "));
  }
  asked.tokens.requires_grad_();
}

void read_attention(AttendCase& input, at::ScalarType type, Asked& asked) {
  asked.q = input.required_raw("q", type);
  asked.k = input.required_raw("k", type);
  asked.v = input.required_raw("v", type);
  if (input.has("grad_out")) asked.grad_out = input.required("grad_out", type);
  check_shapes(input, asked.q, asked.grad_out, asked.v);
  check_shapes(input, asked.k, {}, asked.v);
  const Sizes sizes{asked.q.size(0), asked.q.size(1), asked.q.size(2), asked.k.size(2),
                    asked.q.size(3)};
  add_positions(input, sizes, type, asked);
  AttentionOptions& options = asked.options;
  options.backend = backend_from(input.word("backend", "auto"));
  options.return_weights = options.backend != Backend::fused;  // which never has them
  options.scale = input.scale();
  const std::string length_scale = input.word("length_scale", "none");
  if (length_scale != "none" && length_scale != "log") {
    unknown_word("length_scale", length_scale, {"none", "log"});
  }
  options.mask = mask_of(input, asked.q, asked.k);
  options.groups = windows(input, sizes);
  if (input.has("bias")) {
    asked.bias = input.required("bias", type);
    check_pairs(input, "bias", asked.bias, asked.q, asked.k);
    asked.bias.requires_grad_();
  }
  check_finite(input, asked);
  for (Tensor* tensor : {&asked.q, &asked.k, &asked.v}) tensor->requires_grad_();
}

}  // namespace

Asked read_case(AttendCase& input) {
  Asked asked;
  const at::ScalarType type = type_of(input);
  asked.options.causal = input.flag("causal");
  size_t on_tokens = 0;
  const auto names = names_in(input);
  std::string relations;
  for (const auto& [encoding, relation] : names) {
    on_tokens += is_on_tokens(encoding);
    relations += (relations.empty() ? "" : " + ") + option_name(relation);
  }
  if (on_tokens > 0 && (names.size() > 1 || !input.has("tokens"))) {
    input_error(
        "encoding {} changes token embeddings, not attention: it alone, and the dataset "
        "tokens [B, N, C], expected",
        names.front().first);
  }
  if (on_tokens > 0) read_tokens(input, type, asked);
  if (on_tokens == 0) read_attention(input, type, asked);
  refuse_unread(input, relations);
  input.refuse_unasked();
  return asked;
}

}  // namespace relbias::experiments
