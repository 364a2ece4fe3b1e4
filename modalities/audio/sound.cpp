// SPDX-License-Identifier: Apache-2.0
// modalities/audio: decoding by libsndfile, resampling by libsamplerate.
#include "modalities/audio/sound.h"

#include <ATen/ATen.h>
#include <samplerate.h>
#include <sndfile.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include "modalities/check.h"

namespace relbias {
namespace {

constexpr uint32_t open_length = 0xFFFFFFFF;  // what streams write in place of a size

struct Promise {
  uint32_t bytes = 0;  // of the samples, by the header
  uint16_t block = 1;  // bytes a frame
};

// What a RIFF header promises: libsndfile corrects it without a word (field note A42). Nothing for
// any other format.
std::optional<Promise> promise_of(const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little, "RIFF numbers are read as they lie");
  std::ifstream file(path, std::ios::binary);
  char start[12], name[4];
  uint32_t size = 0;
  if (!file.read(start, sizeof start) || std::memcmp(start, "RIFF", 4) != 0) return std::nullopt;
  Promise promise;
  while (file.read(name, sizeof name) && file.read(reinterpret_cast<char*>(&size), sizeof size)) {
    if (std::memcmp(name, "data", 4) == 0) {
      promise.bytes = size;
      return promise;
    }
    std::streamoff left = static_cast<std::streamoff>(size) + size % 2;
    if (std::memcmp(name, "fmt ", 4) == 0 && size >= 16) {
      file.seekg(12, std::ios::cur);
      file.read(reinterpret_cast<char*>(&promise.block), sizeof promise.block);
      left -= 14;
    }
    file.seekg(left, std::ios::cur);
  }
  return std::nullopt;
}

// All samples there are, [frames, channels] float32, whatever the header says of their number.
Tensor read_all(SNDFILE* file, int channels) {
  constexpr sf_count_t frames_at_once = 1 << 15;
  std::vector<Tensor> blocks;
  while (true) {
    Tensor block = at::empty({frames_at_once, channels}, at::kFloat);
    const sf_count_t got = sf_readf_float(file, block.data_ptr<float>(), frames_at_once);
    if (got <= 0) break;
    blocks.push_back(block.narrow(0, 0, got));
  }
  return blocks.empty() ? at::empty({0, channels}, at::kFloat) : at::cat(blocks, 0);
}

}  // namespace

Sound read_sound(const std::filesystem::path& path) {
  Sound sound;
  if (!std::ifstream(path, std::ios::binary)) {
    input_error("{} does not exist or cannot be read", path.string());
  }
  SF_INFO info = {};
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(sf_open(path.c_str(), SFM_READ, &info),
                                                         &sf_close);
  if (!file) {
    sound.fault = "not a sound file";
    return sound;
  }
  const Tensor frames = read_all(file.get(), info.channels);
  sound.rate = info.samplerate;
  sound.channels = info.channels;
  int64_t promised = info.frames;
  if (const auto promise = promise_of(path)) {
    sound.length_unknown = promise->bytes == open_length;
    promised = promise->bytes / std::max<int64_t>(promise->block, 1);
    // Compressed blocks hold many frames each; libsndfile counts those.
    if ((info.format & SF_FORMAT_SUBMASK) > SF_FORMAT_DOUBLE) promised = info.frames;
  }
  sound.truncated = !sound.length_unknown && frames.size(0) < promised;
  sound.samples = frames.mean(1);
  if (frames.size(0) == 0) {
    sound.fault = "no samples";
  } else if (!at::isfinite(frames).all().item<bool>()) {
    sound.fault = "NaN or infinite samples";
  }
  return sound;
}

Tensor resampled(const Tensor& samples, int64_t from, int64_t to) {
  if (from == to) return samples;
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  if (from < 1 || src_is_valid_ratio(ratio) == 0) {
    input_error("resampling from {} to {} Hz: a factor of 1/256 to 256 expected", from, to);
  }
  const Tensor input = samples.contiguous();
  const auto room = static_cast<int64_t>(std::ceil(static_cast<double>(input.size(0)) * ratio));
  Tensor output = at::zeros({room}, at::kFloat);
  SRC_DATA data = {};
  data.data_in = input.data_ptr<float>();
  data.data_out = output.data_ptr<float>();
  data.input_frames = input.size(0);
  data.output_frames = room;
  data.src_ratio = ratio;
  const int error = src_simple(&data, SRC_SINC_MEDIUM_QUALITY, 1);
  TORCH_INTERNAL_ASSERT(error == 0, "libsamplerate: ", src_strerror(error));
  return output;
}

}  // namespace relbias
