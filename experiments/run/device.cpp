// SPDX-License-Identifier: Apache-2.0
// experiments/run: choice of the device.
#include "experiments/run/device.h"

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <sys/resource.h>
#include <torch/cuda.h>

#include <new>

#include "modalities/plain/check.h"

namespace relbias::experiments {

c10::Device choose_device(const std::string& word) {
  if (word == "cpu") return c10::Device(c10::kCPU);
  const bool has_gpu = torch::cuda::is_available();
  if (word == "auto") return c10::Device(has_gpu ? c10::kCUDA : c10::kCPU);
  if (word != "cuda") unknown_word("device", word, {"auto", "cpu", "cuda"});
  if (has_gpu) return c10::Device(c10::kCUDA);
  if (!at::hasCUDA()) input_error("device cuda: this program was built without CUDA (preset cuda)");
  input_error("device cuda: no usable GPU was found");
}

bool is_out_of_memory(const std::exception& error) {
  const auto* internal = dynamic_cast<const c10::Error*>(&error);
  const std::string text = internal != nullptr ? internal->what_without_backtrace() : error.what();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         text.find("can't allocate memory") != std::string::npos ||  // LibTorch's allocators
         text.find("out of memory") != std::string::npos;
}

int64_t peak_memory(c10::Device device) {
  if (!device.is_cpu()) {
    constexpr auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    const c10::DeviceIndex index = device.has_index() ? device.index() : c10::DeviceIndex{0};
    return c10::getDeviceAllocator(device.type())->getDeviceStats(index).allocated_bytes[all].peak;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

}  // namespace relbias::experiments
