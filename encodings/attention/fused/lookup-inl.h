// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: from the ids of a row's pairs to numbers, and back to sums by id.
#if defined(RELBIAS_FUSED_LOOKUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RELBIAS_FUSED_LOOKUP_INL_H_
#undef RELBIAS_FUSED_LOOKUP_INL_H_
#else
#define RELBIAS_FUSED_LOOKUP_INL_H_
#endif

#include "encodings/attention/fused/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace relbias::encodings::fused {
namespace HWY_NAMESPACE {

/// Keys first .. first + count of query i of sample b.
struct Stretch {
  int64_t b, i, first, count;
};

/// Calls use(ids), a pointer to the stretch's ids in their type.
template <class Use>
HWY_INLINE void with_ids(const Ids& ids, Stretch at, const Use& use) {
  const int64_t start = at.b * ids.batch + at.i * ids.query + at.first;
  switch (ids.bytes) {
    case 1:
      return use(static_cast<const uint8_t*>(ids.data) + start);
    case 2:
      return use(static_cast<const uint16_t*>(ids.data) + start);
    default:
      return use(static_cast<const int32_t*>(ids.data) + start);
  }
}

template <class Id>
HWY_INLINE auto load_ids(const Id* ids) {
  const hn::RebindToSigned<D> di;
  if constexpr (sizeof(Id) == 4) {
    return hn::LoadU(di, ids);
  } else {
    return hn::PromoteTo(di, hn::LoadU(hn::Rebind<Id, decltype(di)>(), ids));
  }
}

/// to[j] += table[id(j)]
HWY_INLINE void add_looked_up(const Ids& ids, Stretch at, const float* table, float* to) {
  with_ids(ids, at, [&](const auto* id) HWY_ATTR {
    const D d;
    int64_t j = 0;
    for (; j + lanes() <= at.count; j += lanes()) {
      const V found = hn::GatherIndex(d, table, load_ids(id + j));
      hn::StoreU(hn::Add(hn::LoadU(d, to + j), found), d, to + j);
    }
    for (; j < at.count; ++j) to[j] += table[id[j]];
  });
}

/// to[j] += table[j * rows + id(j)]: a table a key.
HWY_INLINE void add_looked_up_by_key(const Ids& ids, Stretch at, const float* table, int64_t rows,
                                     float* to) {
  with_ids(ids, at, [&](const auto* id) HWY_ATTR {
    for (int64_t j = 0; j < at.count; ++j) to[j] += table[j * rows + id[j]];
  });
}

/// table[id(j)] += from[j] * factor; in double where a few rows sum all pairs of a head.
template <class Sum>
HWY_INLINE void add_by_id(const Ids& ids, Stretch at, const float* from, float factor, Sum* table) {
  with_ids(ids, at, [&](const auto* id) HWY_ATTR {
    int64_t j = 0;
    if constexpr (sizeof(*id) == 1) {
      for (; j + 8 <= at.count; j += 8) {  // eight ids at a load
        uint64_t eight;
        __builtin_memcpy(&eight, id + j, 8);
        for (int n = 0; n < 8; ++n)
          table[(eight >> (8 * n)) & 255] += static_cast<Sum>(from[j + n] * factor);
      }
    }
    for (; j < at.count; ++j) table[id[j]] += static_cast<Sum>(from[j] * factor);
  });
}

/// table[j * rows + id(j)] += from[j] * factor
HWY_INLINE void add_by_id_and_key(const Ids& ids, Stretch at, const float* from, float factor,
                                  float* table, int64_t rows) {
  with_ids(ids, at, [&](const auto* id) HWY_ATTR {
    for (int64_t j = 0; j < at.count; ++j) table[j * rows + id[j]] += from[j] * factor;
  });
}

HWY_INLINE void add(const float* from, int64_t count, float factor, float* to) {
  for (int64_t j = 0; j < count; ++j) to[j] += from[j] * factor;
}

/// What is added to a vector of scores at key j of a row; three ways to know it.
struct NoBias {
  HWY_INLINE V operator()(V s, int64_t, int64_t) const { return s; }
};

struct BiasRow {
  const float* row;
  V factor;

  HWY_INLINE V operator()(V s, int64_t j, int64_t) const {
    return hn::MulAdd(hn::LoadU(D(), row + j), factor, s);
  }
};

/// A row with masked pairs, -inf: whatever their scores are.
struct MaskedRow {
  const float* row;

  HWY_INLINE V operator()(V s, int64_t j, int64_t) const {
    const D d;
    const V added = hn::LoadU(d, row + j);
    return hn::IfThenElse(hn::Eq(added, hn::Set(d, -infinity)), added, hn::Add(s, added));
  }
};

/// One byte a pair, looked up where it is used; up to 64 rows are held in registers that are 512
/// bits wide.
template <bool in_registers>
struct BiasOfIds {
  const uint8_t* ids;
  const float* table;
  V factor;
#if HWY_TARGET == HWY_AVX3
  V rows[4];
#endif

  HWY_INLINE BiasOfIds(const uint8_t* of, const float* from, V times)
      : ids(of), table(from), factor(times) {
#if HWY_TARGET == HWY_AVX3
    for (int n = 0; n < 4; ++n) rows[n] = hn::LoadU(D(), table + 16 * n);
#endif
  }

  HWY_INLINE V operator()(V s, int64_t j, int64_t end) const {
    const D d;
    HWY_ALIGN uint8_t last[64] = {};
    const uint8_t* here = ids + j;
    if (j + lanes() > end) {  // what lies behind the end may not be ours to read
      for (int64_t n = 0; n < end - j; ++n) last[n] = ids[j + n];
      here = last;
    }
    const auto id = load_ids(here);
#if HWY_TARGET == HWY_AVX3
    if constexpr (in_registers) {  // Highway 1.0 has no lookup in two registers
      const V low{_mm512_permutex2var_ps(rows[0].raw, id.raw, rows[1].raw)};
      const V high{_mm512_permutex2var_ps(rows[2].raw, id.raw, rows[3].raw)};
      const hn::RebindToSigned<D> di;
      const auto is_high = hn::RebindMask(d, hn::TestBit(id, hn::Set(di, 32)));
      return hn::MulAdd(hn::IfThenElse(is_high, high, low), factor, s);
    }
#endif
    return hn::MulAdd(hn::GatherIndex(d, table, id), factor, s);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace relbias::encodings::fused
HWY_AFTER_NAMESPACE();

#endif
