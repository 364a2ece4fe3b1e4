// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `defect`: the label of a function.
#include "modalities/code/function_task.h"
#include "modalities/sampling/trained_classes.h"

namespace relbias::modalities {
namespace {

/// The dataset's label, 0 or 1, of every function that has one: whether it has a defect, or, for
/// pairs of functions, whether they do the same. Chance is the share of the commoner label.
class Defect final : public FunctionTask {
 public:
  Defect(const Options& options, const CodeDataset& code) : FunctionTask(options, code) {
    select();
    double ones = 0, all = 0;
    each_held_out([&](const Snippet& snippet, const FunctionAnswers&) {
      ones += static_cast<double>(snippet.label);
      ++all;
    });
    if (all == 0) {
      input_error("task defect: no function has a label, those of dataset codexglue have one: {}",
                  code.report());
    }
    chance_ = std::max(ones, all - ones) / all;
    std::vector<ClassCount> labels = {{.name = "0"}, {.name = "1"}};
    for (const Snippet& snippet : code.snippets(Split::train)) {
      ++labels.at(static_cast<size_t>(snippet.label)).trained;
    }
    labels[0].held_out = static_cast<int64_t>(all - ones);
    labels[1].held_out = static_cast<int64_t>(ones);
    check_trained(fmt::format("task defect: {}", code.report()), labels);
  }

  TaskTraits traits() const override {
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.about = Question::About::sample, .outputs = 2}},
            .metrics = {"accuracy", "balanced accuracy", "cross-entropy"},
            .chance = chance_,
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  bool suits(const Snippet& snippet) override { return snippet.label >= 0; }

  FunctionAnswers ask(const Snippet& snippet, QuestionDraw&) const override {
    FunctionAnswers result;
    result.answers = {about_sample(snippet.label, true)};
    return result;
  }

 private:
  double chance_ = 0;
};

}  // namespace

TaskEntry task_defect() {
  return {
      .summary = "the label of a function, 0 or 1: a defect, or for pairs of functions a clone",
      .relation = "tree",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<Defect>(options, code_dataset(dataset, "defect"));
          },
  };
}

}  // namespace relbias::modalities
