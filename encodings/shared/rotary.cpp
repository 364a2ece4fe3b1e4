// SPDX-License-Identifier: Apache-2.0
// encodings/shared: frequencies of rotary encodings and the ways of scaling them to longer inputs.
#include "encodings/shared/rotary.h"

#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <sstream>

#include "encodings/shared/sinusoids.h"

namespace relbias::encodings {
namespace {

// What the scalings below share.
struct Scaling {
  const Options& options;
  int64_t width;   // d
  double trained;  // N
  double length;   // L
  double factor;   // s

  Tensor plain(double base) const {
    return inverse_frequencies(width, base, c10::Device(at::kCPU));
  }
  Tensor plain() const { return plain(options.real("base")); }
  // The base that stretches the slowest wave by `stretch` and leaves the fastest alone.
  double stretched_base(double stretch) const {
    const auto d = static_cast<double>(width);
    return options.real("base") * std::pow(stretch, d / (d - 2));
  }
};

// Comma-separated finite numbers above 0; none where a word is anything else.
std::vector<double> numbers(const std::string& list) {
  std::vector<double> values;
  std::stringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_number = error == std::errc() && end == word.data() + word.size();
    if (!is_number || !std::isfinite(value) || value <= 0) return {};
    values.push_back(value);
  }
  return values;
}

// The attention factor as written, or nothing for `auto`.
std::optional<double> given_attention_factor(const Options& options) {
  const std::string& word = options.word("attention_factor");
  if (word == "auto") return std::nullopt;
  const auto values = numbers(word);
  return values.size() == 1 ? values.front() : std::nan("");
}

RotaryFrequencies with_base(const Scaling& s, double base) {
  return {.inverse = s.plain(base), .base = base};
}

RotaryFrequencies dynamic_ntk(const Scaling& s) {
  const double base = s.options.real("base");
  if (s.length <= s.trained) return with_base(s, base);
  return with_base(s, s.stretched_base(s.factor * s.length / s.trained - (s.factor - 1)));
}

// What yarn puts on cos and sin, and on all scores.
void set_yarn_factors(const Scaling& s, RotaryFrequencies& frequencies) {
  const auto scale = [&](double weight) { return 0.1 * weight * std::log(s.factor) + 1.0; };
  const double all = s.options.real("mscale_all_dim");
  if (const auto given = given_attention_factor(s.options)) {
    frequencies.factor = *given;
  } else if (all != 0) {  // then mscale is given too
    frequencies.factor = scale(s.options.real("mscale")) / scale(all);
    frequencies.scale = scale(all) * scale(all);
  } else {
    frequencies.factor = scale(1);
  }
}

RotaryFrequencies yarn(const Scaling& s) {
  // The channel pair whose wave turns `turns` times over the trained length.
  const auto pair_of = [&](double turns) {
    return static_cast<double>(s.width) * std::log(s.trained / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(s.options.real("base")));
  };
  double low = pair_of(s.options.real("beta_fast")), high = pair_of(s.options.real("beta_slow"));
  if (s.options.flag("truncate")) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(s.width - 1));
  if (low == high) high += 0.001;
  const Tensor plain = s.plain();
  const Tensor ramp = ((at::arange(s.width / 2, at::kDouble) - low) / (high - low)).clamp(0, 1);
  RotaryFrequencies found{.inverse = plain / s.factor * ramp + plain * (1 - ramp),
                          .base = s.options.real("base")};
  set_yarn_factors(s, found);
  return found;
}

RotaryFrequencies longrope(const Scaling& s) {
  const auto& list = s.options.word(s.length > s.trained ? "long_factor" : "short_factor");
  double factor = 1;
  if (const auto given = given_attention_factor(s.options)) {
    factor = *given;
  } else if (s.factor > 1) {
    factor = std::sqrt(1 + std::log(s.factor) / std::log(s.trained));
  }
  return {.inverse = s.plain() / at::tensor(numbers(list), at::kDouble),
          .factor = factor,
          .base = s.options.real("base")};
}

RotaryFrequencies llama3(const Scaling& s) {
  const double slow = s.options.real("low_freq_factor"), fast = s.options.real("high_freq_factor");
  const Tensor plain = s.plain();
  const Tensor turns = plain * (s.trained / (2 * std::numbers::pi));  // over the trained length
  const Tensor share = ((turns - slow) / (fast - slow)).clamp(0, 1);
  return {.inverse = (1 - share) * plain / s.factor + share * plain,
          .base = s.options.real("base")};
}

}  // namespace

int64_t rotated_pairs(const Options& options, const EncodingContext& context) {
  const double pairs = options.real("fraction") * static_cast<double>(context.head_width) / 2 /
                       static_cast<double>(std::max<int64_t>(context.relation.coordinates, 1));
  return std::abs(pairs - std::round(pairs)) < 1e-9 ? std::llround(pairs) : 0;
}

RotaryFrequencies rotary_frequencies(const Options& options, const EncodingContext& context,
                                     int64_t length) {
  const int64_t given = options.integer("trained");
  const Scaling s{.options = options,
                  .width = 2 * rotated_pairs(options, context),
                  .trained = static_cast<double>(given > 0 ? given : context.trained.keys),
                  .length = static_cast<double>(length),
                  .factor = options.real("factor")};
  const std::string& scaling = options.word("scaling");
  if (scaling == "linear") {
    return {.inverse = s.plain() / s.factor, .base = options.real("base")};
  }
  if (scaling == "ntk") return with_base(s, s.stretched_base(s.factor));
  if (scaling == "dynamic-ntk") return dynamic_ntk(s);
  if (scaling == "yarn") return yarn(s);
  if (scaling == "longrope") return longrope(s);
  if (scaling == "llama3") return llama3(s);
  return with_base(s, options.real("base"));
}

std::vector<OptionSpec> rotary_options() {
  return {
      {"layout", "half", "which channels form a pair", {"half", "interleaved"}},
      {"base", 10000.0, "of the wave lengths", {}, 1.0},
      {"fraction", 1.0, "of the head's channels that rotate", {}, 0.0, 1.0},
      {"scaling",
       "none",
       "of the frequencies for longer inputs",
       {"none", "linear", "ntk", "dynamic-ntk", "yarn", "longrope", "llama3"}},
      {"factor", 1.0, "s of the scaling", {}, 1.0},
      {"trained", int64_t{0}, "N of the scaling; 0: the trained size", {}, 0},
      {"attention_factor", "auto", "yarn, longrope: on cos and sin; auto: by formula"},
      {"beta_fast", 32.0, "yarn: turns above which a wave stays", {}, 0.0},
      {"beta_slow", 1.0, "yarn: turns below which a wave is stretched in full", {}, 0.0},
      {"truncate", true, "yarn: the ramp's ends on whole channel pairs"},
      {"mscale", 0.0, "yarn: m, with mscale_all_dim; 0: the plain attention factor", {}, 0.0},
      {"mscale_all_dim", 0.0, "yarn: a, of its divisor and of the scores, with mscale", {}, 0.0},
      {"short_factor", "", "longrope: divisors up to the trained length, comma-separated"},
      {"long_factor", "", "longrope: divisors beyond it, comma-separated"},
      {"low_freq_factor", 1.0, "llama3: turns below which a wave is stretched in full", {}, 0.0},
      {"high_freq_factor", 4.0, "llama3: turns above which a wave stays", {}, 0.0}};
}

namespace {

// Options that belong to some scalings only.
const std::vector<std::pair<const char*, std::vector<std::string>>>& options_of_scalings() {
  static const std::vector<std::pair<const char*, std::vector<std::string>>> all{
      {"trained", {"dynamic-ntk", "yarn", "longrope", "llama3"}},
      {"factor", {"linear", "ntk", "dynamic-ntk", "yarn", "longrope", "llama3"}},
      {"attention_factor", {"yarn", "longrope"}},
      {"beta_fast", {"yarn"}},
      {"beta_slow", {"yarn"}},
      {"truncate", {"yarn"}},
      {"mscale", {"yarn"}},
      {"mscale_all_dim", {"yarn"}},
      {"short_factor", {"longrope"}},
      {"long_factor", {"longrope"}},
      {"low_freq_factor", {"llama3"}},
      {"high_freq_factor", {"llama3"}}};
  return all;
}

// An option that the scaling does not read. A configuration writes every option out, so what counts
// is whether the value is another than the default.
std::optional<std::string> ignored_option(const Options& options) {
  const std::string& scaling = options.word("scaling");
  for (const auto& [option, scalings] : options_of_scalings()) {
    if (!differs(options, option) ||
        std::find(scalings.begin(), scalings.end(), scaling) != scalings.end())
      continue;
    return fmt::format("{} found with scaling={}, which does not read it; scaling={} expected",
                       option, scaling, fmt::join(scalings, " or "));
  }
  return std::nullopt;
}

std::optional<std::string> wrong_scaling(const Options& options, int64_t pairs) {
  const std::string& scaling = options.word("scaling");
  if ((scaling == "ntk" || scaling == "dynamic-ntk") && pairs < 2) {
    return fmt::format("scaling={} needs at least 4 rotated channels, {} found", scaling,
                       2 * pairs);
  }
  const auto reversed = [&](const char* low, const char* high) {
    return fmt::format("{} {} found, less than {} {} expected", low, options.real(low), high,
                       options.real(high));
  };
  if (scaling == "llama3" && options.real("low_freq_factor") >= options.real("high_freq_factor")) {
    return reversed("low_freq_factor", "high_freq_factor");
  }
  if (scaling == "yarn" && options.real("beta_slow") >= options.real("beta_fast")) {
    return reversed("beta_slow", "beta_fast");
  }
  const auto attention_factor = given_attention_factor(options);
  if (attention_factor && std::isnan(*attention_factor)) {
    return fmt::format("attention_factor {} found, auto or a number above 0 expected",
                       options.word("attention_factor"));
  }
  if ((options.real("mscale") != 0) != (options.real("mscale_all_dim") != 0)) {
    return "mscale and mscale_all_dim belong together, one of them found";
  }
  if (attention_factor && options.real("mscale") != 0) {
    return "mscale found with attention_factor, which takes its place; one of them expected";
  }
  for (const char* list : {"short_factor", "long_factor"}) {
    const auto values = numbers(options.word(list));
    if (scaling == "longrope" && static_cast<int64_t>(values.size()) != pairs) {
      return fmt::format("{} '{}' found, {} comma-separated numbers above 0 expected", list,
                         options.word(list), pairs);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> wrong_rotary_options(const Options& options,
                                                const EncodingContext& context) {
  const int64_t pairs = rotated_pairs(options, context);
  if (pairs < 1) {
    return fmt::format(
        "fraction {} of head width {} over {} axes found, an even number of channels "
        "an axis expected",
        options.real("fraction"), context.head_width, context.relation.coordinates);
  }
  if (const auto reason = ignored_option(options)) return reason;
  const std::string& scaling = options.word("scaling");
  if (scaling == "none") return std::nullopt;
  const bool by_length =
      scaling == "dynamic-ntk" || scaling == "longrope";  // 1 has a meaning there
  if (!options.given("factor") || (!by_length && options.real("factor") == 1)) {
    return fmt::format("scaling={} needs a factor above 1", scaling);
  }
  return wrong_scaling(options, pairs);
}

}  // namespace relbias::encodings
