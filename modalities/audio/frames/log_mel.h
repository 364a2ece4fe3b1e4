// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: log-mel spectrograms, the features that all audio tasks read.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "modalities/plain/options.h"

namespace relbias::modalities {

using at::Tensor;

enum class MelScale { htk, slaney };
enum class MelNorm { none, area };

/// Times are in seconds, so that one setting means the same at every rate.
struct LogMelOptions {
  int64_t rate = 16000;   // Hz
  double window = 0.025;  // s, a Hann window
  double hop = 0.010;     // s from one frame to the next
  int64_t fft = 0;        // samples; 0: the next power of two from the window on
  int64_t mels = 40;      // bands
  double low = 0;         // Hz, where the first filter begins
  double high = 0;        // Hz, where the last filter ends; 0: half the rate
  MelScale scale = MelScale::htk;
  MelNorm norm = MelNorm::none;
  double floor = 1e-10;  // added to the power before the logarithm

  int64_t window_samples() const;
  int64_t hop_samples() const;
  int64_t fft_samples() const;
  double hop_seconds() const;  // of whole samples
};

/// Options of a dataset with these defaults, and what a user made of them.
std::vector<OptionSpec> log_mel_specs(const LogMelOptions& defaults);
LogMelOptions log_mel_from(const Options& options);
/// One line that tells any two settings apart.
std::string canonical(const LogMelOptions& options);

/// Triangles on the mel scale, [mels, fft / 2 + 1] float64: filter m rises from f_m to 1 at f_{m+1}
/// and falls to 0 at f_{m+2}, the f equally far apart in mel. HTK: 2595 log10(1 + f / 700); Slaney:
/// linear up to 1000 Hz, logarithmic above (Slaney 1998, Auditory Toolbox). norm=area: every
/// triangle times 2 / (f_{m+2} - f_m).
///
/// Throws InputError naming every filter that covers no bin: its band would be
/// silence whatever is said. 128 mels, 400 samples, 16 kHz, HTK: filters 0, 3, 6 and 13.
Tensor mel_filters(const LogMelOptions& options);

/// ln(floor + filters * |STFT|^2), frame t over the samples t hop .. t hop + window - 1: no frame
/// sees samples that are not there. 200 samples, window 100, hop 50: 3 frames. Silence is ln(floor)
/// everywhere.
class LogMel {
 public:
  /// Throws InputError where the options contradict each other.
  explicit LogMel(const LogMelOptions& options);

  /// 0 where the samples are fewer than a window.
  int64_t frames_of(int64_t samples) const;
  /// [frames, mels] float32
  Tensor operator()(const Tensor& samples) const;  // [n] float32

 private:
  LogMelOptions options_;
  Tensor window_;   // [window] float32
  Tensor filters_;  // [bins, mels] float32
};

/// (x - mean) / deviation of every band over the frames. A band that never changes gives zeros.
struct BandStatistics {
  Tensor mean, deviation;  // [mels] float32

  static BandStatistics of(const Tensor& frames);  // [T, mels]
  Tensor normalised(const Tensor& frames) const;   // [T, mels]
};

}  // namespace relbias::modalities
