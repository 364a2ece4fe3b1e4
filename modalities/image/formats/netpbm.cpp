// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: PBM, PGM and PPM, written out or binary, of any largest value.
#include <algorithm>
#include <cctype>

#include "modalities/image/formats/bytes.h"
#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

struct Damaged {};

class Reader {
 public:
  explicit Reader(std::string_view all) : bytes_{all, true}, kind_(all[1] - '0') {}

  DecodedPicture read() {
    DecodedPicture picture;
    const auto width = whole(), height = whole();
    most_ = kind_ == 1 || kind_ == 4 ? 1 : whole();
    if (width == 0 || height == 0 || most_ == 0 || most_ > 65535) throw Damaged{};
    if (width * height > most_pixels) {
      picture.fault = "of too many pixels";
      return picture;
    }
    if (kind_ >= 4) ++at_;  // one blank, whatever follows
    const int channels = kind_ == 3 || kind_ == 6 ? 3 : 1;
    picture.samples = read_samples(static_cast<int>(height), static_cast<int>(width), channels);
    picture.deep = 255 % most_ != 0;
    if (most_ > 255) picture.notes.emplace_back("of 16 bits");
    skip_blanks();
    if (at_ < bytes_.all.size() && bytes_.all[at_] == 'P') {
      picture.notes.emplace_back("of several pages, the first read");
    }
    return picture;
  }

 private:
  // Blanks and, up to the end of their line, comments.
  void skip_blanks() {
    while (at_ < bytes_.all.size()) {
      if (bytes_.all[at_] == '#') {
        at_ = std::min(bytes_.all.find('\n', at_), bytes_.all.size());
      } else if (std::isspace(static_cast<unsigned char>(bytes_.all[at_])) == 0) {
        return;
      } else {
        ++at_;
      }
    }
  }
  int64_t whole() {
    skip_blanks();
    int64_t number = 0;
    const size_t begin = at_;
    for (;
         at_ < bytes_.all.size() && std::isdigit(static_cast<unsigned char>(bytes_.all[at_])) != 0;
         ++at_) {
      number = 10 * number + (bytes_.all[at_] - '0');
      if (number > most_pixels) throw Damaged{};
    }
    if (at_ == bytes_.all.size() && begin == at_) throw PastTheEnd{};
    if (begin == at_) throw Damaged{};
    return number;
  }
  // A sample of bitmaps that are written out: they may stand without blanks.
  int64_t digit() {
    skip_blanks();
    const auto value = static_cast<int64_t>(bytes_.number(at_++, 1)) - '0';
    if (value != 0 && value != 1) throw Damaged{};
    return value;
  }
  int64_t sample(int x) {
    switch (kind_) {
      case 1:
        return 1 - digit();  // 1 is black
      case 4:
        return 1 - ((row_[static_cast<size_t>(x / 8)] >> (7 - x % 8)) & 1);
      case 2:
      case 3:
        return whole();
      default:
        break;
    }
    const size_t size = most_ > 255 ? 2 : 1;
    at_ += size;
    return static_cast<int64_t>(bytes_.number(at_ - size, size));
  }
  cv::Mat read_samples(int height, int width, int channels) {
    // What is there decides, before room is made for what the header promises.
    const int64_t least =
        kind_ == 4 ? (int64_t{width} + 7) / 8 * height : int64_t{width} * height * channels;
    if (static_cast<int64_t>(bytes_.all.size() - std::min(at_, bytes_.all.size())) < least) {
      throw PastTheEnd{};
    }
    cv::Mat samples(height, width, CV_MAKETYPE(CV_32F, channels));
    for (int y = 0; y < height; ++y) {
      if (kind_ == 4) {
        const size_t size = (static_cast<size_t>(width) + 7) / 8;
        row_ = bytes_.part(at_, size);
        at_ += size;
      }
      auto* row = samples.ptr<float>(y);
      for (int n = 0; n < width * channels; ++n) {
        const int64_t value = sample(n);
        if (value > most_) throw Damaged{};
        // Red, green, blue in the file; blue, green, red here.
        const int place = channels == 3 ? n / 3 * 3 + 2 - n % 3 : n;
        row[place] = static_cast<float>(static_cast<double>(value) / static_cast<double>(most_));
      }
    }
    return samples;
  }

  Bytes bytes_;
  int kind_;  // 1 to 6, as in the file
  size_t at_ = 2;
  int64_t most_ = 1;
  std::string_view row_;
};

}  // namespace

DecodedPicture decode_netpbm(std::string_view bytes) {
  try {
    return Reader(bytes).read();
  } catch (const PastTheEnd&) {
    return {.fault = "cut short"};
  } catch (const Damaged&) {
    return {.fault = "damaged"};
  }
}

}  // namespace relbias::modalities
