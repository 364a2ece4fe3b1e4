// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: what a run needs to go on, in a file of its own beside its record.
#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace relbias::experiments {

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// `<run id>.step-40.snapshot` of `<run id>.h5`. Each step has a name of its own: the record says
/// which is its snapshot, and the one before stays until the record is written.
std::filesystem::path snapshot_file(const std::filesystem::path& run_file, int64_t step);

/// Streams the tensors into the file, one after the other: none is copied, but for those of another
/// device. The file is complete or not there, and Python's torch.load reads it. Returns its
/// checksum. Throws StoreError where it cannot be written.
std::string write_snapshot(const std::filesystem::path& file, const NamedTensors& tensors);

/// Fills the tensors with those of the same names. Throws StoreError, naming the file, where it is
/// missing, is not what the checksum was made of, or belongs to another model.
void read_snapshot(const std::filesystem::path& file, const std::string& checksum,
                   const NamedTensors& tensors);

/// Removes the snapshots of a run, but for that of a step. One that cannot be removed stays: it
/// costs room and no number.
void remove_snapshots(const std::filesystem::path& run_file, int64_t but_of = -1);

}  // namespace relbias::experiments
