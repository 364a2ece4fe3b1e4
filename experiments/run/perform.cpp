// SPDX-License-Identifier: Apache-2.0
// experiments/run: the course of one run: begin or continue, train, evaluate, keep the record.
#include "experiments/run/perform.h"

#include <ATen/Parallel.h>
#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>
#include <tuple>

#include "experiments/evaluation/attention_report.h"
#include "experiments/evaluation/evaluation.h"
#include "experiments/evaluation/past_clip.h"
#include "experiments/run/device.h"
#include "experiments/run/record/identity.h"
#include "experiments/run/record/learned_table.h"
#include "experiments/run/record/provenance.h"
#include "experiments/run/record/snapshot.h"
#include "experiments/run/record/weights.h"
#include "experiments/run/trainer.h"
#include "experiments/tuning/trial.h"
#include "experiments/version.h"
#include "results/metrics/metric.h"
#include "results/store/store.h"

namespace relbias::experiments {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// On a CPU the seconds that all threads together were at work, a thread: what other programs took
// meanwhile does not count. On other devices the clock's.
double seconds_at_work(const std::string& device) {
  if (device != "cpu") return seconds_since({});
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return (static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec)) /
         at::get_num_threads();
}

struct Interrupted {};

// What went wrong, as the record of a failed run says it.
std::string failure_text(const std::exception& error) {
  const auto* internal = dynamic_cast<const c10::Error*>(&error);
  const std::string text = internal ? internal->what_without_backtrace() : error.what();
  if (is_out_of_memory(error)) return "out of memory: " + text;
  return internal ? "internal error: " + text : text;
}

class Performance {
 public:
  Performance(const RunRequest& request, const Watcher& watcher)
      : request_(request),
        watcher_(watcher),
        record_(new_record(request.study, request.config, request.role)) {}

  RunEnd perform() {
    const std::optional<RunRecord> earlier = read_earlier();
    if (earlier && is_finished(earlier->status)) {
      return earlier->status == RunStatus::done ? RunEnd::done : RunEnd::diverged;
    }
    const bool continues = earlier && can_be_taken_up(*earlier);
    if (continues) take_up(*earlier);
    try {
      return carry_out(continues);
    } catch (const Interrupted&) {
      save();
      return RunEnd::interrupted;
    } catch (const Diverged& divergence) {
      finish(RunStatus::diverged, divergence.what());
      return RunEnd::diverged;
    } catch (const StoreError&) {
      throw;  // nothing can be written now, and the last snapshot can still be continued
    } catch (const std::exception& error) {
      const std::string text = failure_text(error);
      if (continues && !begun_) throw RunRefused(text);  // the snapshot is still good
      trainer_.reset();  // its memory may be what the record's writing lacks
      finish(RunStatus::failed, text);
      throw std::runtime_error(text);
    }
  }

 private:
  // A failed run may be tried elsewhere, from its beginning.
  bool can_be_taken_up(const RunRecord& earlier) const {
    const bool elsewhere = earlier.status == RunStatus::failed &&
                           earlier.device != choose_device(request_.device).str();
    return earlier.checkpoint && !elsewhere;
  }

  void take_up(const RunRecord& earlier) {
    here_ = record_;
    record_ = earlier;
    record_.config = here_.config;  // what is logged and kept may have changed
    record_.status = RunStatus::running;
    std::tie(record_.role, record_.tuning) = std::tie(request_.role.name, request_.role.tuning);
    record_.message.clear();
    record_.finished.clear();
  }

  std::optional<RunRecord> read_earlier() const {
    if (!std::filesystem::exists(request_.file)) return std::nullopt;
    try {
      RunRecord earlier = read_run(request_.file);
      if (earlier.identity == record_.identity) return earlier;
    } catch (const StoreError& error) {
      throw RunRefused(fmt::format("{}; remove the file to run it again", error.what()));
    }
    throw RunRefused(fmt::format("{} holds another run of the same id", request_.file.string()));
  }

  RunEnd carry_out(bool continues) {
    at::set_num_threads(static_cast<int>(continues ? record_.threads : request_.threads));
    const c10::Device device = choose_device(request_.device);
    DatasetCache cache;
    experiment_ = build(request_.config, cache);
    experiment_->model->to(device);
    trainer_.emplace(request_.config, *experiment_);
    if (continues) {
      continue_from(*record_.checkpoint, device);
    } else {
      begin(device);
    }
    begun_ = true;
    start_ = last_save_ = Clock::now();
    train();
    save();  // what may fail from here on, by its memory for instance, need not cost the training
    evaluate_now();
    for (const auto& term : experiment_->model->learned_terms()) {
      record_.tables.push_back(learned_table(term));
    }
    record_.attention = watch_attention(request_.config, *experiment_);
    record_.backend = experiment_->model->backend();
    if (request_.config.keep.weights) record_.weights = weights_of(*experiment_->model);
    finish(RunStatus::done, "");
    return RunEnd::done;
  }

  void evaluate_now() {
    auto [rows, samples] = evaluate(request_.config, *experiment_, [&](int64_t size) {
      watcher_.on_evaluation(size);
      stop_if_wanted();
    });
    for (EvaluationRow& row : rows) {
      row.step = trainer_->step();
      row.commit = git_commit();
      record_.evaluation.push_back(std::move(row));
    }
    for (SampleSet& set : samples) {
      set.step = trainer_->step();
      record_.samples.push_back(std::move(set));
    }
  }

  void begin(c10::Device device) {
    record_.device = device.str();
    record_.threads = at::get_num_threads();
    std::tie(record_.parameters_total, record_.parameters_position) =
        count_parameters(*experiment_->model);
    const TaskTraits& traits = experiment_->traits;
    record_.primary_metric = traits.metrics.front();
    record_.better = better(record_.primary_metric);
    const bool gate = experiment_->entry.kind == TaskKind::gate || !traits.gate.empty();
    record_.task_kind = gate ? "gate" : "benchmark";
    record_.ability = traits.gate.empty() ? experiment_->entry.ability : traits.gate;
    record_.ceiling = ceiling();
    record_.wall_seconds = 0;
    if (experiment_->dataset) {
      record_.dataset_hash = experiment_->dataset->content_hash();
      record_.dataset_report = experiment_->dataset->report();
    }
    record_.past_clip = past_clip(request_.config, *experiment_);
    write_run(request_.file, record_);
    remove_snapshots(request_.file);  // of a run whose record somebody removed
  }

  // What the relation that knows most lets a model reach at the training size.
  double ceiling() const {
    double best = not_given;
    for (const RecordedPosition& position : record_.positions) {
      const double one = experiment_->task->ceiling(position.relation, request_.config.train.size);
      if (std::isnan(one)) return one;
      best = std::isnan(best) ? one : std::max(best, one);
    }
    return best;
  }

  void continue_from(const Checkpoint& checkpoint, c10::Device device) {
    here_.device = device.str();
    if (experiment_->dataset) here_.dataset_hash = experiment_->dataset->content_hash();
    const std::vector<std::string> differing = differences(record_, here_);
    if (!differing.empty() && !request_.continue_anyway) {
      input_error(
          "{} cannot be continued bit-identically: here {}. Take what began it, let "
          "--continue-anyway go on regardless, or remove the file to begin again",
          request_.file.string(), fmt::join(differing, "; "));
    }
    note_continuation(differing, checkpoint.step);
    try {
      read_snapshot(snapshot_file(request_.file, checkpoint.step), checkpoint.checksum,
                    trainer_->state());
    } catch (const StoreError& error) {
      throw RunRefused(
          fmt::format("{}; remove {} to begin again", error.what(), request_.file.string()));
    }
    trainer_->continue_behind(checkpoint.step);
    std::erase_if(record_.train, [&](const TrainRow& row) { return row.step > trainer_->step(); });
    std::erase_if(record_.evaluation,
                  [&](const EvaluationRow& row) { return row.step > trainer_->step(); });
    std::erase_if(record_.samples,
                  [&](const SampleSet& set) { return set.step > trainer_->step(); });
    seconds_before_ = record_.wall_seconds;
    write_run(request_.file, record_);  // it runs again
    watcher_.on_continue(trainer_->step());
  }

  // The record speaks of the program and data that go on with it; notes say what began it.
  void note_continuation(std::vector<std::string> differing, int64_t step) {
    if (!is_same_cpu(record_, here_))
      differing.push_back(fmt::format("cpu {}, not {}", here_.cpu, record_.cpu));
    for (const std::string& difference : differing) {
      record_.continued.push_back(fmt::format("from step {}: {}", step, difference));
    }
    record_.commit = here_.commit;
    record_.uncommitted = here_.uncommitted;
    record_.versions = here_.versions;
    record_.cpu = here_.cpu;
    record_.device = here_.device;
    record_.dataset_hash = here_.dataset_hash;
  }

  void train() {
    double last_row = seconds_at_work(record_.device);
    int64_t tokens = 0;
    evaluate_if_due();  // where the run was interrupted
    while (!trainer_->finished()) {
      const StepReport report = trainer_->advance();
      const int64_t step = trainer_->step();
      tokens += report.tokens;
      if (step == 1 || step % request_.config.train.log_every == 0 || trainer_->finished()) {
        const double now = seconds_at_work(record_.device);
        record_.train.push_back(
            {.step = step,
             .loss = report.loss,
             .learning_rate = report.learning_rate,
             .gradient_norm = report.gradient_norm,
             .tokens_per_second = static_cast<double>(tokens) / (now - last_row),
             .peak_memory = peak_memory(experiment_->model->parameters().front().device()),
             .seconds = seconds()});
        last_row = now;
        tokens = 0;
      }
      watcher_.on_step(step, report.loss);
      stop_if_wanted();
      evaluate_if_due();
      if (seconds_since(last_save_) >= request_.checkpoint_seconds) save();
    }
  }

  // Within the training; its end is evaluated in any case.
  void evaluate_if_due() {
    const int64_t now = trainer_->step();
    const auto steps = static_cast<double>(request_.config.train.steps);
    const auto is_now = [&](double share) {
      return std::max<int64_t>(1, std::llround(share * steps)) == now;
    };
    if (trainer_->finished() || !std::ranges::any_of(request_.config.evaluate.at, is_now) ||
        std::ranges::count(record_.evaluation, now, &EvaluationRow::step) > 0) {
      return;
    }
    evaluate_now();
    save();  // with what was found: a run that continues does not look again
  }

  void stop_if_wanted() const {
    if (watcher_.wants_stop()) throw Interrupted();
  }

  double seconds() const { return seconds_before_ + seconds_since(start_); }

  void save() {
    const int64_t step = trainer_->step();
    const auto file = snapshot_file(request_.file, step);
    if (!record_.checkpoint || record_.checkpoint->step != step) {
      record_.checkpoint = Checkpoint{step, write_snapshot(file, trainer_->state())};
    }
    record_.wall_seconds = seconds();
    write_run(request_.file, record_);
    remove_snapshots(request_.file, step);
    last_save_ = Clock::now();
  }

  void finish(RunStatus status, const std::string& message) {
    record_.status = status;
    record_.message = message;
    if (is_finished(status)) record_.checkpoint.reset();
    record_.finished = utc_time();
    record_.wall_seconds = seconds();
    write_run(request_.file, record_);
    if (!record_.checkpoint) remove_snapshots(request_.file);
  }

  const RunRequest& request_;
  const Watcher& watcher_;
  RunRecord record_;
  RunRecord here_;  // of a run that is taken up: what this program would have begun
  std::optional<Experiment> experiment_;
  std::optional<Trainer> trainer_;
  Clock::time_point start_ = Clock::now(), last_save_ = start_;
  bool begun_ = false;  // trains, or did; before that an interrupted run's snapshot is untouched
  double seconds_before_ = 0;
};

RunLock lock(const std::filesystem::path& file) {
  try {
    return RunLock(file);
  } catch (const RunHeld& error) {
    throw RunBusy(error.what());
  }
}

}  // namespace

RunEnd perform(const RunRequest& request, const Watcher& watcher) {
  const RunLock lock_of_run = lock(request.file);
  return Performance(request, watcher).perform();
}

RunRecord new_record(const std::string& study, const RunConfig& config, const RunRole& role) {
  RunRecord record;
  record.role = role.name;
  record.tuning = role.tuning;
  record.study = study;
  record.config = config_text(config);
  record.identity = identity_text(config);
  record.run_id = run_id(record.identity);
  record.settings = recorded_settings(config);
  RunConfig named = config;
  take_tuned_out(role.tuning, named);
  record.positions = recorded_positions(named);
  stamp(record);
  record.started = utc_time();
  record.modality = find_entry("task", config.data.task.name(), task_entries()).modality;
  record.task = config.data.task.label();
  record.dataset = config.data.dataset.label();
  std::vector<std::string> relations;
  relations.reserve(config.model.positions.size());
  for (const auto& position : config.model.positions) {
    relations.push_back(position.relation.label());
  }
  record.relation = fmt::format("{}", fmt::join(relations, " + "));
  record.encoding = position_label(named.model);
  record.seed = config.seed;
  record.train_size = config.train.size;
  return record;
}

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace relbias::experiments
