// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: decoding by libsndfile, resampling by libsamplerate.
#include "modalities/audio/frames/sound.h"

#include <ATen/ATen.h>
#include <samplerate.h>
#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "modalities/plain/check.h"

namespace relbias::modalities {
namespace {

constexpr uint32_t open_length = 0xFFFFFFFF;  // what streams write in place of a size

// What a header says of the samples. libsndfile corrects it without a word (field note A42).
struct Promise {
  int64_t frames = 0;
  bool open = false;  // the length is left open
};

uint32_t number_in(std::istream& file, bool big_endian) {  // 4 bytes
  std::array<unsigned char, 4> bytes{};
  file.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  if (!big_endian) std::reverse(bytes.begin(), bytes.end());
  uint32_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8 | byte;
  return number;
}

Promise promise_of_bytes(uint32_t bytes, int64_t block) {  // bytes a frame
  return {.frames = bytes / std::max<int64_t>(block, 1), .open = bytes == open_length};
}

// WAV: chunks of a name, a size and so many bytes, filled up to an even number.
std::optional<Promise> promise_of_wav(std::istream& file) {
  int64_t block = 1;
  for (char name[4]; file.read(name, sizeof name);) {
    const uint32_t size = number_in(file, /*big_endian=*/false);
    if (file && std::memcmp(name, "data", 4) == 0) return promise_of_bytes(size, block);
    std::streamoff left = static_cast<std::streamoff>(size) + size % 2;
    if (std::memcmp(name, "fmt ", 4) == 0 && size >= 16) {
      file.seekg(12, std::ios::cur);
      block = number_in(file, /*big_endian=*/false) & 0xFFFF;  // 16 bits, then bits a sample
      left -= 16;
    }
    file.seekg(left, std::ios::cur);
  }
  return std::nullopt;
}

// AIFF: the same chunks, big-endian; COMM has the channels, 16 bits, and the number of frames.
std::optional<Promise> promise_of_aiff(std::istream& file) {
  for (char name[4]; file.read(name, sizeof name);) {
    const uint32_t size = number_in(file, /*big_endian=*/true);
    if (std::memcmp(name, "COMM", 4) == 0) {
      file.seekg(2, std::ios::cur);
      const Promise promise{.frames = number_in(file, /*big_endian=*/true)};
      if (file) return promise;
    }
    file.seekg(static_cast<std::streamoff>(size) + size % 2, std::ios::cur);
  }
  return std::nullopt;
}

// AU: where the samples begin, their bytes, encoding, rate, channels.
std::optional<Promise> promise_of_au(std::istream& file, bool big_endian) {
  static const std::map<uint32_t, int64_t> widths = {{1, 1}, {2, 1}, {3, 2}, {4, 3},
                                                     {5, 4}, {6, 4}, {7, 8}, {27, 1}};
  file.seekg(4, std::ios::cur);
  const uint32_t bytes = number_in(file, big_endian), encoding = number_in(file, big_endian);
  file.seekg(4, std::ios::cur);
  const uint32_t channels = number_in(file, big_endian);
  const auto width = widths.find(encoding);
  if (!file || width == widths.end()) return std::nullopt;
  return promise_of_bytes(bytes, width->second * channels);
}

// Nothing for formats whose own frames libsndfile counts.
std::optional<Promise> promise_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char start[4];
  if (!file.read(start, sizeof start)) return std::nullopt;
  const std::string_view kind(start, sizeof start);
  if (kind == ".snd" || kind == "dns.") return promise_of_au(file, kind == ".snd");
  if (kind != "RIFF" && kind != "FORM") return std::nullopt;
  file.seekg(8, std::ios::cur);  // size, kind of content
  return kind == "RIFF" ? promise_of_wav(file) : promise_of_aiff(file);
}

// Whether blocks of many frames are packed, which libsndfile counts itself.
bool is_packed(int format) {
  const int coding = format & SF_FORMAT_SUBMASK;
  return coding > SF_FORMAT_DOUBLE && coding != SF_FORMAT_ULAW && coding != SF_FORMAT_ALAW;
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
    sound.length_unknown = promise->open;
    if (!is_packed(info.format)) promised = promise->frames;
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

bool can_resample(int64_t from, int64_t to) {
  return from >= 1 && src_is_valid_ratio(static_cast<double>(to) / static_cast<double>(from)) != 0;
}

Tensor resampled(const Tensor& samples, int64_t from, int64_t to) {
  if (from == to) return samples;
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  if (!can_resample(from, to)) {
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

}  // namespace relbias::modalities
