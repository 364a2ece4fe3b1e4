// SPDX-License-Identifier: Apache-2.0
// tests/golden: a test of one case: our encoding with its weights must give its outputs and
// gradients.
#include "tests/golden/golden_test.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "encodings/attention/fused/fused.h"
#include "tests/encodings/attention/fused_budget.h"

namespace relbias::golden {
namespace {

// What an encoding may know of a relation before it sees data, read off a map made by hand.
RelationTraits traits_of(const RelationMap& map) {
  RelationTraits traits;
  traits.index_class = map.index_class;
  traits.axes = map.offsets.defined() ? map.offsets.size(1) : 0;
  traits.distance = map.distance.defined();
  traits.ids = map.index_class == IndexClass::line ? 0 : map.rows;
  traits.features = map.features.defined() ? map.features.size(-1) : 0;
  traits.coordinates = map.key_coordinates.defined() ? map.key_coordinates.size(-1) : 0;
  const int64_t special = map.special.defined() ? map.special.max().item<int64_t>() + 1 : 0;
  traits.special_ids.assign(static_cast<size_t>(special), "special");
  return traits;
}

}  // namespace

std::shared_ptr<Encoding> GoldenTest::make(const std::string& encoding, const ModelShape& shape,
                                           const RelationMap& trained) {
  const EncodingContext context{.heads = shape.heads,
                                .head_width = shape.head_width,
                                .width = shape.heads * shape.head_width,
                                .causal = shape.causal,
                                .relation = traits_of(trained),
                                .trained = trained};
  const auto made = make_encoding(parse_encoding(encoding), "golden", context, Initialiser(0));
  made->to(at::kDouble);
  return made;
}

void GoldenTest::set(torch::nn::Module& module, const std::string& parameter, const Tensor& value) {
  Tensor found = module.named_parameters()[parameter];
  ASSERT_EQ(found.sizes(), value.sizes()) << parameter;
  const at::NoGradGuard no_gradients;
  found.copy_(value.detach());
  if (value.requires_grad()) set_.emplace_back(value, found);
}

void GoldenTest::run_backward(const std::map<std::string, Tensor>& outputs) {
  Tensor loss = at::zeros({}, at::kDouble);
  for (const auto& name : golden.names("cot")) {
    ASSERT_TRUE(outputs.contains(name)) << "the loss needs " << name;
    // -inf entries are left out of the loss, and have no gradient.
    loss = loss + (outputs.at(name) * golden.read("cot/" + name)).sum();
  }
  loss.backward();
  for (const auto& [value, parameter] : set_) {
    if (parameter.grad().defined()) value.backward(parameter.grad(), /*retain_graph=*/true);
  }
}

void GoldenTest::expect_gradients(const std::string& group, const std::string& leaves,
                                  const Tolerance& tolerance) {
  for (const auto& name : golden.names(group)) {
    if (name == fixed_) continue;
    const auto leaf = golden.leaves().find(leaves + name);
    ASSERT_NE(leaf, golden.leaves().end()) << "no gradient of " << leaves + name;
    const Tensor& grad = leaf->second.grad();
    const bool rounded = golden.is_float32(group + "/" + name);
    expect_close("gradient of " + name, grad.defined() ? grad : at::zeros_like(leaf->second),
                 golden.read(group + "/" + name),
                 rounded ? std::max(tolerance.gradients, 1e-7) : tolerance.gradients,
                 tolerance.smallest);
  }
}

void GoldenTest::expect(const std::map<std::string, Tensor>& outputs, const Tolerance& tolerance,
                        const std::string& fixed) {
  fixed_ = fixed;
  for (const auto& [name, found] : outputs) {
    const std::string exact = "out64/" + name;
    expect_close(name, found, golden.read(golden.has(exact) ? exact : "out/" + name),
                 tolerance.outputs);
  }
  for (const auto& name : golden.names("out64")) {
    EXPECT_TRUE(outputs.contains(name)) << name << " is not compared";
  }
  if (!golden.has("cot")) return;
  ASSERT_NO_FATAL_FAILURE(run_backward(outputs));
  for (const char* bits : {"64", "32"}) {
    const std::string gradients = std::string("grad") + bits;
    ASSERT_NO_FATAL_FAILURE(expect_gradients(gradients, "w/", tolerance));
    ASSERT_NO_FATAL_FAILURE(expect_gradients(gradients + "_in", "in/", tolerance));
  }
}

void expect_close(const std::string& what, const Tensor& found, const Tensor& expected,
                  double tolerance, double smallest) {
  ASSERT_EQ(found.sizes(), expected.sizes()) << what;
  if (found.numel() == 0) return;
  const Tensor wanted = expected.to(at::kDouble);
  const Tensor ours = found.detach().to(at::kDouble);
  const Tensor gap = (ours - wanted).abs().masked_fill(ours == wanted, 0.0);
  const Tensor finite = wanted.masked_fill(at::isinf(wanted), 0.0);
  const double scale = std::max(finite.abs().max().item<double>(), smallest);
  EXPECT_LE(gap.nan_to_num(HUGE_VAL).max().item<double>(), tolerance * scale)
      << what << ", largest " << scale;
}

Tensor split_heads(const Tensor& x, int64_t heads) {
  return x.unflatten(2, {heads, -1}).transpose(1, 2);
}

Tensor join_heads(const Tensor& x) { return x.transpose(1, 2).flatten(2); }

Tensor allowed_where_kept(const Tensor& additive) { return additive > -50; }

Tensor for_every_query(const Tensor& allowed, int64_t queries) {
  return allowed.expand({allowed.size(0), allowed.size(1), queries, allowed.size(3)});
}

AttentionResult attended(const Tensor& q, const Tensor& k, const Tensor& v,
                         const std::vector<Position>& positions, const AttentionOptions& options) {
  AttentionOptions fused = options;
  fused.return_weights = false;
  const Tensor x = q.to(at::kFloat);  // the type it would be asked in
  if (!encodings::fused_refuses(x, x, x, positions, fused))
    encodings::expect_fused_within_budget({q, k, v}, positions, fused);
  return attention(q, k, v, positions, options);
}

AttentionResult attention_with_even_rows(const std::array<Tensor, 3>& qkv,
                                         const std::vector<Position>& positions,
                                         AttentionOptions options, Masking masking) {
  options.return_weights = true;
  const auto& [q, k, v] = qkv;
  AttentionResult result = attended(q, k, v, positions, options);
  if (!options.mask.defined()) return result;
  const Tensor empty = options.mask.any(3, /*keepdim=*/true).logical_not();  // [B|1, 1|H, Q, 1]
  EXPECT_EQ(result.weights.masked_select(empty).abs().sum().item<double>(), 0);
  EXPECT_EQ(result.out.masked_select(empty).abs().sum().item<double>(), 0);
  Tensor even = at::full_like(result.weights, 1.0 / static_cast<double>(k.size(2)));
  if (masking == Masking::adds) {
    // The softmax of s - (s as a constant): even, with the gradient of s.
    const Tensor scores = attention_scores(q, k, positions, options, options.mask);
    even = at::softmax(scores - scores.detach(), 3);
  }
  result.weights = at::where(empty, even, result.weights);
  result.out = at::where(empty, at::matmul(even, v), result.out);
  return result;
}

Tensor score_of_pairs(const Terms& terms, const RelationMap& relation) {
  const Tensor rows = relation.pair_rows();  // [B|1, Q, K]
  return terms.score.index_select(1, rows.flatten()).unflatten(1, rows.sizes()).transpose(0, 1);
}

}  // namespace relbias::golden
