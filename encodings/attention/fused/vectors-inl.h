// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: the terms of key, query and value tables, by products with whole
// tables and lookups in the results; once an instruction set.
#if defined(RELBIAS_FUSED_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RELBIAS_FUSED_VECTORS_INL_H_
#undef RELBIAS_FUSED_VECTORS_INL_H_
#else
#define RELBIAS_FUSED_VECTORS_INL_H_
#endif

#include "encodings/attention/fused/window-inl.h"

HWY_BEFORE_NAMESPACE();
namespace relbias::encodings::fused {
namespace HWY_NAMESPACE {

/// One source in one unit: for a strip of queries the products QA = (q + v) A^T, for a sample's
/// keys KP = k P^T, of the weights the sums by id H with out += H V. Products are in base 2 and
/// scaled.
///
/// Rows of a line without ids lie side by side: of QA and H only the columns that a window of
/// queries and keys meets are computed.
class VectorTerm {
 public:
  template <class Space>
  VectorTerm(const Forward& call, const VectorSource& source, const Cut& cut, int64_t samples,
             bool gradients, Space& space)
      : call_(call), source_(source), cut_(cut) {
    const Shape& shape = call.shape;
    rows_ = up(source.rows, panel());
    row_ = source.ids.data != nullptr ? rows_ : cut.strip + cut.block + 4 * panel();
    if (source.key != nullptr) {
      key_panels_ = space.take(rows_ * shape.width);
      queries_ = space.take(cut.strip * cut.width);
      products_ = space.take(cut.strip * row_);
    }
    if (source.query != nullptr) {
      query_panels_ = space.take(rows_ * shape.width);
      keys_ = space.take((cut.keys + tile_rows) * cut.width);
      by_key_ = space.take(samples * by_key_size());
    }
    if (source.value != nullptr) {
      value_rows_ = space.take((rows_ + tile_rows) * cut.value_width);
      sums_ = space.take(cut.strip * row_);
    }
    if (!gradients) return;
    if (source.key != nullptr) {
      key_rows_ = space.take((rows_ + tile_rows) * cut.width);
      key_gradient_ = space.take((rows_ + 2 * tile_rows) * cut.width);
      product_gradients_ = space.take(cut.strip * row_);
      position_sum_ = space.take(cut.strip * cut.width);
      bias_gradient_ = space.take(cut.width);
    }
    if (source.query != nullptr) {
      query_rows_ = space.take((rows_ + tile_rows) * cut.width);
      query_gradient_ = space.take((rows_ + 2 * tile_rows) * cut.width);
      by_key_gradient_ = space.take(samples * by_key_size());
    }
    if (source.value != nullptr) {
      value_panels_ = space.take(rows_ * shape.value_width);
      value_gradient_ = space.take((rows_ + 2 * tile_rows) * cut.value_width);
      outs_by_row_ = space.take(cut.strip * row_);
    }
  }

  void begin(int64_t h) {
    const Shape& shape = call_.shape;
    const auto table = [&](const float* from, int64_t width) {
      return Rows{from + h * source_.rows * width, width, width, {0, source_.rows}};
    };
    if (key_panels_ != nullptr) pack_panels(table(source_.key, shape.width), key_panels_, rows_);
    if (query_panels_ != nullptr)
      pack_panels(table(source_.query, shape.width), query_panels_, rows_);
    if (value_rows_ != nullptr) {
      pack_rows(table(source_.value, shape.value_width), nullptr, 1, value_rows_, rows_ + tile_rows,
                cut_.value_width);
    }
    if (key_rows_ != nullptr) {
      pack_rows(table(source_.key, shape.width), nullptr, 1, key_rows_, rows_ + tile_rows,
                cut_.width);
      std::fill_n(key_gradient_, (rows_ + 2 * tile_rows) * cut_.width, 0.0f);
      std::fill_n(bias_gradient_, cut_.width, 0.0f);
    }
    if (query_rows_ != nullptr) {
      pack_rows(table(source_.query, shape.width), nullptr, 1, query_rows_, rows_ + tile_rows,
                cut_.width);
      std::fill_n(query_gradient_, (rows_ + 2 * tile_rows) * cut_.width, 0.0f);
    }
    if (value_panels_ != nullptr) {
      pack_panels(table(source_.value, shape.value_width), value_panels_, rows_);
      std::fill_n(value_gradient_, (rows_ + 2 * tile_rows) * cut_.value_width, 0.0f);
    }
    head_ = h;
  }

  /// KP of the s-th sample.
  void begin_sample(const Window& w, const Rows& keys) {
    if (query_panels_ == nullptr) return;
    const int64_t padded = up(keys.used.last, tile_rows);
    pack_rows(keys, nullptr, call_.scale * log2_e, keys_, padded, cut_.width);
    multiply<false>({keys_, cut_.width, 1}, panels_at(query_panels_, 0, call_.shape.width),
                    by_key(w), rows_, {padded, rows_, call_.shape.width});
    if (by_key_gradient_ != nullptr)
      std::fill_n(by_key_gradient_ + w.s * by_key_size(), by_key_size(), 0.0f);
  }

  void begin_strip(const Window& w, Rows queries, Left outs) {
    outs_ = outs;
    padded_ = up(w.rows, tile_rows);
    if (key_panels_ != nullptr) {
      const float* bias = source_.position_bias != nullptr
                              ? source_.position_bias + head_ * call_.shape.width
                              : nullptr;
      pack_rows(queries, bias, call_.scale * log2_e, queries_, padded_, cut_.width);
    }
    if (position_sum_ != nullptr) std::fill_n(position_sum_, padded_ * cut_.width, 0.0f);
    if (source_.ids.data != nullptr) begin_columns(0, rows_);
  }

  void begin_block(const Window& w) {
    if (source_.ids.data == nullptr) {
      start_ = call_.shape.queries - w.first - w.rows + w.key;
      const int64_t first = start_ / panel() * panel();
      begin_columns(first, up(start_ - first + w.rows + w.count - 1, lanes()));
    }
    if (sums_ != nullptr) std::fill_n(sums_, padded_ * row_, 0.0f);
  }

  /// Adds scale * log2(e) * ((q + v).A + k.P) of a query to its row.
  void add_scores(const Window& w, int64_t r, float* to) const {
    if (products_ != nullptr) {
      if (source_.ids.data == nullptr) {
        add(side_by_side(products_, w, r), w.count, 1, to);
      } else {
        add_looked_up(source_.ids, stretch(w, r), products_ + r * row_, to);
      }
    }
    if (by_key_ != nullptr)
      add_looked_up_by_key(source_.ids, stretch(w, r), by_key(w) + w.key * rows_, rows_, to);
  }

  /// Sums a row's weights by id.
  void take_weights(const Window& w, int64_t r, int64_t end, const float* weights) {
    if (sums_ == nullptr) return;
    if (source_.ids.data == nullptr) return add(weights, end, 1, side_by_side(sums_, w, r));
    add_by_id(source_.ids, stretch(w, r, end), weights, 1, sums_ + r * row_);
  }

  /// out [strip, Dv] += H V
  void add_values(float* out) const {
    if (sums_ == nullptr) return;
    multiply<true>({sums_, row_, 1}, rows_at(value_rows_, first_, cut_.value_width), out,
                   cut_.value_width,
                   {padded_, cut_.value_width, std::min(columns_, source_.rows - first_)});
  }

  /// Adds dO.V of a query to its row of dP.
  void add_weight_gradients(const Window& w, int64_t r, float* to) const {
    if (outs_by_row_ == nullptr) return;
    if (source_.ids.data == nullptr) return add(side_by_side(outs_by_row_, w, r), w.count, 1, to);
    add_looked_up(source_.ids, stretch(w, r), outs_by_row_ + r * row_, to);
  }

  /// Takes a row of dS, times the factor of its row.
  void take_slopes(const Window& w, int64_t r, int64_t end, const float* slopes, float factor) {
    if (product_gradients_ != nullptr) {
      if (source_.ids.data == nullptr) {
        add(slopes, end, factor, side_by_side(product_gradients_, w, r));
      } else {
        add_by_id(source_.ids, stretch(w, r, end), slopes, factor, product_gradients_ + r * row_);
      }
    }
    if (by_key_gradient_ == nullptr) return;
    float* table = by_key_gradient_ + w.s * by_key_size() + w.key * rows_;
    add_by_id_and_key(source_.ids, stretch(w, r, end), slopes, factor, table, rows_);
  }

  void end_block() {
    if (value_gradient_ != nullptr) {
      multiply<true>({sums_, 1, row_}, {outs_.data, outs_.row, panel()},
                     value_gradient_ + first_ * cut_.value_width, cut_.value_width,
                     {up(columns_, tile_rows), cut_.value_width, padded_});
    }
    if (source_.ids.data == nullptr) end_columns();
  }

  /// Adds scale * (dQA A) to the gradients of the strip's queries.
  void end_strip(const Window& w, float* to, int64_t stride) {
    if (source_.ids.data != nullptr) end_columns();
    if (position_sum_ == nullptr) return;
    for (int64_t r = 0; r < w.rows; ++r) {
      const float* from = position_sum_ + r * cut_.width;
      add(from, call_.shape.width, call_.scale, to + r * stride);
      add(from, call_.shape.width, call_.scale, bias_gradient_);
    }
  }

  /// Adds scale * log2(e) * dKP P to the sums of a sample's keys.
  void end_sample(const Window& w, const float* key_rows, float* key_sum, int64_t tokens) {
    if (by_key_gradient_ == nullptr) return;
    float* gradient = by_key_gradient_ + w.s * by_key_size();
    const int64_t padded = up(tokens, tile_rows);
    for (int64_t n = 0; n < padded * rows_; ++n) gradient[n] *= call_.scale * log2_e;
    multiply<true>({gradient, rows_, 1}, rows_at(query_rows_, 0, cut_.width), key_sum, cut_.width,
                   {padded, cut_.width, source_.rows});
    multiply<true>({gradient, 1, rows_}, rows_at(key_rows, 0, cut_.width), query_gradient_,
                   cut_.width, {up(source_.rows, tile_rows), cut_.width, tokens});
  }

  /// Writes the gradients of the tables, [T, D] each, to unit `place` of theirs.
  void end(const VectorGradients& to, int64_t place) const {
    const Shape& shape = call_.shape;
    const auto write = [&](const float* from, int64_t padded, int64_t width, float factor,
                           float* target) {
      if (target == nullptr) return;
      float* table = target + place * source_.rows * width;
      for (int64_t t = 0; t < source_.rows; ++t) {
        for (int64_t c = 0; c < width; ++c) table[t * width + c] = from[t * padded + c] * factor;
      }
    };
    write(key_gradient_, cut_.width, shape.width, 1 / log2_e, to.key);
    write(query_gradient_, cut_.width, shape.width, 1 / log2_e, to.query);
    write(value_gradient_, cut_.value_width, shape.value_width, 1, to.value);
    if (to.position_bias != nullptr)
      std::copy_n(bias_gradient_, shape.width, to.position_bias + place * shape.width);
  }

 private:
  int64_t by_key_size() const { return (cut_.keys + 2 * tile_rows) * rows_; }
  float* by_key(const Window& w) const { return by_key_ + w.s * by_key_size(); }
  static Stretch stretch(const Window& w, int64_t r) { return {w.b, w.first + r, w.key, w.count}; }
  static Stretch stretch(const Window& w, int64_t r, int64_t end) {
    return {w.b, w.first + r, w.key, end};
  }
  // Where row r's keys begin: the last query of the window has the lowest rows.
  float* side_by_side(float* strip, const Window& w, int64_t r) const {
    return strip + r * row_ + (start_ - first_) + (w.rows - 1 - r);
  }

  // Products of the strip with the tables' rows first .. first + columns.
  void begin_columns(int64_t first, int64_t columns) {
    first_ = first, columns_ = columns;
    const int64_t width = call_.shape.width, value_width = call_.shape.value_width;
    if (products_ != nullptr) {
      multiply<false>({queries_, cut_.width, 1}, panels_at(key_panels_, first, width), products_,
                      row_, {padded_, columns, width});
    }
    if (product_gradients_ != nullptr) std::fill_n(product_gradients_, padded_ * row_, 0.0f);
    if (outs_by_row_ != nullptr) {
      multiply<false>(outs_, panels_at(value_panels_, first, value_width), outs_by_row_, row_,
                      {padded_, columns, value_width});
    }
  }

  void end_columns() {
    if (product_gradients_ == nullptr) return;
    const int64_t depth = std::min(columns_, source_.rows - first_);
    multiply<true>({product_gradients_, row_, 1}, rows_at(key_rows_, first_, cut_.width),
                   position_sum_, cut_.width, {padded_, cut_.width, depth});
    multiply<true>({product_gradients_, 1, row_}, rows_at(queries_, 0, cut_.width),
                   key_gradient_ + first_ * cut_.width, cut_.width,
                   {up(columns_, tile_rows), cut_.width, padded_});
  }

  const Forward& call_;
  const VectorSource& source_;
  const Cut& cut_;
  int64_t rows_, row_;  // T in whole panels; of a strip's products
  int64_t head_ = 0, padded_ = 0, first_ = 0, columns_ = 0, start_ = 0;
  Left outs_{};
  float *key_panels_ = nullptr, *queries_ = nullptr, *products_ = nullptr;
  float *query_panels_ = nullptr, *keys_ = nullptr, *by_key_ = nullptr;
  float *value_rows_ = nullptr, *sums_ = nullptr;
  float *key_rows_ = nullptr, *key_gradient_ = nullptr, *product_gradients_ = nullptr;
  float *position_sum_ = nullptr, *bias_gradient_ = nullptr;
  float *query_rows_ = nullptr, *query_gradient_ = nullptr, *by_key_gradient_ = nullptr;
  float *value_panels_ = nullptr, *value_gradient_ = nullptr, *outs_by_row_ = nullptr;
};

}  // namespace HWY_NAMESPACE
}  // namespace relbias::encodings::fused
HWY_AFTER_NAMESPACE();

#endif
