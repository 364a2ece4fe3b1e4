// SPDX-License-Identifier: Apache-2.0
// experiments/attend: what a case asks for: tensors, encodings on their relations, and options.
#pragma once

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "experiments/attend/attend_case.h"

namespace relbias::experiments {

/// One encoding on one relation of a case.
struct AskedPosition {
  std::string prefix;  // of its parameters' names: `parameters/`, or `parameters/0/` of several
  std::shared_ptr<Encoding> encoding;
  RelationMap map;
};

struct Asked {
  Tensor q, k, v;   // [B, H, Q or K, D]; undefined where token embeddings are asked about
  Tensor tokens;    // [B, N, C]; undefined where attention is
  Tensor grad_out;  // as the output; undefined: no gradients
  Tensor bias;      // [1|B, 1|H, Q, K]; undefined: none
  std::vector<AskedPosition> positions;
  AttentionOptions options;
};

/// Reads a case to its last dataset. Throws InputError naming what is wrong.
Asked read_case(AttendCase& input);

}  // namespace relbias::experiments
