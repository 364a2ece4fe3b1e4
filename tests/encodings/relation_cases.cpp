// SPDX-License-Identifier: Apache-2.0
// tests: small relations of every index class, on which every encoding is tried.
#include "tests/encodings/relation_cases.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "modalities/maps/grid_map.h"
#include "modalities/seed.h"

namespace relbias::encodings {
namespace {

RelationMap sized(IndexClass index_class, int64_t queries, int64_t keys, int64_t rows) {
  RelationMap map;
  map.index_class = index_class;
  map.queries = queries;
  map.keys = keys;
  map.rows = rows;
  return map;
}

// A grid of 2 x (n / 2) cells; the last queries of the raster.
RelationMap small_grid(int64_t queries, int64_t keys) {
  const int64_t height = 2, width = keys / 2, wide = 2 * width - 1;
  RelationMap map = sized(IndexClass::grid, queries, keys, (2 * height - 1) * wide);
  const Tensor key = at::arange(keys), query = at::arange(keys - queries, keys);
  const Tensor down = key.div(width, "floor").unsqueeze(0) - query.div(width, "floor").unsqueeze(1);
  const Tensor right = key.remainder(width).unsqueeze(0) - query.remainder(width).unsqueeze(1);
  map.index = ((down + height - 1) * wide + right + width - 1).to(at::kInt);
  const Tensor row = at::arange(map.rows);
  map.offsets =
      at::stack({row.div(wide, "floor") - (height - 1), row.remainder(wide) - (width - 1)}, 1)
          .to(at::kFloat);
  map.distance = map.offsets.norm(2, -1);
  const auto place = [&](const Tensor& token) {
    return at::stack({token.div(width, "floor"), token.remainder(width)}, -1)
        .to(at::kFloat)
        .unsqueeze(0);
  };
  map.query_coordinates = place(query);
  map.key_coordinates = place(key);
  map.sides = {height, width};
  return map;
}

// 2 x 2 x (n / 4) cells: three axes, as of moving pictures.
RelationMap small_volume(int64_t queries, int64_t keys) {
  return grid_map({2, 2, keys / 4}, /*class_token=*/false, queries);
}

Tensor random_ids(int64_t queries, int64_t keys, int64_t rows) {
  at::Generator generator = stream(4, "relation cases");
  return at::empty({2, queries, keys}, at::kLong).random_(0, rows, generator).to(at::kByte);
}

// Distances 0..3, unreachable, and no direction, as on a graph.
RelationMap small_hops(int64_t queries, int64_t keys) {
  RelationMap map = sized(IndexClass::pairs, queries, keys, 5);
  map.index = random_ids(queries, keys, map.rows);
  map.distance = at::tensor({0.f, 1.f, 2.f, 3.f, 0.f});
  map.special = at::tensor({-1, -1, -1, -1, 0}, at::kLong);
  return map;
}

// Steps up and down, each 0..2, as in a syntax tree.
RelationMap small_tree(int64_t queries, int64_t keys) {
  RelationMap map = sized(IndexClass::pairs, queries, keys, 9);
  map.index = random_ids(queries, keys, map.rows);
  const Tensor row = at::arange(9);
  map.offsets = at::stack({-row.div(3, "floor"), row.remainder(3)}, 1).to(at::kFloat);
  map.distance = map.offsets.abs().sum(1);
  return map;
}

// Two real numbers a pair and nothing else, as along the edges of a path.
RelationMap small_features(int64_t queries, int64_t keys) {
  RelationMap map = sized(IndexClass::pairs, queries, keys, 1);
  map.index = at::zeros({2, queries, keys}, at::kByte);
  at::Generator generator = stream(5, "relation cases");
  map.features = at::empty({2, queries, keys, 2}).normal_(0, 1, generator);
  return map;
}

RelationCase of_catalogue(const RelationEntry& entry) {
  const std::shared_ptr<Relation> relation =
      entry.make(parse_options("relation", entry.name, entry.options));
  const Structure example = relation->structure(std::nullopt, std::nullopt);
  const bool line = relation->traits().index_class == IndexClass::line;
  return {entry.name, relation->traits(),
          [relation, line](int64_t queries, int64_t keys) {
            return relation->map(line ? relation->structure(queries, keys)
                                      : relation->structure(std::nullopt, std::nullopt));
          },
          line ? 6 : example.keys};
}

}  // namespace

std::vector<RelationCase> relation_cases() {
  std::vector<RelationCase> cases;
  for (const auto& entry : relation_entries()) cases.push_back(of_catalogue(entry));
  cases.push_back(
      {"small-grid",
       {.index_class = IndexClass::grid, .axes = 2, .distance = true, .ids = 15, .coordinates = 2},
       small_grid});
  cases.push_back({"small-volume",
                   {.index_class = IndexClass::grid, .axes = 3, .distance = true, .coordinates = 3},
                   small_volume,
                   8,
                   12});
  cases.push_back({"small-hops",
                   {.index_class = IndexClass::pairs,
                    .distance = true,
                    .ids = 5,
                    .special_ids = {"unreachable"}},
                   small_hops});
  cases.push_back({"small-tree",
                   {.index_class = IndexClass::pairs, .axes = 2, .distance = true, .ids = 9},
                   small_tree});
  cases.push_back({"small-features",
                   {.index_class = IndexClass::pairs, .ids = 1, .features = 2},
                   small_features});
  return cases;
}

RelationCase relation_case(const std::string& name) {
  for (auto& relation : relation_cases()) {
    if (relation.name == name) return relation;
  }
  throw std::logic_error("no relation case " + name);
}

EncodingContext context_for(const RelationCase& relation, bool causal) {
  return {.heads = 2,
          .head_width = relation.head_width,
          .width = 2 * relation.head_width,
          .causal = causal,
          .relation = relation.traits,
          .trained = relation.map(relation.tokens, relation.tokens)};
}

std::vector<EncodingCase> defined_cases() {
  std::vector<EncodingCase> cases;
  for (const auto& relation : relation_cases()) {
    for (const auto& entry : encoding_entries()) {
      // Causal: what is defined for one direction only is met, too.
      const auto context = context_for(relation, true);
      if (undefined_reason(parse_encoding(entry.name), relation.name, context)) continue;
      cases.push_back({entry.name, relation.name});
    }
  }
  return cases;
}

std::string case_name(const EncodingCase& test) {
  std::string name = test.encoding + "_on_" + test.relation;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::shared_ptr<Encoding> random_encoding(const std::string& text, const RelationCase& relation,
                                          bool causal) {
  const auto encoding = make_encoding(parse_encoding(text), relation.name,
                                      context_for(relation, causal), Initialiser(3));
  encoding->to(at::kDouble);
  const at::NoGradGuard no_gradients;
  for (auto& parameter : encoding->named_parameters()) {
    at::Generator generator = stream(6, parameter.key());
    // Kept near its start: an encoding may need its parameters positive.
    parameter.value().add_(at::empty_like(parameter.value()).normal_(0, 0.1, generator));
  }
  return encoding;
}

}  // namespace relbias::encodings
