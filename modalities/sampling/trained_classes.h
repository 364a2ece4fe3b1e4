// SPDX-License-Identifier: Apache-2.0
// modalities/sampling: whether the classes of a classification can be learnt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relbias::modalities {

/// A class of a dataset, and how many samples of it there are.
struct ClassCount {
  std::string name;
  int64_t trained = 0;
  int64_t held_out = 0;  // validation and test
};

/// One policy for all that ask for a class: throws InputError unless at least two classes are
/// trained (one alone is answered right always), and each of these is (held out, it is answered
/// wrong always). `origin` stands in front: where the samples come from.
void check_trained(std::string_view origin, const std::vector<ClassCount>& classes);

}  // namespace relbias::modalities
