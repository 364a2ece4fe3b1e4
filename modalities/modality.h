// SPDX-License-Identifier: Apache-2.0
// modalities: what a modality hands on to experiments: datasets, tasks and batches.
#pragma once

#include <limits>

#include "modalities/relation.h"
#include "modalities/sampling/split.h"
#include "modalities/seed.h"

namespace relbias::modalities {

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
  int64_t version = 1;     // raised where a default changes, or what it computes
  std::string summary;     // what it is, its size, its licence
  std::vector<OptionSpec> options{};
  std::function<std::unique_ptr<Dataset>(const Options&)> make;
};

/// The right answers to one question about the samples of a batch. T = N for a question about every
/// token, 1 for a question about the whole sample.
struct Answers {
  Tensor targets{};     // [B, T] int64: the category, or the token pointed at; float32: the number
  Tensor scored{};      // [B, T] bool: the targets that count
  Tensor candidates{};  // [B, N] bool: tokens that may be pointed at; undefined: all that are valid
  Tensor pooled{};  // [B, N] bool: tokens that answer for the sample; undefined: all that are valid
  Tensor guesses{};     // [B, T] as targets: the trivial rule's (TaskEntry); undefined: it has none
  Tensor guess_nats{};  // [B, T] float: -ln of what the rule gives each target; undefined: none
};

/// Tokens of samples without a question about them.
struct Stream {
  Tensor inputs;                      // [B, M] or [B, M, F], as Batch::inputs
  Tensor valid;                       // [B, M] bool: tokens that are not padding; undefined: all
  std::vector<Structure> structures;  // one for all samples, or one a sample
};

/// Samples of one size, on the CPU.
struct Batch {
  Tensor inputs;  // [B, N] int64 ids, [B, N, F] int64 ids whose embeddings add up (each F has rows
                  // of its own in the one table), or [B, N, F] float32 patches or frames
  std::vector<Answers> answers;  // one a question of the task
  Tensor valid;                  // [B, N] bool: tokens that are not padding; undefined: all are
  std::vector<Structure> structures;  // one for all samples, or one a sample
  // [B] What each sample comes from. Samples of one source (a file, a clip, a class of graphs that
  // are alike) count as one, and stand one after the other in an evaluation; empty: each is from
  // its own.
  std::vector<std::string> sources{};
  std::optional<Stream> read_too{};  // a second sequence of every sample, which is only read

  /// The structure with the most tokens: what is undefined for a size is so for long samples.
  const Structure& largest() const;
  /// The batch with every tensor changed.
  Batch each(const std::function<Tensor(const Tensor&)>& change) const;
  /// `count` samples from number `first` on.
  Batch rows(int64_t first, int64_t count) const;
};

/// One thing that a task asks. Each question has an output head and a loss of its own; losses add
/// up.
struct Question {
  enum class Kind {
    category,  // one of `outputs`; cross-entropy
    number,    // a real number; smooth L1 of (number - mean) / deviation
    pointer    // one of the sample's tokens; cross-entropy
  };
  enum class About { token, sample };

  std::string name{};  // `depth`: its metrics are called `depth accuracy`; empty: the only question
  Kind kind = Kind::category;
  About about = About::token;
  int64_t outputs = 0;             // categories; otherwise unused
  double mean = 0, deviation = 1;  // of a number's training targets
  std::string target{};            // what is asked, where tasks of one kind ask for several things
  bool steps = false;  // a number of steps of the relation, which a clip of the relation may hide
};

/// What a task asks of a model and how its answers are judged.
struct TaskTraits {
  int64_t vocabulary = 0;  // rows of the embedding table, where inputs are ids
  int64_t features = 0;    // F, where inputs are real numbers
  std::vector<Question> questions;
  bool causal = false;
  bool tied_outputs = false;  // outputs are the input tokens: one table serves both
  std::vector<std::string>
      metrics;  // the first is the one that tables show (experiments/evaluation/metrics.h)
  // Of the first metric by chance; tables show what the trivial rule reaches, where there is one.
  double chance = std::numeric_limits<double>::quiet_NaN();
  double ceiling = std::numeric_limits<double>::quiet_NaN();  // the best that can be reached
  std::string gate{};        // what the task isolates, where its target makes a gate of it
  bool by_position = false;  // also report the first metric by position in the sequence
  bool binned = false;  // a size is an upper bound: its samples are above the next smaller size
};

/// A draw of training samples. The same request always gives the same batch.
struct TrainingRequest {
  int64_t size;   // of a sample: tokens, image side, frames, nodes at most
  int64_t batch;  // samples
  uint64_t seed;  // of the run
  uint64_t step;
  int64_t rank = 0;       // of this process among those that share the step
  int64_t processes = 1;  // that share it
};

/// The samples of a step that this process trains on: of `whole`, the step's batch, which all
/// processes draw alike, the part number `rank` of `processes` equal ones. Throws InputError where
/// the samples cannot be shared equally.
Batch share_of(const Batch& whole, const TrainingRequest& request);

/// Evaluation samples of one size. The samples do not depend on the run's seed or encoding.
struct EvaluationRequest {
  int64_t size;       // of a sample, as in training
  int64_t samples;    // how many are drawn, where samples are drawn; at most, where data is finite
  int64_t tokens;     // how many held-out tokens are used, where a stream of text is cut
  int64_t batch;      // samples a batch, at most
  int64_t above = 0;  // binned tasks: samples are larger than this and at most `size`
  int64_t block = 0;  // the largest size of the evaluation: neighbouring windows of a stream of
                      // text are alike, so that blocks of this size count as one sample
  /// Settings are chosen on validation, results are of test; train is for rules made from it.
  Split split = Split::test;
};

/// Throws InputError unless the request asks for samples, and for batches of them. `task` is named
/// in front of the message, if it is given.
void check_counts(const EvaluationRequest& request, const std::string& task = "");

/// The dataset of a task as the one of its modality. Throws InputError, `task reversed needs a
/// dataset of audio, none found`, where it is another or there is none.
template <class Wanted>
const Wanted& dataset_of(const Dataset* dataset, std::string_view task, std::string_view what) {
  const auto* wanted = dynamic_cast<const Wanted*>(dataset);
  if (wanted == nullptr) {
    input_error("task {} needs a dataset of {}, {} found", task, what,
                dataset == nullptr ? "none" : "one of another kind");
  }
  return *wanted;
}

class Task {
 public:
  virtual ~Task() = default;
  virtual TaskTraits traits() const = 0;
  /// The best value of the first metric that a model with this relation can reach at this size; NaN
  /// where it is not known.
  virtual double ceiling(const std::string& /*relation*/, int64_t /*size*/) const {
    return traits().ceiling;
  }
  /// Tokens of a sample of this size (a picture of 20 pixels a side with patch 4 has 25).
  virtual int64_t tokens(int64_t size) const { return size; }
  virtual Batch training(const TrainingRequest& request) const = 0;
  /// What tables call a test sample, `block of 1024 bytes`; empty: as its modality does.
  virtual std::string sample_unit(const EvaluationRequest& /*request*/) const { return ""; }
  /// The structure of the largest training sample, for whose range of positions a model is built;
  /// of binned tasks, whose samples have any length up to the size, the largest of some.
  virtual Structure trained(int64_t size, uint64_t seed) const;
  /// Hands the samples to `use`, batch by batch. Throws InputError where the data is too short.
  virtual void evaluation(const EvaluationRequest& request,
                          const std::function<void(const Batch&)>& use) const = 0;
  /// Throws InputError unless a run with these sizes can be trained and evaluated: everything that
  /// can be known to fail is known before the training.
  virtual void check(const std::vector<int64_t>& train_sizes,
                     const std::vector<EvaluationRequest>& evaluations) const = 0;
};

/// A benchmark measures what a user wants on data as it is. A gate states or nearly states its
/// answer in the relation, or isolates one ability: no ranks and no advice rest on it.
enum class TaskKind { benchmark, gate };

struct TaskEntry {
  std::string name{};      // from the file name, set by the catalogue
  std::string modality{};  // from the folder, set by the catalogue
  int64_t version = 1;     // raised where a default changes, or what it computes
  std::string summary;     // inputs, targets, what it proves
  std::string relation;    // the relation that a model of this task uses unless told otherwise
  std::string trivial{};   // the rule that makes Answers::guesses: what is right without a relation
  TaskKind kind = TaskKind::benchmark;
  std::string ability{};  // of a gate: what it isolates, in one line
  bool needs_dataset = false;
  std::vector<OptionSpec> options{};
  /// `dataset` is null for tasks that make their own samples, and outlives the task.
  std::function<std::unique_ptr<Task>(const Options&, const Dataset* dataset)> make;
};

/// Generated from the files in modalities/*/datasets/ and modalities/*/tasks/.
const std::vector<DatasetEntry>& dataset_entries();
const std::vector<TaskEntry>& task_entries();

/// Reads `lag-copy lag=5`, `text-file path=notes`.
Options parse_task(const std::string& text);
Options parse_dataset(const std::string& text);

}  // namespace relbias::modalities
