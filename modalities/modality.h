// SPDX-License-Identifier: Apache-2.0
// modalities: what a modality hands on to experiments: datasets, tasks and batches.
#pragma once

#include <limits>

#include "modalities/relation.h"
#include "modalities/seed.h"

namespace relbias {

/// Real data, read once, never changed. Each modality derives what its tasks can ask for
/// (modalities/text/text.h: TextDataset); a task refuses a dataset of another modality.
class Dataset {
 public:
  virtual ~Dataset() = default;
  /// SHA-1 of everything that was read, so that two runs on unlike data are never taken for alike.
  virtual std::string content_hash() const = 0;
  /// One line: what was read, what was skipped and why.
  virtual std::string report() const = 0;
};

struct DatasetEntry {
  std::string name{};      // from the file name, set by the catalogue
  std::string modality{};  // from the folder, set by the catalogue
  std::string summary;     // what it is, its size, its licence
  std::vector<OptionSpec> options{};
  std::function<std::unique_ptr<Dataset>(const Options&)> make;
};

/// Samples of one size, on the CPU.
struct Batch {
  Tensor inputs;   // [B, N] int64 token ids, or [B, N, F] float32 patches or frames
  Tensor targets;  // [B, N] int64, the right output of every token; elsewhere as the task says
  Tensor scored;   // [B, N] bool: the targets that count
  Tensor valid;    // [B, N] bool: tokens that are not padding; undefined: all are
  std::vector<Structure> structures;  // one for all samples, or one a sample
};

/// What a task asks of a model and how its answers are judged.
struct TaskTraits {
  int64_t vocabulary = 0;  // distinct input tokens
  int64_t outputs = 0;     // classes an output chooses from
  bool causal = false;
  bool tied_outputs = false;         // outputs are the input tokens: one table serves both
  std::vector<std::string> metrics;  // the first is the one that tables show
  double chance = std::numeric_limits<double>::quiet_NaN();   // of the first metric, guessing
  double ceiling = std::numeric_limits<double>::quiet_NaN();  // the best that can be reached
  bool by_position = false;  // also report the first metric by position in the sequence
};

/// A draw of training samples. The same request always gives the same batch.
struct TrainingRequest {
  int64_t size;   // tokens a sample
  int64_t batch;  // samples
  uint64_t seed;  // of the run
  uint64_t step;
};

/// Evaluation samples of one size. The samples do not depend on the run's seed or encoding.
struct EvaluationRequest {
  int64_t size;     // tokens a sample
  int64_t samples;  // how many are drawn, where samples are drawn
  int64_t tokens;   // how many held-out tokens are used, where data is finite
  int64_t batch;    // samples a batch, at most
};

class Task {
 public:
  virtual ~Task() = default;
  virtual TaskTraits traits() const = 0;
  virtual Batch training(const TrainingRequest& request) const = 0;
  /// Hands the samples to `use`, batch by batch. Throws InputError where the data is too short.
  virtual void evaluation(const EvaluationRequest& request,
                          const std::function<void(const Batch&)>& use) const = 0;
  /// Throws InputError unless a run with these sizes can be trained and evaluated: everything that
  /// can be known to fail is known before the training.
  virtual void check(const std::vector<int64_t>& train_sizes,
                     const std::vector<EvaluationRequest>& evaluations) const = 0;
};

struct TaskEntry {
  std::string name{};      // from the file name, set by the catalogue
  std::string modality{};  // from the folder, set by the catalogue
  std::string summary;     // inputs, targets, what it proves
  std::string relation;    // the relation that a model of this task uses unless told otherwise
  bool needs_dataset = false;
  std::vector<OptionSpec> options{};
  /// `dataset` is null for tasks that make their own samples, and outlives the task.
  std::function<std::unique_ptr<Task>(const Options&, const Dataset* dataset)> make;
};

/// Generated from the files in modalities/*/datasets/ and modalities/*/tasks/.
const std::vector<DatasetEntry>& dataset_entries();
const std::vector<TaskEntry>& task_entries();

}  // namespace relbias
