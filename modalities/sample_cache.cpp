// SPDX-License-Identifier: Apache-2.0
// modalities: what relations computed for a sample, once.
#include "modalities/sample_cache.h"

namespace relbias::modalities {

at::Tensor SampleCache::get(const std::string& what, const std::function<at::Tensor()>& compute) {
  const std::lock_guard lock(mutex_);
  auto found = tensors_.find(what);
  if (found == tensors_.end()) found = tensors_.emplace(what, compute()).first;
  return found->second;
}

}  // namespace relbias::modalities
