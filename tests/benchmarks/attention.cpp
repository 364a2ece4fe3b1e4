// SPDX-License-Identifier: Apache-2.0
// tests/benchmarks: fused attention beside what LibTorch offers for the same: its attention without
// a bias, with a learned table gathered into a mask, and matrix by matrix.
//
//   tests/benchmarks/run [--json]
//
// One thread, CPU time of the thread, forward and backward through autograd with all allocations,
// the least of the repeats, all ways in turn so that load and clock rates hit them alike. Every way
// is held against float64 first; a wrong one gets no time.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "encodings/attention/attention.h"
#include "tests/benchmarks/peak.h"

namespace relbias::encodings {
namespace {

struct Cell {
  int64_t batch, heads, tokens, width;
};

// [H, R] or [H, R, D] and the pairs that use its rows; queries, keys, values, and what the loss
// asks of the output.
struct Inputs {
  Tensor q, k, v, line, few, vectors, output_gradient;
  Tensor grid, pairs;  // [L, L] int32, [B, L, L] uint8: ids below 64

  explicit Inputs(const Cell& c, at::ScalarType type = at::kFloat) {
    at::manual_seed(1);
    const auto leaf = [&](at::IntArrayRef shape) {
      return at::randn(shape).to(type).requires_grad_();
    };
    const auto x = [&] { return leaf({c.batch, c.heads, c.tokens, c.width}); };
    q = x(), k = x(), v = x();
    line = leaf({c.heads, 2 * c.tokens - 1});
    few = leaf({c.heads, 64});
    vectors = leaf({c.heads, 33, c.width});
    output_gradient = x().detach();
    grid = at::randint(64, {c.tokens, c.tokens}).to(at::kInt);
    pairs = at::randint(64, {c.batch, c.tokens, c.tokens}).to(at::kByte);
  }
};

struct Way {
  std::string name;
  std::function<Tensor(const Inputs&)> out;
  std::vector<Tensor> (*tables)(const Inputs&);  // that are learned
};

Tensor gathered(const Tensor& line, int64_t tokens) {
  return line.unfold(1, tokens, 1).flip(1).unsqueeze(0);
}

Tensor eager(const Inputs& x, const Tensor& bias) {
  const Tensor scores = at::matmul(x.q, x.k.transpose(2, 3)) / std::sqrt(double(x.q.size(3)));
  return at::matmul(at::softmax(scores + bias, -1), x.v);
}

Tensor ours(const Inputs& x, IndexClass index_class, const Tensor& ids, const Terms& terms,
            Backend backend) {
  Position position;
  RelationMap& map = position.relation;
  map.index_class = index_class;
  map.queries = map.keys = x.q.size(2);
  map.rows = index_class == IndexClass::line ? 2 * map.keys - 1 : 64;
  map.index = ids;
  position.terms = terms;
  // Float64, as it is only held against, is computed by the reference.
  const bool exact = x.q.scalar_type() == at::kDouble;
  return attention(x.q, x.k, x.v, {position}, {.backend = exact ? Backend::reference : backend})
      .out;
}

// The key table of 33 rows (Shaw, clipped at 16) in the form that encodings hand on.
Terms shaw(const Inputs& x) {
  Terms terms;
  terms.key = x.vectors;
  terms.table_size = 33;
  const int64_t tokens = x.q.size(2);
  terms.table_rows = at::arange(1 - tokens, tokens, at::kLong).clamp(-16, 16) + 16;
  return terms;
}

Terms scored(const Tensor& table) {
  Terms terms;
  terms.score = table;
  return terms;
}

std::vector<Way> ways() {
  const auto none = [](const Inputs&) { return std::vector<Tensor>{}; };
  const auto line = [](const Inputs& x) { return std::vector<Tensor>{x.line}; };
  const auto few = [](const Inputs& x) { return std::vector<Tensor>{x.few}; };
  const auto vectors = [](const Inputs& x) { return std::vector<Tensor>{x.vectors}; };
  const auto on_line = [](Backend backend) {
    return [backend](const Inputs& x) {
      return ours(x, IndexClass::line, {}, scored(x.line), backend);
    };
  };
  return {
      {"sdpa none", [](const Inputs& x) { return at::scaled_dot_product_attention(x.q, x.k, x.v); },
       none},
      {"sdpa line",
       [](const Inputs& x) {
         return at::scaled_dot_product_attention(x.q, x.k, x.v, gathered(x.line, x.q.size(2)));
       },
       line},
      {"eager line", [](const Inputs& x) { return eager(x, gathered(x.line, x.q.size(2))); }, line},
      {"plain line", on_line(Backend::reference), line},
      {"fused none",
       [](const Inputs& x) { return ours(x, IndexClass::line, {}, {}, Backend::fused); }, none},
      {"fused line", on_line(Backend::fused), line},
      {"fused grid",
       [](const Inputs& x) {
         return ours(x, IndexClass::grid, x.grid, scored(x.few), Backend::fused);
       },
       few},
      {"fused pairs",
       [](const Inputs& x) {
         return ours(x, IndexClass::pairs, x.pairs, scored(x.few), Backend::fused);
       },
       few},
      {"plain key",
       [](const Inputs& x) { return ours(x, IndexClass::line, {}, shaw(x), Backend::reference); },
       vectors},
      {"fused key",
       [](const Inputs& x) { return ours(x, IndexClass::line, {}, shaw(x), Backend::fused); },
       vectors},
  };
}

// Output and gradients.
std::vector<Tensor> step(const Way& way, const Inputs& x) {
  std::vector<Tensor> leaves{x.q, x.k, x.v};
  for (const Tensor& table : way.tables(x)) leaves.push_back(table);
  const Tensor out = way.out(x);
  std::vector<Tensor> all = torch::autograd::grad({out}, leaves, {x.output_gradient});
  all.push_back(out);
  return all;
}

bool is_right(const Way& way, const Cell& cell) {
  const Inputs plain(cell), exact(cell, at::kDouble);
  const auto found = step(way, plain), expected = step(way, exact);
  for (size_t n = 0; n < found.size(); ++n) {
    const double scale = expected[n].abs().max().item<double>();
    if (!((found[n] - expected[n]).abs().max().item<double>() <= 1e-4 * scale)) return false;
  }
  return true;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<double> times(const std::vector<Way>& all, const Cell& cell) {
  const Inputs x(cell);
  std::vector<double> least(all.size(), std::numeric_limits<double>::infinity());
  const double flops =
      14.0 * double(cell.batch * cell.heads * cell.width) * double(cell.tokens * cell.tokens);
  const int repeats = flops < 1e8 ? 200 : 9;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (size_t n = 0; n < all.size(); ++n) {
      const double start = thread_seconds();
      step(all[n], x);
      least[n] = std::min(least[n], thread_seconds() - start);
    }
  }
  return least;
}

int run(bool as_json) {
  at::set_num_threads(1);
  const double peak = peak_of_multiply_adds();
  const std::vector<Cell> cells{{1, 4, 64, 32},   {32, 8, 64, 32}, {16, 8, 64, 64},
                                {16, 8, 128, 32}, {8, 8, 128, 64}, {8, 8, 256, 32},
                                {8, 8, 256, 64},  {4, 8, 512, 32}, {2, 8, 512, 64},
                                {2, 8, 1024, 32}, {1, 8, 1024, 64}};
  const auto all = ways();
  nlohmann::json json{{"peak_gflops", peak / 1e9}, {"cells", nlohmann::json::array()}};
  double log_peer = 0, log_unbiased = 0, worst_peer = 1e9;
  if (!as_json) {
    fmt::print("ms, forward and backward; peak of one core {:.0f} GF/s\n{:<14}", peak / 1e9,
               "B,H,L,D");
    for (const Way& way : all) fmt::print(" {:>12}", way.name);
    fmt::print(
        "  best table/ours  ours/sdpa  line/none  grid/none  pairs/none  key/none  of peak\n");
  }
  for (const Cell& cell : cells) {
    for (const Way& way : all) {
      if (is_right(way, {1, 2, cell.tokens, cell.width})) continue;
      fmt::print(stderr, "{} is wrong at {} tokens: nothing is timed\n", way.name, cell.tokens);
      return 1;
    }
    const auto t = times(all, cell);
    const double ours = t[5], peer = std::min(t[1], t[2]) / ours, unbiased = ours / t[0];
    const double share = 14.0 * double(cell.batch * cell.heads * cell.width) *
                         double(cell.tokens * cell.tokens) / ours / peak;
    log_peer += std::log(peer), log_unbiased += std::log(unbiased);
    worst_peer = std::min(worst_peer, peer);
    nlohmann::json row{{"batch", cell.batch},
                       {"heads", cell.heads},
                       {"tokens", cell.tokens},
                       {"width", cell.width},
                       {"share_of_peak", share}};
    for (size_t n = 0; n < all.size(); ++n) row["seconds"][all[n].name] = t[n];
    json["cells"].push_back(row);
    if (as_json) continue;
    fmt::print("{:<14}",
               fmt::format("{},{},{},{}", cell.batch, cell.heads, cell.tokens, cell.width));
    for (const double seconds : t) fmt::print(" {:12.3f}", 1e3 * seconds);
    fmt::print("  {:15.2f}  {:9.2f}  {:9.3f}  {:9.3f}  {:10.3f}  {:8.2f}  {:6.0f}%\n", peer,
               unbiased, t[5] / t[4], t[6] / t[4], t[7] / t[4], t[9] / t[4], 100 * share);
    std::fflush(stdout);
  }
  const auto count = static_cast<double>(cells.size());
  json["geometric_mean_over_best_learnable"] = std::exp(log_peer / count);
  json["geometric_mean_of_unbiased_sdpa"] = std::exp(log_unbiased / count);
  if (as_json) {
    fmt::print("{}\n", json.dump(1));
  } else {
    fmt::print(
        "geometric means: best table/ours {:.2f} (worst {:.2f}), ours/sdpa without a bias {:.2f}\n",
        std::exp(log_peer / count), worst_peer, std::exp(log_unbiased / count));
  }
  return 0;
}

}  // namespace
}  // namespace relbias::encodings

int main(int count, char** words) {
  return relbias::encodings::run(count > 1 && std::string(words[1]) == "--json");
}
