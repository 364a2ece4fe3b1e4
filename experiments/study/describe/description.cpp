// SPDX-License-Identifier: Apache-2.0
// experiments/study/describe: descriptions for the reader of a terminal.
#include "experiments/study/describe/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/encoding.h"
#include "experiments/attend/attend.h"
#include "experiments/config/config.h"
#include "experiments/config/example_context.h"
#include "experiments/published/tables.h"
#include "experiments/run/optimiser.h"
#include "experiments/run/schedule.h"
#include "experiments/study/describe/study_description.h"
#include "experiments/study/matrix.h"
#include "experiments/study/study.h"
#include "modalities/plain/range_text.h"
#include "results/metrics/metric.h"

namespace relbias::experiments {
namespace {

std::string allowed(const OptionSpec& spec) {
  if (!spec.choices.empty()) return fmt::format(" ({})", fmt::join(spec.choices, " | "));
  const std::string range = range_text(spec.minimum, spec.maximum);
  return range.empty() ? "" : fmt::format(" ({})", range);
}

std::string option_lines(const std::vector<OptionSpec>& specs) {
  std::string text;
  size_t width = 0;
  const auto assignment = [](const OptionSpec& spec) {
    return spec.name + "=" + option_text(spec.value);
  };
  for (const auto& spec : specs) width = std::max(width, assignment(spec).size());
  for (const auto& spec : specs) {
    text += fmt::format("{}{:<{}}  {}{}", text.empty() ? "" : "\n", assignment(spec), width,
                        spec.meaning, allowed(spec));
  }
  return text;
}

// The parameters of an encoding with its default options, on the first relation that allows it.
std::string parameter_lines(const EncodingEntry& entry) {
  const Options options = parse_encoding(entry.name);
  for (const auto& relation : relation_entries()) {
    for (const bool causal : {true, false}) {
      const EncodingContext context = example_context(relation, causal);
      if (undefined_reason(options, relation.name, context)) continue;
      const auto encoding = make_encoding(options, relation.name, context, Initialiser(0));
      std::vector<std::string> lines;
      for (const auto& parameter : encoding->named_parameters()) {
        lines.push_back(
            fmt::format("{} [{}]", parameter.key(), fmt::join(parameter.value().sizes(), ", ")));
      }
      if (lines.empty()) return "none";
      return fmt::format("{}\n(shapes for {} heads of width {}, {} of {} positions)",
                         fmt::join(lines, "\n"), context.heads, context.head_width, relation.name,
                         fmt::join(context.trained.sides, "x"));
    }
  }
  return "";
}

std::string defined_on(const EncodingEntry& entry) {
  std::string text;
  for (const auto& pairing : pairings()) {
    if (pairing.encoding != entry.name) continue;
    const auto& reason = pairing.full_reason ? pairing.full_reason : pairing.causal_reason;
    const bool somewhere = !pairing.full_reason || !pairing.causal_reason;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", pairing.relation,
                        somewhere ? "yes" : "no");
    if (reason) text += fmt::format("{}{}", somewhere ? ", but " : ", ", *reason);
  }
  return text;
}

std::string describe_encoding(const EncodingEntry& entry) {
  return fmt::format("encoding {}\n", entry.name) + paragraph("formula", entry.formula) +
         paragraph("source", entry.source) + paragraph("initially", entry.initial) +
         paragraph("parameters", parameter_lines(entry)) +
         paragraph("options", option_lines(encoding_options(entry))) +
         paragraph("defined on", defined_on(entry));
}

std::string describe_relation(const RelationEntry& entry) {
  return fmt::format("relation {} ({})\n", entry.name, entry.modality) +
         paragraph("r(i,j)", entry.summary) + paragraph("example", entry.example) +
         paragraph("options", option_lines(entry.options));
}

std::string describe_dataset(const DatasetEntry& entry) {
  return fmt::format("dataset {} ({})\n", entry.name, entry.modality) +
         paragraph("what", entry.summary) + paragraph("options", option_lines(entry.options));
}

std::string describe_task(const TaskEntry& entry) {
  return fmt::format("task {} ({})\n", entry.name, entry.modality) +
         paragraph("what", entry.summary) +
         paragraph("data", entry.needs_dataset ? "needs a dataset" : "makes its own samples") +
         paragraph("guessing", entry.trivial) +
         paragraph("kind", entry.kind == TaskKind::gate ? "gate: " + entry.ability : "benchmark") +
         paragraph("relation", entry.relation + ", unless the model names another") +
         paragraph("options", option_lines(entry.options));
}

std::string describe_metric(const MetricEntry& entry) {
  return fmt::format("metric {}\n", entry.name) + paragraph("value", entry.summary) +
         paragraph("range", fmt::format("{} to {}{}{}, {} is better", entry.least, entry.most,
                                        entry.unit.empty() ? "" : " ", entry.unit,
                                        entry.higher_is_better ? "higher" : "lower")) +
         paragraph("keeps", fmt::format("{}{} of each sample", fmt::join(entry.columns, ", "),
                                        entry.by_category ? ", by category," : ""));
}

// An optimiser or a schedule.
template <class Entry>
std::string describe_course(const char* kind, const Entry& entry) {
  return fmt::format("{} {}\n", kind, entry.name) + paragraph("formula", entry.summary) +
         paragraph("options", option_lines(entry.options));
}

std::string describe_published(const std::string& name) {
  const Published table = read_published(name);
  return fmt::format("published table {}\n", name) +
         paragraph("full", table.ours.full_deviates.empty()
                               ? "the published set-up"
                               : "after the published set-up: " + table.ours.full_deviates) +
         paragraph("scaled", table.ours.deviates) + paragraph("data", table.ours.data) +
         paragraph("command", "relbias reproduce " + name) + "\n" + as_text(table);
}

std::string describe_config() {
  std::string text =
      "Settings of a run: in the tables of a study, its [sweep], its [smoke], --set.\n";
  for (const auto& setting : describe_settings()) {
    const std::string range = setting.allowed.empty() ? "" : ", " + setting.allowed;
    text += fmt::format("\n{} = {}\n    {} ({}{})\n", setting.key, setting.value, setting.meaning,
                        setting.type, range);
  }
  return text;
}

template <class Entry, class Describe>
void add_described(const std::string& name, const std::vector<Entry>& entries, Describe describe,
                   std::vector<std::string>& found, std::vector<std::string>& names) {
  for (const auto& entry : entries) {
    names.push_back(entry.name);
    if (entry.name == name) found.push_back(describe(entry));
  }
}

}  // namespace

std::string describe(const std::string& name) {
  std::vector<std::string> found, names{"config", "study", "attend"};
  if (name == "config") found.push_back(describe_config());
  if (name == "study") found.push_back(describe_study_keys());
  if (name.ends_with(".toml")) found.push_back(describe_study(name));
  if (name == "attend") found.push_back(attend_format());
  add_described(name, encoding_entries(), describe_encoding, found, names);
  add_described(name, relation_entries(), describe_relation, found, names);
  add_described(name, dataset_entries(), describe_dataset, found, names);
  add_described(name, task_entries(), describe_task, found, names);
  add_described(name, metric_entries(), describe_metric, found, names);
  const auto course = [](const char* kind) {
    return [kind](const auto& entry) { return describe_course(kind, entry); };
  };
  add_described(name, optimiser_entries(), course("optimiser"), found, names);
  add_described(name, schedule_entries(), course("schedule"), found, names);
  for (const auto& study : study_names()) {
    names.push_back(study);
    if (study == name) found.push_back(describe_study(study));
  }
  for (const auto& table : published_names()) {
    names.push_back(table);
    if (table == name) found.push_back(describe_published(table));
  }
  if (found.empty()) unknown_word("name", name, names);
  return fmt::format("{}", fmt::join(found, "\n"));
}

}  // namespace relbias::experiments
