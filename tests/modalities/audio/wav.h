// SPDX-License-Identifier: Apache-2.0
// tests: WAV files byte by byte, right ones and wrong ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

namespace relbias::modalities {

/// Samples as they lie in the file; several channels take turns.
struct Wav {
  std::vector<double> samples;  // integers for format 1, real numbers for format 3
  int rate = 8000;
  int channels = 1;
  int bits = 16;
  int format = 1;           // 1 integers, 3 floats
  int64_t data_bytes = -1;  // what the header says; -1: the truth

  std::string bytes() const {
    std::string data;
    for (const double sample : samples) {
      if (format == 3) {
        const auto value = static_cast<float>(sample);
        data.append(reinterpret_cast<const char*>(&value), 4);
      } else {
        const auto value = static_cast<int32_t>(sample);
        data.append(reinterpret_cast<const char*>(&value), static_cast<size_t>(bits / 8));
      }
    }
    const auto promised = data_bytes < 0 ? static_cast<int64_t>(data.size()) : data_bytes;
    const int block = channels * bits / 8;
    return "RIFF" + number(36 + promised, 4) + "WAVEfmt " + number(16, 4) + number(format, 2) +
           number(channels, 2) + number(rate, 4) + number(int64_t{rate} * block, 4) +
           number(block, 2) + number(bits, 2) + "data" + number(promised, 4) + data;
  }

 private:
  static std::string number(int64_t value, size_t size) {
    return {reinterpret_cast<const char*>(&value), size};
  }
};

/// 16-bit samples of a tone at half of full scale.
inline std::vector<double> tone(double seconds, double frequency = 440, int rate = 8000) {
  std::vector<double> samples(static_cast<size_t>(std::lround(seconds * rate)));
  for (size_t n = 0; n < samples.size(); ++n) {
    samples[n] = std::round(
        16384 * std::sin(2 * std::numbers::pi * frequency * static_cast<double>(n) / rate));
  }
  return samples;
}

}  // namespace relbias::modalities
