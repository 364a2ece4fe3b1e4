// SPDX-License-Identifier: Apache-2.0
// encodings/attention/fused: the kernel as one function with a gradient.
#include "encodings/attention/fused/fused.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "encodings/attention/fused/call.h"
#include "modalities/parallel.h"

namespace relbias::encodings {
namespace fused {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// [B, H, N, D] laid out as [B, N, H, D]: joining the heads again costs nothing.
Tensor heads_last(const Tensor& like, int64_t tokens, int64_t width) {
  return at::empty({like.size(0), tokens, like.size(1), width}, like.options()).transpose(1, 2);
}

// Room for the gradients of tables and biases, one a unit of a head, and where the kernel writes
// it.
struct TableGradients {
  std::vector<Tensor> by_unit;  // as the call's tensors; the first three stay undefined

  TableGradients(const Forward& call, const std::vector<Tensor>& tensors,
                 const std::function<bool(size_t)>& asked)
      : by_unit(tensors.size()) {
    const int64_t units = units_of_head(call);
    for (size_t n = 3; n < tensors.size(); ++n) {
      if (!asked(n)) continue;
      std::vector<int64_t> shape = tensors[n].sizes().vec();
      shape.insert(shape.begin(), units);
      by_unit[n] = at::empty(shape, tensors[n].options());
    }
  }
  float* at_part(int part) const {
    if (part < 0) return nullptr;
    const Tensor& tensor = by_unit[static_cast<size_t>(part)];
    return tensor.defined() ? tensor.mutable_data_ptr<float>() : nullptr;
  }
  Tensor sum(size_t n) const { return by_unit[n].defined() ? by_unit[n].sum(0) : Tensor(); }
};

struct Function : torch::autograd::Function<Function> {
  static Tensor forward(AutogradContext* context, at::TensorList inputs,
                        const c10::intrusive_ptr<Plan>& plan) {
    const tensor_list tensors = inputs.vec();
    const Tensor &q = tensors[0], &v = tensors[2];
    const auto a_row = [&] { return at::empty({q.size(0), q.size(1), q.size(2)}, q.options()); };
    const Saved saved{heads_last(q, q.size(2), v.size(3)), a_row(), a_row()};
    const Forward call = forward_of(*plan, tensors, saved);
    in_parallel(units_of(call), [&](int64_t unit) { forward_unit(call, unit); });
    tensor_list kept = tensors;
    kept.insert(kept.end(), {saved.out, saved.highest, saved.part});
    context->save_for_backward(std::move(kept));
    context->saved_data["plan"] = c10::IValue::make_capsule(plan);
    return saved.out;
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "backend fused has no second derivatives");
    tensor_list tensors = context->get_saved_variables();
    const size_t inputs = tensors.size() - 3;
    const Saved saved{tensors[inputs], tensors[inputs + 1], tensors[inputs + 2]};
    tensors.resize(inputs);
    const auto capsule = context->saved_data["plan"].toCapsule();
    const auto& plan = static_cast<const Plan&>(*capsule);
    const Tensor out_gradient =
        gradients[0].stride(3) == 1 ? gradients[0] : gradients[0].contiguous();
    const Tensor &q = tensors[0], &k = tensors[1], &v = tensors[2];
    const Tensor q_gradient = heads_last(q, q.size(2), q.size(3)),
                 k_gradient = heads_last(k, k.size(2), k.size(3)),
                 v_gradient = heads_last(v, v.size(2), v.size(3));
    Backward call;
    call.forward = forward_of(plan, tensors, saved);
    const auto strided = [](const Tensor& x) -> Strided<float> {
      return {x.mutable_data_ptr<float>(), x.stride(0), x.stride(1), x.stride(2)};
    };
    call.out_gradient = {out_gradient.const_data_ptr<float>(), out_gradient.stride(0),
                         out_gradient.stride(1), out_gradient.stride(2)};
    call.q_gradient = strided(q_gradient), call.k_gradient = strided(k_gradient),
    call.v_gradient = strided(v_gradient);
    const TableGradients tables(call.forward, tensors,
                                [&](size_t n) { return context->needs_input_grad(n); });
    for (const auto& parts : plan.scores)
      call.score_gradients.push_back(tables.at_part(parts.score));
    for (const auto& parts : plan.vectors) {
      call.vector_gradients.push_back({tables.at_part(parts.key), tables.at_part(parts.query),
                                       tables.at_part(parts.value),
                                       tables.at_part(parts.position_bias)});
    }
    call.content_bias_gradient = tables.at_part(plan.content_bias);
    in_parallel(units_of(call.forward), [&](int64_t unit) { backward_unit(call, unit); });
    tensor_list result{q_gradient, k_gradient, v_gradient};
    for (size_t n = 3; n < tensors.size(); ++n) result.push_back(tables.sum(n));
    result.emplace_back();  // of the plan
    return result;
  }
};

}  // namespace
}  // namespace fused

std::optional<std::string> fused_refuses(const Tensor& q, const Tensor& k, const Tensor& v,
                                         const std::vector<Position>& positions,
                                         const AttentionOptions& options) {
  for (const Tensor& x : {q, k, v}) {
    if (!x.device().is_cpu()) return "it runs on CPUs alone, " + x.device().str() + " found";
    if (x.scalar_type() != at::kFloat && x.scalar_type() != at::kBFloat16) {
      return std::string("it computes float32 and bfloat16, ") + toString(x.scalar_type()) +
             " found";
    }
  }
  if (options.dropout > 0) return "it has no dropout of weights";
  if (options.return_weights) return "it never has the weights as a matrix";
  for (const auto& [relation, terms] : positions) {
    if (terms.dense) return "a dense term needs the matrix of all pairs";
    const bool tables = terms.key.defined() || terms.query.defined() || terms.value.defined();
    if (terms.query.defined() && relation.index_class == IndexClass::line &&
        !terms.table_rows.defined()) {
      return "a query table of one row an offset would need a product of all pairs";
    }
    if (tables && relation.rows > (int64_t{1} << 20)) return "vector tables have too many rows";
  }
  return std::nullopt;
}

int64_t fused_bytes(const Tensor& q, const Tensor& k, const Tensor& v,
                    const std::vector<Position>& positions, const AttentionOptions& options) {
  const fused::Forward call = fused::outline_of(q, k, v, positions, options);
  const fused::Shape& shape = call.shape;
  const int64_t threads = std::min<int64_t>(at::get_num_threads(), fused::units_of(call));
  int64_t gradients = 0;
  for (const auto& [relation, terms] : positions) {
    for (const Tensor& table : {terms.score, terms.key, terms.query, terms.value})
      gradients += table.defined() ? table.numel() : 0;
  }
  return 4 * (threads * fused::room_of(call, true) + fused::units_of_head(call) * gradients +
              2 * shape.batch * shape.heads * shape.queries);
}

AttentionResult fused_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                const std::vector<Position>& positions,
                                const AttentionOptions& options) {
  const fused::Call call = fused::call_of(q, k, v, positions, options);
  AttentionResult result;
  result.backend = Backend::fused;
  result.out = fused::Function::apply(at::TensorList(call.tensors), call.plan).to(v.scalar_type());
  return result;
}

}  // namespace relbias::encodings
