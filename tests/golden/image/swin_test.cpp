// SPDX-License-Identifier: Apache-2.0
// tests/golden/image: `table` in whole layers of Swin, cut into shifted windows, against
// transformers.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include "experiments/model/pattern.h"
#include "tests/golden/golden_test.h"
#include "tests/golden/relations.h"

namespace relbias::golden {
namespace {

class SwinLayer : public GoldenTest {
 protected:
  Tensor project(const Tensor& x, const std::string& name) {
    return at::linear(x, golden.w(name + ".weight"), golden.w(name + ".bias"));
  }
  Tensor normalised(const Tensor& x, const std::string& name) {
    return at::layer_norm(x, {x.size(-1)}, golden.w(name + ".weight"), golden.w(name + ".bias"),
                          1e-5);
  }

  // [B, height, width, C] -> [B windows, side^2, C], windows of a sample in raster order
  Tensor windows(const Tensor& image) const {
    return image.unflatten(2, {-1, side_})
        .unflatten(1, {-1, side_})
        .transpose(2, 3)
        .flatten(3, 4)
        .flatten(0, 2);
  }
  Tensor image(const Tensor& windows, at::IntArrayRef size) const {  // the way back
    return windows.view({-1, size[0] / side_, size[1] / side_, side_, side_, windows.size(2)})
        .transpose(2, 3)
        .flatten(3, 4)
        .flatten(1, 2);
  }

  // What our pattern allows between the places of each shifted window, [windows, 1, side^2,
  // side^2].
  Tensor neighbours(at::IntArrayRef size) const {
    const int64_t places = size[0] * size[1];
    const Tensor place = at::arange(places).view({1, size[0], size[1], 1});
    const Tensor members = windows(place.roll({-shift_, -shift_}, {1, 2})).squeeze(2);
    const Pattern pattern(fmt::format("window size={}", side_));
    EXPECT_EQ(shift_, side_ / 2);
    AttentionOptions shifted;
    shifted.groups = pattern.groups(
        {.queries = places, .keys = places, .sides = {size[0], size[1]}}, /*layer=*/1);
    const Tensor pairs = allowed_pairs(places, places, shifted, at::kCPU)[0][0];
    return pairs.index({members.unsqueeze(2), members.unsqueeze(1)}).unsqueeze(1);
  }

  Tensor attend(const Tensor& x, const Tensor& allowed) {  // [B windows, side^2, C]
    const int64_t heads = golden.integer("num_heads");
    const RelationMap map = grid(side_, side_);
    const auto encoding = make("table", {.heads = heads, .head_width = x.size(2) / heads}, map);
    set(*encoding, "table",
        golden.w("attention.relative_position_bias.relative_position_bias_table").t());
    const auto heads_of = [&](const char* name) { return split_heads(project(x, name), heads); };
    AttentionOptions options{.return_weights = true};
    // Dropped pairs have -100 added in the package: 4e-44 of a weight.
    if (allowed.defined()) options.mask = allowed.repeat({x.size(0) / allowed.size(0), 1, 1, 1});
    const auto result =
        attended(heads_of("attention.q_proj"), heads_of("attention.k_proj"),
                 heads_of("attention.v_proj"), {{map, encoding->terms(map)}}, options);
    return project(join_heads(result.out), "attention.o_proj");
  }

  const int64_t side_ = golden.integer("window"), shift_ = golden.integer("shift");
};

TEST_P(SwinLayer, EqualsThePackage) {
  const int64_t height = golden.integer("height"), width = golden.integer("width");
  const Tensor x = golden.in("hidden_states");
  const auto missing = [&](int64_t length) { return (side_ - length % side_) % side_; };
  const Tensor padded =
      at::constant_pad_nd(normalised(x, "layernorm_before").unflatten(1, {height, width}),
                          {0, 0, 0, missing(width), 0, missing(height)});
  const std::vector<int64_t> size{padded.size(1), padded.size(2)};
  Tensor allowed;
  if (shift_ > 0) {
    allowed = neighbours(size);
    EXPECT_TRUE(at::equal(allowed.squeeze(1), golden.read("out/attn_mask") == 0));
  }
  const Tensor shifted = windows(padded.roll({-shift_, -shift_}, {1, 2}));
  const Tensor attended = image(attend(shifted, allowed), size)
                              .roll({shift_, shift_}, {1, 2})
                              .slice(1, 0, height)
                              .slice(2, 0, width)
                              .flatten(1, 2);
  const Tensor y = x + attended;
  const Tensor hidden = at::gelu(project(normalised(y, "layernorm_after"), "mlp.fc1"));
  // Softmax is float32 there; of gradients from 5 to 70, 2e-6 is left for the keys' bias.
  expect({{"out", y + project(hidden, "mlp.fc2")}}, {5e-7, 5e-7, 5});
}
RELBIAS_GOLDEN_TESTS(SwinLayer, cases("image_hf", "swin_layer/"));

}  // namespace
}  // namespace relbias::golden
