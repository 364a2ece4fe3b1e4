// SPDX-License-Identifier: Apache-2.0
// tests/golden/rotary: `rope` on a line against Llama, GPT-NeoX, GPT-J, RoFormer and Qwen2-VL of
// transformers.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "encodings/attention/rotate.h"
#include "tests/golden/relations.h"
#include "tests/golden/rotary/rotary_cases.h"

namespace relbias::golden {
namespace {

int64_t longest(const Tensor& positions) { return positions.max().item<int64_t>() + 1; }

class Llama : public RotaryTest {};

// Tables hold every channel, the two halves alike.
TEST_P(Llama, EqualsThePackage) {
  const Tensor positions = golden.read("in/position_ids"),
               frequency = golden.read("w/inv_freq_used");
  const RelationMap map = at_positions(positions, longest(positions));
  const auto encoding =
      make(rope_from(golden.word("rope_parameters"), golden.integer("max_position_embeddings")),
           {.heads = 1, .head_width = golden.integer("head_dim")}, map);
  const Rotation rotation = *encoding->terms(map).rotation;
  const auto half = [&](const char* name) {
    return golden.read(name).narrow(2, 0, frequency.size(0)).unsqueeze(1);
  };
  const Tensor cos = half("out/cos"), sin = half("out/sin");
  expect_tables(rotation, cos, sin, (positions.unsqueeze(2) * frequency).unsqueeze(1));
  expect_rotated(rotation, cos, sin);
}
RELBIAS_GOLDEN_TESTS(Llama, cases("rope_hf", "llama/"));

class NeoX : public RotaryTest {};

TEST_P(NeoX, EqualsThePackage) {
  const Tensor positions = golden.read("in/position_ids"), frequency = golden.read("w/inv_freq");
  const RelationMap map = at_positions(positions, longest(positions));
  const auto encoding =
      make(fmt::format("rope layout=half fraction={}", golden.real("partial_rotary_factor")),
           {.heads = 1, .head_width = golden.integer("head_dim")}, map);
  const Rotation rotation = *encoding->terms(map).rotation;
  const auto half = [&](const char* name) {
    return golden.read(name).narrow(2, 0, frequency.size(0)).unsqueeze(1);
  };
  const Tensor cos = half("out/cos"), sin = half("out/sin");
  expect_tables(rotation, cos, sin, (positions.unsqueeze(2) * frequency).unsqueeze(1));
  expect_rotated(rotation, cos, sin);
}
RELBIAS_GOLDEN_TESTS(NeoX, cases("rope_hf", "gpt_neox/"));

class GptJ : public RotaryTest {
 protected:
  Tensor heads_first(const Tensor& x) const override { return x.transpose(1, 2); }
};

TEST_P(GptJ, EqualsThePackage) {
  const Tensor positions = golden.read("in/position_ids");
  const RelationMap map = at_positions(positions, longest(positions));
  const double width = static_cast<double>(golden.integer("head_dim"));
  const auto encoding = make(fmt::format("rope layout=interleaved fraction={}",
                                         static_cast<double>(golden.integer("rotary_dim")) / width),
                             {.heads = 1, .head_width = golden.integer("head_dim")}, map);
  const Rotation rotation = *encoding->terms(map).rotation;
  const Tensor cos = golden.read("out/cos").unsqueeze(1), sin = golden.read("out/sin").unsqueeze(1);
  // The largest frequency is 1, so no angle is beyond its position.
  expect_tables(rotation, cos, sin, positions.view({positions.size(0), 1, -1, 1}));
  expect_rotated(rotation, cos, sin);
}
RELBIAS_GOLDEN_TESTS(GptJ, cases("rope_hf", "gptj/"));

class RoFormer : public RotaryTest {};

// The table has the sines of all positions, then the cosines. The package can rotate values, too.
TEST_P(RoFormer, EqualsThePackage) {
  const int64_t tokens = golden.read("in/q").size(2);
  const RelationMap map = line(tokens);
  const auto encoding =
      make("rope layout=interleaved", {.heads = 1, .head_width = golden.integer("head_dim")}, map);
  const Rotation rotation = *encoding->terms(map).rotation;
  const auto tables =
      golden.read("w/sinusoid_table").narrow(0, 0, tokens).view({1, 1, tokens, -1}).chunk(2, 3);
  expect_tables(rotation, tables[1], tables[0], at::arange(tokens).view({1, 1, tokens, 1}));
  expect_rotated(rotation, tables[1], tables[0]);
  Tensor v = golden.read("in/v"), other = v;
  rotate(rotation, v, other);
  expect_close("v", v, golden.read("out/v"), 1e-6);
}
RELBIAS_GOLDEN_TESTS(RoFormer, cases("rope_hf", "roformer/"));

class GivenAngles : public RotaryTest {};

// Three coordinates that share one ladder of frequencies: no encoding here makes those angles, but
// attention rotates by them. Channels of the sections stand side by side.
TEST_P(GivenAngles, RotateAsThePackage) {
  const auto half = [&](const char* name) { return golden.read(name).chunk(2, 2)[0].unsqueeze(1); };
  expect_rotated({}, half("out/cos"), half("out/sin"));
}
RELBIAS_GOLDEN_TESTS(GivenAngles, cases("rope_hf", "qwen2_vl/"));

class InverseFrequencies : public GoldenTest {
 protected:
  // Angles at position 1 among `length` tokens, and what cos and sin are multiplied with.
  std::pair<Tensor, double> frequencies(const std::string& text, int64_t length) {
    const RelationMap map = at_positions(at::ones({1, 1}), length);
    const auto encoding = make(text, {.heads = 1, .head_width = golden.integer("head_dim")}, map);
    const Rotation rotation = *encoding->terms(map).rotation;
    const Tensor factor = at::hypot(rotation.key_cos, rotation.key_sin);
    return {at::atan2(rotation.key_sin, rotation.key_cos).flatten(), factor.max().item<double>()};
  }

  // The package computes powers in float32.
  static void expect_frequencies(const Tensor& found, const Tensor& expected) {
    ASSERT_EQ(found.sizes(), expected.sizes());
    EXPECT_LE(((found - expected) / expected).abs().max().item<double>(), 1e-6);
  }
};

TEST_P(InverseFrequencies, EqualThePackage) {
  const int64_t trained = golden.integer("max_position_embeddings");
  const std::string text = rope_from(golden.word("rope_parameters"), trained);
  const auto [found, factor] = frequencies(text, trained);
  expect_frequencies(found, golden.read("out/inv_freq"));
  EXPECT_NEAR(factor, golden.real("attention_scaling"), 1e-12);
  for (const int64_t length : {1024, 2048, 4096, 8192}) {
    const std::string name = fmt::format("out/inv_freq_seq{}", length);
    if (golden.has(name)) expect_frequencies(frequencies(text, length).first, golden.read(name));
  }
}

std::vector<CaseId> scalings() {
  auto all = cases("rope_hf", "inv_freq/");
  std::erase_if(
      all, [](const CaseId& id) { return id.group.find("proportional") != std::string::npos; });
  return all;
}
RELBIAS_GOLDEN_TESTS(InverseFrequencies, scalings());

class ProportionalFrequencies : public InverseFrequencies {};

// The ladder runs over the whole head though only a fraction f of it rotates: ours with base^f.
TEST_P(ProportionalFrequencies, EqualThePackage) {
  const auto [found, factor] = frequencies("rope fraction=0.5 base=100", 1);
  const auto halves = golden.read("out/inv_freq").chunk(2);
  expect_frequencies(found, halves[0]);
  EXPECT_EQ(halves[1].abs().max().item<double>(), 0);
}
RELBIAS_GOLDEN_TESTS(ProportionalFrequencies, cases("rope_hf", "inv_freq/proportional"));

class LlamaAttention : public GoldenTest {};

TEST_P(LlamaAttention, EqualsThePackage) {
  const int64_t heads = golden.integer("num_attention_heads");
  const int64_t key_heads = golden.integer("num_key_value_heads");
  const Tensor x = golden.in("hidden_states");
  const Tensor all =
      golden.has("in/past_hidden_states") ? at::cat({golden.in("past_hidden_states"), x}, 1) : x;
  const auto project = [&](const Tensor& tokens, const char* name, int64_t parts) {
    return split_heads(at::linear(tokens, golden.w(name)), parts)
        .repeat_interleave(heads / parts, 1);  // query heads share key heads
  };
  const Tensor q = project(x, "q_proj.weight", heads);
  const Tensor k = project(all, "k_proj.weight", key_heads);
  const Tensor v = project(all, "v_proj.weight", key_heads);
  const RelationMap map = line(q.size(2), k.size(2), golden.integer("past"));
  const auto encoding = make(rope_from(golden.word("rope_parameters"), 64),
                             {.heads = heads, .head_width = golden.integer("head_dim")}, map);
  AttentionOptions options{.return_weights = true};
  options.mask = allowed_where_kept(golden.read("in/additive_mask"));
  const auto result = attended(q, k, v, {{map, encoding->terms(map)}}, options);
  // Angles and softmax are float32 in the package.
  expect({{"attn_weights", result.weights},
          {"out", at::linear(join_heads(result.out), golden.w("o_proj.weight"))}},
         {5e-7, 5e-7});
}
RELBIAS_GOLDEN_TESTS(LlamaAttention, cases("rope_hf", "llama_attention/"));

class RotaryConformer : public GoldenTest {};

// Quirk 11: the package rotates the input of the projections of q and k, and not q and k.
TEST_P(RotaryConformer, EqualsThePackage) {
  const int64_t heads = golden.integer("num_heads");
  const Tensor x = golden.in("hidden_states");
  const RelationMap map = line(x.size(1));
  const auto encoding =
      make("rope layout=half", {.heads = heads, .head_width = golden.integer("head_size")}, map);
  Tensor turned = split_heads(x, heads), other = turned;
  rotate(*encoding->terms(map).rotation, turned, other);
  const auto project = [&](const Tensor& tokens, const std::string& name) {
    return at::linear(tokens, golden.w(name + ".weight"), golden.w(name + ".bias"));
  };
  const auto heads_of = [&](const Tensor& tokens, const char* name) {
    return split_heads(project(tokens, name), heads);
  };
  const Tensor rotated = join_heads(turned);
  AttentionOptions options{.return_weights = true};
  options.mask = allowed_where_kept(golden.read("in/additive_mask"));
  const auto result = attended(heads_of(rotated, "linear_q"), heads_of(rotated, "linear_k"),
                               heads_of(x, "linear_v"), {}, options);
  // The package's angles are float32.
  expect({{"attn_weights", result.weights}, {"out", project(join_heads(result.out), "linear_out")}},
         {5e-7, 5e-7});
}

std::vector<CaseId> rotary_conformers() {
  auto all = cases("audio_hf", "w2v2_conformer_rotary/");
  for (const auto& id : cases("audio_hf", "w2v_bert_rotary/")) all.push_back(id);
  return all;
}
RELBIAS_GOLDEN_TESTS(RotaryConformer, rotary_conformers());

}  // namespace
}  // namespace relbias::golden
