// SPDX-License-Identifier: Apache-2.0
// experiments/published: the published tables of this folder, by name.
#include "experiments/published/tables.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "encodings/encoding.h"
#include "experiments/study/shipped.h"
#include "modalities/plain/check.h"
#include "modalities/plain/files.h"

namespace relbias::experiments {
namespace {

std::filesystem::path published_folder() { return shipped_folder("published"); }

// Without options that have their default, as runs are labelled; options that we lack stay.
std::string label_of(const std::string& encoding) {
  try {
    return parse_encoding(encoding).label();
  } catch (const InputError&) {
    return encoding;
  }
}

// Encodings of the table and of its claims under the labels of our runs.
void name_as_runs(Published& table) {
  std::set<std::string> encodings;
  for (const PublishedRow& row : table.rows) encodings.insert(row.encoding);
  for (const PublishedClaim& published : table.claims) {
    encodings.insert({published.claim.better, published.claim.worse});
  }
  for (const std::string& encoding : encodings) {
    const auto given = table.ours.names.find(encoding);
    const std::string label = label_of(given == table.ours.names.end() ? encoding : given->second);
    if (label != encoding) table.ours.names[encoding] = label;
  }
}

}  // namespace

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& file : files_below(published_folder(), {"toml"})) {
    if (file.find('/') == std::string::npos) {
      names.push_back(std::filesystem::path(file).stem().string());
    }
  }
  return names;
}

Published read_published(const std::string& name) {
  const std::vector<std::string> names = published_names();
  if (std::ranges::find(names, name) == names.end()) unknown_word("published table", name, names);
  Published table = parse_published(read_file(published_folder() / (name + ".toml")), name);
  name_as_runs(table);
  return table;
}

}  // namespace relbias::experiments
