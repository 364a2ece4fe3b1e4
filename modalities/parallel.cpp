// SPDX-License-Identifier: Apache-2.0
// modalities: the threads of LibTorch, asked for without a pragma.
#include "modalities/parallel.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <exception>
#include <mutex>

// What gcc makes of `#pragma omp parallel`: part of libgomp's binary interface since 2014.
extern "C" void GOMP_parallel(void (*body)(void*), void* state, unsigned threads, unsigned flags);

namespace relbias::modalities {
namespace {

struct Loop {
  const std::function<void(int64_t)>& body;
  int64_t count;
  std::atomic<int64_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;

  void work() {
    try {
      for (int64_t n = next++; n < count; n = next++) body(n);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (failure == nullptr) failure = std::current_exception();
      next = count;
    }
  }
};

}  // namespace

void in_parallel(int64_t count, const std::function<void(int64_t)>& body) {
  Loop loop{.body = body, .count = count};
  GOMP_parallel([](void* state) { static_cast<Loop*>(state)->work(); }, &loop,
                static_cast<unsigned>(at::get_num_threads()), 0);
  if (loop.failure != nullptr) std::rethrow_exception(loop.failure);
}

}  // namespace relbias::modalities
