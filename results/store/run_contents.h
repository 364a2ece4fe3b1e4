// SPDX-License-Identifier: Apache-2.0
// results/store: where each part of a run record stands in its file.
#pragma once

#include <string>

#include "results/record.h"
#include "results/store/contents.h"

namespace relbias::results {

/// Of a record that keeps the rules (problem_with in schema.h).
StoredContents contents_of(const RunRecord& run);

/// Throws StoreError unless the attributes say that the file is a run of this schema version.
void check_schema(const StoredAttributes& attributes);

/// The inverse of contents_of, for a file that check_schema has passed; attributes, columns and
/// datasets that no run has are ignored. Throws StoreError for what is missing, of another type or
/// against the rules.
RunRecord record_of(StoredContents contents);

/// Whether a dataset may belong to a run; whether tables need it.
bool is_part_of_run(const std::string& path);
bool is_number_of_run(const std::string& path);

/// Whether it does, or is one that somebody put beside it.
bool is_own(const std::string& path, const StoredAttributes& attributes);

}  // namespace relbias::results
