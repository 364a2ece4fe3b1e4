// SPDX-License-Identifier: Apache-2.0
// encodings/attention: which keys a query may attend: checks, and what follows from the parts.
#pragma once

#include "encodings/attention/attention.h"

namespace relbias::encodings {

/// Throws InputError, with shapes, where a part of the mask does not fit queries and keys.
void check_mask(const AttentionOptions& options, const Tensor& q,  // [B, H, Q, D]
                const Tensor& k);                                  // [B, H, K, D]

/// Whether more than the order of the tokens decides, so that a row may be left without a key.
bool leaves_out_tokens(const AttentionOptions& options);

}  // namespace relbias::encodings
