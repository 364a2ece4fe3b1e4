// SPDX-License-Identifier: Apache-2.0
// encodings: `none`, no position at all; a causal mask still tells a model where it is.
#include "encodings/encoding.h"

namespace relbias::encodings {

EncodingEntry encoding_none() {
  return {
      .formula = "score(i,j) = scale * q_i.k_j",
      .source =
          "Haviv et al. 2022, Transformer Language Models without Positional Encodings Still "
          "Learn Positional Information; Kazemnejad et al. 2023 (NoPE)",
      .initial = "no parameters",
      .has_factor = false,
      .make =
          [](const Options& options, const EncodingContext& context, const Initialiser& initial) {
            return std::make_shared<Encoding>(options, context, initial);
          },
  };
}

}  // namespace relbias::encodings
