// SPDX-License-Identifier: Apache-2.0
// What this program was built from, for the record of a run; the definitions are generated at every
// build.
#pragma once

#include <string>

#include "modalities/plain/rooms.h"

namespace relbias::experiments {

/// Full hash of the commit, with "-dirty" after it where tracked files were changed; "unknown"
/// outside a git checkout.
std::string git_commit();

/// SHA-1 of what the sources held that no commit holds; empty: nothing.
std::string uncommitted_changes();

/// LibTorch it was compiled against, as "2.11.0".
std::string libtorch_version();

/// The project's version, as "0.2.0".
std::string program_version();

/// Compiler and its version, as "GNU 12.2.0".
std::string compiler_version();

}  // namespace relbias::experiments
