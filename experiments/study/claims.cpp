// SPDX-License-Identifier: Apache-2.0
// experiments/study: whether what a study claims is about its own runs.
#include "experiments/study/claims.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "experiments/run/record/identity.h"
#include "modalities/modality.h"
#include "results/claims/naming.h"
#include "results/metrics/metric.h"

namespace relbias::experiments {
namespace {

constexpr double nearness = 1.05;  // tables take a size within 5 % for the one that is meant

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

// A run as a claim sees it.
struct Candidate {
  std::string task, modality;
  RunRecord named;  // its encoding and positions
  std::vector<double> factors;
  std::vector<std::string> conditions;
};

Candidate candidate_of(const Run& run) {
  const RunConfig& config = run.config;
  const Options& task = config.data.task;
  Candidate candidate{
      .task = task.label(),
      .modality = modalities::find_entry("task", task.name(), modalities::task_entries()).modality};
  candidate.named.encoding = position_label(config.model);
  candidate.named.positions = recorded_positions(config);
  candidate.conditions = config.evaluate.variants;
  for (const int64_t size : config.evaluate.sizes) {
    candidate.factors.push_back(static_cast<double>(size) / static_cast<double>(config.train.size));
  }
  return candidate;
}

using Candidates = std::vector<Candidate>;

// Those that `fits` keeps; where it keeps none, an error that lists what there is.
template <class Fits, class Name>
Candidates kept(const Candidates& all, const std::string& what, const std::string& found, Fits fits,
                Name name) {
  Candidates some;
  std::set<std::string> names;
  for (const Candidate& one : all) {
    names.insert(name(one));
    if (fits(one)) some.push_back(one);
  }
  if (some.empty()) unknown_word(what, found, {names.begin(), names.end()});
  return some;
}

std::string relations_of(const Candidate& one) {
  std::vector<std::string> relations;
  for (const RecordedPosition& position : one.named.positions) {
    relations.push_back(position.relation);
  }
  return fmt::format("{}", fmt::join(relations, " + "));
}

std::string label_of(const Candidate& one) { return one.named.encoding; }

std::string label_on_relation(const Candidate& one) {
  return one.named.encoding.find('@') == std::string::npos
             ? one.named.encoding + "@" + relations_of(one)
             : one.named.encoding;
}

void check_size(const Claim& claim, const Candidates& runs) {
  std::set<double> factors;
  for (const Candidate& one : runs) factors.insert(one.factors.begin(), one.factors.end());
  // Of bins any that is as large holds the size; the plan knows which tasks have bins.
  const bool any =
      std::ranges::any_of(factors, [&](double factor) { return factor * nearness > claim.at; });
  if (!any) {
    input_error(
        "claim.at: {} found, one of the evaluated multiples of the trained size expected: {}",
        claim.at, fmt::join(factors, ", "));
  }
}

// Alone, or behind the question that it is about: `number mean-absolute-error`.
void check_metric(const std::string& metric) {
  std::vector<std::string> names;
  for (const auto& entry : results::metric_entries()) {
    std::string spaced = entry.name;
    std::ranges::replace(spaced, '-', ' ');
    for (const std::string& name : {entry.name, spaced}) {
      if (metric == name || metric.ends_with(" " + name)) return;
    }
    names.push_back(entry.name);
  }
  unknown_word("metric", metric, names);
}

void check_condition(const std::string& condition, const Candidates& runs) {
  std::set<std::string> variants;
  for (const Candidate& one : runs) {
    variants.insert(one.conditions.begin(), one.conditions.end());
  }
  if (!variants.contains(condition)) {
    unknown_word("condition, none of evaluate.variants,", condition,
                 {variants.begin(), variants.end()});
  }
}

void check_claim(const Claim& claim, Candidates runs) {
  if (!claim.metric.empty()) check_metric(claim.metric);
  if (!claim.task.empty()) {
    runs = kept(
        runs, "task of the study", claim.task,
        [&](const Candidate& one) {
          return one.task == claim.task || first_word(one.task) == claim.task;
        },
        [](const Candidate& one) { return one.task; });
  }
  if (!claim.modality.empty()) {
    runs = kept(
        runs, "modality of the study", claim.modality,
        [&](const Candidate& one) { return one.modality == claim.modality; },
        [](const Candidate& one) { return one.modality; });
  }
  if (!claim.relation.empty()) {
    runs = kept(
        runs, "relation of the study", claim.relation,
        [&](const Candidate& one) { return results::is_on(one.named, claim.relation); },
        relations_of);
  }
  if (!claim.condition.empty()) check_condition(claim.condition, runs);
  for (const std::string& wanted : {claim.better, claim.worse}) {
    const bool on_relation = wanted.find('@') != std::string::npos;
    const Candidates side = kept(
        runs, "encoding of the sweep", wanted,
        [&](const Candidate& one) { return results::is_meant(one.named, wanted); },
        on_relation ? label_on_relation : label_of);
    check_size(claim, side);
  }
}

}  // namespace

void check_claims(const Study& study, const std::vector<Run>& runs) {
  if (study.claims.empty()) return;
  Candidates candidates;
  for (const Run& run : runs) candidates.push_back(candidate_of(run));
  for (const Claim& claim : study.claims) {
    at_place(study.file + ": claim", nullptr, [&]() { check_claim(claim, candidates); });
  }
}

}  // namespace relbias::experiments
