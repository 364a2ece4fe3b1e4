// SPDX-License-Identifier: Apache-2.0
// results/claims: what an encoding in a claim names: positions of runs, rows of tables.
#include "results/claims/naming.h"

#include <algorithm>
#include <sstream>

namespace relbias::results {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "rope base=100", as a label has it.
std::string text_of(const std::string& name, const std::map<std::string, std::string>& options) {
  std::string text = name;
  for (const auto& [key, value] : options) text += " " + key + "=" + value;
  return text;
}

std::string encoding_of(const RecordedPosition& position) {
  return text_of(position.encoding, position.options);
}

std::string relation_of(const RecordedPosition& position) {
  return text_of(position.relation, position.relation_options);
}

bool is_meant(const RecordedPosition& position, const std::string& wanted) {
  const auto at = wanted.find('@');
  if (at != std::string::npos && !is_named(relation_of(position), wanted.substr(at + 1))) {
    return false;
  }
  return is_named(encoding_of(position), wanted.substr(0, at));
}

// "t5@token + table@tree" -> the two.
std::vector<std::string> parts_of(const std::string& wanted) {
  static const std::string plus = " + ";
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = wanted.find(plus, begin)) != std::string::npos;
       begin = end + plus.size()) {
    parts.push_back(wanted.substr(begin, end - begin));
  }
  parts.push_back(wanted.substr(begin));
  return parts;
}

size_t options_in(const RunRecord& run) {
  size_t options = 0;
  for (const RecordedPosition& position : run.positions) options += position.options.size();
  return options;
}

}  // namespace

bool is_named(const std::string& text, const std::string& wanted) {
  const std::vector<std::string> words = words_of(text), asked = words_of(wanted);
  if (words.empty() || asked.empty() || words.front() != asked.front()) return false;
  return std::all_of(asked.begin() + 1, asked.end(), [&](const std::string& option) {
    return std::ranges::find(words, option) != words.end();
  });
}

bool is_meant(const std::vector<RecordedPosition>& positions, const std::string& wanted) {
  const std::vector<std::string> parts = parts_of(wanted);
  if (parts.size() != positions.size()) return false;
  std::vector<bool> taken(positions.size(), false);
  return std::ranges::all_of(parts, [&](const std::string& part) {
    for (size_t i = 0; i < positions.size(); ++i) {
      if (taken[i] || !is_meant(positions[i], part)) continue;
      taken[i] = true;
      return true;
    }
    return false;
  });
}

bool is_meant(const RunRecord& run, const std::string& wanted) {
  if (run.encoding == wanted) return true;
  if (!run.positions.empty()) return is_meant(run.positions, wanted);
  // Runs of schema 1 have the label alone.
  const auto at = wanted.find('@');
  if (at != std::string::npos && !is_named(run.relation, wanted.substr(at + 1))) return false;
  return is_named(run.encoding, wanted.substr(0, at));
}

bool is_on(const RunRecord& run, const std::string& relation) {
  if (relation.empty() || run.relation == relation) return true;
  return !run.positions.empty() &&
         std::ranges::all_of(run.positions, [&](const RecordedPosition& position) {
           return is_named(relation_of(position), relation);
         });
}

std::vector<const ComparisonRow*> rows_named(const Comparison& comparison,
                                             const std::string& wanted,
                                             const std::string& relation) {
  std::vector<const ComparisonRow*> found;
  size_t fewest = std::string::npos;
  for (const ComparisonRow& row : comparison.rows) {
    const RunRecord& run = *row.repetitions->runs.front();
    if (!is_on(run, relation) || !is_meant(run, wanted)) continue;
    const size_t options = run.encoding == wanted ? 0 : 1 + options_in(run);
    if (options > fewest) continue;
    if (options < fewest) found.clear();
    fewest = options;
    found.push_back(&row);
  }
  return found;
}

const ComparisonRow* row_named(const Comparison& comparison, const std::string& wanted) {
  const auto rows = rows_named(comparison, wanted);
  return rows.empty() ? nullptr : rows.front();
}

}  // namespace relbias::results
