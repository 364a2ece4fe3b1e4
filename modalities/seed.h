// SPDX-License-Identifier: Apache-2.0
// modalities: independent random streams derived from one run seed.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>
#include <string_view>

#include "modalities/plain/rooms.h"

namespace relbias::modalities {

/// The seed of draw `index` in the stream `name` ("data", "dropout", "initial layers.0.query") of a
/// run. A hash of all three, so that streams never meet: seed + worker makes 3 seeds x 4 workers
/// share 6 streams, this gives 12. A draw depends on nothing that was drawn before it: a resumed
/// run needs no random state, and every encoding sees the same data in the same order.
uint64_t stream_seed(uint64_t run_seed, std::string_view name, uint64_t index = 0);

/// A CPU generator at the start of that stream.
at::Generator stream(uint64_t run_seed, std::string_view name, uint64_t index = 0);

}  // namespace relbias::modalities
