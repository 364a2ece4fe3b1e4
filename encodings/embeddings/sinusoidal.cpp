// SPDX-License-Identifier: Apache-2.0
// encodings/embeddings: `sinusoidal`, fixed sines and cosines of the absolute position added to the
// embeddings.
#include <ATen/ATen.h>

#include "encodings/encoding.h"
#include "encodings/shared/sinusoids.h"

namespace relbias::encodings {
namespace {

/// x_i += PE(i), PE(p)[2c] = sin(p / base^(2c/C)), PE(p)[2c+1] = cos(same). On a grid every axis
/// takes an equal part of the channels, the first axis the first part.
///
/// C = 4, positions 0 1 2:   0 1 0 1 / 0.8415 0.5403 0.0100 1.0000 / 0.9093 -0.4161 0.0200 0.9998
class Sinusoidal final : public Encoding {
 public:
  using Encoding::Encoding;

 protected:
  Tensor compute_tokens(const Tensor&, const RelationMap& relation) override {
    const int64_t axes = context_.relation.coordinates;
    std::vector<Tensor> parts;
    for (const Tensor& position : relation.key_coordinates.unbind(-1)) {  // [B|1, N]
      parts.push_back(sinusoids(position, context_.width / axes, options_.real("base")));
    }
    return at::cat(parts, -1);
  }
};

std::optional<std::string> wrong_width(const Options&, const EncodingContext& context) {
  const int64_t step = 2 * context.relation.coordinates;
  if (context.width % step == 0) return std::nullopt;
  return fmt::format("width {} found, a multiple of {} expected: a sine and a cosine an axis",
                     context.width, step);
}

}  // namespace

EncodingEntry encoding_sinusoidal() {
  return {
      .formula =
          "x_p += PE(p), PE(p)[2c] = sin(p / base^(2c/C)), PE(p)[2c+1] = cos(p / base^(2c/C))",
      .source = "Vaswani et al. 2017, section 3.5",
      .initial = "fixed",
      .need = Need::coordinates,
      .on_tokens = true,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate,
                     PastRange::undefined},
      .options = {{"base", 10000.0, "of the wave lengths", {}, 1.0}},
      .undefined = wrong_width,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Sinusoidal>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
