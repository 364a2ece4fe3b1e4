// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `variable-misuse`: is a variable mistaken for another, where, for which.
#include <algorithm>

#include "modalities/code/variable_task.h"

namespace relbias::modalities {
namespace {

/// Half of the samples have a bug: one read of a local variable says another that has been bound
/// before it (Allamanis et al. 2018; the joint task of Vasic et al. 2019). Three questions about
/// the sample:
///
///   bug       is there one, 2 categories, from the reads that may be mistaken
///   location  which of those reads, scored where there is a bug
///   repair    which variable it should be: a pointer to its first occurrence, among the first
///             occurrences of all that are bound before any of these reads, so that the choice says
///             nothing of where the bug is; scored where there is a bug
///
///   def f(a, b): return a + a     bug 1, location the second a of the sum, repair the b of (a, b)
///
/// `joint accuracy` wants all of them right.
class VariableMisuse final : public VariableTask {
 public:
  VariableMisuse(const Options& options, const CodeDataset& code) : VariableTask(options, code) {
    select();
  }

  TaskTraits traits() const override {
    using Kind = Question::Kind;
    using About = Question::About;
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.name = "bug", .about = About::sample, .outputs = 2},
                          {.name = "location", .kind = Kind::pointer, .about = About::sample},
                          {.name = "repair", .kind = Kind::pointer, .about = About::sample}},
            .metrics = {"bug accuracy", "location accuracy", "repair accuracy", "joint accuracy"},
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  FunctionAnswers ask(const Snippet& snippet, QuestionDraw& draw) const override {
    const auto& [variables, slots] = function_of(snippet);
    const auto& occurrences = variables.occurrences;
    const bool bug = draw.below(2) == 1;
    const size_t slot = draw.one_of(slots);
    const Occurrence& mistaken = occurrences[slot];
    const std::vector<size_t> firsts = variables.first_before(slots.back());
    std::vector<size_t> others = variables.first_before(slot);
    std::erase_if(others, [&](size_t n) { return occurrences[n].variable == mistaken.variable; });
    const Occurrence& other = occurrences[draw.one_of(others)];
    const auto right = std::find_if(firsts.begin(), firsts.end(), [&](size_t n) {
      return occurrences[n].variable == mistaken.variable;
    });

    FunctionAnswers result;
    std::vector<uint8_t> reads(snippet.tree.nodes.size()), names(snippet.tree.nodes.size());
    for (const size_t n : slots) reads[static_cast<size_t>(occurrences[n].node)] = 1;
    for (const size_t n : firsts) names[static_cast<size_t>(occurrences[n].node)] = 1;
    result.answers = {
        about_sample(bug, true, 0),
        about_sample(mistaken.node, bug, occurrences[slots.back()].node),
        about_sample(occurrences[*right].node, bug, occurrences[firsts.front()].node)};
    result.answers[0].pooled = reads;
    result.answers[1].candidates = reads;
    result.answers[2].candidates = names;
    for (size_t n : {1, 2}) result.answers[n].pooled = reads;
    if (bug) result.replaced = {{mistaken.node, other.node}};
    return result;
  }
};

}  // namespace

TaskEntry task_variable_misuse() {
  return {
      .version = 2,
      .summary =
          "one read of a variable may say another: is there a bug, where is it, which variable "
          "should it be",
      .relation = "tree",
      .trivial = "no bug; the last of the reads; the variable that occurs first",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<VariableMisuse>(options,
                                                    code_dataset(dataset, "variable-misuse"));
          },
  };
}

}  // namespace relbias::modalities
