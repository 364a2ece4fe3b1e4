// SPDX-License-Identifier: Apache-2.0
// encodings/biases: `cpb`, continuous position bias: a small network from offset to bias.
#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

#include "encodings/encoding.h"
#include "encodings/shared/small_mlp.h"

namespace relbias::encodings {
namespace {

constexpr int64_t kHarmonics = 8;

/// b_h[r] = f_h(s(offset)), f an MLP, s applied to every axis with n = trained side - 1:
///
///     linear   x / n
///     log      sign(x) log2(1 + |8 x / n|) / 3      (SwinV2; 1 at the trained side)
///     fourier  sin and cos of pi k x / n, k = 1..8
///
/// A side of 1 gives 0. `bounded=true` is SwinV2's 16 * sigmoid at the output. Relations without
/// axes give their distance, n = the largest there is; relations with real-valued features give
/// those, unscaled, and the term is dense.
///
/// log, n = 8: offsets -8 -1 0 1 8 -> -1.0566 -0.3333 0 0.3333 1.0566.
class ContinuousBias final : public Encoding {
 public:
  ContinuousBias(const Options& options, const EncodingContext& context, const Initialiser& initial)
      : Encoding(options, context, initial), scale_(options.word("scale")) {
    const bool features = context.relation.features > 0;
    int64_t in = features ? context.relation.features : std::max<int64_t>(context.relation.axes, 1);
    if (!features && scale_ == "fourier") in *= 2 * kHarmonics;
    mlp_ = register_module(
        "mlp", std::make_shared<SmallMlp>(MlpShape{in, options.integer("width"), table_heads()},
                                          initial.in("mlp")));
    learn_special_ids();
  }

 protected:
  Terms compute_terms(const RelationMap& relation) override {
    Terms terms;
    if (relation.features.defined()) {
      terms.dense = [this, features = relation.features](const Tensor&, const Tensor&,
                                                         const Tensor&) {
        return bounded(mlp_->forward(features)).permute({0, 3, 1, 2});
      };
      return terms;
    }
    terms.score = bounded(mlp_->forward(inputs(relation))).t();
    return terms;
  }

 private:
  Tensor bounded(const Tensor& bias) const {
    return options_.flag("bounded") ? 16 * bias.sigmoid() : bias;
  }

  // [R, in]
  Tensor inputs(const RelationMap& relation) const {
    if (!relation.offsets.defined()) {
      const double largest = context_.trained.distance.max().item<double>();
      return scaled(relation.distance, largest).unsqueeze(1).flatten(1);
    }
    std::vector<Tensor> axes;
    for (int64_t axis = 0; axis < relation.offsets.size(1); ++axis) {
      axes.push_back(scaled(relation.offsets.select(1, axis), largest_offset(axis)));
    }
    return at::stack(axes, 1).flatten(1);
  }

  double largest_offset(int64_t axis) const {
    const auto& sides = context_.trained.sides;
    if (!sides.empty()) return static_cast<double>(sides.at(static_cast<size_t>(axis)) - 1);
    return context_.trained.offsets.select(1, axis).abs().max().item<double>();
  }

  // [R] -> [R] or, fourier, [R, 16]
  Tensor scaled(const Tensor& x, double n) const {
    if (n <= 0)
      return scale_ == "fourier" ? at::zeros({x.size(0), 2 * kHarmonics}, x.options())
                                 : at::zeros_like(x);
    if (scale_ == "linear") return x / n;
    if (scale_ == "log") return x.sign() * (8 * x.abs() / n + 1).log2() / 3;
    const Tensor k = at::arange(1, kHarmonics + 1, x.options());
    const Tensor angle = x.unsqueeze(1) * k * (std::numbers::pi / n);
    return at::cat({angle.sin(), angle.cos()}, 1);
  }

  std::string scale_;
  std::shared_ptr<SmallMlp> mlp_;
};

std::optional<std::string> unread_scale(const Options& options, const EncodingContext& context) {
  if (context.relation.features == 0 || !differs(options, "scale")) return std::nullopt;
  return fmt::format("scale={} found on features, which are taken as they are",
                     options.word("scale"));
}

}  // namespace

EncodingEntry encoding_cpb() {
  return {
      .formula =
          "b_h[r] = f_h(s(offset)), f an MLP; s: linear x/n | log sign(x) log2(1+|8x/n|)/3 | "
          "fourier sin, cos(pi k x/n), k = 1..8; n = trained side - 1",
      .source =
          "Liu et al. 2022, Swin Transformer V2, section 3.3 (log); linear and fourier as in "
          "public extrapolation studies of continuous bias",
      .initial =
          "two layers: W1 and b1 ~ U(-1/sqrt(in), 1/sqrt(in)) for `in` inputs, W2 ~ N(0, 1/width), "
          "no "
          "bias at the output",
      .need = Need::anything,
      .past_range = {PastRange::extend, PastRange::clamp, PastRange::interpolate},
      .per_head = true,
      .options = {{"scale", "log", "what is done to an offset first", {"linear", "log", "fourier"}},
                  {"width", int64_t{32}, "hidden units (SwinV2: 512)", {}, 1, 65536},
                  {"bounded", false, "16 * sigmoid at the output"}},
      .undefined = unread_scale,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<ContinuousBias>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
