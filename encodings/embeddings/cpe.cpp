// SPDX-License-Identifier: Apache-2.0
// encodings/embeddings: `cpe`, conditional encoding: a depth-wise convolution over the tokens' own
// layout.
#include <ATen/ATen.h>

#include <cmath>

#include "encodings/encoding.h"

namespace relbias::encodings {
namespace {

/// x += conv(x), one filter a channel, zero padding, over the layout of the tokens: two-dimensional
/// on grids, one-dimensional on lines and causal there if the model is. It stands after the first
/// block. A class token is left alone. Zero padding is what tells absolute places apart.
///
/// Line, filter 1 2 3, not causal, tokens 1 1 1: 5 6 3; causal: 3 5 6.
class Cpe final : public Encoding {
 public:
  Cpe(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial), kernel_(options.integer("kernel")) {
    const bool grid = context.trained.sides.size() == 2;
    std::vector<int64_t> shape{context.width, 1, kernel_};
    if (grid) shape.push_back(kernel_);
    const double taps = std::pow(static_cast<double>(kernel_), grid ? 2 : 1);
    weight_ = register_parameter("weight", initial.normal("weight", shape, 1.0 / std::sqrt(taps)));
    bias_ = register_parameter("bias", initial.constant({context.width}, 0.0));
  }

 protected:
  Tensor compute_tokens(const Tensor& embeddings, const RelationMap& relation) override {
    const int64_t others =
        embeddings.size(1) -
        relation.sides.at(0) * (relation.sides.size() == 2 ? relation.sides[1] : 1);
    TORCH_INTERNAL_ASSERT(others == 0 || others == 1, "tokens beside the layout: ", others);
    const Tensor placed =
        embeddings.narrow(1, others, embeddings.size(1) - others).to(weight_.scalar_type());
    const Tensor channels = placed.transpose(1, 2);  // [B, C, N]
    Tensor out;
    if (relation.sides.size() == 2) {
      const Tensor image = channels.unflatten(2, {relation.sides[0], relation.sides[1]});
      out = at::conv2d(image, weight_, bias_, 1, kernel_ / 2, 1, image.size(1)).flatten(2);
    } else {
      const int64_t before = context_.causal ? kernel_ - 1 : kernel_ / 2;
      const Tensor padded = at::constant_pad_nd(channels, {before, kernel_ - 1 - before});
      out = at::conv1d(padded, weight_, bias_, at::IntArrayRef{1}, at::IntArrayRef{0},
                       at::IntArrayRef{1}, channels.size(1));
    }
    return at::constant_pad_nd(out.transpose(1, 2), {0, 0, others, 0});
  }

 private:
  int64_t kernel_;
  Tensor weight_;  // [C, 1, k] or [C, 1, k, k]
  Tensor bias_;    // [C]
};

std::optional<std::string> wrong_layout(const Options& options, const EncodingContext& context) {
  const size_t axes = context.trained.sides.size();
  if (axes != 1 && axes != 2)
    return "needs tokens in a line or on a grid, whose neighbours it convolves";
  if (options.integer("kernel") % 2 == 0) {
    return fmt::format("kernel {} found, an odd number expected", options.integer("kernel"));
  }
  return std::nullopt;
}

}  // namespace

EncodingEntry encoding_cpe() {
  return {
      .formula =
          "x += depth-wise conv(x) over the tokens' layout, zero padding, after the first block",
      .source =
          "Chu et al. 2021, Conditional Positional Encodings for Vision Transformers, section 3.3",
      .initial = "filter N(0, 1/taps), bias 0",
      .need = Need::coordinates,
      .on_tokens = true,
      .after_block = 1,
      .past_range = {PastRange::extend},
      .options = {{"kernel", int64_t{3}, "side of the filter, odd", {}, 1, 31}},
      .undefined = wrong_layout,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Cpe>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
