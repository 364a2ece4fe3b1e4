// SPDX-License-Identifier: Apache-2.0
// experiments: choice of the device.
#include "experiments/device.h"

#include <ATen/Context.h>
#include <sys/resource.h>
#include <torch/cuda.h>

#include "modalities/check.h"

namespace relbias {

c10::Device choose_device(const std::string& word) {
  if (word == "cpu") return c10::Device(c10::kCPU);
  const bool has_gpu = torch::cuda::is_available();
  if (word == "auto") return c10::Device(has_gpu ? c10::kCUDA : c10::kCPU);
  if (word != "cuda") unknown_word("device", word, {"auto", "cpu", "cuda"});
  if (has_gpu) return c10::Device(c10::kCUDA);
  if (!at::hasCUDA()) input_error("device cuda: this program was built without CUDA (preset cuda)");
  input_error("device cuda: no usable GPU was found");
}

int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

}  // namespace relbias
