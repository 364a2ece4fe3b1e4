// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `name-cloze`: which variable stands at a place that is hidden.
#include <algorithm>

#include "modalities/code/variable_task.h"

namespace relbias::modalities {
namespace {

/// One read of a local variable is hidden: its text and words, not that it is an identifier. The
/// hidden token points at the latest occurrence of its variable before it, among the latest
/// occurrences of every variable that has been bound by then.
///
///   def f(a, b): c = a + b; return ?     points at c; candidates a b (of a + b) and c
class NameCloze final : public VariableTask {
 public:
  NameCloze(const Options& options, const CodeDataset& code) : VariableTask(options, code) {
    select();
  }

  TaskTraits traits() const override {
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.kind = Question::Kind::pointer}},
            .metrics = {"accuracy", "cross-entropy"},
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  FunctionAnswers ask(const Snippet& snippet, QuestionDraw& draw) const override {
    const auto& [variables, slots] = function_of(snippet);
    const auto& occurrences = variables.occurrences;
    const size_t slot = draw.one_of(slots);
    ExampleAnswers answers = unscored(snippet);
    answers.candidates.resize(snippet.tree.nodes.size());
    const auto node = static_cast<size_t>(occurrences[slot].node);
    answers.scored[node] = 1;
    int64_t nearest = 0;
    for (const size_t n : variables.latest_before(slot)) {
      nearest = std::max<int64_t>(nearest, occurrences[n].node);
      answers.candidates[static_cast<size_t>(occurrences[n].node)] = 1;
      if (occurrences[n].variable == occurrences[slot].variable) {
        answers.targets[node] = occurrences[n].node;
      }
    }
    answers.guesses.resize(answers.targets.size(), nearest);
    FunctionAnswers result;
    result.answers = {std::move(answers)};
    result.replaced = {{occurrences[slot].node, -1}};
    return result;
  }
};

}  // namespace

TaskEntry task_name_cloze() {
  return {
      .version = 2,
      .summary = "a read of a variable is hidden: point at the latest occurrence of that variable",
      .relation = "tree",
      .trivial = "the nearest candidate",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<NameCloze>(options, code_dataset(dataset, "name-cloze"));
          },
  };
}

}  // namespace relbias::modalities
