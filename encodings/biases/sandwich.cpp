// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `sandwich`, the inner product of sinusoids as a fixed bias.
#include <ATen/ATen.h>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

/// b_h[r] = H / (8 h) * ( sum_{i=1..m/2} cos(d / base^(2i/m)) - m/2 ), h = 1..H: the product of the
/// sinusoidal embeddings of both positions, zero at d = 0, compressed more from head to head as
/// ALiBi's slopes are. Fixed, in float32 from float64 angles.
///
/// m = 2, base 10000, one head: d = 0 1 2 -> 0, (cos(0.0001) - 1) / 8, (cos(0.0002) - 1) / 8.
class Sandwich final : public Encoding {
 public:
  Sandwich(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const auto width = static_cast<double>(options_.integer("width"));
    const auto exact = at::TensorOptions(at::kDouble).device(relation.distance.device());
    const Tensor steps = at::arange(1, options_.integer("width") / 2 + 1, exact);
    const Tensor frequency = at::pow(options_.real("base"), steps * (-2.0 / width));
    const Tensor angles = relation.distance.to(at::kDouble).unsqueeze(1) * frequency;  // [R, m/2]
    const Tensor product = angles.cos().sum(1) - width / 2;
    const Tensor head = at::arange(1, context_.heads + 1, exact).unsqueeze(1);
    Terms terms;
    terms.score = (product * static_cast<double>(context_.heads) / (8 * head)).to(at::kFloat);
    return terms;
  }
};

std::optional<std::string> odd_width(const Options& options, const EncodingContext&) {
  if (options.integer("width") % 2 == 0) return std::nullopt;
  return fmt::format("width {} found, an even number expected", options.integer("width"));
}

}  // namespace

EncodingEntry encoding_sandwich() {
  return {
      .formula =
          "b_h[r] = H / (8 h) * (sum_{i=1..m/2} cos(d / base^(2i/m)) - m/2), h = 1..H, m = width",
      .source =
          "Chi, Fan, Rudnicky, Ramadge 2023, Dissecting Transformer Length Extrapolation via the "
          "Lens of Receptive Field Analysis, section 5; constants as released with it",
      .initial = "fixed; ids without a distance learn a scalar each, zero at the start",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .options = {{"width", int64_t{128}, "m, channels of the sinusoids", {}, 2, 65536},
                  {"base", 10000.0, "of the wave lengths", {}, 1.0}},
      .undefined = odd_width,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Sandwich>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
