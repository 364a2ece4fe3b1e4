// SPDX-License-Identifier: Apache-2.0
// tests/benchmarks: what one core of this machine can do at most.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace relbias {

/// Multiply-adds in registers, `sums` of them independent: floating-point operations a second, CPU
/// time, the best of 7 rounds.
template <class Vector, int sums>
__attribute__((always_inline)) inline double peak_of() {
  constexpr int rounds = 1000000;
  double best = 0;
  for (int repeat = 0; repeat < 7; ++repeat) {
    Vector sum[sums] = {};
    const Vector x = Vector{} + 0.999f, y = Vector{} + 1e-3f;
    const std::clock_t start = std::clock();
    for (int n = 0; n < rounds; ++n) {
#pragma GCC unroll 12
      for (int s = 0; s < sums; ++s) sum[s] = sum[s] * x + y;
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    Vector all{};
    for (const Vector& one : sum) all += one;
    const volatile float used = all[0];
    static_cast<void>(used);
    best = std::max(best, 2.0 * rounds * sums * sizeof(Vector) / sizeof(float) / seconds);
  }
  return best;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) inline double peak_of_256() {
  return peak_of<float __attribute__((vector_size(32))), 12>();
}
__attribute__((target("avx512f,fma"))) inline double peak_of_512() {
  return peak_of<float __attribute__((vector_size(64))), 12>();
}
inline double peak_of_multiply_adds() {
  return __builtin_cpu_supports("avx512f") ? peak_of_512() : peak_of_256();
}
#else  // not measured
inline double peak_of_multiply_adds() { return std::numeric_limits<double>::quiet_NaN(); }
#endif

}  // namespace relbias
