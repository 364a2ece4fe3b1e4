// SPDX-License-Identifier: Apache-2.0
// results/print: verdicts on claims as texts.
#include "results/print/claims_sheet.h"

#include <fmt/format.h>

namespace relbias::results {

Sheet sheet_of(const std::vector<Judgement>& judgements, const std::string& study) {
  Sheet sheet{.title = "Claims of " + study,
              .facts = "judged over common seeds and test samples, p after Holm over all claims",
              .headings = {"claim", "task", "verdict", "evidence"},
              .rows = {},
              .notes = {},
              .prose = true};
  for (const Judgement& judgement : judgements) {
    sheet.rows.push_back({{claim_text(judgement.claim), ""},
                          {judgement.where, ""},
                          {to_string(judgement.verdict), ""},
                          {judgement.evidence, ""}});
  }
  return sheet;
}

std::string as_text(const std::vector<Judgement>& judgements, const std::string& study) {
  std::string out = fmt::format("claims of {}\n", study);
  for (const Judgement& judgement : judgements) {
    const std::string where = judgement.where.empty() ? "" : judgement.where + ": ";
    out += fmt::format("  {:<9}  {}\n  {:<9}    {}{}\n", to_string(judgement.verdict),
                       claim_text(judgement.claim), "", where, judgement.evidence);
  }
  return out;
}

}  // namespace relbias::results
