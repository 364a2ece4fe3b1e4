// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: products of small matrices, packing and 2^x; once an instruction set.
#if defined(RELBIAS_FUSED_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RELBIAS_FUSED_TILES_INL_H_
#undef RELBIAS_FUSED_TILES_INL_H_
#else
#define RELBIAS_FUSED_TILES_INL_H_
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "encodings/attention/fused/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace relbias::encodings::fused {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
constexpr int64_t tile_rows = 6;  // 16 registers: 12 sums, 2 of B, 1 of A
#else
constexpr int64_t tile_rows = 8;  // 32 registers
#endif
constexpr float log2_e = 1.44269504088896340736f;
constexpr float infinity = std::numeric_limits<float>::infinity();

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(D())); }
HWY_INLINE int64_t panel() { return 2 * lanes(); }
HWY_INLINE int64_t up(int64_t n, int64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// The left factor, read number by number: its transpose is the same with strides exchanged.
struct Left {
  const float* data;
  int64_t row, column;
};

/// The right factor in panels of two vectors, `next` numbers from one to the next.
struct Right {
  const float* data;
  int64_t row, next;
};

/// C[tile_rows][columns vectors] (+)= A B, the sums in registers.
template <int columns, bool add>
HWY_INLINE void tile(Left a, const float* HWY_RESTRICT b, int64_t b_row, float* HWY_RESTRICT c,
                     int64_t c_row, int64_t depth) {
  const D d;
  const int64_t n = lanes();
  V sum[tile_rows][columns];
  HWY_UNROLL(8)
  for (int r = 0; r < tile_rows; ++r) {
    for (int x = 0; x < columns; ++x) {
      sum[r][x] = add ? hn::LoadU(d, c + r * c_row + x * n) : hn::Zero(d);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    V right[columns];
    for (int x = 0; x < columns; ++x) right[x] = hn::LoadU(d, b + k * b_row + x * n);
    const float* left = a.data + k * a.column;
    HWY_UNROLL(8)
    for (int r = 0; r < tile_rows; ++r) {
      const V broadcast = hn::Set(d, left[r * a.row]);
      for (int x = 0; x < columns; ++x) sum[r][x] = hn::MulAdd(broadcast, right[x], sum[r][x]);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < tile_rows; ++r) {
    for (int x = 0; x < columns; ++x) hn::StoreU(sum[r][x], d, c + r * c_row + x * n);
  }
}

struct Extent {
  int64_t rows, columns, depth;
};

/// C (+)= A B; rows in whole tiles, columns in whole vectors.
template <bool add>
HWY_INLINE void multiply(Left a, Right b, float* c, int64_t c_row, Extent size) {
  const int64_t n = lanes();
  for (int64_t x = 0; x < size.columns; x += 2 * n) {
    const float* right = b.data + x / (2 * n) * b.next;
    const bool two = x + 2 * n <= size.columns;
    for (int64_t r = 0; r < size.rows; r += tile_rows) {
      const Left left{a.data + r * a.row, a.row, a.column};
      float* to = c + r * c_row + x;
      if (two) {
        tile<2, add>(left, right, b.row, to, c_row, size.depth);
      } else {
        tile<1, add>(left, right, b.row, to, c_row, size.depth);
      }
    }
  }
}

/// 2^x for x <= 0, by the polynomial of least relative error on [-1/2, 1/2] (2e-9); exactly 0 below
/// 2^-126, NaN where x is.
HWY_INLINE V exp2(V x) {
  const D d;
  const hn::RebindToSigned<D> di;
  const auto tiny = hn::Lt(x, hn::Set(d, -126.0f));
  const V to_whole = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: the sum's last bits are round(x)
  const V shifted = hn::Add(x, to_whole);
  const V f = hn::Sub(x, hn::Sub(shifted, to_whole));
  V p = hn::Set(d, 1.5353361840034045e-4f);
  p = hn::MulAdd(p, f, hn::Set(d, 1.3398874439779392e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 9.618437358161556e-3f));
  p = hn::MulAdd(p, f, hn::Set(d, 5.5503324710448915e-2f));
  p = hn::MulAdd(p, f, hn::Set(d, 2.4022647913621503e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 6.931472028551179e-1f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::BitCast(di, shifted), hn::Set(di, 127)));
  return hn::IfThenZeroElse(tiny, hn::Mul(p, hn::BitCast(d, power)));
}

/// Where rows are read, and how many numbers of each there are. Others than `used` count as zeros,
/// whatever they hold.
struct Rows {
  const float* data;
  int64_t stride, width;
  Span used;
};

/// Rows of `padded` numbers, (x + bias) * factor, zeros in what is added.
HWY_INLINE void pack_rows(Rows from, const float* bias, float factor, float* to, int64_t rows,
                          int64_t padded) {
  for (int64_t t = 0; t < rows; ++t) {
    float* row = to + t * padded;
    const int64_t width = t >= from.used.first && t < from.used.last ? from.width : 0;
    const float* source = from.data + t * from.stride;
    if (bias == nullptr) {
      for (int64_t c = 0; c < width; ++c) row[c] = source[c] * factor;
    } else {
      for (int64_t c = 0; c < width; ++c) row[c] = (source[c] + bias[c]) * factor;
    }
    for (int64_t c = width; c < padded; ++c) row[c] = 0;
  }
}

/// Panels of transposed tokens, [padded / panel][width][panel].
HWY_INLINE void pack_panels(Rows from, float* to, int64_t padded) {
  const int64_t wide = panel();
  for (int64_t first = 0; first < padded; first += wide, to += from.width * wide) {
    const int64_t start = std::clamp<int64_t>(from.used.first - first, 0, wide),
                  here = std::clamp<int64_t>(from.used.last - first, start, wide);
    for (int64_t t = start; t < here; ++t) {
      const float* source = from.data + (first + t) * from.stride;
      for (int64_t c = 0; c < from.width; ++c) to[c * wide + t] = source[c];
    }
    for (int64_t c = 0; here - start < wide && c < from.width; ++c) {
      std::fill(to + c * wide, to + c * wide + start, 0.0f);
      std::fill(to + c * wide + here, to + (c + 1) * wide, 0.0f);
    }
  }
}

HWY_INLINE Right panels_at(const float* packed, int64_t first, int64_t width) {
  return {packed + first * width, panel(), width * panel()};
}
HWY_INLINE Right rows_at(const float* packed, int64_t first, int64_t padded) {
  return {packed + first * padded, padded, panel()};
}

/// What a unit keeps in memory, handed out from one block that its thread keeps.
class Workspace {
 public:
  explicit Workspace(int64_t numbers) {
    thread_local hwy::AlignedFreeUniquePtr<float[]> block;
    thread_local int64_t size = 0;
    if (numbers > size) {
      size = 0;
      block = hwy::AllocateAligned<float>(static_cast<size_t>(numbers));
      if (block == nullptr) throw std::bad_alloc();
      size = numbers;
    }
    next_ = block.get();
  }
  float* take(int64_t numbers) {
    float* here = next_;
    next_ += up(numbers, 16);
    return here;
  }

 private:
  float* next_;
};

/// Counts what a Workspace will be asked for, by the same calls.
class Measure {
 public:
  float* take(int64_t numbers) {
    sum_ += up(numbers, 16);
    return nullptr;
  }
  int64_t sum() const { return sum_; }

 private:
  int64_t sum_ = 0;
};

/// How a call is cut: strips of queries, blocks of keys.
struct Cut {
  int64_t strip, block, row, keys, width, value_width;

  explicit Cut(const Shape& s) {
    block =
        s.keys <= 2048 ? up(s.keys, panel()) : up(768, panel());  // softmax of whole rows if it can
    const int64_t rows = block <= 1024 ? 64 : 32;  // two strips of scores stay in the second cache
    const int64_t strips = std::max<int64_t>(1, (s.queries + rows - 1) / rows);
    strip = up((s.queries + strips - 1) / strips, tile_rows);
    row = block + 2 * panel();  // off powers of two, which share few sets of the cache
    keys = up(std::max<int64_t>(s.keys, 1), panel());
    width = up(s.width, lanes());
    value_width = up(s.value_width, lanes());
  }
};
constexpr int64_t most_strip_rows = 72;

}  // namespace HWY_NAMESPACE
}  // namespace relbias::encodings::fused
HWY_AFTER_NAMESPACE();

#endif
