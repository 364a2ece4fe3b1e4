// SPDX-License-Identifier: Apache-2.0
// experiments: where a run computes.
#pragma once

#include <c10/core/Device.h>

#include <string>

namespace relbias {

/// `auto` is the GPU where there is one. Throws InputError for another word, and for `cuda` where
/// the program or the machine cannot.
c10::Device choose_device(const std::string& word);

/// The largest memory that this process has held on the device so far, in bytes.
int64_t peak_memory();

}  // namespace relbias
