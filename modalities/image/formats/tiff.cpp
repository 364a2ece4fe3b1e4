// SPDX-License-Identifier: Apache-2.0
// modalities/image/formats: TIFF by libtiff: grey and colour of 8 and 16 bits as they are, the rest
// of 8 bits as libtiff converts it.
#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>

#include "modalities/image/formats/formats.h"

namespace relbias::modalities {
namespace {

// libtiff has one handler a process. What a decoder inside calls corrupt is but a warning.
bool corrupt = false;
void take_warning(const char*, const char* format, va_list words) {
  std::array<char, 256> text{};
  if (std::vsnprintf(text.data(), text.size(), format, words) < 0) return;
  corrupt = corrupt || std::strstr(text.data(), "Corrupt") != nullptr ||
            std::strstr(text.data(), "Premature") != nullptr;
}

class Handlers {
 public:
  Handlers()
      : lock_(only_one()),
        error_(TIFFSetErrorHandler(nullptr)),
        warning_(TIFFSetWarningHandler(take_warning)) {
    corrupt = false;
  }
  ~Handlers() {
    TIFFSetErrorHandler(error_);
    TIFFSetWarningHandler(warning_);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  static std::mutex& only_one() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
  TIFFErrorHandler error_, warning_;
};

// A file in memory, as libtiff wants it.
struct Memory {
  std::string_view bytes;
  uint64_t at = 0;
};
Memory& memory(thandle_t handle) { return *static_cast<Memory*>(handle); }

tmsize_t read_bytes(thandle_t handle, void* to, tmsize_t size) {
  Memory& file = memory(handle);
  const uint64_t left = file.at < file.bytes.size() ? file.bytes.size() - file.at : 0;
  const uint64_t count = std::min(left, static_cast<uint64_t>(size));
  if (count > 0) std::memcpy(to, file.bytes.data() + file.at, count);
  file.at += count;
  return static_cast<tmsize_t>(count);
}
tmsize_t write_bytes(thandle_t, void*, tmsize_t) { return 0; }
toff_t seek(thandle_t handle, toff_t offset, int whence) {
  Memory& file = memory(handle);
  const uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.at : file.bytes.size();
  return file.at = from + offset;
}
int close_nothing(thandle_t) { return 0; }
toff_t size_of(thandle_t handle) { return memory(handle).bytes.size(); }

using File = std::unique_ptr<TIFF, void (*)(TIFF*)>;

struct Layout {
  uint32_t width = 0, height = 0;
  uint16_t bits = 1, samples = 1, format = 1, meaning = 0xFFFF, planes = 1, orientation = 1;
  uint16_t extras = 0, extra = 0;  // channels beside the colours, and what the first is

  explicit Layout(TIFF* file) {
    TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &meaning);
    TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planes);
    TIFFGetFieldDefaulted(file, TIFFTAG_ORIENTATION, &orientation);
    const uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    if (extras > 0) extra = kinds[0];
    if (orientation < 1 || orientation > 8) orientation = 1;
  }
  bool is_plain() const {  // read as it is, not converted
    return (bits == 8 || bits == 16) && (meaning <= PHOTOMETRIC_RGB);
  }
  int colours() const { return meaning == PHOTOMETRIC_RGB ? 3 : 1; }

  std::string fault() const {
    if (width == 0 || height == 0) return "damaged";
    if (int64_t{width} * height > most_pixels) return "of too many pixels";
    if (format != SAMPLEFORMAT_UINT || bits > 16) return "neither 8 nor 16 bits";
    if (meaning == PHOTOMETRIC_CIELAB || meaning > PHOTOMETRIC_YCBCR) {
      return "TIFF of colours that are not read";
    }
    if (!is_plain() && (bits > 8 || extras > 0)) return "TIFF of samples that are not read";
    if (is_plain() && samples != colours() + extras) return "damaged";
    if (extras > 1 || (extras == 1 && extra == EXTRASAMPLE_UNSPECIFIED)) {
      return "TIFF with a channel of unknown meaning";
    }
    return "";
  }
};

// The samples of one rectangle of the file into the picture: all channels, or the one of a plane.
class PlainReader {
 public:
  PlainReader(TIFF* file, const Layout& layout) : file_(file), layout_(layout) {
    result_ = cv::Mat(static_cast<int>(layout.height), static_cast<int>(layout.width),
                      CV_MAKETYPE(CV_32F, layout.samples));
  }

  // Empty: damaged.
  cv::Mat read() {
    const bool separate = layout_.planes == PLANARCONFIG_SEPARATE && layout_.samples > 1;
    const uint16_t planes = separate ? layout_.samples : 1;
    for (uint16_t plane = 0; plane < planes; ++plane) {
      const int channels = separate ? 1 : layout_.samples;
      const bool whole =
          TIFFIsTiled(file_) != 0 ? read_tiles(plane, channels) : read_rows(plane, channels);
      if (!whole) return {};
    }
    return result_;
  }

 private:
  bool read_rows(uint16_t plane, int channels) {
    std::vector<unsigned char> row(static_cast<size_t>(TIFFScanlineSize(file_)));
    if (row.size() < static_cast<size_t>(layout_.width) * channels * layout_.bits / 8) return false;
    for (uint32_t y = 0; y < layout_.height; ++y) {
      if (TIFFReadScanline(file_, row.data(), y, plane) != 1) return false;
      store(row.data(), {0, static_cast<int>(y), static_cast<int>(layout_.width), 1}, plane,
            channels);
    }
    return true;
  }
  bool read_tiles(uint16_t plane, int channels) {
    uint32_t width = 0, height = 0;
    TIFFGetField(file_, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(file_, TIFFTAG_TILELENGTH, &height);
    const auto row = static_cast<size_t>(TIFFTileRowSize(file_));
    const auto size = static_cast<size_t>(TIFFTileSize(file_));
    if (width == 0 || height == 0 || size > size_t{1} << 30 || size < row * height ||
        row < static_cast<size_t>(width) * channels * layout_.bits / 8) {
      return false;
    }
    std::vector<unsigned char> tile(size);
    for (uint32_t y = 0; y < layout_.height; y += height) {
      for (uint32_t x = 0; x < layout_.width; x += width) {
        if (TIFFReadTile(file_, tile.data(), x, y, 0, plane) < 0) return false;
        const int columns = static_cast<int>(std::min(width, layout_.width - x));
        for (uint32_t down = 0; down < std::min(height, layout_.height - y); ++down) {
          store(tile.data() + down * row,
                {static_cast<int>(x), static_cast<int>(y + down), columns, 1}, plane, channels);
        }
      }
    }
    return true;
  }
  // One row of samples, `place` wide.
  void store(const unsigned char* from, const cv::Rect& place, uint16_t plane, int channels) {
    const float most = layout_.bits == 16 ? 65535 : 255;
    auto* to = result_.ptr<float>(place.y) + place.x * layout_.samples;
    for (int n = 0; n < place.width * channels; ++n) {
      float value = from[layout_.bits == 16 ? 0 : n];
      if (layout_.bits == 16) {
        uint16_t number = 0;
        std::memcpy(&number, from + 2 * n, 2);
        value = number;
      }
      const int channel = channels == 1 ? plane : n % channels;
      // Red, green, blue in the file; blue, green, red here.
      const int at = layout_.colours() == 3 && channel < 3 ? 2 - channel : channel;
      to[n / channels * layout_.samples + at] = value / most;
    }
  }

  TIFF* file_;
  const Layout& layout_;
  cv::Mat result_;
};

// By libtiff, which stops at what is damaged where it is told to.
cv::Mat converted(TIFF* file, const Layout& layout) {
  std::array<char, 1024> message{};
  TIFFRGBAImage image;
  if (TIFFRGBAImageOK(file, message.data()) == 0 ||
      TIFFRGBAImageBegin(&image, file, /*stop=*/1, message.data()) == 0) {
    return {};
  }
  const std::unique_ptr<TIFFRGBAImage, void (*)(TIFFRGBAImage*)> end(&image, &TIFFRGBAImageEnd);
  image.req_orientation = image.orientation;  // as it lies in the file
  std::vector<uint32_t> pixels(static_cast<size_t>(layout.width) * layout.height);
  if (TIFFRGBAImageGet(&image, pixels.data(), layout.width, layout.height) == 0) return {};
  const bool is_grey = layout.meaning <= PHOTOMETRIC_MINISBLACK;
  cv::Mat result(static_cast<int>(layout.height), static_cast<int>(layout.width),
                 is_grey ? CV_32FC1 : CV_32FC3);
  for (size_t n = 0; n < pixels.size(); ++n) {
    auto* to = result.ptr<float>() + (is_grey ? n : 3 * n);
    if (!is_grey) to[0] = static_cast<float>(TIFFGetB(pixels[n])) / 255;
    if (!is_grey) to[1] = static_cast<float>(TIFFGetG(pixels[n])) / 255;
    to[is_grey ? 0 : 2] = static_cast<float>(TIFFGetR(pixels[n])) / 255;
  }
  return result;
}

void note(TIFF* file, const Layout& layout, DecodedPicture& picture) {
  uint32_t size = 0;
  const void* profile = nullptr;
  if (TIFFGetField(file, TIFFTAG_ICCPROFILE, &size, &profile) == 1 && profile != nullptr) {
    note_profile({static_cast<const char*>(profile), size}, picture.notes);
  }
  if (layout.meaning == PHOTOMETRIC_SEPARATED) {
    picture.notes.emplace_back("of CMYK colours, converted without a profile");
  }
  if (TIFFLastDirectory(file) == 0) {
    picture.notes.emplace_back("of several pages, the first read");
  }
  if (picture.deep) picture.notes.emplace_back("of 16 bits");
}

}  // namespace

DecodedPicture decode_tiff(std::string_view bytes) {
  const Handlers handlers;
  Memory content{bytes};
  const File file(TIFFClientOpen("", "rm", &content, read_bytes, write_bytes, seek, close_nothing,
                                 size_of, nullptr, nullptr),
                  &TIFFClose);
  if (!file) return {.fault = "damaged"};
  const Layout layout(file.get());
  DecodedPicture picture{.fault = layout.fault(), .deep = layout.bits == 16};
  if (!picture.fault.empty()) return picture;
  cv::Mat samples =
      layout.is_plain() ? PlainReader(file.get(), layout).read() : converted(file.get(), layout);
  if (samples.empty() || corrupt) return {.fault = "damaged"};
  if (layout.meaning == PHOTOMETRIC_MINISWHITE && layout.is_plain()) {
    // The share of light stays what it is.
    std::vector<cv::Mat> planes;
    cv::split(samples, planes);
    planes[0] = 1 - planes[0];
    cv::merge(planes, samples);
  }
  if (layout.extras == 1) samples = over_black(samples, layout.extra == EXTRASAMPLE_ASSOCALPHA);
  note(file.get(), layout, picture);
  picture.samples = turned(samples, layout.orientation);
  return picture;
}

}  // namespace relbias::modalities
