// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `bracket-match`: every closing bracket points at the one it closes.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "modalities/code/example.h"
#include "modalities/code/tree_structure.h"
#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

constexpr int64_t fillers = 4;  // the first ids; then openers, then closers

/// A sequence of brackets of `kinds` kinds, nested at most `depth` deep and all closed at its end,
/// with filler symbols between. Each step is a filler with probability `filler`, else opens or
/// closes with probability 1/2 each, as far as the end and the depth let it.
///
///   f ( [ ] f )     the ] points at the [, the ) at the (; causal
///
/// In the tree a matched pair is a node whose children are the opener, what stands between, and the
/// closer; so the opener of a closer is its first sibling.
class BracketMatch final : public SampledTask {
 public:
  explicit BracketMatch(const Options& options)
      : kinds_(options.integer("kinds")),
        depth_(options.integer("depth")),
        filler_(options.real("filler")) {}

  TaskTraits traits() const override {
    return {.vocabulary = fillers + 2 * kinds_,
            .questions = {{.kind = Question::Kind::pointer}},
            .causal = true,
            .metrics = {"accuracy", "cross-entropy"},
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    if (size < 4) input_error("bracket-match: size {} found, at least 4 expected", size);
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    // Three numbers a token: filler or not, open or close, which kind.
    const Tensor chance = at::rand({samples, size, 3}, generator, at::kDouble);
    std::vector<Example> examples;
    for (int64_t sample = 0; sample < samples; ++sample) {
      examples.push_back(sequence(size, chance[sample].data_ptr<double>()));
    }
    return collate(examples, 1, traits());
  }

 private:
  Example sequence(int64_t size, const double* chance) const {
    Example example;
    ExampleAnswers answers;
    answers.targets.resize(static_cast<size_t>(size));
    answers.scored.resize(static_cast<size_t>(size));
    answers.guesses.resize(static_cast<size_t>(size));
    std::vector<int64_t> latest(static_cast<size_t>(kinds_));
    Structure& structure = example.structure;
    structure.queries = structure.keys = size;
    edit_tree(structure).parents = {-1};
    std::vector<int64_t> openers, open_nodes = {0};
    for (int64_t at = 0; at < size; ++at, chance += 3) {
      const auto open = static_cast<int64_t>(openers.size()), left = size - at - 1;
      const bool may_fill = left >= open, may_open = left > open && open < depth_;
      const bool may_close = open > 0;
      const bool fills = may_fill && (chance[0] < filler_ || (!may_open && !may_close));
      const bool opens = !fills && may_open && (!may_close || chance[1] < 0.5);
      int64_t kind =
          std::min(static_cast<int64_t>(chance[2] * static_cast<double>(kinds_)), kinds_ - 1);
      if (fills) {
        example.inputs.push_back(static_cast<int64_t>(chance[2] * static_cast<double>(fillers)));
      } else if (opens) {
        edit_tree(structure).parents.push_back(open_nodes.back());
        open_nodes.push_back(static_cast<int64_t>(tree_of(structure).parents.size()) - 1);
        openers.push_back(at);
        latest[static_cast<size_t>(kind)] = at;
        example.inputs.push_back(fillers + kind);
      } else {
        const int64_t opener = openers.back();
        openers.pop_back();
        kind = example.inputs[static_cast<size_t>(opener)] - fillers;
        example.inputs.push_back(fillers + kinds_ + kind);
        answers.targets[static_cast<size_t>(at)] = opener;
        answers.scored[static_cast<size_t>(at)] = 1;
        answers.guesses[static_cast<size_t>(at)] = latest[static_cast<size_t>(kind)];
      }
      edit_tree(structure).token_nodes.push_back(
          static_cast<int64_t>(tree_of(structure).parents.size()));
      edit_tree(structure).parents.push_back(open_nodes.back());
      if (!fills && !opens) open_nodes.pop_back();
    }
    example.answers = {std::move(answers)};
    return example;
  }

  int64_t kinds_;
  int64_t depth_;
  double filler_;
};

}  // namespace

TaskEntry task_bracket_match() {
  return {
      .summary = "every closing bracket points at its opener: structure against distance",
      .relation = "tree",
      .trivial = "the latest opener of the same kind",
      .kind = TaskKind::gate,
      .ability = "structure: the sibling that stands first, however far",
      .options = {{.name = "kinds",
                   .value = int64_t{4},
                   .meaning = "of brackets",
                   .minimum = 1,
                   .maximum = 1024},
                  {.name = "depth",
                   .value = int64_t{8},
                   .meaning = "brackets open at once, at most",
                   .minimum = 1},
                  {.name = "filler",
                   .value = 0.25,
                   .meaning = "probability of a filler symbol",
                   .minimum = 0.0,
                   .maximum = 0.9}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<BracketMatch>(options); },
  };
}

}  // namespace relbias::modalities
