// SPDX-License-Identifier: Apache-2.0
// tests: attention as its definition reads, by loops over single pairs in double.
#include "tests/encodings/oracles/plain_attention.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <cmath>

namespace relbias::encodings {
namespace {

constexpr int64_t head_count = 3;
constexpr int64_t head_width = 6;

at::Generator generator() { return at::make_generator<at::CPUGeneratorImpl>(20240229); }

}  // namespace

const std::vector<std::pair<int64_t, int64_t>>& oracle_sizes() {
  static const std::vector<std::pair<int64_t, int64_t>> sizes{{1, 1}, {2, 2}, {7, 7}, {33, 33},
                                                              {1, 2}, {1, 7}, {2, 7}, {7, 33}};
  return sizes;
}

Call random_call(const RelationMap& map, bool causal) {
  const int64_t batch = map.index_class == IndexClass::pairs ? map.index.size(0) : 2;
  at::Generator random = generator();
  const auto draw = [&](int64_t tokens) {
    return at::randn({batch, head_count, tokens, head_width}, random, at::kDouble);
  };
  return {.q = draw(map.queries), .k = draw(map.keys), .v = draw(map.keys), .causal = causal};
}

std::shared_ptr<Encoding> oracle_encoding(const std::string& text, const RelationCase& relation,
                                          bool causal, double spread) {
  EncodingContext context = context_for(relation, causal);
  context.heads = head_count;
  context.head_width = head_width;
  context.width = head_count * head_width;
  auto encoding =
      make_encoding(parse_encoding(text), relation.name, context, Initialiser(/*seed=*/3));
  encoding->to(at::kDouble);
  const at::NoGradGuard no_gradients;
  at::Generator random = generator();
  for (Tensor& numbers : encoding->parameters()) {
    numbers.copy_(at::randn(numbers.sizes(), random, at::kDouble) * spread);
  }
  return encoding;
}

RelationCase plain_grid(int64_t height, int64_t width) {
  const int64_t tokens = height * width;
  RelationMap map{.index_class = IndexClass::grid,
                  .queries = tokens,
                  .keys = tokens,
                  .rows = (2 * height - 1) * (2 * width - 1)};
  map.sides = {height, width};
  map.index = at::empty({tokens, tokens}, at::kInt);
  map.offsets = at::empty({map.rows, 2}, at::kFloat);
  map.distance = at::empty({map.rows}, at::kFloat);
  map.query_coordinates = at::empty({1, tokens, 2}, at::kFloat);
  for (int64_t i = 0; i < tokens; ++i) {
    map.query_coordinates[0][i][0] = i / width;
    map.query_coordinates[0][i][1] = i % width;
    for (int64_t j = 0; j < tokens; ++j) {
      const int64_t dy = j / width - i / width;
      const int64_t dx = j % width - i % width;
      const int64_t row = (dy + height - 1) * (2 * width - 1) + dx + width - 1;
      map.index[i][j] = row;
      map.offsets[row][0] = dy;
      map.offsets[row][1] = dx;
      map.distance[row] = std::sqrt(static_cast<double>(dy * dy + dx * dx));
    }
  }
  map.key_coordinates = map.query_coordinates;
  return {
      .name = "plain-grid",
      .traits = {.index_class = IndexClass::grid, .axes = 2, .distance = true, .coordinates = 2},
      .map = [map](int64_t, int64_t) { return map; },
      .tokens = tokens};
}

AttentionResult attend(Encoding& encoding, const RelationMap& map, const Call& call) {
  const AttentionOptions options{.causal = call.causal,
                                 .mask = call.mask,
                                 .scale = call.scale,
                                 .backend = Backend::reference,
                                 .return_weights = true};
  return attention(call.q, call.k, call.v, {{map, encoding.terms(map)}}, options);
}

int64_t relation_id(const RelationMap& map, const Pair& pair) {
  if (map.index_class == IndexClass::line) return pair.j - pair.i + map.queries - 1;
  const Tensor rows = map.index_class == IndexClass::grid ? map.index : map.index[pair.b];
  return rows[pair.i][pair.j].item<int64_t>();
}

double distance_of(const RelationMap& map, const Pair& pair) {
  if (map.index_class != IndexClass::line)
    return map.distance[relation_id(map, pair)].item<double>();
  const int64_t offset = pair.j - (pair.i + map.keys - map.queries);
  return static_cast<double>(std::abs(offset));
}

int64_t special_of(const RelationMap& map, const Pair& pair) {
  if (!map.special.defined()) return -1;
  return map.special[relation_id(map, pair)].item<int64_t>();
}

bool may_attend(const Call& call, const Pair& pair) {
  if (call.causal && line_offset(call, pair) > 0) return false;
  if (!call.mask.defined()) return true;
  const int64_t row = pair.b * call.queries() + pair.i;
  return call.mask.const_data_ptr<bool>()[row * call.keys() + pair.j];
}

const double* token(const Tensor& tokens, int64_t b, int64_t h, int64_t n) {
  return tokens.const_data_ptr<double>() +
         ((b * tokens.size(1) + h) * tokens.size(2) + n) * tokens.size(3);
}

double dot(const double* a, const double* b, int64_t width) {
  double sum = 0;
  for (int64_t c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

double content_score(const Call& call, const Pair& pair) {
  const double product = dot(token(call.q, pair.b, pair.h, pair.i),
                             token(call.k, pair.b, pair.h, pair.j), call.width());
  return product / std::sqrt(static_cast<double>(call.width()));
}

Tensor by_pair(const Call& call, const std::function<double(const Pair&)>& number) {
  Tensor numbers =
      at::zeros({call.batch(), call.heads(), call.queries(), call.keys()}, at::kDouble);
  double* next = numbers.data_ptr<double>();
  for (int64_t b = 0; b < call.batch(); ++b)
    for (int64_t h = 0; h < call.heads(); ++h)
      for (int64_t i = 0; i < call.queries(); ++i)
        for (int64_t j = 0; j < call.keys(); ++j, ++next)
          if (const Pair pair{b, h, i, j}; may_attend(call, pair)) *next = number(pair);
  return numbers;
}

Tensor score_at_pairs(const Tensor& table, const RelationMap& map, const Call& call) {
  EXPECT_EQ(table.sizes(), (at::IntArrayRef{call.heads(), map.rows}));
  return by_pair(
      call, [&](const Pair& pair) { return table[pair.h][relation_id(map, pair)].item<double>(); });
}

Tensor plain_attention(const Call& call, const std::function<double(const Pair&)>& weight,
                       const std::function<std::vector<double>(const Pair&)>& value) {
  Tensor out = at::zeros_like(call.q);
  const Tensor weights = by_pair(call, weight);
  const double* next = weights.const_data_ptr<double>();
  double* row = out.data_ptr<double>();
  for (int64_t b = 0; b < call.batch(); ++b)
    for (int64_t h = 0; h < call.heads(); ++h)
      for (int64_t i = 0; i < call.queries(); ++i, next += call.keys(), row += call.width()) {
        double total = 0;
        for (int64_t j = 0; j < call.keys(); ++j) total += next[j];
        for (int64_t j = 0; j < call.keys(); ++j) {
          if (next[j] == 0) continue;
          const double* const v = token(call.v, b, h, j);
          const std::vector<double> handed_on =
              value ? value({b, h, i, j}) : std::vector<double>(v, v + call.width());
          for (int64_t c = 0; c < call.width(); ++c) row[c] += next[j] / total * handed_on[c];
        }
      }
  return out;
}

Tensor parameter(const Encoding& encoding, const std::string& name) {
  const auto parameters = encoding.named_parameters();
  const Tensor* found = parameters.find(name);
  TORCH_CHECK(found, "the encoding has no parameter ", name);
  return found->detach();
}

double number(const Tensor& parameter, const std::vector<int64_t>& index) {
  TORCH_CHECK(parameter.is_contiguous(), "numbers are read in memory order");
  int64_t place = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) {
    const int64_t size = parameter.size(static_cast<int64_t>(axis));
    place = place * size + (axis == 0 && size == 1 ? 0 : index[axis]);
  }
  return parameter.const_data_ptr<double>()[place];
}

void set_parameter(const Encoding& encoding, const std::string& name,
                   const std::vector<double>& numbers) {
  Tensor target = parameter(encoding, name);
  target.copy_(at::tensor(numbers, at::kDouble).view(target.sizes()));
}

}  // namespace relbias::encodings
