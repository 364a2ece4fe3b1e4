// SPDX-License-Identifier: Apache-2.0
// modalities/code: what all tasks share whose samples are functions of a code dataset.
#pragma once

#include <random>

#include "modalities/code/code.h"
#include "modalities/code/example.h"

namespace relbias::modalities {

/// A random number stream with the one draw that is needed, the same on every system.
class QuestionDraw {
 public:
  explicit QuestionDraw(uint64_t seed) : engine_(seed) {}
  size_t below(size_t count) { return engine_() % count; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// What a task makes of a function, by node; the answers of a question about the sample have one
/// target and one scored flag. Pointers point at nodes.
struct FunctionAnswers {
  std::vector<ExampleAnswers> answers;
  /// Tokens that say something else: the text of another node, or nothing (-1: hidden).
  std::vector<std::pair<int32_t, int32_t>> replaced;
};

/// Samples are the dataset's functions: training draws from the training split, evaluation takes
/// every function of the split in the bin asked for, at most `samples` of them. A size is
/// an upper bound in tokens; longer functions belong to a larger size. The functions of a training
/// batch are of similar length, so that little is padding: one is drawn uniformly, the others from
/// the 8 * batch functions nearest to it in length.
///
/// Options of every such task: `tokens = leaves | nodes`, and `depth`: only functions whose blocks
/// nest at most so deep (0: any), or, with `deeper`, evaluation on the others.
class FunctionTask : public Task {
 public:
  FunctionTask(const Options& options, const CodeDataset& code);

  Batch training(const TrainingRequest& request) const final;
  /// As long as a function can be: that is what padding and longer functions of other steps reach.
  Structure trained(int64_t size, uint64_t seed) const final;
  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const final;
  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const final;

 protected:
  /// Whether the task can ask about this function; called once a function, before any other.
  virtual bool suits(const Snippet& snippet) = 0;
  /// What is asked; all that is left to chance comes from `draw`.
  virtual FunctionAnswers ask(const Snippet& snippet, QuestionDraw& draw) const = 0;
  /// Whether samples carry their syntax tree.
  virtual bool has_tree() const { return true; }

  /// Chooses the functions; the last thing that a constructor does.
  void select();

  /// Every function of a split that suits, as it is evaluated.
  void each(Split split,
            const std::function<void(const Snippet&, const FunctionAnswers&)>& use) const;

  /// Answers of one question about every node, none scored.
  static ExampleAnswers unscored(const Snippet& snippet);
  static ExampleAnswers about_sample(int64_t target, bool scored,
                                     std::optional<int64_t> guess = {});

  const CodeDataset& code_;
  const std::string name_;

 private:
  using Functions = std::vector<const Snippet*>;  // shortest first
  int64_t length(const Snippet& snippet) const;
  bool belongs(const Snippet& snippet, Split split) const;
  Functions between(const EvaluationRequest& request) const;
  Example example(const Snippet& snippet, QuestionDraw draw) const;
  const Functions& functions_of(Split split) const {
    return functions_[static_cast<size_t>(split)];
  }
  size_t shorter_than(const Functions& functions, int64_t tokens) const;

  const bool all_nodes_;
  const int64_t depth_;
  const bool deeper_;
  std::array<Functions, 3> functions_;  // by Split
};

/// The options that every such task has, and its own.
std::vector<OptionSpec> function_options(std::vector<OptionSpec> own = {});

/// Throws InputError unless the dataset is one of code.
const CodeDataset& code_dataset(const Dataset* dataset, std::string_view task);

/// How deep blocks nest above every node: 0 in a function's header, 1 in its body.
std::vector<int32_t> block_depths(const Snippet& snippet);

}  // namespace relbias::modalities
