// SPDX-License-Identifier: Apache-2.0
// experiments/model: the factor of attention's scores as a setting writes it.
#include "experiments/model/scale.h"

#include <charconv>
#include <cmath>

#include "modalities/plain/check.h"

namespace relbias::experiments {

std::optional<double> scale_in(const std::string& word) {
  if (word == "rsqrt") return std::nullopt;
  if (word == "none") return 1.0;
  double number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  const bool is_number = error == std::errc() && stop == end;
  if (is_number && number > 0 && std::isfinite(static_cast<float>(number))) return number;
  input_error("'{}' found, rsqrt, none or a number above 0 expected", word);
}

}  // namespace relbias::experiments
