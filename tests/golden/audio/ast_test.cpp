// SPDX-License-Identifier: Apache-2.0
// tests/golden/audio: patches of a spectrogram against the Audio Spectrogram Transformer of
// transformers.
#include <ATen/ATen.h>

#include "modalities/audio/patches.h"
#include "tests/golden/golden_test.h"

namespace relbias::golden {
namespace {

class AstTest : public GoldenTest {};

// A convolution over the spectrogram is a linear map of its patches. The package has all moments of
// a band together, ours all bands of a moment; its kernel is [band, frame], ours [frame, band].
TEST_P(AstTest, Embeddings) {
  const int64_t side = golden.integer("patch_size");
  const Patches patches{.frames = side, .bands = side, .overlap = side - golden.integer("stride")};
  const Tensor input = golden.in("input_values");  // [B, T, mels]
  const int64_t mels = input.size(2), times = patches.times(input.size(1));
  std::vector<Tensor> samples;
  for (const Tensor& sample : input.unbind(0)) {
    samples.push_back(patches.cut(sample).view({times, patches.rows(mels), -1}));
  }
  const Tensor kernel = golden.w("patch_embeddings.projection.weight");  // [C, 1, bands, frames]
  const Tensor weight = kernel.squeeze(1).transpose(1, 2).flatten(1);
  const Tensor tokens =
      at::linear(at::stack(samples, 0), weight, golden.w("patch_embeddings.projection.bias"));
  const Tensor by_band = tokens.transpose(1, 2).flatten(1, 2);  // [B, N, C]
  const auto for_every_sample = [&](const std::string& name) {
    return golden.w(name).expand({input.size(0), -1, -1});
  };
  const Tensor out =
      at::cat({for_every_sample("cls_token"), for_every_sample("distillation_token"), by_band}, 1) +
      golden.w("position_embeddings");
  expect({{"out", out}});
}
RELBIAS_GOLDEN_TESTS(AstTest, cases("audio_hf", "ast_embeddings/"));

}  // namespace
}  // namespace relbias::golden
