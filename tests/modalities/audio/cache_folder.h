// SPDX-License-Identifier: Apache-2.0
// tests: a cache of its own for a test, so that nothing computed before is found.
#pragma once

#include <cstdlib>
#include <optional>

#include "tests/scratch_folder.h"

namespace relbias::modalities {

class CacheFolder {
 public:
  CacheFolder() {
    if (const char* value = std::getenv("RELBIAS_CACHE")) before_ = value;
    setenv("RELBIAS_CACHE", folder_.path().c_str(), 1);
  }
  ~CacheFolder() {
    if (before_) {
      setenv("RELBIAS_CACHE", before_->c_str(), 1);
    } else {
      unsetenv("RELBIAS_CACHE");
    }
  }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  std::filesystem::path features() const { return folder_.path() / "data" / "features"; }

 private:
  ScratchFolder folder_;
  std::optional<std::string> before_;
};

}  // namespace relbias::modalities
