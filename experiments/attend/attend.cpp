// SPDX-License-Identifier: Apache-2.0
// experiments/attend: attention calls from files, so that any language can check an encoding.
#include "experiments/attend/attend.h"

#include <ATen/ATen.h>

#include <set>

#include "experiments/attend/asked.h"
#include "results/store/arrays.h"

namespace relbias::experiments {
namespace {

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

// Terms that are nothing but the bias of the case, outside the scale.
Position position_of(const Tensor& bias, const RelationMap& map) {
  Position position{.relation = map};
  position.terms.dense = [bias](const Tensor&, const Tensor&, const Tensor&) { return bias; };
  return position;
}

NamedArrays attended(const AttendCase& input, const Asked& asked) {
  NamedArrays output;
  Tensor result;
  if (asked.tokens.defined()) {
    const AskedPosition& position = asked.positions.front();
    result = position.encoding->tokens(asked.tokens, position.map);
    put(input, output, "tokens", result);
  } else {
    std::vector<Position> positions;
    for (const AskedPosition& position : asked.positions) {
      positions.push_back({position.map, position.encoding->terms(position.map)});
    }
    if (asked.bias.defined()) {
      positions.push_back(position_of(asked.bias, asked.positions.front().map));
    }
    const auto attention_result = attention(asked.q, asked.k, asked.v, positions, asked.options);
    result = attention_result.out;
    output.texts["backend"] = attention_result.backend == Backend::fused ? "fused" : "reference";
    put(input, output, "out", result);
    if (attention_result.weights.defined()) put(input, output, "weights", attention_result.weights);
  }
  if (!asked.grad_out.defined()) return output;
  if (result.requires_grad()) result.backward(asked.grad_out);
  const auto put_gradient = [&](const std::string& name, const Tensor& tensor) {
    if (!tensor.defined()) return;
    put(input, output, "grad/" + name,
        tensor.grad().defined() ? tensor.grad() : at::zeros_like(tensor));
  };
  put_gradient("q", asked.q);
  put_gradient("k", asked.k);
  put_gradient("v", asked.v);
  put_gradient("bias", asked.bias);
  put_gradient("tokens", asked.tokens);
  for (const AskedPosition& position : asked.positions) {
    for (const auto& parameter : position.encoding->named_parameters()) {
      put_gradient(position.prefix + parameter.key(), parameter.value());
    }
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

void attend_all(const std::vector<std::filesystem::path>& inputs,
                const std::filesystem::path& output) {
  namespace fs = std::filesystem;
  if (inputs.size() == 1 && !fs::is_directory(output)) return attend(inputs.front(), output);
  std::set<std::string> names;
  for (const fs::path& input : inputs) {
    if (names.insert(input.filename().string()).second) continue;
    input_error("two cases are called {}: their outputs would be one file",
                input.filename().string());
  }
  std::error_code error;
  fs::create_directories(output, error);
  if (error) input_error("{} cannot be made a folder: {}", output.string(), error.message());
  std::string problems;
  for (const fs::path& input : inputs) {
    try {
      attend(input, output / input.filename());
    } catch (const std::runtime_error& problem) {  // the others are computed all the same
      problems += (problems.empty() ? "" : "\n") + std::string(problem.what());
    }
  }
  if (!problems.empty()) input_error("{}", problems);
}

std::string attend_format() {
  return R"(relbias attend CASE.h5 -o OUT.h5: one attention call from a file, with gradients
relbias attend CASE.h5... -o DIR: one of each file, each output under the name of its case

CASE.h5
  attributes
    encoding   string, `t5 num_buckets=8`
    relation   string, `token`; default token
    relations  JSON array of {"encoding": ..., "relation": ...} in place of these two; terms add up
    causal     0 or 1, or a boolean; default 0
    type       float32, float64 or bfloat16; default float32
    backend    auto, reference or fused; default auto
    trained    trained size in tokens, or `grid height=2 width=2`; default: the size of the case
    scale      rsqrt, none or a number; default rsqrt, 1/sqrt(D) unless the encoding says otherwise
    length_scale  none or log: scores times ln(keys of the row)/ln(keys of the trained size)
    pattern    full, or on grids `window size=4 shift=true`; `layer` (0) tells the shifted ones
    heads      of an encoding on tokens; default 1
    seed       of parameters that the file does not give; default 0
  datasets of numbers
    q          [B, H, Q, D]
    k, v       [B, H, K, D]
    mask       [B|1, 1|H, Q, K], 1 = may attend; optional. What no query may attend may be NaN
    bias       [B|1, 1|H, Q, K], added to the scores outside the scale; optional
    positions  [B, K], where the tokens of relation token stand, whole numbers from 0; optional
    tokens     [B, N, C] in place of q, k, v for encodings on tokens (sinusoidal, learned, cpe)
    grad_out   [B, H, Q, D], what the loss asks of the output; optional: then gradients are written
    parameters/NAME   optional; names and shapes as `relbias describe ENCODING` and an error list them;
                      with `relations` parameters/0/NAME, parameters/1/NAME ...
    relation/edges    [E, 2] node pairs of one graph for all samples; nodes are tokens
    relation/distance [B, N, N] steps between nodes in place of edges, -1 = unreachable, for hops
    relation/edge_features [E, F] features of relation/edges, for edges
    relation/parents  [B, nodes] every node's parent, the root's is -1, siblings ordered by index, for
                      tree; tokens are all nodes where there are as many, else the leaves

OUT.h5
  attribute backend: what ran
  out [B, H, Q, D], weights [B, H, Q, K] (not with backend fused), and with grad_out
  grad/q, grad/k, grad/v, grad/bias, grad/parameters/NAME; float64
  of encodings on tokens: tokens [B, N, C], and with grad_out grad/tokens, grad/parameters/NAME

Numbers are stored as float64 whatever the type. With type=float64 these still compute in float32
inside: the distances and offsets of relations (exact for whole numbers up to 2^24), alibi's slopes
(exact where the heads are a power of two), sandwich's table, and the sinusoids of transformer-xl;
cpb scales offsets in float32 before its network. Position parameters are kept in float32 with
type=bfloat16.
)";
}

}  // namespace relbias::experiments
