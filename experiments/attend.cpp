// SPDX-License-Identifier: Apache-2.0
// experiments: one attention call from a file, so that any language can check an encoding.
#include "experiments/attend.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <array>
#include <numeric>
#include <set>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "modalities/code/tree_order.h"
#include "results/arrays.h"

namespace relbias {
namespace {

// The input file with what has been asked of it, so that what nobody asked for can be named.
class Case {
 public:
  explicit Case(const std::filesystem::path& file)
      : file_(file.string()), contents_(read_arrays(file)) {}

  std::string word(const std::string& name, const std::string& otherwise = "") {
    asked_.insert(name);
    const auto found = contents_.texts.find(name);
    if (found != contents_.texts.end()) return found->second;
    if (otherwise.empty()) fail("attribute '{}' is missing, a string expected", name);
    return otherwise;
  }

  double number(const std::string& name, double otherwise) {
    asked_.insert(name);
    const auto found = contents_.numbers.find(name);
    return found == contents_.numbers.end() ? otherwise : found->second;
  }

  // Undefined where the file has no such dataset.
  Tensor array(const std::string& name) {
    asked_.insert(name);
    const auto found = contents_.arrays.find(name);
    if (found == contents_.arrays.end()) return {};
    const Array& array = found->second;
    return at::tensor(array.values, at::kDouble).view(array.shape);
  }

  Tensor required(const std::string& name) {
    const Tensor found = array(name);
    if (!found.defined()) fail("dataset '{}' is missing", name);
    if (!at::isfinite(found).all().item<bool>())
      fail("dataset '{}' has numbers that are not finite", name);
    return found;
  }

  std::vector<std::string> arrays_under(const std::string& group) const {
    std::vector<std::string> names;
    for (const auto& [name, array] : contents_.arrays) {
      if (name.starts_with(group)) names.push_back(name.substr(group.size()));
    }
    return names;
  }

  void refuse_unasked() const {
    const auto check = [&](const auto& members, const char* what) {
      for (const auto& [name, value] : members) {
        if (asked_.count(name) == 0)
          fail("unknown {} '{}' (see relbias describe attend)", what, name);
      }
    };
    check(contents_.arrays, "dataset");
    check(contents_.texts, "attribute");
    check(contents_.numbers, "attribute");
  }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    input_error("{}: {}", file_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  std::string file_;
  NamedArrays contents_;
  std::set<std::string> asked_;
};

at::ScalarType type_of(Case& input) {
  const std::string word = input.word("type", "float32");
  if (word == "float32") return at::kFloat;
  if (word == "float64") return at::kDouble;
  if (word == "bfloat16") return at::kBFloat16;
  unknown_word("type", word, {"float32", "float64", "bfloat16"});
}

// A graph of as many nodes as there are tokens, a virtual node aside.
Structure nodes_alone(const Options& relation, int64_t keys) {
  Structure graph;
  graph.queries = graph.keys = graph.nodes = keys;
  graph.class_token = relation.has("virtual_node") && relation.flag("virtual_node");
  graph.nodes -= graph.class_token;
  return graph;
}

void add_edges(Case& input, const Tensor& edges, Structure& sample) {
  if (edges.dim() != 2 || edges.size(1) != 2) {
    input.fail("relation/edges has shape [{}], [E, 2] expected", fmt::join(edges.sizes(), ", "));
  }
  for (int64_t e = 0; e < edges.size(0); ++e) {
    sample.edges.push_back({static_cast<int64_t>(edges[e][0].item<double>()),
                            static_cast<int64_t>(edges[e][1].item<double>())});
  }
}

// One tree a sample: tokens are all nodes where there are as many, else the leaves.
std::vector<Structure> trees_of(Case& input, const Tensor& parents, const Options& options,
                                const std::array<int64_t, 3>& batch_queries_keys) {
  const auto [batch, queries, keys] = batch_queries_keys;
  if (parents.dim() != 2 || (parents.size(0) != batch && parents.size(0) != 1)) {
    input.fail("relation/parents has shape [{}], [{}, nodes] expected",
               fmt::join(parents.sizes(), ", "), batch);
  }
  if ((parents.floor() != parents).any().item<bool>()) {
    input.fail("relation/parents: whole numbers expected, -1 for the root");
  }
  const bool class_token = options.has("class_token") && options.flag("class_token");
  const int64_t tokens = keys - class_token;
  std::vector<Structure> samples;
  for (const Tensor& row : parents.to(at::kLong).contiguous().unbind(0)) {
    Structure sample{.queries = queries, .keys = keys, .class_token = class_token};
    const int64_t* const first = row.data_ptr<int64_t>();
    sample.parents.assign(first, first + row.size(0));
    sample.token_nodes = leaves_of(sample.parents);
    const auto leaves = static_cast<int64_t>(sample.token_nodes.size());
    if (row.size(0) == tokens) {
      sample.token_nodes.resize(sample.parents.size());
      std::iota(sample.token_nodes.begin(), sample.token_nodes.end(), int64_t{0});
    } else if (leaves != tokens) {
      input.fail("relation/parents has {} nodes, {} of them leaves, but there are {} tokens",
                 row.size(0), leaves, tokens);
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

// One structure for all samples, or one a sample.
std::vector<Structure> structures_of(Case& input, const Relation& relation, const Options& options,
                                     const std::array<int64_t, 3>& batch_queries_keys) {
  const auto [batch, queries, keys] = batch_queries_keys;
  if (const Tensor parents = input.array("relation/parents"); parents.defined()) {
    return trees_of(input, parents, options, batch_queries_keys);
  }
  const Tensor edges = input.array("relation/edges"), distance = input.array("relation/distance");
  if (!edges.defined() && !distance.defined()) return {relation.structure(queries, keys)};
  if (queries != keys) input.fail("{} queries and {} nodes found, as many expected", queries, keys);
  const Structure alone = nodes_alone(options, keys);
  std::vector<Structure> samples{alone};
  if (edges.defined()) add_edges(input, edges, samples.front());
  if (!distance.defined()) return samples;
  const std::vector<int64_t> expected{batch, alone.nodes, alone.nodes};
  if (distance.sizes() != at::IntArrayRef(expected)) {
    input.fail("relation/distance has shape [{}], [{}] expected", fmt::join(distance.sizes(), ", "),
               fmt::join(expected, ", "));
  }
  const Tensor steps = distance.to(at::kLong);
  if ((steps != distance).logical_or(steps < -1).any().item<bool>()) {
    input.fail("relation/distance: whole numbers of at least 0 expected, or -1 for no path");
  }
  samples.assign(static_cast<size_t>(batch), samples.front());
  for (int64_t b = 0; b < batch; ++b) samples[static_cast<size_t>(b)].hops = steps[b];
  return samples;
}

RelationMap map_of(const Relation& relation, const std::vector<Structure>& samples) {
  if (samples.size() == 1) return relation.map(samples.front());
  std::vector<RelationMap> maps;
  for (const Structure& sample : samples) maps.push_back(relation.map(sample));
  return stack(maps, samples.front().keys);
}

void set_parameters(Case& input, Encoding& encoding) {
  const at::NoGradGuard no_gradients;
  auto parameters = encoding.named_parameters();
  for (const auto& name : input.arrays_under("parameters/")) {
    const Tensor value = input.required("parameters/" + name);
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
  }
}

void put(NamedArrays& output, const std::string& name, const Tensor& tensor) {
  if (!tensor.defined()) return;
  const Tensor values = tensor.detach().to(at::kDouble).contiguous();
  const double* const first = values.data_ptr<double>();
  output.arrays[name] = {values.sizes().vec(), {first, first + values.numel()}};
}

void check_shapes(const Case& input, const Tensor& q, const Tensor& grad_out, const Tensor& v) {
  for (const Tensor& tensor : {q, v}) {
    if (tensor.dim() != 4) {
      input.fail("q, k and v have 4 dimensions [B, H, tokens, D], [{}] found",
                 fmt::join(tensor.sizes(), ", "));
    }
  }
  const std::vector<int64_t> out{q.size(0), q.size(1), q.size(2), v.size(3)};
  if (grad_out.defined() && grad_out.sizes() != at::IntArrayRef(out)) {
    input.fail("grad_out has shape [{}], [{}] expected", fmt::join(grad_out.sizes(), ", "),
               fmt::join(out, ", "));
  }
}

}  // namespace

void attend(const std::filesystem::path& input_file, const std::filesystem::path& output_file) {
  Case input(input_file);
  const at::ScalarType type = type_of(input);
  Tensor q = input.required("q"), k = input.required("k"), v = input.required("v");
  const Tensor grad_out = input.array("grad_out");
  check_shapes(input, q, grad_out, v);
  check_shapes(input, k, {}, v);
  for (Tensor* tensor : {&q, &k, &v}) *tensor = tensor->to(type).requires_grad_();

  const Options options = parse_encoding(input.word("encoding"));
  if (find_entry("encoding", options.name(), encoding_entries()).on_tokens) {
    input.fail("encoding {} changes token embeddings, not attention", options.name());
  }
  const std::string relation_text = input.word("relation", "token");
  const auto relation = make_relation(relation_text);
  const bool causal = input.number("causal", 0) != 0;
  const auto& relation_entry =
      find_entry("relation", option_name(relation_text), relation_entries());
  const RelationMap map = map_of(
      *relation, structures_of(input, *relation,
                               parse_options("relation", relation_text, relation_entry.options),
                               {q.size(0), q.size(2), k.size(2)}));
  const int64_t trained = static_cast<int64_t>(input.number("trained", 0));
  const EncodingContext context{
      .heads = q.size(1),
      .head_width = q.size(3),
      .width = q.size(1) * q.size(3),
      .causal = causal,
      .relation = relation->traits(),
      .trained = trained > 0 ? relation->map(relation->structure(trained, trained)) : map};
  const auto encoding = make_encoding(options, relation_text, context,
                                      static_cast<uint64_t>(input.number("seed", 0)));
  encoding->to(type);
  set_parameters(input, *encoding);

  AttentionOptions attention_options;
  attention_options.causal = causal;
  attention_options.backend = backend_from(input.word("backend", "auto"));
  if (const Tensor mask = input.array("mask"); mask.defined()) {
    attention_options.mask = mask != 0;
  }
  input.refuse_unasked();
  const auto result = attention(q, k, v, {{map, encoding->terms(map)}}, attention_options);

  NamedArrays output;
  output.texts["backend"] = result.backend == Backend::fused ? "fused" : "reference";
  put(output, "out", result.out);
  put(output, "weights", result.weights);
  if (grad_out.defined()) {
    result.out.backward(grad_out.to(type));
    put(output, "grad/q", q.grad());
    put(output, "grad/k", k.grad());
    put(output, "grad/v", v.grad());
    for (const auto& parameter : encoding->named_parameters()) {
      const Tensor gradient = parameter.value().grad();
      put(output, "grad/parameters/" + parameter.key(),
          gradient.defined() ? gradient : at::zeros_like(parameter.value()));
    }
  }
  write_arrays(output_file, output);
}

std::string attend_format() {
  return R"(relbias attend CASE.h5 -o OUT.h5: one attention call from a file, with gradients

CASE.h5
  attributes
    encoding   string, `t5 num_buckets=8`
    relation   string, `token`; default token
    causal     0 or 1; default 0
    type       float32, float64 or bfloat16; default float32
    backend    auto, reference or fused; default auto
    trained    trained size in tokens; default: the size of the case
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
)";
}

}  // namespace relbias
