// SPDX-License-Identifier: Apache-2.0
// experiments/run: where a run computes.
#pragma once

#include <c10/core/Device.h>

#include <exception>
#include <string>

namespace relbias::experiments {

/// `auto` is the GPU where there is one. Throws InputError for another word, and for `cuda` where
/// the program or the machine cannot.
c10::Device choose_device(const std::string& word);

/// Whether an error says that memory ran out.
bool is_out_of_memory(const std::exception& error);

/// The largest memory that this process has held so far, in bytes: on a CPU all of it, on another
/// device what its allocator gave to tensors.
int64_t peak_memory(c10::Device device);

}  // namespace relbias::experiments
