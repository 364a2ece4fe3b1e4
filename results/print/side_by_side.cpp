// SPDX-License-Identifier: Apache-2.0
// results/print: a published table and ours, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/claims/judge.h"
#include "results/claims/naming.h"
#include "results/claims/published.h"
#include "results/print/table.h"

namespace relbias::results {
namespace {

std::string our_name(const Published& table, const std::string& published) {
  const auto found = table.ours.names.find(published);
  return found == table.ours.names.end() ? published : found->second;
}

// A metric in percent beside ours as a share.
double scale_of(const Published& table, const std::string& metric) {
  const bool percent = table.metric.find("percent") != std::string::npos;
  return percent && metric.find("accuracy") != std::string::npos ? 100 : 1;
}

// The rows that are shown: of one group and setting, where the table has several.
std::vector<const PublishedRow*> shown_rows(const Published& table) {
  std::vector<const PublishedRow*> rows;
  for (const PublishedRow& row : table.rows) {
    const bool group = table.ours.group.empty() || row.group == table.ours.group;
    const bool setting = table.ours.setting.empty() || row.setting == table.ours.setting;
    const bool size = table.train_size == 0 || row.train_size == table.train_size;
    if (group && setting && size) rows.push_back(&row);
  }
  return rows;
}

// The sizes that claims speak of, and the training size.
std::vector<double> factors_of(const Published& table) {
  std::set<double> factors = {1};
  for (const PublishedClaim& claim : table.claims) factors.insert(claim.claim.at);
  return {factors.begin(), factors.end()};
}

const PublishedRow* published_at(const std::vector<const PublishedRow*>& rows,
                                 const std::string& encoding, double factor) {
  const PublishedRow* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const PublishedRow* row : rows) {
    const double found = static_cast<double>(row->size) / static_cast<double>(row->train_size);
    const double distance = std::abs(std::log(found / factor));
    if (row->encoding != encoding || !is_near(found, factor) || distance > least) continue;
    nearest = row;
    least = distance;
  }
  return nearest;
}

SheetCell published_cell(const PublishedRow* row) {
  if (row == nullptr) return {"-", ""};
  if (!row->defined) return {"undefined", ""};
  std::string text = number_text(row->value);
  if (std::isfinite(row->deviation)) text += " ± " + number_text(row->deviation, row->value);
  return {text, ""};
}

SheetCell our_cell(const Comparison& comparison, const std::string& encoding, double factor,
                   double scale) {
  const ComparisonRow* row = row_named(comparison, encoding);
  if (row == nullptr) return {"not run", ""};
  const int64_t column =
      column_at(comparison.columns, factor, row->repetitions->runs.front()->train_size);
  if (column < 0) return {"-", ""};
  const Cell& cell = row->cells[static_cast<size_t>(column)];
  if (cell.state != CellState::value) return {word_for(cell.state), ""};
  std::string text = number_text(scale * cell.summary.mean);
  if (cell.summary.count > 1) {
    text += " ± " + number_text(scale * cell.summary.deviation, scale * cell.summary.mean);
  }
  return {text, row->label_mark};
}

std::vector<std::string> encodings_of(const std::vector<const PublishedRow*>& rows) {
  std::vector<std::string> encodings;
  for (const PublishedRow* row : rows) {
    if (std::ranges::find(encodings, row->encoding) == encodings.end()) {
      encodings.push_back(row->encoding);
    }
  }
  return encodings;
}

Sheet sheet_of(const Published& table, const Comparison& comparison) {
  const std::vector<const PublishedRow*> rows = shown_rows(table);
  const std::vector<std::string> encodings = encodings_of(rows);
  Sheet sheet{.title = table.title,
              .facts = fmt::format("published: {}; ours: {} on {}", table.metric, comparison.metric,
                                   comparison.title),
              .headings = {"encoding"}};
  const double scale = scale_of(table, comparison.metric);
  const std::vector<double> factors = factors_of(table);
  for (const double factor : factors) {
    sheet.headings.push_back(fmt::format("{:.4g}x published", factor));
    sheet.headings.push_back(fmt::format("{:.4g}x ours", factor));
  }
  for (const std::string& encoding : encodings) {
    std::vector<SheetCell> cells = {{encoding, ""}};
    for (const double factor : factors) {
      cells.push_back(published_cell(published_at(rows, encoding, factor)));
      cells.push_back(our_cell(comparison, our_name(table, encoding), factor, scale));
    }
    sheet.rows.push_back(std::move(cells));
  }
  sheet.notes = notes_on_rows(comparison);
  return sheet;
}

// The published metric where our runs took it too, else our own.
std::string metric_of(const Published& table, const TaskRuns& group,
                      const std::vector<RunRecord>& runs) {
  const std::vector<std::string> known = metrics_of(runs);
  const std::string word = table.metric.substr(0, table.metric.find_first_of(",("));
  return std::ranges::find(known, word) != known.end() && !better_of(group, word).empty()
             ? word
             : group.example().primary_metric;
}

bool is_of_other_group(const Published& table, const PublishedClaim& claim) {
  return !claim.group.empty() && claim.group != table.ours.group;
}

Claim in_our_names(const Published& table, Claim claim) {
  claim.better = our_name(table, claim.better);
  claim.worse = our_name(table, claim.worse);
  return claim;
}

// All claims that our runs can speak of are judged together.
std::string claims_text(const Published& table, const std::vector<const TaskRuns*>& groups) {
  std::string out;
  for (const PublishedClaim& published : table.claims) {
    if (!is_of_other_group(table, published)) continue;
    out += fmt::format("  {:<10}  {}\n  {:<10}    of {} alone, which was not run\n", "not judged",
                       claim_text(published.claim), "", published.group);
  }
  std::set<std::string> said;
  for (const Judgement& judgement : judge(our_claims(table), groups)) {
    if (!said.insert(claim_text(judgement.claim) + judgement.evidence).second) continue;
    out += fmt::format("  {:<10}  {}\n  {:<10}    {}\n", to_string(judgement.verdict),
                       claim_text(judgement.claim), "", judgement.evidence);
  }
  return out.empty() ? "The table claims no order.\n"
                     : "published orderings, and what our runs say\n" + out;
}

}  // namespace

std::vector<Claim> our_claims(const Published& table) {
  std::vector<Claim> claims;
  for (const PublishedClaim& published : table.claims) {
    if (!is_of_other_group(table, published)) {
      claims.push_back(in_our_names(table, published.claim));
    }
  }
  return claims;
}

std::string as_text(const Published& table) {
  const std::vector<const PublishedRow*> rows = shown_rows(table);
  Sheet sheet{
      .title = table.title, .facts = "published: " + table.metric, .headings = {"encoding"}};
  const std::vector<double> factors = factors_of(table);
  for (const double factor : factors) sheet.headings.push_back(fmt::format("{:.4g}x", factor));
  for (const std::string& encoding : encodings_of(rows)) {
    std::vector<SheetCell> cells = {{encoding, ""}};
    for (const double factor : factors) {
      cells.push_back(published_cell(published_at(rows, encoding, factor)));
    }
    sheet.rows.push_back(std::move(cells));
  }
  std::string out = as_text(sheet) + "\n";
  for (const PublishedClaim& claim : table.claims) {
    out += fmt::format("published ordering: {}{}\n", claim_text(claim.claim),
                       claim.group.empty() ? "" : ", " + claim.group);
  }
  out += fmt::format("published with: {}; trained at {}\n", table.model, table.train_size);
  if (!table.notes.empty()) out += "on the published table: " + table.notes + "\n";
  return out + "source: " + table.citation + "; " + table.source + "\n";
}

std::string side_by_side(const Published& table, const std::vector<RunRecord>& runs,
                         const std::string& study) {
  const std::vector<TaskRuns> all = group_runs(runs);
  const std::vector<const TaskRuns*> groups = groups_of(all, study);
  if (groups.empty()) throw StoreError(study + ": none of its runs is there");
  std::string out;
  for (const TaskRuns* group : groups) {
    const std::string metric = metric_of(table, *group, runs);
    const auto comparisons = compare(*group, metric, better_of(*group, metric));
    out += as_text(sheet_of(table, comparisons.front())) + "\n";
  }
  const RunRecord& run = groups.front()->example();
  out += claims_text(table, groups);
  const bool is_full = study == table.name;
  const std::string& deviates = is_full ? table.ours.full_deviates : table.ours.deviates;
  out +=
      fmt::format("\npublished with: {}; trained at {}\nours: {} parameters, trained at {}\n{}\n",
                  table.model, table.train_size, run.parameters_total, run.train_size,
                  deviates.empty() ? "reproduces the published set-up"
                                   : "after the published set-up, which it is not: " + deviates);
  if (!table.notes.empty()) out += "on the published table: " + table.notes + "\n";
  return out + "source: " + table.citation + "; " + table.source + "\n";
}

}  // namespace relbias::results
