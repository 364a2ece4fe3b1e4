// SPDX-License-Identifier: Apache-2.0
// experiments/study/describe: what a study is made of, and one study, for the reader of a terminal.
#pragma once

#include <string>

namespace relbias::experiments {

/// Question, settings, sweep, claims and cost of a study that comes with the program, or of a file.
std::string describe_study(const std::string& name_or_path);

/// Every key of a study that is no setting of a run, and every key of a claim.
std::string describe_study_keys();

/// `label       text`, further lines of the text below its first; nothing where there is no text.
std::string paragraph(const std::string& label, const std::string& text);

}  // namespace relbias::experiments
