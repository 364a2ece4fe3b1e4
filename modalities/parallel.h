// SPDX-License-Identifier: Apache-2.0
// A loop on LibTorch's own threads.
#pragma once

#include <cstdint>
#include <functional>

#include "modalities/plain/rooms.h"

namespace relbias::modalities {

/// Calls `body(n)` once for each n in [0, count), on at::get_num_threads() threads; whoever is free
/// takes the next n. The first exception of a body is thrown again here, after the loop.
///
/// at::parallel_for is a template over `#pragma omp`: compiled without OpenMP it is silently
/// serial, compiled with clang's it starts a second set of threads. This one asks LibTorch's OpenMP
/// library itself.
void in_parallel(int64_t count, const std::function<void(int64_t)>& body);

}  // namespace relbias::modalities
