// SPDX-License-Identifier: Apache-2.0
// results/print: one run as text.
#include "results/print/inspect.h"

#include <fmt/format.h>

#include <cmath>

#include "results/print/sheet.h"
#include "results/schema.h"

namespace relbias::results {
namespace {

// A line, left out where there is nothing to say.
std::string line(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format("{:<12}{}\n", name, value);
}

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.5g}", value); }

std::string megabytes(double bytes) { return fmt::format("{:.1f} MB", bytes / 1e6); }

std::string heading_of(const RunRecord& run) {
  std::string out =
      fmt::format("run {} of study {}: {}\n", run.run_id, run.study, to_string(run.status));
  if (run.checkpoint) {
    out += fmt::format("can be continued from step {0}: {1}.step-{0}.snapshot\n",
                       run.checkpoint->step, run.run_id);
  } else if (run.status == RunStatus::running) {
    out += "has no checkpoint yet\n";
  }
  return run.message.empty() ? out : out + run.message + "\n";
}

std::string facts_of(const RunRecord& run) {
  std::string versions;
  for (const auto& [name, version] : run.versions) {
    versions += fmt::format("{}{} {}", versions.empty() ? "" : ", ", name, version);
  }
  const std::string dataset =
      run.dataset.empty() ? "" : fmt::format(" on {} (SHA-1 {})", run.dataset, run.dataset_hash);
  std::string out;
  out +=
      line("encoding", run.encoding + (run.relation.empty() ? "" : ", relation " + run.relation));
  out += line("task", fmt::format("{}: {}{}, trained at {}, seed {}", run.modality, run.task,
                                  dataset, run.train_size, run.seed));
  out += line("data", run.dataset_report);
  out += line("parameters", fmt::format("{}, {} of them of the encoding", run.parameters_total,
                                        run.parameters_position));
  out += line("ran on",
              fmt::format("{}, {} threads, {} attention", run.device, run.threads, run.backend));
  out += line("started", run.started);
  out += line("finished", run.finished);
  if (std::isfinite(run.wall_seconds)) out += line("took", number(run.wall_seconds) + " s");
  out += line("commit", run.commit);
  out += line("versions", versions);
  return out;
}

// The first and last logged steps and some between.
std::string training_of(const RunRecord& run) {
  if (run.train.empty()) return "\nno training step was logged\n";
  Sheet sheet;
  sheet.title = fmt::format("training, {} logged steps", run.train.size());
  sheet.headings = {"step",     "loss",        "learning rate", "gradient norm",
                    "tokens/s", "peak memory", "seconds"};
  constexpr size_t shown = 10;
  const size_t last = run.train.size() - 1;
  const size_t rows = std::min(shown, run.train.size());
  for (size_t i = 0; i < rows; ++i) {
    const TrainRow& row = run.train[rows == 1 ? 0 : last * i / (rows - 1)];
    sheet.rows.push_back(
        {{fmt::format("{}", row.step), ""},
         {number(row.loss), ""},
         {number(row.learning_rate), ""},
         {number(row.gradient_norm), ""},
         {number(row.tokens_per_second), ""},
         {row.peak_memory == 0 ? "-" : megabytes(static_cast<double>(row.peak_memory)), ""},
         {number(row.seconds), ""}});
  }
  return "\n" + as_text(sheet);
}

std::string evaluation_of(const RunRecord& run) {
  if (run.evaluation.empty()) return "\nnothing was evaluated\n";
  Sheet sheet;
  sheet.title = "evaluation";
  sheet.headings = {"metric", "size",           "factor",  "condition",
                    "value",  "standard error", "samples", "chance"};
  for (const EvaluationRow& row : run.evaluation) {
    const std::string value = row.defined ? fmt::format("{:.5g}", row.value) : "undefined";
    sheet.rows.push_back({{row.metric, ""},
                          {fmt::format("{}", row.size), ""},
                          {number(row.factor), ""},
                          {row.condition, ""},
                          {value, ""},
                          {number(row.standard_error), ""},
                          {fmt::format("{}", row.samples), ""},
                          {number(row.chance), ""}});
    if (!row.defined) {
      const std::string note = fmt::format("{} at {}: {}", row.metric, row.size, row.reason);
      sheet.notes.push_back({"", note});
    }
  }
  return "\n" + as_text(sheet);
}

std::string shape_of(const std::vector<std::string>& dimensions,
                     const std::vector<int64_t>& shape) {
  std::string out;
  for (size_t i = 0; i < shape.size(); ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : " x ", shape[i], dimensions[i]);
  }
  return out.empty() ? "one number" : out;
}

std::string arrays_of(const RunRecord& run) {
  std::string out;
  for (const LearnedTable& table : run.tables) {
    out += fmt::format("  encoding/{}/{}: {} (relation {})\n", table.layer, table.term,
                       shape_of(table.dimensions, table.shape), table.relation);
  }
  for (const Monitor& monitor : run.attention) {
    out += fmt::format("  attention/{}: {}\n", monitor.name,
                       shape_of(monitor.dimensions, monitor.shape));
  }
  for (const SampleSet& set : run.samples) {
    out += fmt::format("  samples/{}{}{}: {} of {}\n", set.size, set.condition.empty() ? "" : " ",
                       set.condition, set.sources.size(), set.unit);
  }
  if (!run.weights.empty()) out += fmt::format("  model: {} arrays\n", run.weights.size());
  return out.empty() ? out : "\nstored arrays\n" + out;
}

}  // namespace

std::string render_run(const RunRecord& run) {
  std::string out = heading_of(run) + "\n" + facts_of(run) + training_of(run) + evaluation_of(run) +
                    arrays_of(run);
  if (!run.config.empty()) out += "\nconfig\n\n" + run.config;
  return out.ends_with('\n') ? out : out + "\n";
}

}  // namespace relbias::results
