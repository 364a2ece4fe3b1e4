// SPDX-License-Identifier: Apache-2.0
// encodings/vectors: `transformer-xl`, keys of sinusoids of the distance, with learned global
// queries.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"
#include "encodings/shared/axis_tables.h"
#include "encodings/shared/sinusoids.h"

namespace relbias::encodings {
namespace {

/// score(i,j) = scale * ( (q_i + u_h).k_j + (q_i + v_h).A_h[i - j] ), A[d] = W PE(d), PE(d) = the
/// sines of all frequencies, then the cosines; d = query - key, positive in the past. The sines
/// keep the sign: a key d ahead and one d behind differ. The table is indexed by the offset itself,
/// so memory (K > Q) and keys ahead need no shifting of a score matrix. Axes of a grid share the
/// channels in equal parts; a relation with a distance only has no sign to keep.
///
/// One frequency 1: PE(1) = [0.8415 0.5403], PE(-1) = [-0.8415 0.5403].
class TransformerXl final : public Encoding {
 public:
  TransformerXl(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial) {
    const int64_t width = context.width, head_width = context.head_width;
    projection_ = register_parameter(
        "projection", initial.normal("projection", {table_heads() * head_width, width},
                                     1.0 / std::sqrt(static_cast<double>(width))));
    u_ = learned_table("u", {head_width});
    v_ = learned_table("v", {head_width});
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    const Tensor offsets = signed_axes(relation).neg();  // query - key
    std::vector<Tensor> parts;
    for (const Tensor& axis : offsets.unbind(1)) {
      const Tensor wave = sinusoids(axis, context_.width / offsets.size(1), 10000.0);
      parts.push_back(
          wave.unflatten(1, {-1, 2}).transpose(1, 2).flatten(1));  // sines, then cosines
    }
    const Tensor waves = at::cat(parts, 1).to(projection_.scalar_type());  // [R, C]
    Terms terms;
    terms.key = at::linear(waves, projection_)
                    .unflatten(1, {table_heads(), context_.head_width})
                    .transpose(0, 1);
    terms.content_bias = u_.expand({context_.heads, -1});
    terms.position_bias = v_.expand({context_.heads, -1});
    return terms;
  }

 private:
  Tensor projection_;  // [(1|H) * D, C]
  Tensor u_, v_;       // [1|H, D]
};

std::optional<std::string> wrong_width(const Options&, const EncodingContext& context) {
  const int64_t step = 2 * std::max<int64_t>(context.relation.axes, 1);
  if (context.width % step == 0) return std::nullopt;
  return fmt::format("width {} found, a multiple of {} expected: a sine and a cosine an axis",
                     context.width, step);
}

}  // namespace

EncodingEntry encoding_transformer_xl() {
  return {
      .formula =
          "score(i,j) = scale * ((q_i + u).k_j + (q_i + v).W PE(i - j)), PE(d) = [sin(d w_c), "
          "cos(d w_c)], w_c = 10000^(-2c/C)",
      .source = "Dai et al. 2019, Transformer-XL, section 3.3",
      .initial = "projection N(0, 1/C), u and v N(0, init_std^2)",
      .need = Need::distance,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .init_std = 0.02,
      .per_head = true,
      .options = {},
      .undefined = wrong_width,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<TransformerXl>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
