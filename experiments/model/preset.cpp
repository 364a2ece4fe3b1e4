// SPDX-License-Identifier: Apache-2.0
// experiments/model: named sizes of a transformer.
#include "experiments/model/preset.h"

namespace relbias::experiments {
namespace {

struct Preset {
  std::string name;
  int64_t layers, width, heads;
};

const std::vector<Preset> presets = {
    {"mini", 3, 64, 4}, {"tiny", 12, 192, 3}, {"small", 12, 384, 6}, {"base", 12, 768, 12}};

}  // namespace

void apply_preset(const std::string& name, ModelConfig& model) {
  const Preset& preset = find_entry("preset", name, presets);
  model.layers = preset.layers;
  model.width = preset.width;
  model.heads = preset.heads;
}

}  // namespace relbias::experiments
