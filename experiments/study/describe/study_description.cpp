// SPDX-License-Identifier: Apache-2.0
// experiments/study/describe: what a study is made of, and one study, for the reader of a terminal.
#include "experiments/study/describe/study_description.h"

#include <fmt/ranges.h>

#include "experiments/study/study.h"
#include "results/claims/read_claims.h"

namespace relbias::experiments {
namespace {

std::string describe_part(const Part& part) {
  std::string base, sweep;
  for (const auto& [key, value] : part.base) {
    base += fmt::format("{}{} = {}", base.empty() ? "" : "\n", key, text_of(*value));
  }
  for (const auto& axis : part.sweep) {
    std::vector<std::string> values;
    for (const auto* value : axis.values) values.push_back(text_of(*value));
    sweep += fmt::format("{}{}: {}", sweep.empty() ? "" : "\n", axis.key, fmt::join(values, ", "));
  }
  return (part.name.empty() ? "" : paragraph("part", part.name)) + paragraph("settings", base) +
         paragraph("sweep", sweep);
}

}  // namespace

std::string describe_study(const std::string& name) {
  const Study study = load_study(name);
  std::string parts, claims;
  for (const Part& part : study.parts) parts += describe_part(part);
  for (const auto& claim : study.claims) {
    claims += fmt::format("{}{} beats {} at {}x{}{}", claims.empty() ? "" : "\n", claim.better,
                          claim.worse, claim.at, claim.task.empty() ? "" : " on ", claim.task);
  }
  return fmt::format("study {}\n", name) + paragraph("question", study.question) +
         paragraph("expected", study.expected) + paragraph("cost", study.cost) + parts +
         paragraph("runs", fmt::format("{}", expand(study, {}).size())) +
         paragraph("claims", claims) + paragraph("command", "relbias run " + name) +
         paragraph("file", study.file);
}

std::string describe_study_keys() {
  std::string text =
      "A study is one TOML file. Its keys beside settings (relbias describe config names each):\n";
  const auto add = [&](const std::string& key, const std::string& meaning) {
    text += fmt::format("\n{}\n    {}\n", key, meaning);
  };
  for (const KeyMeaning& one : study_keys()) add(one.key, one.meaning);
  for (const KeyMeaning& one : claim_keys()) add("claim." + one.key, one.meaning);
  return text;
}

std::string paragraph(const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  std::string indented;
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented += std::string(12, ' ');
  }
  return fmt::format("{:<12}{}\n", label, indented);
}

}  // namespace relbias::experiments
