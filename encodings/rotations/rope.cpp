// SPDX-License-Identifier: Apache-2.0
// encodings/rotations: `rope`, rotation of queries and keys by angles proportional to their
// positions.
#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "encodings/encoding.h"
#include "encodings/shared/rotary.h"
#include "modalities/seed.h"

namespace relbias::encodings {
namespace {

/// The pair (x, y) number c of a head at position p becomes (x cos a - y sin a, x sin a + y cos a),
/// a = p * w_c, w_c = base^(-2c/(2P)), P = fraction * D / 2 pairs. q_i.k_j then depends on j - i
/// only. Pairs are (c, c + P) with layout=half, (2c, 2c + 1) with layout=interleaved.
///
/// Several coordinates: axes=axial gives each an equal part of the channels with frequencies of its
/// own, the layout applying inside each part; axes=mixed learns a frequency a coordinate, head and
/// pair, a = y w_y + x w_x, started in two random orthogonal directions a head.
/// Angles are float64 whatever the model's type; nothing is kept between calls. A class token
/// stands at the origin and is not rotated.
///
/// D = 4, x = 1 2 3 4, position 1:   half        -1.9841  1.9599  2.4624  4.0198
///                                   interleaved -1.1426  1.9221  2.9599  4.0298
class Rope final : public Encoding {
 public:
  Rope(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    if (options.word("axes") != "mixed") return;
    const int64_t pairs =
        rotated_pairs(options, context);  // an axis; 2 axes make `2 * pairs` a head
    const Tensor magnitude =
        initial.placed(rotary_frequencies(options, context, context.trained.keys).inverse);
    const Tensor direction =
        initial.uniform("direction", {context.heads, 1}, 0, 2 * std::numbers::pi).to(at::kDouble);
    const auto along = [&](double turn) {  // [2, H, pairs]: (y, x)
      return at::stack(
          {magnitude * (direction + turn).sin(), magnitude * (direction + turn).cos()});
    };
    TORCH_INTERNAL_ASSERT(magnitude.size(0) == pairs);
    frequencies_ = register_parameter(
        "frequencies", at::cat({along(0), along(std::numbers::pi / 2)}, 2).to(at::kFloat));
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const auto frequency = rotary_frequencies(options_, context_, relation.keys);
    Rotation rotation;
    rotation.base = frequency.base;
    rotation.layout =
        options_.word("layout") == "half" ? RotaryLayout::half : RotaryLayout::interleaved;
    rotation.blocks = frequencies_.defined() ? 1 : context_.relation.coordinates;
    const Tensor query = angles(relation.query_coordinates, frequency.inverse);
    const Tensor key = angles(relation.key_coordinates, frequency.inverse);
    rotation.query_cos = query.cos() * frequency.factor;
    rotation.query_sin = query.sin() * frequency.factor;
    rotation.key_cos = key.cos() * frequency.factor;
    rotation.key_sin = key.sin() * frequency.factor;
    Terms terms;
    terms.rotation = rotation;
    terms.scale_factor = frequency.scale;
    return terms;
  }

 private:
  // coordinates [B|1, N, A] -> [B|1, 1|H, N, P]
  Tensor angles(const Tensor& coordinates, const Tensor& inverse) const {
    const Tensor exact = coordinates.to(at::kDouble);
    if (!frequencies_.defined()) {
      const Tensor frequency = inverse.to(coordinates.device());
      return (exact.unsqueeze(-1) * frequency).flatten(2).unsqueeze(1);
    }
    const Tensor frequency = frequencies_.to(at::kDouble);  // [A, H, P]
    return at::einsum("bna,ahp->bhnp", {exact, frequency});
  }

  Tensor frequencies_;  // [A, H, P], undefined: fixed
};

std::optional<std::string> not_rotatable(const Options& options, const EncodingContext& context) {
  if (options.word("axes") == "mixed" && context.relation.coordinates != 2) {
    return fmt::format("axes=mixed needs two coordinates a token, {} found",
                       context.relation.coordinates);
  }
  if (options.word("axes") == "mixed" && options.word("scaling") != "none") {
    return fmt::format("axes=mixed learns its frequencies, scaling={} found",
                       options.word("scaling"));
  }
  return wrong_rotary_options(options, context);
}

std::vector<OptionSpec> rope_options() {
  auto specs = rotary_options();
  specs.push_back({"axes",
                   "axial",
                   "several coordinates: a part of the channels each, or learned "
                   "mixtures",
                   {"axial", "mixed"}});
  return specs;
}

}  // namespace

EncodingEntry encoding_rope() {
  return {
      .version = 2,
      .formula =
          "q_i, k_j rotated pair by pair by position * base^(-c/P), c = 0..P-1, P = fraction * "
          "D / 2; pairs (c, c+P) for layout=half, (2c, 2c+1) for layout=interleaved",
      .source =
          "Su et al. 2021, RoFormer, eq. 34 (interleaved); GPT-NeoX and Llama (half); Heo et al. "
          "2024, RoPE-ViT (axial, mixed); Chen et al. 2023 (linear), Peng et al. 2023 (ntk, yarn), "
          "Ding et al. 2024 (longrope), Llama 3.1 (llama3)",
      .initial = "fixed; axes=mixed: the axial frequencies in random orthogonal directions",
      .need = Need::coordinates,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .has_factor = false,
      .options = rope_options(),
      .undefined = not_rotatable,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Rope>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
