// SPDX-License-Identifier: Apache-2.0
// tests: picture files byte by byte, as no one encoder writes them all.
#pragma once

#include <zlib.h>

#include <map>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

namespace relbias::modalities {

inline std::string big(uint64_t value, size_t size) {
  std::string bytes(size, '\0');
  for (size_t n = 0; n < size; ++n) bytes[size - 1 - n] = static_cast<char>(value >> 8 * n);
  return bytes;
}
inline std::string little(uint64_t value, size_t size) {
  const std::string bytes = big(value, size);
  return {bytes.rbegin(), bytes.rend()};
}

inline std::string encoded(const cv::Mat& picture, const char* extension,
                           const std::vector<int>& options = {}) {
  std::vector<unsigned char> bytes;
  cv::imencode(extension, picture, bytes, options);
  return {bytes.begin(), bytes.end()};
}

/// EXIF that says how to turn a picture and nothing else.
inline std::string exif_of(int orientation) {
  using namespace std::string_literals;
  return "MM\0*\0\0\0\10\0\1\x01\x12\0\3\0\0\0\1"s + big(orientation, 2) + std::string(6, '\0');
}

inline std::string png_chunk(const std::string& kind, const std::string& content) {
  const std::string body = kind + content;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big(content.size(), 4) + body + big(sum, 4);
}

/// A PNG of these rows of packed samples; `colour` 0 grey, 2 red green blue, 3 by number.
struct Png {
  std::vector<std::string> rows;
  int width, depth, colour;
  std::string chunks{};  // before the pixels

  std::string bytes() const {
    std::string raw;
    for (const std::string& row : rows) raw += '\0' + row;
    std::string packed(compressBound(raw.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(raw.data()), raw.size());
    packed.resize(size);
    const std::string header =
        big(width, 4) + big(rows.size(), 4) + big(depth, 1) + big(colour, 1) + std::string(3, '\0');
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + chunks + png_chunk("IDAT", packed) +
           png_chunk("IEND", "");
  }
};

/// A TIFF of one strip, not packed; `more` has further tags or other values, all short numbers.
struct Tiff {
  std::string data;
  int width, height, bits;
  std::map<int, int> more{};

  std::string bytes() const {
    std::map<int, int> tags = {{256, width}, {257, height}, {258, bits},
                               {259, 1},     {262, 1},      {273, 8},
                               {277, 1},     {278, height}, {279, static_cast<int>(data.size())}};
    for (const auto& [tag, value] : more) tags[tag] = value;
    std::string directory = little(tags.size(), 2);
    for (const auto& [tag, value] : tags) {
      const bool same = tag == 258 && tags[277] > 1;  // one number a channel: stored elsewhere
      directory += little(tag, 2) + little(3, 2) + little(same ? tags[277] : 1, 4);
      directory += same && tags[277] > 2 ? little(bits_at(tags.size()), 4)
                   : same                ? little(bits, 2) + little(bits, 2)
                                         : little(value, 4);
    }
    std::string file = "II*" + std::string(1, '\0') + little(8 + padded().size(), 4) + padded() +
                       directory + little(0, 4);
    for (int channel = 0; channel < tags[277]; ++channel) file += little(bits, 2);
    return file;
  }

 private:
  std::string padded() const { return data + std::string(data.size() % 2, '\0'); }
  size_t bits_at(size_t tags) const { return 8 + padded().size() + 2 + 12 * tags + 4; }
};

/// A lossless WebP with one chunk more.
inline std::string webp_with(const cv::Mat& picture, const std::string& kind,
                             const std::string& content, int flags) {
  const std::string plain = encoded(picture, ".webp", {cv::IMWRITE_WEBP_QUALITY, 101});
  const std::string header = "VP8X" + little(10, 4) + little(flags, 4) +
                             little(picture.cols - 1, 3) + little(picture.rows - 1, 3);
  const std::string body = "WEBP" + header + plain.substr(12) + kind + little(content.size(), 4) +
                           content + std::string(content.size() % 2, '\0');
  return "RIFF" + little(body.size(), 4) + body;
}

}  // namespace relbias::modalities
