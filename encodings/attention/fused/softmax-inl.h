// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: what is added to the scores of a strip, the softmax of a row and its
// derivative; once an instruction set.
#if defined(RELBIAS_FUSED_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RELBIAS_FUSED_SOFTMAX_INL_H_
#undef RELBIAS_FUSED_SOFTMAX_INL_H_
#else
#define RELBIAS_FUSED_SOFTMAX_INL_H_
#endif

#include "encodings/attention/fused/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace relbias::encodings::fused {
namespace HWY_NAMESPACE {

/// Everything outside the product of query and key, in base 2: score tables, terms of vector
/// tables, masks. One table of a line is read in place, one of byte ids looked up in place; other
/// sums are written out for a strip of queries and a block of keys.
class Bias {
 public:
  template <class Space>
  Bias(const Forward& call, const Cut& cut, Space& space) : call_(call), cut_(cut) {
    const Allowed& allowed = call.allowed;
    masked_ =
        allowed.pairs.data != nullptr || allowed.keys.data != nullptr || allowed.groups != nullptr;
    const bool one = call.scores.size() == 1 && !masked_ && call.vectors.empty();
    const Ids ids = call.scores.empty() ? Ids{} : call.scores[0].ids;
    how_ = one && ids.data == nullptr                                ? How::line
           : one && ids.bytes == 1 && ids.batch != 0                 ? How::ids
           : call.scores.empty() && call.vectors.empty() && !masked_ ? How::none
                                                                     : How::strip;
    same_for_all_ = call.vectors.empty() && call.row_factor == nullptr &&
                    allowed.pairs.batch == 0 && allowed.keys.batch == 0;
    for (const auto& source : call.scores) {
      same_for_all_ &= source.ids.batch == 0;
      tables_.push_back(space.take(source.rows + table_slack));
    }
    if (how_ == How::strip) strip_ = space.take(cut.strip * cut.row);
  }

  void begin(int64_t h) {
    head_ = h;
    for (size_t n = 0; n < tables_.size(); ++n) {
      const int64_t rows = call_.scores[n].rows;
      const float* from = call_.scores[n].table + h * rows;
      for (int64_t r = 0; r < rows; ++r) tables_[n][r] = from[r] * log2_e;
      std::fill_n(tables_[n] + rows, table_slack, 0.0f);
    }
  }

  bool is_line() const { return how_ == How::line; }

  void fill(const Window& w, const std::vector<VectorTerm>& vectors) {
    if (how_ != How::strip) return;
    if (same_for_all_ && w.first == row_ && w.key == key_ && w.count == count_) return;
    row_ = w.first, key_ = w.key, count_ = w.count;
    for (int64_t r = 0; r < w.rows; ++r) {
      float* to = strip_ + r * cut_.row;
      std::fill_n(to, w.count, 0.0f);
      for (size_t n = 0; n < tables_.size(); ++n) {
        const Ids& ids = call_.scores[n].ids;
        if (ids.data == nullptr) {
          add(line(n, w, r), w.count, 1, to);
        } else {
          add_looked_up(ids, {w.b, w.first + r, w.key, w.count}, tables_[n], to);
        }
      }
      for (const auto& term : vectors) term.add_scores(w, r, to);
      if (call_.row_factor != nullptr) {  // before the mask: 0 * -inf is NaN
        const float factor =
            call_.row_factor[(w.b * call_.shape.heads + head_) * call_.shape.queries + w.first + r];
        for (int64_t j = 0; j < w.count; ++j) to[j] *= factor;
      }
      if (masked_) hide(w, r, to);
    }
  }

  /// Calls `use` with what is added to row r of the window.
  template <class Use>
  HWY_INLINE void with_row(const Window& w, int64_t r, float factor, const Use& use) const {
    const V f = hn::Set(D(), factor);
    if (how_ == How::none) return use(NoBias());
    if (how_ == How::line) return use(BiasRow{line(0, w, r), f});
    if (how_ == How::strip && masked_) return use(MaskedRow{strip_ + r * cut_.row});
    if (how_ == How::strip) return use(BiasRow{strip_ + r * cut_.row, hn::Set(D(), 1.0f)});
    const ScoreSource& source = call_.scores[0];
    with_byte_ids(source.ids, {w.b, w.first + r, w.key, w.count}, [&](const uint8_t* ids) HWY_ATTR {
      if (source.rows <= 64) return use(BiasOfIds<true>(ids, tables_[0], f));
      use(BiasOfIds<false>(ids, tables_[0], f));
    });
  }

 private:
  enum class How { none, line, ids, strip };

  template <class Use>
  HWY_INLINE static void with_byte_ids(const Ids& ids, Stretch at, const Use& use) {
    use(static_cast<const uint8_t*>(ids.data) + at.b * ids.batch + at.i * ids.query + at.first);
  }
  const float* line(size_t n, const Window& w, int64_t r) const {
    return tables_[n] + call_.shape.queries - 1 - (w.first + r) + w.key;
  }
  void hide(const Window& w, int64_t r, float* to) const {
    const Allowed& allowed = call_.allowed;
    for (const MaskBytes& mask : {allowed.pairs, allowed.keys}) {
      if (mask.data == nullptr) continue;
      const uint8_t* may =
          mask.data + w.b * mask.batch + head_ * mask.head + (w.first + r) * mask.query + w.key;
      for (int64_t j = 0; j < w.count; ++j) to[j] = may[j] != 0 ? to[j] : -infinity;
    }
    if (allowed.groups == nullptr) return;
    const int32_t* group = allowed.groups + w.key;
    const int32_t own = allowed.groups[w.first + r + call_.shape.keys - call_.shape.queries];
    for (int64_t j = 0; j < w.count && own >= 0; ++j)
      to[j] = group[j] == own || group[j] < 0 ? to[j] : -infinity;
  }

  const Forward& call_;
  const Cut& cut_;
  How how_ = How::none;
  bool same_for_all_ = true, masked_ = false;
  int64_t head_ = 0, row_ = -1, key_ = -1, count_ = -1;
  std::vector<float*> tables_;  // [R + slack], times log2(e)
  float* strip_ = nullptr;      // [strip, block]
};

/// The score at j with what is added to it, -inf outside the row's keys.
template <class Added>
HWY_INLINE V biased(const float* scores, const Added& added, int64_t j, Span keys) {
  const D d;
  V s = added(hn::LoadU(d, scores + j), j, keys.last);
  if (j >= keys.first && j + lanes() <= keys.last) return s;
  if (j + lanes() > keys.last) {
    const auto inside = hn::FirstN(d, static_cast<size_t>(std::max<int64_t>(keys.last - j, 0)));
    s = hn::IfThenElse(inside, s, hn::Set(d, -infinity));
  }
  if (j >= keys.first) return s;
  return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(keys.first - j)), hn::Set(d, -infinity),
                        s);
}

/// Where whole vectors of a row's keys begin.
HWY_INLINE int64_t vector_of(int64_t key) { return key / lanes() * lanes(); }

/// A row's softmax over the blocks of keys so far.
struct RowState {
  float highest = -infinity, sum = 0;
};

/// Turns scores of `keys` into 2^(s - highest), 0 elsewhere up to `padded`. Returns the factor for
/// what was summed over earlier blocks.
template <class Added>
HWY_INLINE float soften(float* scores, const Added& added, Span keys, int64_t padded,
                        RowState& state) {
  const D d;
  const int64_t n = lanes(), start = vector_of(keys.first), end = keys.last;
  V top0 = hn::Set(d, state.highest), top1 = top0;
  int64_t j = start;
  for (; j + 2 * n <= end; j += 2 * n) {
    const V s0 = biased(scores, added, j, keys), s1 = biased(scores, added, j + n, keys);
    hn::StoreU(s0, d, scores + j);
    hn::StoreU(s1, d, scores + j + n);
    top0 = hn::Max(top0, s0);
    top1 = hn::Max(top1, s1);
  }
  for (; j < end; j += n) {
    const V s = biased(scores, added, j, keys);
    hn::StoreU(s, d, scores + j);
    top0 = hn::Max(top0, s);
  }
  const int64_t filled = j;
  const float highest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(top0, top1)));
  std::fill(scores, scores + std::min(start, padded), 0.0f);
  std::fill(scores + filled, scores + std::max(filled, padded), 0.0f);
  // Without a key so far; a NaN is not taken for that, a maximum may have passed over it.
  if (highest == -infinity &&
      std::none_of(scores + start, scores + filled, [](float s) { return std::isnan(s); })) {
    std::fill(scores + start, scores + filled, 0.0f);
    return 1;
  }
  const V base = hn::Set(d, highest);
  V sum0 = hn::Zero(d), sum1 = sum0;
  for (j = start; j + 2 * n <= filled; j += 2 * n) {
    const V p0 = exp2(hn::Sub(hn::LoadU(d, scores + j), base)),
            p1 = exp2(hn::Sub(hn::LoadU(d, scores + j + n), base));
    hn::StoreU(p0, d, scores + j);
    hn::StoreU(p1, d, scores + j + n);
    sum0 = hn::Add(sum0, p0);
    sum1 = hn::Add(sum1, p1);
  }
  for (; j < filled; j += n) {
    const V p = exp2(hn::Sub(hn::LoadU(d, scores + j), base));
    hn::StoreU(p, d, scores + j);
    sum0 = hn::Add(sum0, p);
  }
  const float before = state.highest == -infinity ? 0.0f : std::exp2(state.highest - highest);
  state.sum = state.sum * before + hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  state.highest = highest;
  return before;
}

/// A vector with zeros at the keys that are not the row's.
HWY_INLINE V only(V v, int64_t j, Span keys) {
  const D d;
  if (j + lanes() > keys.last)
    v = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(keys.last - j)), v);
  if (j < keys.first) v = hn::IfThenZeroElse(hn::FirstN(d, static_cast<size_t>(keys.first - j)), v);
  return v;
}

struct RowGradient {
  float highest, part, factor;
  double delta;  // dO.O, where the row's keys are not all in this block
  bool whole;    // whether they are
  float* line;   // where dS * factor is added in place; null: nowhere
};

/// Turns scores of `keys` into P = 2^(s - highest) part and dP, in `slopes`, into
/// dS = P (dP - delta); both 0 elsewhere up to `padded`.
///
/// delta is sum(P dP) = dO.O. Where it can be summed here it is, over these very P: then dS sums to
/// zero but for its own roundings, as gradients of tables with few rows, sums of many, need it.
template <class Added>
HWY_INLINE void differentiate(float* scores, float* slopes, const Added& added, Span keys,
                              int64_t padded, const RowGradient& row) {
  const D d;
  const int64_t n = lanes(), start = vector_of(keys.first);
  const V base = hn::Set(d, row.highest), part = hn::Set(d, row.part);
  std::fill(scores, scores + std::min(start, padded), 0.0f);
  std::fill(slopes, slopes + std::min(start, padded), 0.0f);
  V sum = hn::Zero(d), weights = hn::Zero(d);
  int64_t j = start;
  for (; j < keys.last; j += n) {
    const V p = hn::Mul(exp2(hn::Sub(biased(scores, added, j, keys), base)), part);
    hn::StoreU(p, d, scores + j);
    sum = hn::MulAdd(p, only(hn::LoadU(d, slopes + j), j, keys), sum);
    weights = hn::Add(weights, p);
  }
  float delta = static_cast<float>(row.delta);
  if (row.whole && row.part != 0)
    delta = hn::GetLane(hn::SumOfLanes(d, sum)) / hn::GetLane(hn::SumOfLanes(d, weights));
  const V mean = hn::Set(d, delta), f = hn::Set(d, row.factor);
  for (j = start; j < keys.last; j += n) {
    const V p = hn::LoadU(d, scores + j);
    const V slope = only(hn::Mul(p, hn::Sub(hn::LoadU(d, slopes + j), mean)), j, keys);
    hn::StoreU(slope, d, slopes + j);
    if (row.line != nullptr)
      hn::StoreU(hn::MulAdd(slope, f, hn::LoadU(d, row.line + j)), d, row.line + j);
  }
  for (; j < padded; j += n) {
    hn::StoreU(hn::Zero(d), d, scores + j);
    hn::StoreU(hn::Zero(d), d, slopes + j);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace relbias::encodings::fused
HWY_AFTER_NAMESPACE();

#endif
