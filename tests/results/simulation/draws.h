// SPDX-License-Identifier: Apache-2.0
// tests/results/simulation: made-up experiments whose truth is known, as runs keep them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/record.h"

namespace relbias::results {

/// How the part of a value that a seed decides is drawn.
enum class SeedShape { normal, two_peaked, heavy_tailed, failing };

/// A[s,t] = rate + seed effect + sample effect + rest, each encoding with effects of its own; all
/// encodings are equal. `hits`: A is 1 with the probability `rate`, else 0, and nothing else
/// varies. `failing`: the first encoding loses `failed_by` in one seed of five.
struct Scenario {
  std::string name;
  int64_t seeds = 3;
  SeedShape shape = SeedShape::normal;
  double over_seeds = 0;    // standard deviation of the seed effect in a difference
  double over_samples = 0;  // of the sample effect, likewise
  double rest = 0;
  bool hits = false;
  double rate = 0.8;
  double least_coverage = 0.93;  // 0: only printed

  /// The first encoding less another one.
  double truth() const;
};

inline constexpr double failed_by = 0.5;
inline constexpr int64_t drawn_samples = 60;

/// The scenarios that the coverage of intervals was worked out for.
std::vector<Scenario> scenarios();

/// One experiment a size: 1x, 2x, ... of each encoding (`a`, `b`, ...) and seed a run with all
/// sizes. Guessing gives 0.1.
struct Draw {
  std::string study = "simulation";
  int64_t encodings = 2;
  int64_t sizes = 1;
  uint64_t stream = 0;  // of random numbers
};
std::vector<RunRecord> drawn_runs(const Scenario& scenario, const Draw& draw);

/// The cells of a Markdown table's rows, headings and rule left out.
std::vector<std::vector<std::string>> markdown_rows(const std::string& table);

}  // namespace relbias::results
