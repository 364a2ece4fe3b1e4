// SPDX-License-Identifier: Apache-2.0
// tests/golden/audio: `transformer-xl` against the Conformers of transformers, which look both
// ways.
#include <ATen/ATen.h>

#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class ConformerShift : public GoldenTest {};

// Row n-1-d for distance d = query - key: a line's index, without the shift trick.
TEST_P(ConformerShift, IsTheIndexOfALine) {
  const Tensor x = golden.read("in/x").flatten(0, 2);
  const Tensor rows = line(x.size(0)).pair_rows().squeeze(0);
  EXPECT_TRUE(at::equal(x.gather(1, rows), golden.read("out/shifted").flatten(0, 2)));
}
RELBIAS_GOLDEN_TESTS(ConformerShift, cases("audio_hf", "fastspeech2_rel_shift/"));

// Whose sinusoids: our own, or those of the package, which come from angles in float32; or no
// sinusoids at all but any vectors, which only attention is held against.
enum class Sinusoids { ours, theirs, none };

// What the packages call their weights.
struct Names {
  std::string q, k, v, out, position, u, v_bias;
};

class ConformerTest : public GoldenTest {
 protected:
  Names names() const {
    if (golden.has("w/relative_k_proj.weight")) {  // Parakeet
      return {"q_proj", "k_proj", "v_proj", "o_proj", "relative_k_proj", "bias_u", "bias_v"};
    }
    return {"linear_q",   "linear_k",   "linear_v",  "linear_out",
            "linear_pos", "pos_bias_u", "pos_bias_v"};
  }

  Tensor project(const Tensor& x, const std::string& name) {
    return at::linear(x, golden.w(name + ".weight"), golden.w(name + ".bias"));
  }

  // Booleans for every query or key by key, or additive.
  Tensor allowed(int64_t queries) const {
    if (golden.has("in/additive_mask")) return allowed_where_kept(golden.read("in/additive_mask"));
    const Tensor mask = golden.read("in/attention_mask").to(at::kBool);
    return for_every_query(mask.dim() == 3 ? mask.unsqueeze(1) : mask, queries);
  }

  void run(Sinusoids source, const Tolerance& tolerance) {
    const Names name = names();
    const Tensor x = golden.in("hidden_states"), u = golden.w(name.u);
    const RelationMap map = line(x.size(1));
    const auto encoding = make("transformer-xl", {u.size(0), u.size(1)}, map);
    // The package's channels are sine, cosine, sine, cosine; ours all sines, then all cosines.
    const Tensor weight = golden.w(name.position + ".weight");
    set(*encoding, "projection", weight.unflatten(1, {-1, 2}).transpose(1, 2).flatten(1));
    set(*encoding, "u", u);
    set(*encoding, "v", golden.w(name.v_bias));
    Terms terms = encoding->terms(map);
    if (source != Sinusoids::ours) {
      const Tensor rows =
          at::linear(golden.in("pos_emb")[0], weight).unflatten(1, {u.size(0), -1}).transpose(0, 1);
      if (source == Sinusoids::theirs) expect_close("key table", terms.key, rows, 1e-6);
      terms.key = rows;
    }
    AttentionOptions options{.return_weights = true};
    options.mask = allowed(x.size(1));
    const auto heads_of = [&](const std::string& part) {
      return split_heads(project(x, part), u.size(0));
    };
    const auto result =
        attended(heads_of(name.q), heads_of(name.k), heads_of(name.v), {{map, terms}}, options);
    std::map<std::string, Tensor> outputs{{"out", project(join_heads(result.out), name.out)}};
    if (golden.has("out/attn_weights")) outputs["attn_weights"] = result.weights;
    expect(outputs, tolerance, source == Sinusoids::ours ? "pos_emb" : "");
  }
};

class Conformer : public ConformerTest {};
TEST_P(Conformer, EqualsThePackage) { run(Sinusoids::ours, {2e-6, 2e-6}); }
TEST_P(Conformer, EqualsThePackageOnItsSinusoids) { run(Sinusoids::theirs, {1e-9, 1e-9}); }

std::vector<CaseId> conformers() {
  std::vector<CaseId> all;
  for (const char* group : {"parakeet/", "w2v2_conformer_relative/", "w2v_bert_relative/"}) {
    for (const auto& id : cases("audio_hf", group)) all.push_back(id);
  }
  return all;
}
RELBIAS_GOLDEN_TESTS(Conformer, conformers());

class GivenVectors : public ConformerTest {};
TEST_P(GivenVectors, EqualThePackage) { run(Sinusoids::none, {1e-9, 1e-9}); }
RELBIAS_GOLDEN_TESTS(GivenVectors, cases("audio_hf", "fastspeech2_conformer/"));

}  // namespace
}  // namespace relbias::golden
