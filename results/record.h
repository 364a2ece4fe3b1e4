// SPDX-License-Identifier: Apache-2.0
// results: the front door. What one run was, measured and learned, in plain types.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::results {

/// What went wrong with a results file or folder; the message names it.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The layout of run files that this program writes (schema.md). It still reads the first, whose
/// runs lack what verdicts need: their `schema_version` says so.
inline constexpr int64_t current_schema = 2;

/// A number that does not apply: no chance level, no ceiling, no factor.
inline constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

/// `running` is also what an interrupted run says: it can be continued, like a failed one that has
/// a checkpoint.
enum class RunStatus { running, done, failed, diverged };

/// Whether a run with this status needs no further work.
inline bool is_finished(RunStatus status) {
  return status == RunStatus::done || status == RunStatus::diverged;
}

/// One logged step of training.
struct TrainRow {
  int64_t step = 0;
  double loss = not_given;
  double learning_rate = not_given;
  double gradient_norm = not_given;
  double tokens_per_second = not_given;
  int64_t peak_memory = 0;     // bytes
  double seconds = not_given;  // since the start of training, interruptions left out
};

/// One metric at one size. Keyed by (size, condition, metric).
struct EvaluationRow {
  int64_t size = 0;           // tokens, frames, nodes, image side
  double factor = not_given;  // size / trained size; NaN for bins
  std::string condition;      // "<=15", "4 segments", "depth 16"; empty: the plain size
  std::string metric;
  double value = not_given;
  double standard_error = not_given;
  int64_t samples = 0;
  double chance = not_given;
  bool defined = true;  // false: the encoding has no answer at this size, and `reason` says why
  std::string reason;
  int64_t step = 0;    // of training, at which it was evaluated
  std::string commit;  // of the program that evaluated it
};

/// One encoding on one relation of the model, typed: nothing has to read a label.
struct RecordedPosition {
  std::string encoding;                                   // its name
  std::map<std::string, std::string> options{};           // every one that differs from its default
  std::string relation{};                                 // its name
  std::map<std::string, std::string> relation_options{};  // likewise
  int64_t encoding_version = 1;
  int64_t relation_version = 1;

  bool operator==(const RecordedPosition&) const = default;
};

/// What one metric's value is made of, sample by sample, in the columns that the metric's entry
/// names: sum and count, or score and target.
struct SampleScores {
  std::string metric;
  std::vector<std::vector<double>> columns{};  // [columns][m]
  std::vector<std::vector<double>> guesses{};  // likewise, of the trivial rule; empty: none
  std::vector<std::string> names{};            // [columns], as the file has them: `hits`, `count`
};

/// The test samples of one size and condition, in the order in which every run of the task meets
/// them.
struct SampleSet {
  int64_t size = 0;
  std::string condition{};
  int64_t step = 0;                    // of training, at which it was evaluated
  std::string hash{};                  // of what the samples are: equal ones pair sample by sample
  std::string unit{};                  // what a sample is: `picture`, `block of 1024 bytes`
  std::vector<std::string> sources{};  // [m]; not read for tables
  std::vector<SampleScores> scores{};
};

/// One trained array of the model.
struct Weights {
  std::string name;
  std::vector<int64_t> shape{};
  std::vector<float> values{};  // row-major
};

/// A table that an encoding learned. Where one of its dimensions is called "relation", row r of it
/// stands at coordinates[r * A + a] along axes[a] (offset; dy, dx; hops; up, down); a row without a
/// place there (class token, unreachable) has NaN and its name in labels[r].
struct LearnedTable {
  std::string layer;     // "0", "1", ... or "shared"
  std::string term;      // "score", "key", ...; "score@tree" where several relations are used
  std::string relation;  // "token", "grid", ...
  std::vector<std::string> dimensions;  // {"head", "relation", "width"}
  std::vector<int64_t> shape;
  std::vector<float> values;  // row-major

  std::vector<std::string> axes;    // [A]
  std::vector<double> coordinates;  // [R, A]
  std::vector<std::string> labels;  // [R], or empty where every row has coordinates
  std::vector<bool> attended;       // [R]: whether any query may attend so; empty: not known
};

/// A monitor of attention: entropy, share by distance, ...
struct Monitor {
  std::string name;
  std::vector<std::string> dimensions;  // {"layer", "head", "distance"}
  std::vector<int64_t> shape;
  std::vector<double> values;  // row-major
};

/// Where an interrupted run continues, bit by bit: from the file `<run id>.step-<step>.snapshot`
/// beside its own.
struct Checkpoint {
  int64_t step = 0;
  std::string checksum;  // of that file
};

struct RunRecord {
  int64_t schema_version = current_schema;
  std::string run_id;        // hash of the identity; names the file
  std::string identity;      // the text that run_id is the hash of
  std::string role = "run";  // or "trial": of the tuning, no part of run_id
  std::string study;
  RunStatus status = RunStatus::running;
  std::string message;  // why it failed or diverged

  std::string config;  // TOML, canonical, defaults filled in
  /// Every resolved setting that decides a number, and versions (`version.task`): key -> text. No
  /// encoding, no relation, no seed; `data.task` with what differs from the task's defaults.
  std::map<std::string, std::string> settings;
  std::string commit;
  std::string uncommitted;  // hash of the program's uncommitted changes; empty: none
  std::map<std::string, std::string> versions;  // libtorch, hdf5, compiler, ...
  std::string device;
  std::string cpu;                     // its model
  std::vector<std::string> continued;  // by another program or on other data: what differed
  int64_t threads = 0;
  int64_t parameters_total = 0;
  int64_t parameters_position = 0;
  std::string started;   // ISO 8601, UTC
  std::string finished;  // likewise; empty while running
  double wall_seconds = not_given;

  std::string modality;
  std::string task;
  std::string task_kind = "benchmark";  // or "gate"
  std::string ability;                  // of a gate: what it isolates, in one line
  std::string past_clip;  // "37 % of targets to size 40 lie past the clip of hops, 14"; or empty
  std::string dataset;
  std::string dataset_hash;
  std::string dataset_report;  // one line: what was read, what was skipped
  std::string relation;
  std::string encoding;  // as the user would write it, "t5 num_buckets=8"
  std::vector<RecordedPosition> positions;
  std::string backend;  // of attention: the one that ran
  int64_t seed = 0;
  int64_t train_size = 0;
  std::string primary_metric;
  std::string better;          // "lower", "higher", or empty: no direction known
  double ceiling = not_given;  // best reachable value of the primary metric, for the solved gate

  /// How its settings were chosen, a JSON object; empty: not tuned. `edge`: at the end of a grid.
  /// {"trials":6,"of":6,"chosen":{"train.learning_rate":"0.003"},"edge":["train.learning_rate"]}
  std::string tuning;

  std::vector<TrainRow> train;
  std::vector<EvaluationRow> evaluation;
  std::vector<SampleSet> samples;
  std::vector<LearnedTable> tables;
  std::vector<Monitor> attention;
  std::vector<Weights> weights;          // of the trained model, where they were kept
  std::optional<Checkpoint> checkpoint;  // on disk only until the run is finished

  std::string file;  // where read_run found it; not stored
};

}  // namespace relbias::results
