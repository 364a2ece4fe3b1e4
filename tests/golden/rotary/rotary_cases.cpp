// SPDX-License-Identifier: Apache-2.0
// tests/golden/rotary: what the tests of rotary encodings share.
#include "tests/golden/rotary/rotary_cases.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "encodings/attention/rotate.h"

namespace relbias::golden {
namespace {

void expect_within(const char* what, const Tensor& found, const Tensor& expected,
                   const Tensor& bound) {
  ASSERT_EQ(found.sizes(), expected.sizes()) << what;
  const Tensor over = (found - expected).abs() - bound;
  EXPECT_LE(over.nan_to_num(HUGE_VAL).max().item<double>(), 0) << what;
}

}  // namespace

void RotaryTest::expect_tables(const Rotation& ours, const Tensor& cos, const Tensor& sin,
                               const Tensor& angles) {
  const Tensor bound = angles.abs() * (3 * std::exp2(-24)) + 3e-7;
  expect_within("cos", ours.key_cos, cos, bound);
  expect_within("sin", ours.key_sin, sin, bound);
  EXPECT_TRUE(at::equal(ours.query_cos, ours.key_cos));
  EXPECT_TRUE(at::equal(ours.query_sin, ours.key_sin));
}

void RotaryTest::expect_rotated(const Rotation& ours, const Tensor& cos, const Tensor& sin) {
  Rotation theirs = ours;
  theirs.query_cos = theirs.key_cos = cos;
  theirs.query_sin = theirs.key_sin = sin;
  Tensor q = heads_first(golden.read("in/q")), k = heads_first(golden.read("in/k"));
  rotate(theirs, q, k);
  const bool exact = golden.has("out64/q");
  for (const auto& [name, found] : {std::pair("q", q), std::pair("k", k)}) {
    const Tensor expected = golden.read((exact ? "out64/" : "out/") + std::string(name));
    expect_close(name, found, heads_first(expected), exact ? 1e-9 : 1e-6);
  }
}

std::string rope_from(const std::string& json, int64_t trained) {
  const auto given = nlohmann::json::parse(json);
  const std::string type = given.at("rope_type");
  static const std::map<std::string, std::string> scaling{{"default", "none"},
                                                          {"dynamic", "dynamic-ntk"}};
  std::string text =
      fmt::format("rope layout=half base={} scaling={}", given.at("rope_theta").get<double>(),
                  scaling.contains(type) ? scaling.at(type) : type);
  for (const char* number : {"factor", "attention_factor", "beta_fast", "beta_slow", "mscale",
                             "mscale_all_dim", "low_freq_factor", "high_freq_factor"}) {
    if (given.contains(number)) text += fmt::format(" {}={}", number, given[number].get<double>());
  }
  for (const char* list : {"short_factor", "long_factor"}) {
    if (!given.contains(list)) continue;
    text += fmt::format(" {}={}", list, fmt::join(given[list].get<std::vector<double>>(), ","));
  }
  if (given.contains("truncate"))
    text += fmt::format(" truncate={}", given["truncate"].get<bool>());
  const int64_t from = given.value("original_max_position_embeddings", trained);
  const bool reads = type != "default" && type != "linear";
  return reads ? text + fmt::format(" trained={}", from) : text;
}

}  // namespace relbias::golden
