// SPDX-License-Identifier: Apache-2.0
// modalities: what is computed once a sample and kept with it, as the distances in a graph are.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace relbias::modalities {

/// Tensors by what they are. A dataset gives each of its samples one, which all copies of the
/// sample's structure share, so that a relation of pairs is computed once and not once an epoch.
class SampleCache {
 public:
  /// The tensor kept as `what` (`hops clip=20`), computed where it is asked for the first time.
  at::Tensor get(const std::string& what, const std::function<at::Tensor()>& compute);

 private:
  std::mutex mutex_;
  std::map<std::string, at::Tensor> tensors_;
};

}  // namespace relbias::modalities
