// SPDX-License-Identifier: Apache-2.0
// tests: shapes of the operations that LibTorch knows on `meta` only through Python.
//
// A model on the meta device computes nothing, but an operation that meets a CPU tensor there is an
// error: that is how code that would touch the CPU by mistake is caught without a GPU.
#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <torch/library.h>

namespace {

using at::Tensor;

void expect_meta(const Tensor& tensor) {
  TORCH_CHECK(tensor.is_meta(), "a tensor on ", tensor.device(), " meets tensors on meta");
}

Tensor& unary_out(const Tensor& self, Tensor& out) {
  expect_meta(self);
  out.resize_(self.sizes());
  return out;
}

Tensor like(const Tensor& self) { return at::empty_like(self); }

Tensor flip(const Tensor& self, at::IntArrayRef) { return at::empty_like(self); }

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  expect_meta(self);
  expect_meta(index);
  std::vector<int64_t> shape = self.sizes().vec();
  shape[static_cast<size_t>(dim < 0 ? dim + self.dim() : dim)] = index.numel();
  return at::empty(shape, self.options());
}

Tensor take(const Tensor& self, const Tensor& index) {
  expect_meta(self);
  expect_meta(index);
  return at::empty(index.sizes(), self.options());
}

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  for (const Tensor& tensor : {condition, self, other}) {
    if (tensor.dim() > 0) expect_meta(tensor);
  }
  const auto shape = at::infer_size(at::infer_size(condition.sizes(), self.sizes()), other.sizes());
  return at::empty(shape, self.options().dtype(at::result_type(self, other)));
}

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool,
                   at::IntArrayRef, int64_t) {
  expect_meta(input);
  expect_meta(weight);
  if (bias) expect_meta(*bias);
  std::vector<int64_t> shape{input.size(0), weight.size(0)};
  for (size_t axis = 0; axis + 2 < static_cast<size_t>(input.dim()); ++axis) {
    const auto dim = static_cast<int64_t>(axis) + 2;
    const int64_t reach = dilation[axis] * (weight.size(dim) - 1) + 1;
    shape.push_back((input.size(dim) + 2 * padding[axis] - reach) / stride[axis] + 1);
  }
  return at::empty(shape, input.options());
}

TORCH_LIBRARY_IMPL(aten, Meta, library) {
  library.impl("abs.out", TORCH_FN(unary_out));
  library.impl("logical_not.out", TORCH_FN(unary_out));
  library.impl("relu", TORCH_FN(like));
  library.impl("flip", TORCH_FN(flip));
  library.impl("index_select", TORCH_FN(index_select));
  library.impl("where.self", TORCH_FN(where));
  library.impl("take", TORCH_FN(take));
  library.impl("convolution_overrideable", TORCH_FN(convolution));
}

}  // namespace
