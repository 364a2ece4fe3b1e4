// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: the points of a grid, and which of them are tried.
#include <algorithm>

#include "experiments/config/example_context.h"
#include "experiments/tuning/tuning.h"
#include "modalities/seed.h"

namespace relbias::experiments {
namespace {

constexpr const char* learning_rate_key = "train.learning_rate";
constexpr const char* encoding_rate_key = "train.encoding_rate";

// An axis of `each` is meant by an encoding's whole label, or by its name.
bool is_meant(const TunedAxis& axis, const Options& encoding) {
  return axis.encoding == encoding.label() || axis.encoding == encoding.name();
}

bool is_tuned(const std::vector<TunedAxis>& each, const std::string& option,
              const Options& encoding) {
  return std::ranges::any_of(
      each, [&](const TunedAxis& axis) { return axis.key == option && is_meant(axis, encoding); });
}

// Whether the axis changes anything for the model of this configuration.
bool matters(const TunedAxis& axis, const Tuning& tuning, const RunConfig& config) {
  bool any = false;
  for (const auto& [encoding, relation] : config.model.positions) {
    if (!axis.encoding.empty()) {
      // Of two axes for one option, a label's and a name's, the label's.
      const bool overruled = axis.encoding != encoding.label() &&
                             std::ranges::any_of(tuning.each, [&](const TunedAxis& other) {
                               return other.key == axis.key && other.encoding == encoding.label();
                             });
      any |= is_meant(axis, encoding) && !overruled;
    } else if (axis.key != encoding_rate_key) {
      any = true;
    } else if (encoding.given("encoding_rate")) {
      input_error(
          "tune.over: {} is inert for {}, which names its own: put encoding_rate = [...] "
          "of it into tune.each",
          axis.key, encoding.label());
    } else if (!is_tuned(tuning.each, "encoding_rate", encoding)) {
      any |= has_parameters(encoding, relation);
    }
  }
  return any;
}

std::vector<GridPoint> product(const std::vector<const TunedAxis*>& axes) {
  std::vector<GridPoint> points(1);
  for (const TunedAxis* axis : axes) {
    std::vector<GridPoint> longer;
    for (const GridPoint& point : points) {
      for (const toml::node* value : axis->values) {
        longer.push_back(point);
        longer.back().values.emplace_back(axis, value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

template <class Item>
void shuffle(std::vector<Item>& items, const std::string& stream) {
  for (size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[stream_seed(0, stream, left) % left]);
  }
}

}  // namespace

RunConfig config_at(Settings settings, const GridPoint& point) {
  for (const auto& [axis, value] : point.values) {
    if (axis->encoding.empty()) settings[axis->key] = value;
  }
  RunConfig config = read_config(settings);
  for (auto& [encoding, relation] : config.model.positions) {
    Options tuned = encoding;
    for (const auto& [axis, value] : point.values) {
      if (axis->encoding.empty() || !is_meant(*axis, encoding)) continue;
      if (encoding.given(axis->key)) {
        input_error("tune.each: {} of {} is tuned, but the study fixes it", axis->key,
                    encoding.label());
      }
      tuned = tuned.with(
          parse_encoding(fmt::format("{} {}={}", encoding.name(), axis->key, text_of(*value))));
    }
    encoding = tuned;
  }
  return config;
}

std::vector<GridPoint> drawn_points(const Tuning& tuning, const Settings& settings,
                                    const std::string& study) {
  const RunConfig config = read_config(settings);
  std::vector<const TunedAxis*> rates, rest;
  for (const auto* axes : {&tuning.over, &tuning.each}) {
    for (const TunedAxis& axis : *axes) {
      if (!matters(axis, tuning, config)) continue;
      (axis.key == learning_rate_key ? rates : rest).push_back(&axis);
    }
  }
  std::vector<GridPoint> firsts = product(rates), others = product(rest);
  shuffle(firsts, "learning rates of trials of " + study);
  shuffle(others, "trials of " + study);
  std::vector<GridPoint> points;
  for (size_t round = 0; round < others.size(); ++round) {
    for (size_t n = 0; n < firsts.size(); ++n) {
      if (std::ssize(points) == tuning.trials) return points;
      const GridPoint& other = others[(round + n) % others.size()];
      points.push_back(firsts[n]);
      points.back().values.insert(points.back().values.end(), other.values.begin(),
                                  other.values.end());
    }
  }
  return points;
}

}  // namespace relbias::experiments
