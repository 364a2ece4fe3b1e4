// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: which samples, queries and keys are worked on at once, and which keys
// a query may attend; once an instruction set.
#if defined(RELBIAS_FUSED_WINDOW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RELBIAS_FUSED_WINDOW_INL_H_
#undef RELBIAS_FUSED_WINDOW_INL_H_
#else
#define RELBIAS_FUSED_WINDOW_INL_H_
#endif

#include "encodings/attention/fused/lookup-inl.h"

HWY_BEFORE_NAMESPACE();
namespace relbias::encodings::fused {
namespace HWY_NAMESPACE {

/// Queries first .. first + rows of sample b, the s-th of its unit, and keys key .. key + count.
struct Window {
  int64_t b, s, first, rows, key = 0, count = 0;
};

/// The samples of a unit: b = first .. first + count of head h, unit `place` of its head.
struct Unit {
  int64_t h, first, count, place;

  Unit(const Forward& call, int64_t unit) {
    const int64_t chunk = samples_of_unit(call), chunks = (call.shape.batch + chunk - 1) / chunk;
    h = unit / chunks;
    place = unit % chunks;
    first = place * chunk;
    count = std::min(chunk, call.shape.batch - first);
  }
};

/// The keys that queries first .. first + rows may attend, all together.
HWY_INLINE Span keys_of(const Forward& call, int64_t b, int64_t first, int64_t rows) {
  return {keys_of(call, b, first).first, keys_of(call, b, first + rows - 1).last};
}

/// Row r's keys within a window, counted from the window's first.
HWY_INLINE Span keys_in(const Forward& call, const Window& w, int64_t r) {
  const Span keys = keys_of(call, w.b, w.first + r);
  const int64_t first = std::clamp<int64_t>(keys.first - w.key, 0, w.count);
  return {first, std::clamp<int64_t>(keys.last - w.key, first, w.count)};
}

HWY_INLINE int64_t row_of(const Forward& call, int64_t b, int64_t h, int64_t i) {
  return (b * call.shape.heads + h) * call.shape.queries + i;
}

HWY_INLINE float factor_of(const Forward& call, int64_t b, int64_t h, int64_t i) {
  return call.row_factor == nullptr ? 1.0f : call.row_factor[row_of(call, b, h, i)];
}

HWY_INLINE const float* head_of(const float* table, int64_t h, int64_t width) {
  return table == nullptr ? nullptr : table + h * width;
}

/// The tokens of a head that are keys of some query; no query sees the others.
HWY_INLINE Rows used_keys(const Forward& call, const Strided<const float>& tensor, int64_t b,
                          int64_t h, int64_t width) {
  return {tensor.at(b, h), tensor.token, width, keys_of(call, b, 0, call.shape.queries)};
}

/// Where a window's queries are written, `stride` numbers a row.
struct Strip {
  float* data;
  int64_t stride, width;
};

/// The rows of a window's queries, zeros for those without a key, whatever they hold.
HWY_INLINE void pack_queries(const Forward& call, const Strided<const float>& tensor,
                             const Window& w, int64_t h, Strip to) {
  pack_rows({tensor.at(w.b, h) + w.first * tensor.token, tensor.token, to.width, {0, w.rows}},
            nullptr, 1, to.data, up(w.rows, tile_rows), to.stride);
  for (int64_t r = 0; r < w.rows; ++r) {
    const Span keys = keys_of(call, w.b, w.first + r);
    if (keys.first == keys.last) std::fill_n(to.data + r * to.stride, to.stride, 0.0f);
  }
}

constexpr int64_t table_slack = 64;  // behind a table: vectors and registers are read whole

/// The gradient of a score table in one unit. Rows of a line are sums of a diagonal each, in place;
/// a row of ids may sum all pairs of a head, in double.
class ScoreSum {
 public:
  template <class Space>
  ScoreSum(const ScoreSource& source, int64_t queries, Space& space)
      : source_(source), queries_(queries) {
    float* const room = space.take(2 * (source.rows + table_slack));
    if (source.ids.data == nullptr) {
      line_ = room;
    } else {
      by_id_ = reinterpret_cast<double*>(room);
    }
  }
  /// Without a gradient to be written nothing is summed.
  void begin(const float* gradient) {
    if (gradient == nullptr) line_ = nullptr, by_id_ = nullptr;
    if (line_ != nullptr) std::fill_n(line_, source_.rows + table_slack, 0.0f);
    if (by_id_ != nullptr) std::fill_n(by_id_, source_.rows, 0.0);
  }
  /// Where the slopes of query i from key `key` on are added; null: nowhere.
  float* line_at(int64_t i, int64_t key) const {
    return line_ == nullptr ? nullptr : line_ + queries_ - 1 - i + key;
  }
  void take(Stretch at, const float* slopes, float factor) const {
    if (by_id_ != nullptr) return add_by_id(source_.ids, at, slopes, factor, by_id_);
    if (line_ != nullptr) add(slopes, at.count, factor, line_at(at.i, at.first));
  }
  void end(float* gradient) const {
    if (line_ != nullptr) std::copy_n(line_, source_.rows, gradient);
    for (int64_t r = 0; by_id_ != nullptr && r < source_.rows; ++r)
      gradient[r] = static_cast<float>(by_id_[r]);
  }

 private:
  const ScoreSource& source_;
  int64_t queries_;
  float* line_ = nullptr;
  double* by_id_ = nullptr;
};

}  // namespace HWY_NAMESPACE
}  // namespace relbias::encodings::fused
HWY_AFTER_NAMESPACE();

#endif
