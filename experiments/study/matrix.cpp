// SPDX-License-Identifier: Apache-2.0
// experiments/study: the matrix of relations and encodings.
#include "experiments/study/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/config/example_context.h"

namespace relbias::experiments {
namespace {

using nlohmann::ordered_json;

ordered_json reason_json(const std::optional<std::string>& reason) {
  return reason ? ordered_json(*reason) : ordered_json(nullptr);
}

// The number of a reason, which is added to the list where it is new.
std::string footnote(const std::string& reason, std::vector<std::string>& reasons) {
  auto found = std::find(reasons.begin(), reasons.end(), reason);
  if (found == reasons.end()) found = reasons.insert(reasons.end(), reason);
  return fmt::format("[{}]", found - reasons.begin() + 1);
}

std::string cell(const Pairing& pairing, std::vector<std::string>& reasons) {
  if (!pairing.causal_reason && !pairing.full_reason) return "yes";
  if (!pairing.causal_reason) return "causal " + footnote(*pairing.full_reason, reasons);
  if (!pairing.full_reason) return "full " + footnote(*pairing.causal_reason, reasons);
  return footnote(*pairing.full_reason, reasons);
}

}  // namespace

std::vector<Pairing> pairings() {
  std::vector<Pairing> all;
  for (const auto& relation : relation_entries()) {
    const EncodingContext causal = example_context(relation, true);
    const EncodingContext full = example_context(relation, false);
    for (const auto& encoding : encoding_entries()) {
      const Options options = parse_encoding(encoding.name);
      all.push_back({relation.name, encoding.name, undefined_reason(options, relation.name, causal),
                     undefined_reason(options, relation.name, full)});
    }
  }
  return all;
}

std::string matrix_text() {
  std::vector<std::string> reasons;
  std::vector<std::vector<std::string>> rows{{"encoding"}};
  for (const auto& relation : relation_entries()) rows[0].push_back(relation.name);
  for (const auto& encoding : encoding_entries()) rows.push_back({encoding.name});
  const size_t encodings = encoding_entries().size();
  const std::vector<Pairing> all = pairings();
  for (size_t i = 0; i < all.size(); ++i) {
    rows[1 + i % encodings].push_back(cell(all[i], reasons));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      size_t width = 0;
      for (const auto& other : rows) width = std::max(width, other[column].size());
      line += fmt::format("{:<{}}  ", row[column], width);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  if (!reasons.empty()) text += '\n';
  for (size_t i = 0; i < reasons.size(); ++i) text += fmt::format("[{}] {}\n", i + 1, reasons[i]);
  return text;
}

std::string matrix_json() {
  ordered_json list = ordered_json::array();
  for (const Pairing& pairing : pairings()) {
    list.push_back({{"relation", pairing.relation},
                    {"encoding", pairing.encoding},
                    {"defined", !pairing.causal_reason || !pairing.full_reason},
                    {"reason_causal", reason_json(pairing.causal_reason)},
                    {"reason_full", reason_json(pairing.full_reason)}});
  }
  return list.dump(2) + "\n";
}

}  // namespace relbias::experiments
