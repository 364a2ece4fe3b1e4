// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: sizes in the headers of WAV, AIFF, AU and FLAC, and the end of Ogg.
#include "modalities/audio/frames/sound_header.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace relbias::modalities {
namespace {

constexpr uint64_t open_length = 0xFFFFFFFF;  // what streams write in place of a size

struct Bytes {
  std::string& all;
  bool big_endian;

  bool has(size_t at, size_t size) const { return at <= all.size() && size <= all.size() - at; }
  uint64_t number(size_t at, size_t size) const {  // 0 past the end
    uint64_t value = 0;
    if (!has(at, size)) return 0;
    for (size_t n = 0; n < size; ++n) {
      value = value << 8 | static_cast<unsigned char>(all[big_endian ? at + n : at + size - 1 - n]);
    }
    return value;
  }
  void set(size_t at, size_t size, uint64_t value) {
    for (size_t n = 0; n < size; ++n) {
      all[big_endian ? at + size - 1 - n : at + n] = static_cast<char>(value >> 8 * n & 0xFF);
    }
  }
  std::string_view name(size_t at) const {
    return has(at, 4) ? std::string_view(all).substr(at, 4) : std::string_view();
  }
};

// Whether what stands behind the samples is chunks up to the end, a tag, or next to nothing.
bool is_no_sound(const Bytes& bytes, size_t at) {
  const std::string_view rest = std::string_view(bytes.all).substr(std::min(at, bytes.all.size()));
  for (const char* tag : {"TAG", "ID3", "APETAGEX"}) {
    if (rest.starts_with(tag)) return true;
  }
  while (bytes.has(at, 8)) {
    const std::string_view name = bytes.name(at);
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; })) {
      return false;
    }
    const uint64_t size = bytes.number(at + 4, 4);
    at += 8 + size + size % 2;
  }
  return at <= bytes.all.size() + 1;  // a last chunk may lack what fills it up
}

/// Where the samples lie, and how many bytes of them the header says there are.
struct Samples {
  size_t at, size_at;  // of the first sample; of the size
  uint64_t promised;   // bytes
  int64_t block;       // bytes a frame
  bool chunks = true;  // others may follow
  size_t width = 4;    // bytes of the size
};

// Compares, and puts the size right where it is too small.
SoundHeader compared(Bytes& bytes, const Samples& samples) {
  SoundHeader header{.frames = static_cast<int64_t>(samples.promised) / samples.block};
  const uint64_t there = bytes.all.size() - std::min(samples.at, bytes.all.size());
  if (samples.promised == open_length && samples.width == 4) {
    header.open = true;
    return header;
  }
  if (samples.promised >= there) return header;
  const size_t end = samples.at + samples.promised;
  if (samples.chunks && (is_no_sound(bytes, end) || is_no_sound(bytes, end + end % 2))) {
    return header;
  }
  const uint64_t whole = there - there % static_cast<uint64_t>(samples.block);
  if (whole <= samples.promised || (whole >= open_length && samples.width == 4)) return header;
  header.open = samples.promised == 0;
  header.longer = !header.open;
  header.frames = static_cast<int64_t>(whole) / samples.block;
  bytes.set(samples.size_at, samples.width, whole);
  return header;
}

// WAV: chunks of a name, a size and so many bytes, filled up to an even number. RF64 has the sizes
// of the whole and of the samples, and the number of frames, in 64 bits each in a chunk of its own.
SoundHeader check_wav(Bytes bytes, bool is_long) {
  int64_t block = 1;
  size_t sizes_at = 0;
  for (size_t at = 12; bytes.has(at, 8);) {
    const uint64_t size = bytes.number(at + 4, 4);
    if (bytes.name(at) == "data") {
      Samples samples{.at = at + 8, .size_at = at + 4, .promised = size, .block = block};
      if (is_long && sizes_at != 0 && size == open_length) {
        samples.size_at = sizes_at + 8;
        samples.width = 8;
        samples.promised = bytes.number(samples.size_at, 8);
      }
      SoundHeader header = compared(bytes, samples);
      if (!header.longer && !header.open) return header;
      // libsndfile stops at the end that the first size gives.
      if (sizes_at == 0) {
        bytes.set(4, 4, bytes.all.size() - 8);
      } else {
        bytes.set(sizes_at, 8, bytes.all.size() - 8);
        bytes.set(sizes_at + 16, 8, static_cast<uint64_t>(*header.frames));
      }
      return header;
    }
    if (bytes.name(at) == "ds64" && bytes.has(at, 32)) sizes_at = at + 8;
    if (bytes.name(at) == "fmt ") block = std::max<int64_t>(1, bytes.number(at + 20, 2));
    at += 8 + size + size % 2;
  }
  return {};
}

// AIFF: the same chunks, big-endian; COMM has the channels, the number of frames and the bits of a
// sample, SSND 8 bytes before its samples.
SoundHeader check_aiff(Bytes bytes) {
  size_t frames_at = 0;
  int64_t block = 1;
  for (size_t at = 12; bytes.has(at, 8);) {
    const uint64_t size = bytes.number(at + 4, 4);
    if (bytes.name(at) == "COMM") {
      frames_at = at + 10;
      const auto width = static_cast<int64_t>(bytes.number(at + 14, 2) + 7) / 8;
      block = std::max<int64_t>(1, static_cast<int64_t>(bytes.number(at + 8, 2)) * width);
    }
    if (bytes.name(at) == "SSND" && frames_at != 0) {
      const uint64_t samples = size == open_length ? size : std::max<uint64_t>(size, 8) - 8;
      SoundHeader header =
          compared(bytes, {.at = at + 16, .size_at = at + 4, .promised = samples, .block = block});
      const auto frames = static_cast<int64_t>(bytes.number(frames_at, 4));
      if (header.longer || (header.open && samples == 0)) {
        bytes.set(at + 4, 4, static_cast<uint64_t>(*header.frames * block) + 8);
        bytes.set(frames_at, 4, static_cast<uint64_t>(*header.frames));
        bytes.set(4, 4, bytes.all.size() - 8);
      } else if (frames < *header.frames) {  // more samples than COMM says
        header.longer = true;
        bytes.set(frames_at, 4, static_cast<uint64_t>(*header.frames));
      } else {
        header.frames = frames;
      }
      return header;
    }
    at += 8 + size + size % 2;
  }
  return {};
}

// AU: where the samples begin, their bytes, encoding, rate, channels. Nothing follows them.
SoundHeader check_au(Bytes bytes) {
  static const std::map<uint64_t, int64_t> widths = {{1, 1}, {2, 1}, {3, 2}, {4, 3},
                                                     {5, 4}, {6, 4}, {7, 8}, {27, 1}};
  const auto width = widths.find(bytes.number(12, 4));
  if (!bytes.has(0, 24) || width == widths.end()) return {};
  const auto channels = std::max<int64_t>(1, static_cast<int64_t>(bytes.number(20, 4)));
  return compared(bytes, {.at = bytes.number(4, 4),
                          .size_at = 8,
                          .promised = bytes.number(8, 4),
                          .block = width->second * channels,
                          .chunks = false});
}

// FLAC: the number of samples in 36 bits of the first block, 0 where it is not known. libsndfile
// would stop there, so it is told 0 and what it read is counted.
SoundHeader check_flac(Bytes bytes, size_t begin) {
  constexpr uint64_t bits = (uint64_t{1} << 36) - 1;
  const size_t at = begin + 18;
  if (!bytes.has(at, 8)) return {};
  const uint64_t field = bytes.number(at, 8), frames = field & bits;
  bytes.set(at, 8, field & ~bits);
  if (frames == 0) return {.open = true};
  return {.frames = static_cast<int64_t>(frames)};
}

// Ogg: the last page says that it is.
SoundHeader check_ogg(const std::string& bytes) {
  const size_t last = bytes.rfind("OggS");
  constexpr unsigned char end_of_stream = 4;
  return {.cut = last + 5 >= bytes.size() ||
                 (static_cast<unsigned char>(bytes[last + 5]) & end_of_stream) == 0};
}

// Where the file itself begins, behind tags that players put in front.
size_t past_tags(const Bytes& bytes) {
  if (!bytes.all.starts_with("ID3") || !bytes.has(0, 10)) return 0;
  size_t size = 0;
  for (size_t n = 6; n < 10; ++n) size = size << 7 | (bytes.number(n, 1) & 0x7F);
  return 10 + size;
}

}  // namespace

SoundHeader check_sound_header(std::string& all) {
  const Bytes little{all, false}, big{all, true};
  const std::string kind(little.name(0));
  if (kind == "RIFF" || kind == "RF64") return check_wav(little, kind == "RF64");
  if (kind == "RIFX") return check_wav(big, false);
  if (kind == "FORM") return check_aiff(big);
  if (kind == ".snd") return check_au(big);
  if (kind == "dns.") return check_au(little);
  if (kind == "OggS") return check_ogg(all);
  const size_t begin = past_tags(big);
  if (little.name(begin) == "fLaC") return check_flac(big, begin);
  return {};
}

}  // namespace relbias::modalities
