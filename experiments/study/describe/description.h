// SPDX-License-Identifier: Apache-2.0
// experiments/study/describe: descriptions of everything that has a name, from the entries of the
// catalogues.
#pragma once

#include <string>

namespace relbias::experiments {

/// Every encoding, relation, dataset, task or study of that name, or the study in that .toml file;
/// `config`: all settings; `study`: all keys of studies and claims. Throws InputError for an
/// unknown name.
std::string describe(const std::string& name);

}  // namespace relbias::experiments
