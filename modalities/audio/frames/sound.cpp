// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: decoding by libsndfile, resampling by libsamplerate.
#include "modalities/audio/frames/sound.h"

#include <ATen/ATen.h>
#include <samplerate.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>

#include "modalities/audio/frames/sound_header.h"
#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

// A file in memory, as libsndfile wants it.
struct Memory {
  std::string_view bytes;
  sf_count_t at = 0;
};
Memory& memory(void* file) { return *static_cast<Memory*>(file); }
sf_count_t size_of(void* file) { return static_cast<sf_count_t>(memory(file).bytes.size()); }
sf_count_t place_in(void* file) { return memory(file).at; }
sf_count_t write_bytes(const void*, sf_count_t, void*) { return 0; }
sf_count_t seek(sf_count_t offset, int whence, void* file) {
  const sf_count_t from = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? memory(file).at
                                               : size_of(file);
  return memory(file).at = std::clamp<sf_count_t>(from + offset, 0, size_of(file));
}
sf_count_t read_bytes(void* to, sf_count_t count, void* file) {
  const sf_count_t got = std::clamp<sf_count_t>(count, 0, size_of(file) - place_in(file));
  if (got > 0) std::memcpy(to, memory(file).bytes.data() + place_in(file), got);
  memory(file).at += got;
  return got;
}

// Whether blocks of many frames are packed, which libsndfile counts itself.
bool is_packed(int format) {
  const int coding = format & SF_FORMAT_SUBMASK;
  return coding > SF_FORMAT_DOUBLE && coding != SF_FORMAT_ULAW && coding != SF_FORMAT_ALAW;
}

bool is_flac(int format) { return (format & SF_FORMAT_TYPEMASK) == SF_FORMAT_FLAC; }

// Of others nobody compares the sizes in their headers with the file.
bool is_compared(int format) {
  switch (format & SF_FORMAT_TYPEMASK) {
    case SF_FORMAT_WAV:
    case SF_FORMAT_WAVEX:
    case SF_FORMAT_RF64:
    case SF_FORMAT_AIFF:
    case SF_FORMAT_AU:
    case SF_FORMAT_FLAC:
    case SF_FORMAT_OGG:
    case SF_FORMAT_MPEG:
      return true;
    default:
      return false;
  }
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

Sound read_sound(const std::filesystem::path& path) { return decode_sound(read_file(path)); }

Sound decode_sound(std::string bytes) {
  Sound sound;
  const SoundHeader header = check_sound_header(bytes);
  Memory content{bytes};
  SF_VIRTUAL_IO functions{size_of, seek, read_bytes, write_bytes, place_in};
  SF_INFO info = {};
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(
      sf_open_virtual(&functions, SFM_READ, &info, &content), &sf_close);
  if (!file) {
    sound.fault = "not a sound file";
    return sound;
  }
  if (!is_compared(info.format)) {
    sound.fault = "neither WAV, AIFF, AU, FLAC, Ogg nor MP3";
    return sound;
  }
  const Tensor frames = read_all(file.get(), info.channels);
  sound.rate = info.samplerate;
  sound.channels = info.channels;
  sound.length_unknown = header.open;
  sound.longer = header.longer;
  int64_t promised = header.open ? 0 : info.frames;
  if (header.frames && !is_packed(info.format)) promised = *header.frames;
  if (header.frames && is_flac(info.format)) {
    promised = *header.frames;
    sound.longer = frames.size(0) > promised;
  }
  sound.truncated = header.cut || (!header.open && frames.size(0) < promised);
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
