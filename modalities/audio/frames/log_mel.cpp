// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: short-time spectra, mel filters, logarithms.
#include "modalities/audio/frames/log_mel.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

namespace relbias::modalities {
namespace {

constexpr double slaney_break = 1000, slaney_step = 200.0 / 3;  // Hz; Hz a mel below the break
const double slaney_log_step = std::log(6.4) / 27;              // of a mel above the break

double to_mel(double frequency, MelScale scale) {
  if (scale == MelScale::htk) return 2595 * std::log10(1 + frequency / 700);
  if (frequency < slaney_break) return frequency / slaney_step;
  return slaney_break / slaney_step + std::log(frequency / slaney_break) / slaney_log_step;
}

double to_hertz(double mel, MelScale scale) {
  if (scale == MelScale::htk) return 700 * (std::pow(10, mel / 2595) - 1);
  const double at_break = slaney_break / slaney_step;
  if (mel < at_break) return mel * slaney_step;
  return slaney_break * std::exp((mel - at_break) * slaney_log_step);
}

int64_t samples_of(double seconds, int64_t rate) {
  return std::llround(seconds * static_cast<double>(rate));
}

double highest(const LogMelOptions& options) {
  return options.high > 0 ? options.high : static_cast<double>(options.rate) / 2;
}

void check(const LogMelOptions& options) {
  if (options.rate < 1 || options.mels < 1 || options.floor <= 0) {
    input_error("log-mel: rate {}, mels {}, floor {} found, more than 0 of each expected",
                options.rate, options.mels, options.floor);
  }
  if (options.window_samples() < 2 || options.hop_samples() < 1) {
    input_error(
        "log-mel: window {} s and hop {} s are {} and {} samples at {} Hz, at least 2 and 1 "
        "expected",
        options.window, options.hop, options.window_samples(), options.hop_samples(), options.rate);
  }
  if (options.fft_samples() < options.window_samples()) {
    input_error("log-mel: fft {} found, at least the window's {} samples expected", options.fft,
                options.window_samples());
  }
  if (options.low < 0 || options.low >= highest(options) ||
      2 * highest(options) > static_cast<double>(options.rate)) {
    input_error("log-mel: filters from {} to {} Hz found, 0 <= low < high <= {} expected",
                options.low, highest(options), static_cast<double>(options.rate) / 2);
  }
}

// The mels + 2 frequencies at which triangles begin, peak and end, [mels + 2].
Tensor corners(const LogMelOptions& options) {
  const double low = to_mel(options.low, options.scale);
  const double high = to_mel(highest(options), options.scale);
  const Tensor corner = at::linspace(low, high, options.mels + 2, at::kDouble);
  double* values = corner.data_ptr<double>();
  for (int64_t n = 0; n < corner.numel(); ++n) values[n] = to_hertz(values[n], options.scale);
  return corner;
}

void refuse_empty(const Tensor& filters, const LogMelOptions& options) {
  const Tensor empty = (filters.sum(1) == 0).nonzero().flatten();
  if (empty.numel() == 0) return;
  constexpr int64_t most_named = 20;
  const int64_t named = std::min(empty.numel(), most_named);
  const std::vector<int64_t> numbers(empty.data_ptr<int64_t>(), empty.data_ptr<int64_t>() + named);
  input_error(
      "log-mel: {} of {} mel filters cover no frequency bin (bins are {:.4g} Hz apart): filters "
      "{}{}; use fewer mels or a larger fft",
      empty.numel(), options.mels,
      static_cast<double>(options.rate) / static_cast<double>(options.fft_samples()),
      fmt::join(numbers, ", "), named < empty.numel() ? ", ..." : "");
}

}  // namespace

int64_t LogMelOptions::window_samples() const { return samples_of(window, rate); }
int64_t LogMelOptions::hop_samples() const { return samples_of(hop, rate); }
int64_t LogMelOptions::fft_samples() const {
  if (fft > 0) return fft;
  return static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(window_samples(), 1))));
}
double LogMelOptions::hop_seconds() const {
  return static_cast<double>(hop_samples()) / static_cast<double>(rate);
}

std::vector<OptionSpec> log_mel_specs(const LogMelOptions& defaults) {
  const std::string scale = defaults.scale == MelScale::htk ? "htk" : "slaney";
  const std::string norm = defaults.norm == MelNorm::none ? "none" : "area";
  return {
      {"rate", defaults.rate, "samples a second; what has another rate is resampled", {}, 1, 1e6},
      {"window", defaults.window, "seconds that a frame covers", {}, 0, 60},
      {"hop", defaults.hop, "seconds from one frame to the next", {}, 0, 60},
      {"fft",
       defaults.fft,
       "samples of a spectrum; 0: a power of two from the window on",
       {},
       0,
       1 << 20},
      {"mels", defaults.mels, "bands of a frame", {}, 1, 4096},
      {"low", defaults.low, "where the first mel filter begins, Hz", {}, 0, 1e6},
      {"high", defaults.high, "where the last mel filter ends, Hz; 0: half the rate", {}, 0, 1e6},
      {"scale", scale, "mel scale", {"htk", "slaney"}},
      {"norm", norm, "mel filters of height 1 (none) or of one area", {"none", "area"}},
      {"floor", defaults.floor, "power that silence has", {}, 1e-30, 1},
  };
}

LogMelOptions log_mel_from(const Options& options) {
  return {.rate = options.integer("rate"),
          .window = options.real("window"),
          .hop = options.real("hop"),
          .fft = options.integer("fft"),
          .mels = options.integer("mels"),
          .low = options.real("low"),
          .high = options.real("high"),
          .scale = options.word("scale") == "htk" ? MelScale::htk : MelScale::slaney,
          .norm = options.word("norm") == "area" ? MelNorm::area : MelNorm::none,
          .floor = options.real("floor")};
}

std::string canonical(const LogMelOptions& options) {
  return fmt::format(
      "log-mel rate={} window={} hop={} fft={} mels={} low={} high={} scale={} "
      "norm={} floor={}",
      options.rate, options.window_samples(), options.hop_samples(), options.fft_samples(),
      options.mels, options.low, highest(options),
      options.scale == MelScale::htk ? "htk" : "slaney",
      options.norm == MelNorm::area ? "area" : "none", options.floor);
}

Tensor mel_filters(const LogMelOptions& options) {
  check(options);
  const Tensor corner = corners(options);
  const auto part = [&](int64_t first) {
    return corner.narrow(0, first, options.mels).unsqueeze(1);  // [mels, 1]
  };
  const Tensor begin = part(0), peak = part(1), end = part(2);
  const int64_t bins = options.fft_samples() / 2 + 1;
  const Tensor frequency =
      at::arange(bins, at::kDouble) *
      (static_cast<double>(options.rate) / static_cast<double>(options.fft_samples()));
  const Tensor rising = (frequency - begin) / (peak - begin);
  const Tensor falling = (end - frequency) / (end - peak);
  Tensor filters = at::minimum(rising, falling).clamp_min(0);
  refuse_empty(filters, options);
  if (options.norm == MelNorm::area) filters = filters * (2 / (end - begin));
  return filters;
}

LogMel::LogMel(const LogMelOptions& options)
    : options_(options), filters_(mel_filters(options).t().to(at::kFloat).contiguous()) {
  window_ = at::hann_window(options.window_samples(), /*periodic=*/true, at::kFloat);
}

int64_t LogMel::frames_of(int64_t samples) const {
  const int64_t room = samples - options_.window_samples();
  return room < 0 ? 0 : room / options_.hop_samples() + 1;
}

Tensor LogMel::operator()(const Tensor& samples) const {
  const int64_t frames = frames_of(samples.size(0));
  if (frames == 0) return at::empty({0, options_.mels}, at::kFloat);
  // at::stft centres a window in a longer transform: zeros on either side keep frame t at t hop.
  const int64_t fft = options_.fft_samples(), window = options_.window_samples();
  const int64_t before = (fft - window) / 2;
  const Tensor padded = at::constant_pad_nd(samples, {before, fft - window - before});
  const Tensor spectrum =
      at::stft(padded, fft, options_.hop_samples(), window, window_, /*center=*/false, "constant",
               /*normalized=*/false, /*onesided=*/true, /*return_complex=*/true);  // [bins, frames]
  const Tensor power = at::view_as_real(spectrum).square().sum(2).narrow(1, 0, frames);
  return at::matmul(power.t(), filters_).add_(options_.floor).log_();
}

BandStatistics BandStatistics::of(const Tensor& frames) {
  const auto [deviation, mean] = at::std_mean(frames, at::IntArrayRef{0}, /*correction=*/0);
  return {mean, deviation};
}

Tensor BandStatistics::normalised(const Tensor& frames) const {
  // Rounding gives a constant band a deviation of some 1e-6: what is below a thousandth of a
  // decibel does not change.
  constexpr double constant = 1e-4;
  const Tensor divisor = deviation.masked_fill(deviation < constant, 1.0);
  return ((frames - mean) / divisor).masked_fill_(deviation < constant, 0.0);
}

}  // namespace relbias::modalities
