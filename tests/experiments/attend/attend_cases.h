// SPDX-License-Identifier: Apache-2.0
// tests: a case of `relbias attend` as a file, and what comes of it.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "experiments/attend/attend.h"
#include "modalities/seed.h"
#include "results/store/arrays.h"
#include "tests/scratch_folder.h"

namespace relbias::experiments {

using at::Tensor;

inline Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "attend test");
  return at::empty(shape, at::kDouble).normal_(0, 1, generator);
}

inline Array array_of(const Tensor& tensor) {
  const Tensor values = tensor.contiguous();
  const double* const first = values.data_ptr<double>();
  return {values.sizes().vec(), {first, first + values.numel()}};
}

inline Tensor tensor_of(const Array& array) { return at::tensor(array.values).view(array.shape); }

struct Attend : ::testing::Test {
  Attend() {
    input.texts = {{"encoding", "t5 num_buckets=8 max_distance=20"},
                   {"relation", "token"},
                   {"type", "float64"}};
    input.numbers = {{"causal", 1}};
    for (const char* name : {"q", "k", "v", "grad_out"}) {
      input.arrays[name] = array_of(random({2, 2, 5, 4}, static_cast<uint64_t>(name[0])));
    }
    input.arrays["parameters/table"] = array_of(random({2, 1, 8}, 9));
  }

  NamedArrays run() {
    const auto in = folder.path() / "case.h5", out = folder.path() / "out.h5";
    write_arrays(in, input);
    attend(in, out);
    return read_arrays(out);
  }

  std::string message() {
    try {
      run();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  }

  ScratchFolder folder;
  NamedArrays input;
};

}  // namespace relbias::experiments
