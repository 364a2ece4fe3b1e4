// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: whether the classes of a classification can be learnt.
#include "modalities/sampling/trained_classes.h"

#include "modalities/plain/check.h"

namespace relbias::modalities {

void check_trained(std::string_view origin, const std::vector<ClassCount>& classes) {
  std::string name;
  int64_t trained = 0;
  for (const ClassCount& each : classes) {
    if (each.trained == 0) continue;
    name = each.name;
    ++trained;
  }
  if (trained < 2) {
    input_error("{}: {} in training, at least two classes expected", origin,
                trained == 0 ? "no class" : "one class only (" + name + ")");
  }
  for (const ClassCount& each : classes) {
    if (each.trained > 0) continue;
    input_error(
        "{}: class {} has no sample in training and {} held out, at least one trained "
        "expected",
        origin, each.name, each.held_out);
  }
}

}  // namespace relbias::modalities
