// SPDX-License-Identifier: Apache-2.0
// results/claims: what a study claims, and what its runs say about that.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/analysis/comparison.h"
#include "results/print/sheet.h"

namespace relbias::results {

/// An ordering that a study expects: at `at` times the trained size, `better` beats `worse`.
struct Claim {
  std::string better;  // an encoding, or its name and the options that matter: `rope base=100`
  std::string worse;
  double at = 1.0;
  std::string metric;     // empty: the task's first
  std::string task;       // empty: every one of the study that has both encodings; likewise
  std::string modality;   //   the following
  std::string relation;   // of both
  std::string condition;  // `segments=4`; empty: the plain sizes
  std::string why;
};

/// The keys of a [[claim]] that hold text; `at` holds a number.
inline constexpr std::array<std::pair<std::string_view, std::string Claim::*>, 8> claim_texts = {{
    {"better", &Claim::better},
    {"worse", &Claim::worse},
    {"metric", &Claim::metric},
    {"task", &Claim::task},
    {"modality", &Claim::modality},
    {"relation", &Claim::relation},
    {"condition", &Claim::condition},
    {"why", &Claim::why},
}};

enum class Verdict { holds, fails, undecided };

/// "holds", "does not hold", "undecided".
std::string to_string(Verdict verdict);

struct Judgement {
  Claim claim;
  std::string where;  // the task that it was judged on
  Verdict verdict = Verdict::undecided;
  std::string evidence;
};

/// "alibi before rope at 8x"
std::string claim_text(const Claim& claim);

/// Claims as a study states them, [[claim]] tables in TOML.
std::string claims_as_toml(const std::vector<Claim>& claims);

/// Whether `wanted` names `text`, a name with options: the same name, and each option that `wanted`
/// gives among those of `text`. `tree clip=4` is named by `tree`, and by itself.
bool is_named(const std::string& text, const std::string& wanted);

/// Whether an encoding, as a config writes it with every option, is one that `wanted` names: the
/// same name, and each option that `wanted` gives; likewise its relation, `table@tree`.
/// `t5@token + table@tree` is compared as it stands.
bool is_meant(const RunRecord& run, const std::string& wanted);

/// The row that is meant: the one of just this label, else the one with the fewest options besides
/// those asked for; null without any.
const ComparisonRow* row_named(const Comparison& comparison, const std::string& wanted);

/// Judges each claim on each group of the study that it speaks of; a claim that no group can judge
/// is undecided and says why. It holds where at least three seeds were paired and the bootstrap
/// interval of their mean difference lies above 0: with three seeds, where all three agree. Past
/// the training size `better` must have solved that size. What is no number decides nothing.
std::vector<Judgement> judge(const std::vector<Claim>& claims,
                             const std::vector<const TaskRuns*>& groups);

/// The groups of one study.
std::vector<const TaskRuns*> groups_of(const std::vector<TaskRuns>& groups,
                                       const std::string& study);

/// Claim, task, verdict, evidence.
Sheet sheet_of(const std::vector<Judgement>& judgements, const std::string& study);

}  // namespace relbias::results
