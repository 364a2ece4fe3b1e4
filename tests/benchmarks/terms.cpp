// SPDX-License-Identifier: Apache-2.0
// tests/benchmarks: for each kind of term and size, how many times as fast as the reference the
// fused kernel trains. What `model.backend = "auto"` takes rests on this table.
//
//   tests/benchmarks/run terms
//
// One thread, CPU time, forward and backward, the least of the repeats, both in turn.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <ctime>
#include <limits>

#include "encodings/attention/attention.h"

namespace relbias::encodings {
namespace {

constexpr int64_t batch = 8, heads = 4, width = 32, table = 33;

RelationMap map_of(IndexClass index_class, int64_t tokens) {
  RelationMap map;
  map.index_class = index_class;
  map.queries = map.keys = tokens;
  map.rows = index_class == IndexClass::line ? 2 * tokens - 1 : table;
  if (index_class == IndexClass::grid)
    map.index = at::randint(table, {tokens, tokens}).to(at::kInt);
  if (index_class == IndexClass::pairs)
    map.index = at::randint(table, {batch, tokens, tokens}).to(at::kByte);
  return map;
}

// The terms named by letters: b, A, P, V as in encodings/terms.h, r a rotation.
Terms terms_of(const std::string& letters, const RelationMap& map) {
  Terms terms;
  const auto leaf = [](at::IntArrayRef shape) { return at::randn(shape).requires_grad_(); };
  const auto has = [&](char letter) { return letters.find(letter) != std::string::npos; };
  if (has('b')) terms.score = leaf({heads, map.rows});
  if (has('A')) terms.key = leaf({heads, table, width});
  if (has('P')) terms.query = leaf({heads, table, width});
  if (has('V')) terms.value = leaf({heads, table, width});
  if (has('A') || has('P') || has('V')) {
    terms.table_size = table;
    terms.table_rows = at::arange(map.rows, at::kLong).remainder(table);
  }
  if (has('r')) {
    const auto turn = [&](int64_t tokens) { return at::randn({1, 1, tokens, width / 2}); };
    terms.rotation = Rotation{turn(map.queries), turn(map.queries), turn(map.keys), turn(map.keys)};
  }
  return terms;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Time of the reference over that of the kernel.
double ratio(const std::string& letters, IndexClass index_class, int64_t tokens) {
  at::manual_seed(1);
  const RelationMap map = map_of(index_class, tokens);
  const auto x = [&] { return at::randn({batch, heads, tokens, width}).requires_grad_(); };
  const Tensor q = x(), k = x(), v = x(), gradient = at::randn({batch, heads, tokens, width});
  const Position position{map, terms_of(letters, map)};
  std::vector<Tensor> leaves{q, k, v};
  for (const Tensor& one :
       {position.terms.score, position.terms.key, position.terms.query, position.terms.value}) {
    if (one.defined()) leaves.push_back(one);
  }
  double least[2] = {std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
  for (int repeat = 0; repeat < (tokens < 256 ? 20 : 6); ++repeat) {
    for (int n = 0; n < 2; ++n) {
      const double start = thread_seconds();
      const Tensor out =
          attention(q, k, v, {position}, {.backend = n == 0 ? Backend::reference : Backend::fused})
              .out;
      torch::autograd::grad({out}, leaves, {gradient});
      least[n] = std::min(least[n], thread_seconds() - start);
    }
  }
  return least[0] / least[1];
}

void run() {
  at::set_num_threads(1);
  const std::vector<int64_t> sizes{8, 16, 32, 64, 128, 256, 512};
  fmt::print("reference/fused, B {} H {} D {}, tables of {} rows\n{:<12}", batch, heads, width,
             table, "terms");
  for (const int64_t tokens : sizes) fmt::print(" {:>6}", tokens);
  fmt::print("\n");
  const std::pair<const char*, IndexClass> classes[] = {
      {"line", IndexClass::line}, {"grid", IndexClass::grid}, {"pairs", IndexClass::pairs}};
  for (const auto& [name, index_class] : classes) {
    for (const char* letters : {"-", "b", "A", "P", "V", "AP", "bAV", "bAPV", "r"}) {
      fmt::print("{:<12}", fmt::format("{} {}", letters, name));
      for (const int64_t tokens : sizes)
        fmt::print(" {:6.2f}", ratio(letters, index_class, tokens));
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace relbias::encodings

int main() { relbias::encodings::run(); }
