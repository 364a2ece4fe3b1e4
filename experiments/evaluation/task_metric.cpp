// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: metrics of a task by their names.
#include "experiments/evaluation/task_metric.h"

#include <algorithm>

namespace relbias::experiments {
namespace {

bool is_number(const Question& question) { return question.kind == Question::Kind::number; }

// Empty where the metric can judge the question.
std::string wanted(const MetricEntry& metric, const Question& question) {
  const bool is_category = question.kind == Question::Kind::category;
  if (metric.one_target && question.about != Question::About::sample) {
    return "a question about the whole sample";
  }
  switch (metric.judges) {
    case Judges::choices:
    case Judges::joint_choices:
      return is_number(question) ? "a category or a token" : "";
    case Judges::categories:
      return is_category ? "" : "a category";
    case Judges::two_categories:
      return is_category && question.outputs == 2 ? "" : "one of two categories";
    case Judges::numbers:
      return is_number(question) ? "" : "a number";
  }
  return "";
}

}  // namespace

TaskMetric task_metric(const std::string& name, const TaskTraits& task) {
  const auto [question, entry] = read_metric(name);
  TaskMetric found{.name = name, .entry = entry};
  if (!question.empty() || !found.is_joint()) {
    const auto at = question.empty() ? task.questions.begin()
                                     : std::ranges::find(task.questions, question, &Question::name);
    if (at == task.questions.end() || found.is_joint()) {
      std::vector<std::string> names;
      for (const Question& one : task.questions) names.push_back(one.name + " " + entry->name);
      unknown_word("metric", name, found.is_joint() ? std::vector{entry->name} : names);
    }
    found.question = static_cast<size_t>(at - task.questions.begin());
    found.categories = at->kind == Question::Kind::category ? at->outputs : 0;
  }
  for (size_t n = 0; n < task.questions.size(); ++n) {
    if (!found.is_joint() && n != found.question) continue;
    const std::string missing = wanted(*entry, task.questions[n]);
    if (missing.empty()) continue;
    input_error("metric {}: the task's question{} found, {} expected", name,
                task.questions[n].name.empty() ? "" : " " + task.questions[n].name, missing);
  }
  return found;
}

}  // namespace relbias::experiments
