// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `completion`: the next token of a function.
#include <algorithm>
#include <map>
#include <unordered_map>

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
    count_successors();
  }

  TaskTraits traits() const override {
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.outputs = code_.vocabulary().known_texts()}},
            .causal = true,
            .metrics = {"accuracy", "cross-entropy", "perplexity"},
            .chance = 1.0 / static_cast<double>(code_.vocabulary().known_texts()),
            .ceiling = 1.0,
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
  static Vocabulary::Ids ids_of(const Snippet& snippet, size_t token) {
    Vocabulary::Ids ids;
    std::copy_n(snippet.ids.begin() + snippet.tokens[token] * static_cast<int64_t>(ids.size()),
                ids.size(), ids.begin());
    return ids;
  }

  // What the rule knows a token by: its text where that is known, else its type.
  int64_t known_as(const Vocabulary::Ids& ids) const {
    const int64_t text = code_.vocabulary().known_text(ids);
    return text >= 0 ? text : code_.vocabulary().known_texts() + ids[0];
  }

  // Of every token the text that follows most often in the training functions.
  void count_successors() {
    std::map<int64_t, std::map<int64_t, int64_t>> counts;
    for (const Snippet& snippet : code_.snippets(Split::train)) {
      for (size_t n = 1; n < snippet.tokens.size(); ++n) {
        const int64_t text = code_.vocabulary().known_text(ids_of(snippet, n));
        if (text >= 0) ++counts[known_as(ids_of(snippet, n - 1))][text];
      }
    }
    for (const auto& [token, next] : counts) {
      likeliest_[token] =
          std::ranges::max_element(next, {}, [](const auto& each) { return each.second; })->first;
    }
  }

  int64_t likeliest_after(const Vocabulary::Ids& ids) const {
    const auto found = likeliest_.find(known_as(ids));
    return found == likeliest_.end() ? 0 : found->second;  // 0: the commonest text
  }

  ExampleAnswers next_tokens(const Snippet& snippet) const {
    ExampleAnswers answers = unscored(snippet);
    answers.guesses.resize(answers.targets.size());
    for (size_t n = 1; n < snippet.tokens.size(); ++n) {
      const auto here = static_cast<size_t>(snippet.tokens[n - 1]);
      const int64_t text = code_.vocabulary().known_text(ids_of(snippet, n));
      answers.targets[here] = std::max<int64_t>(text, 0);
      answers.scored[here] = text >= 0;
      answers.guesses[here] = likeliest_after(ids_of(snippet, n - 1));
    }
    return answers;
  }

  std::unordered_map<int64_t, int64_t> likeliest_;  // successor
};

}  // namespace

TaskEntry task_completion() {
  return {
      .version = 2,
      .summary = "the next token of a function, causal; scored where its text is known",
      .relation = "token",
      .trivial = "the likeliest successor in the training functions of the token itself",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<Completion>(options, code_dataset(dataset, "completion"));
          },
  };
}

}  // namespace relbias::modalities
