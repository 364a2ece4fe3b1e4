// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: attention of one head, forward and backward, strip by strip; compiled
// once for each instruction set and chosen when it runs (Highway).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "encodings/attention/fused/kernel.cpp"
#include <hwy/foreach_target.h>  // before what follows: it includes this file again
//
#include "encodings/attention/fused/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace relbias::encodings::fused {
namespace HWY_NAMESPACE {

/// What forward and backward share: packed keys, a strip of queries, its scores.
template <class Space>
struct Operands {
  float *key_panels, *clean_queries, *queries, *scores;
  Bias bias;
  std::vector<VectorTerm> vectors;

  Operands(const Forward& call, const Cut& cut, int64_t samples, bool gradients, Space& space)
      : key_panels(space.take(samples * cut.keys * call.shape.width)),
        clean_queries(space.take(cut.strip * cut.width)),
        queries(space.take(cut.strip * cut.width)),
        scores(space.take(cut.strip * cut.row)),
        bias(call, cut, space) {
    vectors.reserve(call.vectors.size());
    for (const auto& source : call.vectors)
      vectors.emplace_back(call, source, cut, samples, gradients, space);
  }
  float* keys_at(const Cut& cut, const Shape& shape, int64_t s) const {
    return key_panels + s * cut.keys * shape.width;
  }
};

template <class Space>
void begin_sample(const Forward& call, const Cut& cut, const Unit& unit, int64_t s,
                  Operands<Space>& x) {
  const int64_t b = unit.first + s;
  const Rows keys = used_keys(call, call.k, b, unit.h, call.shape.width);
  pack_panels(keys, x.keys_at(cut, call.shape, s), cut.keys);
  for (auto& term : x.vectors) term.begin_sample({b, s, 0, 0}, keys);
}

template <class Space>
void begin_strip(const Forward& call, const Cut& cut, const Unit& unit, const Window& w, Left outs,
                 Operands<Space>& x) {
  const Strip clean{x.clean_queries, cut.width, call.shape.width};
  pack_queries(call, call.q, w, unit.h, clean);
  const Rows from{clean.data, clean.stride, clean.width, {0, w.rows}};
  pack_rows(from, head_of(call.content_bias, unit.h, call.shape.width), call.scale * log2_e,
            x.queries, up(w.rows, tile_rows), cut.width);
  for (int64_t r = 0; r < w.rows && call.row_factor != nullptr; ++r) {
    const float factor = factor_of(call, w.b, unit.h, w.first + r);
    for (int64_t c = 0; c < cut.width; ++c) x.queries[r * cut.width + c] *= factor;
  }
  for (auto& term : x.vectors) term.begin_strip(w, from, outs);
}

template <class Space>
void score_block(const Forward& call, const Cut& cut, const Window& w, Operands<Space>& x) {
  multiply<false>({x.queries, cut.width, 1},
                  panels_at(x.keys_at(cut, call.shape, w.s), w.key, call.shape.width), x.scores,
                  cut.row, {up(w.rows, tile_rows), up(w.count, lanes()), call.shape.width});
  for (auto& term : x.vectors) term.begin_block(w);
  x.bias.fill(w, x.vectors);
}

template <class Space>
struct ForwardSpace : Operands<Space> {
  float *values, *out;

  ForwardSpace(const Forward& call, const Cut& cut, int64_t samples, Space& space)
      : Operands<Space>(call, cut, samples, false, space),
        values(space.take(samples * cut.keys * cut.value_width)),
        out(space.take(cut.strip * cut.value_width)) {}
};

void forward_strip(const Forward& call, const Cut& cut, const Unit& unit, Window w,
                   ForwardSpace<Workspace>& x) {
  RowState states[most_strip_rows];
  const int64_t padded_rows = up(w.rows, tile_rows);
  const Span keys = keys_of(call, w.b, w.first, w.rows);
  begin_strip(call, cut, unit, w, {}, x);
  std::fill_n(x.out, padded_rows * cut.value_width, 0.0f);
  const int64_t start = keys.first / panel() * panel();
  for (w.key = start; w.key < keys.last; w.key += cut.block) {
    w.count = std::min(cut.block, keys.last - w.key);
    score_block(call, cut, w, x);
    for (int64_t r = 0; r < w.rows; ++r) {
      const Span of_row = keys_in(call, w, r);
      float* scores = x.scores + r * cut.row;
      float before = 1;
      x.bias.with_row(w, r, factor_of(call, w.b, unit.h, w.first + r),
                      [&](const auto& added) HWY_ATTR {
                        before = soften(scores, added, of_row, up(w.count, lanes()), states[r]);
                      });
      for (auto& term : x.vectors) term.take_weights(w, r, of_row.last, scores);
      for (int64_t c = 0; c < cut.value_width && w.key > start; ++c)
        x.out[r * cut.value_width + c] *= before;
    }
    const float* values = x.values + w.s * cut.keys * cut.value_width;
    multiply<true>({x.scores, cut.row, 1}, rows_at(values, w.key, cut.value_width), x.out,
                   cut.value_width, {padded_rows, cut.value_width, w.count});
    for (const auto& term : x.vectors) term.add_values(x.out);
  }
  for (int64_t r = 0; r < w.rows; ++r) {
    const RowState& state = states[r];
    const float part = state.sum == 0 ? 0.0f : 1 / state.sum;
    float* to = call.out.at(w.b, unit.h) + (w.first + r) * call.out.token;
    for (int64_t c = 0; c < call.shape.value_width; ++c)
      to[c] = x.out[r * cut.value_width + c] * part;
    const int64_t row = row_of(call, w.b, unit.h, w.first + r);
    call.highest[row] = state.sum == 0 ? infinity : state.highest;
    call.part[row] = part;
  }
}

void forward(const Forward& call, int64_t number) {
  const Unit unit(call, number);
  const Cut cut(call.shape);
  Measure measure;
  ForwardSpace<Measure>(call, cut, unit.count, measure);
  Workspace space(measure.sum());
  ForwardSpace<Workspace> x(call, cut, unit.count, space);
  x.bias.begin(unit.h);
  for (auto& term : x.vectors) term.begin(unit.h);
  for (int64_t s = 0; s < unit.count; ++s) {
    begin_sample(call, cut, unit, s, x);
    const int64_t b = unit.first + s;
    pack_rows(used_keys(call, call.v, b, unit.h, call.shape.value_width), nullptr, 1,
              x.values + s * cut.keys * cut.value_width, cut.keys, cut.value_width);
  }
  for (int64_t first = 0; first < call.shape.queries; first += cut.strip) {
    const int64_t rows = std::min(cut.strip, call.shape.queries - first);
    for (int64_t s = 0; s < unit.count; ++s)
      forward_strip(call, cut, unit, {unit.first + s, s, first, rows}, x);
  }
}

template <class Space>
struct BackwardSpace : Operands<Space> {
  int64_t tokens;
  float *value_panels, *key_rows, *key_sum, *value_sum, *query_sum, *outs, *slopes, *bias_sum;
  std::vector<ScoreSum> score_sums;

  BackwardSpace(const Forward& call, const Cut& cut, int64_t samples, Space& space)
      : Operands<Space>(call, cut, samples, true, space), tokens(cut.keys + 2 * tile_rows) {
    value_panels = space.take(samples * cut.keys * call.shape.value_width);
    key_rows = space.take(samples * tokens * cut.width);
    key_sum = space.take(samples * tokens * cut.width);
    value_sum = space.take(samples * tokens * cut.value_width);
    query_sum = space.take(cut.strip * cut.width);
    outs = space.take(cut.strip * cut.value_width);
    slopes = space.take(cut.strip * cut.row);
    bias_sum = space.take(cut.width);
    for (const auto& source : call.scores)
      score_sums.emplace_back(source, call.shape.queries, space);
  }
};

/// The gradients of a strip's scores in a block of keys.
void differentiate_block(const Forward& call, const Cut& cut, const Unit& unit, const Window& w,
                         const double* delta, BackwardSpace<Workspace>& x) {
  const int64_t cleared = up(w.count, lanes()) + lanes();  // whole tiles of keys are read
  for (int64_t r = 0; r < up(w.rows, tile_rows); ++r) {
    float *scores = x.scores + r * cut.row, *slopes = x.slopes + r * cut.row;
    if (r >= w.rows) {
      std::fill_n(scores, cleared, 0.0f);
      std::fill_n(slopes, cleared, 0.0f);
      continue;
    }
    const int64_t i = w.first + r;
    const Span keys = keys_in(call, w, r);
    const float factor = factor_of(call, w.b, unit.h, i);
    for (const auto& term : x.vectors) term.add_weight_gradients(w, r, slopes);
    float* const line = x.bias.is_line() ? x.score_sums[0].line_at(i, w.key) : nullptr;
    const int64_t at = row_of(call, w.b, unit.h, i);
    const Span all = keys_of(call, w.b, i);
    const bool whole = all.first >= w.key && all.last <= w.key + w.count;
    const RowGradient row{call.highest[at], call.part[at], factor, delta[r], whole, line};
    x.bias.with_row(w, r, factor, [&](const auto& added) HWY_ATTR {
      differentiate(scores, slopes, added, keys, cleared, row);
    });
    for (auto& term : x.vectors) {
      term.take_weights(w, r, keys.last, scores);
      term.take_slopes(w, r, keys.last, slopes, factor);
    }
    if (line != nullptr) continue;
    for (const auto& sum : x.score_sums) sum.take({w.b, i, w.key, keys.last}, slopes, factor);
  }
}

void backward_strip(const Backward& call, const Cut& cut, const Unit& unit, Window w,
                    BackwardSpace<Workspace>& x) {
  const Forward& ahead = call.forward;
  const Shape& shape = ahead.shape;
  const int64_t padded_rows = up(w.rows, tile_rows);
  const Span keys = keys_of(ahead, w.b, w.first, w.rows);
  pack_queries(ahead, call.out_gradient, w, unit.h, {x.outs, cut.value_width, shape.value_width});
  begin_strip(ahead, cut, unit, w, {x.outs, cut.value_width, 1}, x);
  double delta[most_strip_rows];
  for (int64_t r = 0; r < w.rows; ++r) {
    const float* out = ahead.out.at(w.b, unit.h) + (w.first + r) * ahead.out.token;
    delta[r] = 0;
    for (int64_t c = 0; c < shape.value_width; ++c)
      delta[r] += static_cast<double>(x.outs[r * cut.value_width + c]) * out[c];
  }
  std::fill_n(x.query_sum, padded_rows * cut.width, 0.0f);
  for (w.key = keys.first / panel() * panel(); w.key < keys.last; w.key += cut.block) {
    w.count = std::min(cut.block, keys.last - w.key);
    const int64_t columns = up(w.count, lanes()), tokens = up(w.count, tile_rows),
                  at = w.s * x.tokens + w.key;
    score_block(ahead, cut, w, x);
    multiply<false>(
        {x.outs, cut.value_width, 1},
        panels_at(x.value_panels + w.s * cut.keys * shape.value_width, w.key, shape.value_width),
        x.slopes, cut.row, {padded_rows, columns, shape.value_width});
    differentiate_block(ahead, cut, unit, w, delta, x);
    multiply<true>({x.slopes, cut.row, 1}, rows_at(x.key_rows, at, cut.width), x.query_sum,
                   cut.width, {padded_rows, cut.width, w.count});
    multiply<true>({x.slopes, 1, cut.row}, rows_at(x.queries, 0, cut.width),
                   x.key_sum + at * cut.width, cut.width, {tokens, cut.width, w.rows});
    multiply<true>({x.scores, 1, cut.row}, rows_at(x.outs, 0, cut.value_width),
                   x.value_sum + at * cut.value_width, cut.value_width,
                   {tokens, cut.value_width, w.rows});
    for (auto& term : x.vectors) term.end_block();
  }
  float* to = call.q_gradient.at(w.b, unit.h) + w.first * call.q_gradient.token;
  for (int64_t r = 0; r < w.rows; ++r) {
    const float factor = ahead.scale * factor_of(ahead, w.b, unit.h, w.first + r);
    const float* from = x.query_sum + r * cut.width;
    for (int64_t c = 0; c < shape.width; ++c) to[r * call.q_gradient.token + c] = from[c] * factor;
    add(from, shape.width, factor, x.bias_sum);
  }
  for (auto& term : x.vectors) term.end_strip(w, to, call.q_gradient.token);
}

void backward(const Backward& call, int64_t number) {
  const Forward& ahead = call.forward;
  const Shape& shape = ahead.shape;
  const Unit unit(ahead, number);
  const Cut cut(shape);
  Measure measure;
  BackwardSpace<Measure>(ahead, cut, unit.count, measure);
  Workspace space(measure.sum());
  BackwardSpace<Workspace> x(ahead, cut, unit.count, space);
  x.bias.begin(unit.h);
  for (auto& term : x.vectors) term.begin(unit.h);
  std::fill_n(x.key_sum, unit.count * x.tokens * cut.width, 0.0f);
  std::fill_n(x.value_sum, unit.count * x.tokens * cut.value_width, 0.0f);
  std::fill_n(x.bias_sum, cut.width, 0.0f);
  for (size_t n = 0; n < x.score_sums.size(); ++n) x.score_sums[n].begin(call.score_gradients[n]);
  for (int64_t s = 0; s < unit.count; ++s) {
    begin_sample(ahead, cut, unit, s, x);
    const int64_t b = unit.first + s;
    pack_panels(used_keys(ahead, ahead.v, b, unit.h, shape.value_width),
                x.value_panels + s * cut.keys * shape.value_width, cut.keys);
    pack_rows(used_keys(ahead, ahead.k, b, unit.h, shape.width), nullptr, 1,
              x.key_rows + s * x.tokens * cut.width, x.tokens, cut.width);
  }
  for (int64_t first = 0; first < shape.queries; first += cut.strip) {
    const int64_t rows = std::min(cut.strip, shape.queries - first);
    for (int64_t s = 0; s < unit.count; ++s)
      backward_strip(call, cut, unit, {unit.first + s, s, first, rows}, x);
  }
  for (int64_t s = 0; s < unit.count; ++s) {
    const int64_t b = unit.first + s;
    float *key_sum = x.key_sum + s * x.tokens * cut.width,
          *value_sum = x.value_sum + s * x.tokens * cut.value_width;
    for (auto& term : x.vectors)
      term.end_sample({b, s, 0, 0}, x.key_rows + s * x.tokens * cut.width, key_sum,
                      keys_of(ahead, b, 0, shape.queries).last);
    for (int64_t j = 0; j < shape.keys; ++j) {
      float* k = call.k_gradient.at(b, unit.h) + j * call.k_gradient.token;
      float* v = call.v_gradient.at(b, unit.h) + j * call.v_gradient.token;
      for (int64_t c = 0; c < shape.width; ++c) k[c] = key_sum[j * cut.width + c] * (1 / log2_e);
      for (int64_t c = 0; c < shape.value_width; ++c) v[c] = value_sum[j * cut.value_width + c];
    }
  }
  const int64_t place = unit.place * shape.heads + unit.h;
  for (size_t n = 0; n < x.score_sums.size(); ++n) {
    if (call.score_gradients[n] != nullptr)
      x.score_sums[n].end(call.score_gradients[n] + place * ahead.scores[n].rows);
  }
  for (size_t n = 0; n < x.vectors.size(); ++n) x.vectors[n].end(call.vector_gradients[n], place);
  if (call.content_bias_gradient != nullptr)
    std::copy_n(x.bias_sum, shape.width, call.content_bias_gradient + place * shape.width);
}

int64_t room(const Forward& call, bool gradients) {
  const Cut cut(call.shape);
  const int64_t samples = std::min(samples_of_unit(call), call.shape.batch);
  Measure measure;
  if (gradients) {
    BackwardSpace<Measure>(call, cut, samples, measure);
  } else {
    ForwardSpace<Measure>(call, cut, samples, measure);
  }
  return measure.sum();
}

}  // namespace HWY_NAMESPACE
}  // namespace relbias::encodings::fused
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace relbias::encodings::fused {

HWY_EXPORT(forward);
HWY_EXPORT(backward);
HWY_EXPORT(room);

int64_t samples_of_unit(const Forward& call) {
  for (const auto& source : call.scores) {
    if (source.ids.data != nullptr && source.ids.batch == 0) return 8;
  }
  return 1;
}

int64_t units_of_head(const Forward& call) {
  const int64_t chunk = samples_of_unit(call);
  return (call.shape.batch + chunk - 1) / chunk;
}
int64_t units_of(const Forward& call) { return call.shape.heads * units_of_head(call); }

int64_t room_of(const Forward& call, bool gradients) {
  return HWY_DYNAMIC_DISPATCH(room)(call, gradients);
}
void forward_unit(const Forward& call, int64_t unit) { HWY_DYNAMIC_DISPATCH(forward)(call, unit); }
void backward_unit(const Backward& call, int64_t unit) {
  HWY_DYNAMIC_DISPATCH(backward)(call, unit);
}

}  // namespace relbias::encodings::fused
#endif
