// SPDX-License-Identifier: Apache-2.0
// encodings: `rope`, rotation of queries and keys by angles proportional to their positions.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"
#include "encodings/shared/sinusoids.h"

namespace relbias {
namespace {

// Rotated channel pairs of a head; 0 where `fraction` does not give a whole, positive number.
int64_t rotated_pairs(const Options& options, const EncodingContext& context) {
  const double pairs = options.real("fraction") * static_cast<double>(context.head_width) / 2;
  return std::abs(pairs - std::round(pairs)) < 1e-9 ? std::llround(pairs) : 0;
}

/// The pair (x, y) number c of a head at position p becomes (x cos a - y sin a, x sin a + y cos a),
/// a = p * base^(-2c/(2P)), P = fraction * D / 2 pairs. q_i.k_j then depends on j - i only. Pairs are
/// (c, c + P) with layout=half, (2c, 2c + 1) with layout=interleaved. Angles are float64, their sines
/// and cosines float32, whatever the model's type; nothing is kept between calls.
///
/// D = 4, x = 1 2 3 4, position 1:   half        -1.9841  1.9599  2.4624  4.0198
///                                   interleaved -1.1426  1.9221  2.9599  4.0298
class Rope final : public Encoding {
 public:
  using Encoding::Encoding;

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    Rotation rotation;
    rotation.base = options_.real("base");
    rotation.layout = options_.word("layout") == "half" ? RotaryLayout::half
                                                        : RotaryLayout::interleaved;
    const Tensor query = angles(relation.query_coordinates, rotation.base);
    const Tensor key = angles(relation.key_coordinates, rotation.base);
    rotation.query_cos = query.cos();
    rotation.query_sin = query.sin();
    rotation.key_cos = key.cos();
    rotation.key_sin = key.sin();
    Terms terms;
    terms.rotation = rotation;
    return terms;
  }

 private:
  Tensor angles(const Tensor& coordinates,  // [B|1, N, 1]
                double base) const {        // -> [B|1, 1, N, P]
    const int64_t pairs = rotated_pairs(options_, context_);
    const Tensor frequency = inverse_frequencies(2 * pairs, base, coordinates.device());
    return (coordinates.to(at::kDouble) * frequency).unsqueeze(1);
  }
};

std::optional<std::string> not_rotatable(const Options& options, const EncodingContext& context) {
  if (context.relation.coordinates != 1) {
    return fmt::format("rotates by one coordinate, {} found", context.relation.coordinates);
  }
  if (rotated_pairs(options, context) > 0) return std::nullopt;
  return fmt::format("fraction {} of head width {} found, an even number of channels expected",
                     options.real("fraction"), context.head_width);
}

}  // namespace

EncodingEntry encoding_rope() {
  return {
      .formula = "q_i, k_j rotated pair by pair by position * base^(-c/P), c = 0..P-1, P = fraction * "
                 "D / 2; pairs (c, c+P) for layout=half, (2c, 2c+1) for layout=interleaved",
      .source = "Su et al. 2021, RoFormer, eq. 34 (interleaved); GPT-NeoX and Llama (half)",
      .initial = "fixed",
      .need = Need::coordinates,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .has_factor = false,
      .options = {{"layout", "half", "which channels form a pair", {"half", "interleaved"}},
                  {"base", 10000.0, "of the wave lengths", {}, 1.0},
                  {"fraction", 1.0, "of the head's channels that rotate", {}, 0.0, 1.0}},
      .undefined = not_rotatable,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser&) {
            return std::make_shared<Rope>(options, context);
          },
  };
}

}  // namespace relbias
