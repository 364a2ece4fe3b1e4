// SPDX-License-Identifier: Apache-2.0
// experiments/attend: one attention call from a file, so that any language can check an encoding.
#include "experiments/attend/attend.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "experiments/attend/attend_case.h"
#include "experiments/attend/attend_relation.h"
#include "results/store/arrays.h"

namespace relbias::experiments {
namespace {

at::ScalarType type_of(AttendCase& input) {
  const std::string word = input.word("type", "float32");
  if (word == "float32") return at::kFloat;
  if (word == "float64") return at::kDouble;
  if (word == "bfloat16") return at::kBFloat16;
  unknown_word("type", word, {"float32", "float64", "bfloat16"});
}

void set_parameters(AttendCase& input, Encoding& encoding) {
  const at::NoGradGuard no_gradients;
  auto parameters = encoding.named_parameters();
  for (const auto& name : input.arrays_under("parameters/")) {
    const Tensor value = input.required("parameters/" + name, at::kDouble);
    const Tensor* const parameter = parameters.find(name);
    if (parameter == nullptr) {
      input.fail("encoding {} has no parameter '{}', but: {}", encoding.name(), name,
                 fmt::join(parameters.keys(), ", "));
    }
    if (value.sizes() != parameter->sizes()) {
      input.fail("parameters/{} has shape [{}], [{}] expected", name,
                 fmt::join(value.sizes(), ", "), fmt::join(parameter->sizes(), ", "));
    }
    Tensor(*parameter).copy_(value);
    check_fits(input, "parameters/" + name, *parameter);
  }
}

// What finite input makes may still be too large for its type; NaN would look like a result.
void put(const AttendCase& input, NamedArrays& output, const std::string& name,
         const Tensor& tensor) {
  if (!tensor.defined()) return;
  if (!at::isfinite(tensor).all().item<bool>()) {
    input.fail("{} is not finite: numbers become too large for {}", name,
               c10::toString(tensor.scalar_type()));
  }
  const Tensor values = tensor.detach().to(at::kDouble).contiguous();
  const double* const first = values.data_ptr<double>();
  output.arrays[name] = {values.sizes().vec(), {first, first + values.numel()}};
}

// 1 = may attend
Tensor mask_of(AttendCase& input, const Tensor& q, const Tensor& k) {
  const Tensor mask = input.array("mask");
  if (!mask.defined()) return {};
  if (((mask != 0) & (mask != 1)).any().item<bool>()) {
    input.fail("mask: numbers other than 0 and 1 found");
  }
  const std::vector<int64_t> full{q.size(0), q.size(1), q.size(2), k.size(2)};
  bool fits = mask.dim() == 4;
  for (int64_t dim = 0; fits && dim < 4; ++dim) {
    fits = mask.size(dim) == full[static_cast<size_t>(dim)] || (dim < 2 && mask.size(dim) == 1);
  }
  if (!fits) {
    input.fail("mask has shape [{}], [{}] expected; the first two may be 1",
               fmt::join(mask.sizes(), ", "), fmt::join(full, ", "));
  }
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

struct Asked {
  Tensor q, k, v, grad_out;
  std::shared_ptr<Encoding> encoding;
  RelationMap map;
  AttentionOptions options;
};

Asked read_case(AttendCase& input) {
  Asked asked;
  const at::ScalarType type = type_of(input);
  Tensor q = input.required("q", type), k = input.required("k", type),
         v = input.required("v", type);
  if (input.has("grad_out")) asked.grad_out = input.required("grad_out", type);
  check_shapes(input, q, asked.grad_out, v);
  check_shapes(input, k, {}, v);

  const Options options = parse_encoding(input.word("encoding"));
  if (find_entry("encoding", options.name(), encoding_entries()).on_tokens) {
    input_error("encoding {} changes token embeddings, not attention", options.name());
  }
  const std::string relation_text = input.word("relation", "token");
  const auto relation = make_relation(relation_text);
  const auto& entry = find_entry("relation", option_name(relation_text), relation_entries());
  const Options relation_options = parse_options("relation", relation_text, entry.options);
  asked.options.causal = input.flag("causal");
  asked.map = map_in_case(input, *relation, relation_options, {q.size(0), q.size(2), k.size(2)});
  std::string trained = input.size("trained");
  // Models are trained on whole sequences; a map of pairs has its rows whatever the queries.
  const bool is_whole = asked.map.index_class == IndexClass::pairs || q.size(2) == k.size(2);
  if (trained.empty() && !is_whole) trained = std::to_string(k.size(2));
  const EncodingContext context{
      .heads = q.size(1),
      .head_width = q.size(3),
      .width = q.size(1) * q.size(3),
      .causal = asked.options.causal,
      .relation = relation->traits(),
      .trained = trained.empty() ? asked.map : trained_at(relation_text, trained).map()};
  const auto seed = static_cast<uint64_t>(input.count("seed", 0).value_or(0));
  asked.encoding = make_encoding(options, relation_text, context, seed);
  asked.encoding->to(type);
  set_parameters(input, *asked.encoding);
  asked.options.backend = backend_from(input.word("backend", "auto"));
  asked.options.mask = mask_of(input, q, k);
  asked.options.return_weights = true;
  input.refuse_unasked();
  asked.q = q.requires_grad_();
  asked.k = k.requires_grad_();
  asked.v = v.requires_grad_();
  return asked;
}

NamedArrays attended(const AttendCase& input, const Asked& asked) {
  const auto result = attention(asked.q, asked.k, asked.v,
                                {{asked.map, asked.encoding->terms(asked.map)}}, asked.options);
  NamedArrays output;
  output.texts["backend"] = result.backend == Backend::fused ? "fused" : "reference";
  put(input, output, "out", result.out);
  put(input, output, "weights", result.weights);
  if (!asked.grad_out.defined()) return output;
  result.out.backward(asked.grad_out);
  put(input, output, "grad/q", asked.q.grad());
  put(input, output, "grad/k", asked.k.grad());
  put(input, output, "grad/v", asked.v.grad());
  for (const auto& parameter : asked.encoding->named_parameters()) {
    const Tensor gradient = parameter.value().grad();
    put(input, output, "grad/parameters/" + parameter.key(),
        gradient.defined() ? gradient : at::zeros_like(parameter.value()));
  }
  return output;
}

}  // namespace

void attend(const std::filesystem::path& input_file, const std::filesystem::path& output_file) {
  std::error_code missing;
  if (std::filesystem::equivalent(input_file, output_file, missing)) {
    input_error("{} is the input: another file expected for the output", output_file.string());
  }
  AttendCase input(input_file);
  NamedArrays output;
  try {
    const Asked asked = read_case(input);
    output = attended(input, asked);
  } catch (const InputError& error) {
    // What encodings, relations and attention refuse knows of no file.
    const std::string message = error.what();
    if (message.starts_with(input_file.string() + ": ")) throw;
    input_error("{}: {}", input_file.string(), message);
  }
  write_arrays(output_file, output);
}

std::string attend_format() {
  return R"(relbias attend CASE.h5 -o OUT.h5: one attention call from a file, with gradients

CASE.h5
  attributes
    encoding   string, `t5 num_buckets=8`
    relation   string, `token`; default token
    causal     0 or 1, or a boolean; default 0
    type       float32, float64 or bfloat16; default float32
    backend    auto, reference or fused; default auto
    trained    trained size in tokens, or `grid height=2 width=2`; default: the size of the case
    seed       of parameters that the file does not give; default 0
  datasets of numbers
    q          [B, H, Q, D]
    k, v       [B, H, K, D]
    mask       [B|1, 1|H, Q, K], 1 = may attend; optional
    grad_out   [B, H, Q, D], what the loss asks of the output; optional: then gradients are written
    parameters/NAME   optional; names and shapes as `relbias describe ENCODING` and an error list them
    relation/edges    [E, 2] node pairs of one graph for all samples; nodes are tokens
    relation/distance [B, N, N] steps between nodes in place of edges, -1 = unreachable, for hops
    relation/parents  [B, nodes] every node's parent, the root's is -1, siblings ordered by index, for
                      tree; tokens are all nodes where there are as many, else the leaves

OUT.h5
  attribute backend: what ran
  out [B, H, Q, D], weights [B, H, Q, K], and with grad_out
  grad/q, grad/k, grad/v, grad/parameters/NAME; float64

Numbers are stored as float64 whatever the type. With type=float64 these still compute in float32
inside: the distances and offsets of relations (exact for whole numbers up to 2^24), alibi's slopes
(exact where the heads are a power of two), sandwich's table, and the sinusoids of transformer-xl;
cpb scales offsets in float32 before its network. Position parameters are kept in float32 with
type=bfloat16.
)";
}

}  // namespace relbias::experiments
