// SPDX-License-Identifier: Apache-2.0
// results/print: verdicts on claims as a table of texts.
#pragma once

#include <string>
#include <vector>

#include "results/claims/judge.h"
#include "results/print/sheet.h"

namespace relbias::results {

/// Claim, task, verdict, evidence.
Sheet sheet_of(const std::vector<Judgement>& judgements, const std::string& study);

/// The same as lines of plain text.
std::string as_text(const std::vector<Judgement>& judgements, const std::string& study);

}  // namespace relbias::results
