// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `completion`: the next token of a function.
#include <algorithm>

#include "modalities/code/function_task.h"

namespace relbias::modalities {
namespace {

/// Every token predicts the text of the next, among the texts that the vocabulary knows (literals
/// are `<integer>`, `<string>`, ...); where the next text is none of them nothing is scored.
///
///   inputs    def f   (   a   )   :
///   targets   f   (   a   )   :         f is scored only if it is frequent
///
/// Causal, and without the syntax tree: how far up `a` stands from `(` already tells whether an
/// operator follows it. So relations of the sequence only.
class Completion final : public FunctionTask {
 public:
  Completion(const Options& options, const CodeDataset& code) : FunctionTask(options, code) {
    if (options.word("tokens") == "nodes") {
      input_error("task completion: tokens=nodes would show the tree of what is to come");
    }
    select();
    std::vector<int64_t> counts(static_cast<size_t>(code.vocabulary().known_texts()));
    int64_t all = 0;
    each_held_out([&](const Snippet&, const FunctionAnswers& asked) {
      const ExampleAnswers& next = asked.answers.front();
      for (size_t node = 0; node < next.targets.size(); ++node) {
        if (next.scored[node] != 0) {
          ++counts[static_cast<size_t>(next.targets[node])];
          ++all;
        }
      }
    });
    if (all > 0) {
      chance_ = static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
                static_cast<double>(all);
    }
  }

  TaskTraits traits() const override {
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.outputs = code_.vocabulary().known_texts()}},
            .causal = true,
            .metrics = {"accuracy", "cross-entropy", "perplexity"},
            .chance = chance_,
            .binned = true};
  }

 protected:
  bool has_tree() const override { return false; }

  bool suits(const Snippet& snippet) override {
    const auto answers = next_tokens(snippet);
    return std::count(answers.scored.begin(), answers.scored.end(), 1) > 0;
  }

  FunctionAnswers ask(const Snippet& snippet, QuestionDraw&) const override {
    FunctionAnswers result;
    result.answers = {next_tokens(snippet)};
    return result;
  }

 private:
  ExampleAnswers next_tokens(const Snippet& snippet) const {
    ExampleAnswers answers = unscored(snippet);
    for (size_t n = 1; n < snippet.tokens.size(); ++n) {
      const auto here = static_cast<size_t>(snippet.tokens[n - 1]);
      Vocabulary::Ids next;
      std::copy_n(snippet.ids.begin() + snippet.tokens[n] * static_cast<int64_t>(next.size()),
                  next.size(), next.begin());
      const int64_t text = code_.vocabulary().known_text(next);
      answers.targets[here] = std::max<int64_t>(text, 0);
      answers.scored[here] = text >= 0;
    }
    return answers;
  }

  double chance_ = 0;
};

}  // namespace

TaskEntry task_completion() {
  return {
      .summary = "the next token of a function, causal; scored where its text is known",
      .relation = "token",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<Completion>(options, code_dataset(dataset, "completion"));
          },
  };
}

}  // namespace relbias::modalities
