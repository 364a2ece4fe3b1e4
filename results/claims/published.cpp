// SPDX-License-Identifier: Apache-2.0
// results/claims: published tables as files.
#include "results/claims/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/claims/read_claims.h"

namespace relbias::results {
namespace {

// Keys of a row that are no option of its encoding.
const std::set<std::string, std::less<>> row_keys = {"encoding",   "relation", "group", "setting",
                                                     "train_size", "size",     "value", "std",
                                                     "seeds",      "defined",  "reason"};

// What is read, and what stands there for people: where and how a number was checked.
const std::vector<std::string> table_keys = {
    "title", "citation", "source", "checked", "grade",       "modality",
    "task",  "metric",   "better", "model",   "train_size",  "chance",
    "notes", "context",  "row",    "claim",   "reproduction"};

const std::vector<std::string> reproduction_keys = {"group",    "setting",       "data",
                                                    "deviates", "full_deviates", "names"};

void refuse_unknown(const toml::table& table, std::string_view kind,
                    const std::vector<std::string>& known) {
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (std::ranges::find(known, name) != known.end()) continue;
    at_place("", &value, [&]() { unknown_word(kind, name, known); });
  }
}

PublishedRow row_of(const toml::table& table, const Published& published) {
  PublishedRow row{.encoding = text_in(table, "encoding"),
                   .relation = text_in(table, "relation"),
                   .group = text_in(table, "group"),
                   .setting = text_in(table, "setting")};
  for (const auto& [key, value] : table) {
    if (!row_keys.contains(key.str())) {
      row.encoding += fmt::format(" {}={}", key.str(), text_of(value));
    }
  }
  row.train_size = value_in(table, "train_size", published.train_size);
  row.size = value_in(table, "size", int64_t{0});
  row.value = value_in(table, "value", not_given);
  row.deviation = value_in(table, "std", not_given);
  row.seeds = value_in(table, "seeds", int64_t{1});
  row.defined = value_in(table, "defined", true);
  if (row.encoding.empty() || row.size <= 0 || (row.defined && std::isnan(row.value))) {
    input_error("{}: a row needs encoding, size and value", place_of(table));
  }
  return row;
}

PublishedClaim claim_of(const toml::table& table) {
  return {.claim = read_claim(table, {"group", "setting"}),
          .group = text_in(table, "group"),
          .setting = text_in(table, "setting")};
}

Reproduction reproduction_of(const toml::table& table) {
  refuse_unknown(table, "key of [reproduction]", reproduction_keys);
  Reproduction ours{.group = text_in(table, "group"),
                    .setting = text_in(table, "setting"),
                    .data = text_in(table, "data"),
                    .deviates = text_in(table, "deviates"),
                    .full_deviates = text_in(table, "full_deviates")};
  if (const toml::table* names = table_in(table, "names")) {
    for (const auto& [from, to] : *names) {
      ours.names[std::string(from.str())] = text_in(*names, from.str());
    }
  }
  return ours;
}

}  // namespace

Published parse_published(const std::string& toml, const std::string& name) {
  Published published{.name = name};
  const auto document = parse_toml(toml, name);
  const toml::table& table = *document;
  refuse_unknown(table, "key of a published table", table_keys);
  published.title = text_in(table, "title");
  published.citation = text_in(table, "citation");
  published.source = text_in(table, "source");
  published.modality = text_in(table, "modality");
  published.task = text_in(table, "task");
  published.metric = text_in(table, "metric");
  published.better = text_in(table, "better");
  if (published.better != "lower" && published.better != "higher") {
    const toml::node* found = table.get("better");
    if (found != nullptr) wrong_value("better", *found, "lower or higher");
    input_error("{}: better: none found, lower or higher expected", name);
  }
  published.model = text_in(table, "model");
  published.notes = text_in(table, "notes");
  published.train_size = value_in(table, "train_size", int64_t{0});
  each_table(table, "row",
             [&](const toml::table& row) { published.rows.push_back(row_of(row, published)); });
  each_table(table, "claim",
             [&](const toml::table& claim) { published.claims.push_back(claim_of(claim)); });
  if (const toml::table* ours = table_in(table, "reproduction")) {
    published.ours = reproduction_of(*ours);
  }
  if (published.rows.empty()) input_error("{}: [[row]] expected, none found", name);
  return published;
}

}  // namespace relbias::results
