// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `defect`: the label of a function.
#include "modalities/code/function_task.h"
#include "modalities/sampling/trained_classes.h"

namespace relbias::modalities {
namespace {

/// The dataset's label, 0 or 1, of every function that has one: whether it has a defect, or, for
/// pairs of functions, whether they do the same.
class Defect final : public FunctionTask {
 public:
  Defect(const Options& options, const CodeDataset& code) : FunctionTask(options, code) {
    select();
    std::vector<ClassCount> labels = {{.name = "0"}, {.name = "1"}};
    for (const Split split : all_splits) {
      each(split, [&](const Snippet& snippet, const FunctionAnswers&) {
        ClassCount& count = labels.at(static_cast<size_t>(snippet.label));
        ++(split == Split::train ? count.trained : count.held_out);
      });
    }
    if (labels[0].held_out + labels[1].held_out == 0) {
      input_error("task defect: no function has a label, those of dataset codexglue have one: {}",
                  code.report());
    }
    check_trained(fmt::format("task defect: {}", code.report()), labels);
    guess_ = labels[1].trained > labels[0].trained;
  }

  TaskTraits traits() const override {
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.about = Question::About::sample, .outputs = 2}},
            .metrics = {"accuracy", "balanced accuracy", "cross-entropy"},
            .chance = 0.5,
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  bool suits(const Snippet& snippet) override { return snippet.label >= 0; }

  FunctionAnswers ask(const Snippet& snippet, QuestionDraw&) const override {
    FunctionAnswers result;
    result.answers = {about_sample(snippet.label, true, guess_)};
    return result;
  }

 private:
  int64_t guess_ = 0;
};

}  // namespace

TaskEntry task_defect() {
  return {
      .version = 2,
      .summary = "the label of a function, 0 or 1: a defect, or for pairs of functions a clone",
      .relation = "tree",
      .trivial = "the commoner label of the training functions",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<Defect>(options, code_dataset(dataset, "defect"));
          },
  };
}

}  // namespace relbias::modalities
