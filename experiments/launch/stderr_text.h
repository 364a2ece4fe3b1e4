// SPDX-License-Identifier: Apache-2.0
// experiments/launch: words for the reader of standard error, if there is one.
#pragma once

#include <cstdio>
#include <string>

namespace relbias::experiments {

/// That nobody can read it (a closed pipe, a full disk) is no reason to stop: what counts is in the
/// result files and in the exit code. fmt::print would throw.
inline void to_stderr(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace relbias::experiments
