// SPDX-License-Identifier: Apache-2.0
// encodings/rotations: `xpos`, rotation with a decay over the distance.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"
#include "encodings/shared/rotary.h"

namespace relbias::encodings {
namespace {

/// rope's rotation, then query pair c times z_c^((p - m)/scale_base) and key pair c times the
/// inverse, z_c = (2c + 0.4 d)/(1.4 d), c = 0.. over the d = 2P rotated channels: their product
/// decays as z_c^((i-j)/scale_base). For keys ahead it would grow, so a causal mask is needed.
/// Positions are counted from the middle m of the input, which changes no product and keeps both
/// factors small.
///
/// d = 2, scale_base 1, positions 0 1: z = 0.2857, m = 1: query factors 3.5 1, key factors
/// 0.2857 1.
class Xpos final : public Encoding {
 public:
  using Encoding::Encoding;

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const auto frequency = rotary_frequencies(options_, context_, relation.keys);
    const Tensor inverse = frequency.inverse.to(relation.key_coordinates.device());
    const double width = 2.0 * static_cast<double>(inverse.size(0));
    const Tensor channel = at::arange(inverse.size(0), inverse.options());
    const Tensor log_decay = ((2 * channel + 0.4 * width) / (1.4 * width)).log();  // [P]
    const auto middle = static_cast<double>(relation.keys / 2);
    const auto table = [&](const Tensor& coordinates, double sign) {  // -> cos, sin [B|1, 1, N, P]
      const Tensor position = coordinates.to(at::kDouble);            // [B|1, N, 1]
      const Tensor power = (position - middle) * (sign / options_.real("scale_base"));
      const Tensor decay = (power * log_decay).exp().unsqueeze(1) * frequency.factor;
      const Tensor angle = (position * inverse).unsqueeze(1);
      return std::pair(angle.cos() * decay, angle.sin() * decay);
    };
    Rotation rotation;
    rotation.base = frequency.base;
    rotation.layout =
        options_.word("layout") == "half" ? RotaryLayout::half : RotaryLayout::interleaved;
    std::tie(rotation.query_cos, rotation.query_sin) = table(relation.query_coordinates, 1);
    std::tie(rotation.key_cos, rotation.key_sin) = table(relation.key_coordinates, -1);
    Terms terms;
    terms.rotation = rotation;
    terms.scale_factor = frequency.scale;
    return terms;
  }

  // The product of both factors is at most 1, but each alone grows with the distance from the
  // middle, the fastest as 3.5^(distance / scale_base). float32 ends at e^88; a margin is left for
  // queries and keys of some size.
  std::optional<std::string> undefined_size(const RelationMap& relation) const override {
    constexpr double largest = 80;
    const double fastest = std::log(3.5), reach = static_cast<double>(relation.keys / 2 + 1);
    const double exponent = reach / options_.real("scale_base") * fastest;
    if (exponent <= largest) return std::nullopt;
    return fmt::format(
        "xpos scale_base={}: over {} tokens its factors reach e^{:.0f}, which is beyond float32; "
        "scale_base of at least {:.3g} expected",
        options_.real("scale_base"), relation.keys, exponent, reach * fastest / largest);
  }
};

std::optional<std::string> not_causal_line(const Options& options, const EncodingContext& context) {
  if (!context.causal) return "grows for keys ahead of the query: needs a causal mask";
  if (context.relation.coordinates != 1) {
    return fmt::format("needs one coordinate a token, {} found", context.relation.coordinates);
  }
  return wrong_rotary_options(options, context);
}

std::vector<OptionSpec> xpos_options() {
  auto specs = rotary_options();
  specs.push_back({"scale_base", 512.0, "tokens over which the decay is z", {}, 1e-3});
  return specs;
}

}  // namespace

EncodingEntry encoding_xpos() {
  return {
      .version = 2,
      .formula =
          "rope, and q_i pair c times z_c^(i/scale_base), k_j pair c times z_c^(-j/scale_base), "
          "z_c = (2c + 0.4 d) / (1.4 d)",
      .source =
          "Sun et al. 2022, A Length-Extrapolatable Transformer, section 2.2 and released code",
      .initial = "fixed",
      .need = Need::coordinates,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .has_factor = false,
      .options = xpos_options(),
      .undefined = not_causal_line,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Xpos>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
