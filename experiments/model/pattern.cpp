// SPDX-License-Identifier: Apache-2.0
// experiments/model: which pairs of tokens attention is given, by where they stand.
#include "experiments/model/pattern.h"

#include <ATen/ATen.h>

namespace relbias::experiments {
namespace {

Options parsed(const std::string& text) {
  const std::string name = option_name(text);
  if (name == "full") return parse_options("pattern", text, {});
  if (name != "window") unknown_word("pattern", name, {"full", "window"});
  return parse_options("pattern", text,
                       {{"size", int64_t{4}, "cells of a window's side", {}, 1, 1 << 15},
                        {"shift", true, "every second layer by half a window"}});
}

// The window and region that every place along a side belongs to, [side]: places attend to each
// other where both are the same.
Tensor windows_along(int64_t side, int64_t size, int64_t shift) {
  const int64_t padded = (side + size - 1) / size * size;
  if (side <= size) shift = 0;
  const Tensor rolled = at::remainder(at::arange(side) - shift, padded);
  // What was rolled round stands in the last window, behind what was there before.
  const Tensor region = (rolled >= padded - shift).to(at::kLong);
  return rolled.div(size, "floor") * 2 + region;
}

}  // namespace

Pattern::Pattern(const std::string& text) {
  const Options options = parsed(text);
  if (options.name() == "full") return;
  size_ = options.integer("size");
  shift_ = options.flag("shift");
}

void Pattern::check(const Structure& sample) const {
  if (size_ == 0 || sample.sides.size() == 2) return;
  input_error("model.pattern window: tokens with {} sides found, a grid of two expected",
              sample.sides.size());
}

Tensor Pattern::groups(const Structure& sample, int64_t layer) const {
  check(sample);
  if (size_ == 0) return {};
  const int64_t shift = shift_ && layer % 2 == 1 ? size_ / 2 : 0;
  const auto along = [&](size_t axis) { return windows_along(sample.sides[axis], size_, shift); };
  const Tensor rows = along(0).repeat_interleave(sample.sides[1]);
  const Tensor columns = along(1).repeat({sample.sides[0]});
  const int64_t wide = 2 * (sample.sides[1] + 1);  // more than a column's label
  const Tensor cells = rows * wide + columns;
  return sample.class_token ? at::constant_pad_nd(cells, {1, 0}, -1) : cells;
}

std::string canonical_pattern(const std::string& text) { return parsed(text).canonical(); }

}  // namespace relbias::experiments
