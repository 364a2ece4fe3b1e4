// SPDX-License-Identifier: Apache-2.0
// experiments/tuning: trials as configurations and as texts.
#include "experiments/tuning/trial.h"

#include <nlohmann/json.hpp>

#include "encodings/encoding.h"

namespace relbias::experiments {

using nlohmann::ordered_json;

RunConfig trial_config(const Settings& settings, const GridPoint& point, int64_t seed) {
  RunConfig config = config_at(settings, point);
  config.seed = seed;
  config.evaluate.split = "validation";
  config.evaluate.sizes = {config.train.size};
  config.evaluate.variants.clear();
  config.evaluate.at = {1.0};
  config.keep.weights = false;
  return config;
}

std::string trial_text(const std::vector<GridPoint>& points, size_t trial,
                       const std::string& cell) {
  return ordered_json{{"cell", cell},
                      {"trial", trial + 1},
                      {"trials", points.size()},
                      {"setting", points[trial].texts()}}
      .dump();
}

std::string choice_text(const ChoiceMade& choice) {
  const GridPoint& point = choice.points[choice.chosen];
  ordered_json text{{"cell", choice.cell},
                    {"trials", choice.points.size()},
                    {"of", choice.of},
                    {"chosen", point.texts()},
                    {"edge", point.at_edge()}};
  if (choice.diverged) text["diverged"] = true;
  return text.dump();
}

namespace {

// The encoding with this option at its default.
Options without(const Options& encoding, const std::string& option) {
  std::string text = encoding.name();
  for (const auto& [key, value] : encoding.changed()) {
    if (key != option) text += fmt::format(" {}={}", key, value);
  }
  return parse_encoding(text);
}

}  // namespace

void take_tuned_out(const std::string& tuning, RunConfig& config) {
  if (tuning.empty()) return;
  const auto text = nlohmann::json::parse(tuning);
  for (const auto& [name, value] :
       text.at(text.contains("chosen") ? "chosen" : "setting").items()) {
    const size_t dot = name.rfind('.');
    const std::string owner = option_name(name.substr(0, dot)), option = name.substr(dot + 1);
    for (auto& [encoding, relation] : config.model.positions) {
      if (encoding.name() == owner && encoding.has(option)) encoding = without(encoding, option);
    }
  }
}

}  // namespace relbias::experiments
