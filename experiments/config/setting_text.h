// SPDX-License-Identifier: Apache-2.0
// experiments/config: values of settings as TOML writes them. By hand, not by the TOML library: ids
// must not change with its version.
#pragma once

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "experiments/model/model.h"

namespace relbias::experiments {

std::string toml_text(bool flag);
std::string toml_text(int64_t number);
std::string toml_text(double number);
std::string toml_text(const std::string& text);
std::string toml_text(const Options& options);
std::string toml_text(const PositionConfig& position);

template <class Element>
std::string toml_text(const std::vector<Element>& list) {
  std::vector<std::string> elements;
  for (const auto& element : list) elements.push_back(toml_text(element));
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

}  // namespace relbias::experiments
