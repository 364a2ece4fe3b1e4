// SPDX-License-Identifier: Apache-2.0
// results/claims: published tables, and ours beside them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/claims/claims.h"
#include "results/record.h"

namespace relbias::results {

/// One number of a published table.
struct PublishedRow {
  std::string encoding;  // the name, then the options that tell rows apart: `cpb scale=log`
  std::string relation;
  std::string group;    // corpus, model size, task variant
  std::string setting;  // what else tells models apart
  int64_t train_size = 0;
  int64_t size = 0;
  double value = not_given;
  double deviation = not_given;
  int64_t seeds = 1;
  bool defined = true;
};

/// Compares rows of equal group and setting; empty: all of them.
struct PublishedClaim {
  Claim claim;
  std::string group;
  std::string setting;
};

/// What we make of it.
struct Reproduction {
  std::string group;          // the rows that are shown, where the table has several groups
  std::string setting;        //   and settings
  std::string data;           // where the data of the full study comes from
  std::string deviates;       // what the scaled study does otherwise
  std::string full_deviates;  // likewise the full one; empty: it is the published set-up
  std::map<std::string, std::string> names;  // of published encodings -> ours, where they differ
};

struct Published {
  std::string name, title, citation, source, modality, task, metric, better, model, notes;
  int64_t train_size = 0;
  std::vector<PublishedRow> rows;
  std::vector<PublishedClaim> claims;
  Reproduction ours;
};

/// Throws InputError for what is no such table.
Published parse_published(const std::string& toml, const std::string& name);

/// What the table claims of the rows that we re-run, in our names for encodings.
std::vector<Claim> our_claims(const Published& table);

/// The published numbers alone, with their orderings and source.
std::string as_text(const Published& table);

/// `published | ours` for each encoding and factor that both have, then each claim with our
/// verdict.
std::string side_by_side(const Published& table, const std::vector<RunRecord>& runs,
                         const std::string& study);

}  // namespace relbias::results
