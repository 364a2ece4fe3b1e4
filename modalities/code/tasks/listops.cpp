// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `listops`: the values of nested list operations (Nangia, Bowman 2018; LRA).
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <array>
#include <random>

#include "modalities/code/example.h"
#include "modalities/code/tree_structure.h"
#include "modalities/sampling/sampled_task.h"
#include "modalities/seed.h"

namespace relbias::modalities {
namespace {

constexpr int64_t minimum = 10, close = 14;  // 0-9 are digits; [MIN [MAX [MED [SM; ]
constexpr int64_t most_tries = 20000;        // for one sample

/// An expression in 10 digits and operators MIN, MAX and, with `operators=4`, MED (the median,
/// rounded down) and SM (the sum modulo 10), 2 to `arity` arguments each, nested at most `depth`
/// deep. Every operator predicts its value, the first one as a question of its own, `root`.
///
///   [MAX 2 [MIN 7 4 ] 0 ]     root 4; operators: MIN 4
///
/// A size is an upper bound: samples have more than half as many tokens (size 64: 33 to 64). An
/// argument is an operator with a probability that grows with the size, .35 to 64 tokens, .45 to
/// 128, .6 to 256, .7 above, since long expressions hardly ever occur else; labels shift with it.
/// In the tree an operator is a node whose children are its tokens and arguments.
class ListOps final : public SampledTask {
 public:
  explicit ListOps(const Options& options)
      : operators_(options.integer("operators")),
        arity_(options.integer("arity")),
        depth_(options.integer("depth")) {}

  TaskTraits traits() const override {
    return {.vocabulary = close + 1,
            .questions = {{.name = "root", .outputs = 10}, {.name = "operators", .outputs = 10}},
            .metrics = {"root accuracy", "operators accuracy"},
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    if (size < 4) input_error("listops: size {} found, at least 4 expected", size);
    draw(size, 1, stream(0, "trial"));
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    std::mt19937_64 random(generator.get<at::CPUGeneratorImpl>()->random64());
    std::vector<Example> examples;
    int64_t tries_left = most_tries;
    while (static_cast<int64_t>(examples.size()) < samples) {
      Expression expression(*this, size, random);
      if (expression.fits()) {
        examples.push_back(expression.example());
        tries_left = most_tries;
      } else if (--tries_left == 0) {
        input_error(
            "listops: size {} found, but depth={} and arity={} hardly ever give more than {} "
            "tokens",
            size, depth_, arity_, size / 2);
      }
    }
    return collate(examples, 1, traits());
  }

 private:
  // One draw, grown without recursion: an operator that is open waits for its arguments.
  class Expression {
   public:
    Expression(const ListOps& task, int64_t size, std::mt19937_64& random)
        : task_(task), size_(size), random_(random) {
      edit_tree(structure_).parents = {-1};
      open_operator();
      while (!open_.empty() && static_cast<int64_t>(tokens_.size()) <= size_) grow();
    }

    bool fits() const {
      const auto length = static_cast<int64_t>(tokens_.size());
      return open_.empty() && length > size_ / 2 && length <= size_;
    }

    Example example() {
      ExampleAnswers root, others;
      for (ExampleAnswers* answers : {&root, &others}) {
        answers->targets.resize(tokens_.size());
        answers->scored.resize(tokens_.size());
        answers->guesses = guesses_;
      }
      root.targets[0] = values_[0];
      root.scored[0] = 1;
      for (size_t token = 1; token < tokens_.size(); ++token) {
        if (values_[token] < 0) continue;
        others.targets[token] = values_[token];
        others.scored[token] = 1;
      }
      structure_.queries = structure_.keys = static_cast<int64_t>(tokens_.size());
      return {.inputs = tokens_, .answers = {root, others}, .structure = structure_};
    }

   private:
    struct Open {
      size_t token;
      int64_t node, arguments;
      std::vector<int64_t> values;
    };

    // 53 random bits, the same on every system.
    double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }
    int64_t below(int64_t count) {
      return static_cast<int64_t>(uniform() * static_cast<double>(count));
    }

    double operator_chance() const {
      return size_ <= 64 ? 0.35 : size_ <= 128 ? 0.45 : size_ <= 256 ? 0.6 : 0.7;
    }

    void add_token(int64_t token) {
      edit_tree(structure_)
          .token_nodes.push_back(static_cast<int64_t>(tree_of(structure_).parents.size()));
      edit_tree(structure_).parents.push_back(open_.empty() ? 0 : open_.back().node);
      tokens_.push_back(token);
      values_.push_back(-1);
      guesses_.push_back(0);
    }

    void open_operator() {
      // The first operator is the root itself.
      int64_t node = 0;
      if (!open_.empty()) {
        node = static_cast<int64_t>(tree_of(structure_).parents.size());
        edit_tree(structure_).parents.push_back(open_.back().node);
      }
      open_.push_back({tokens_.size(), node, 2 + below(task_.arity_ - 1), {}});
      add_token(minimum + below(task_.operators_));
    }

    void grow() {
      Open& innermost = open_.back();
      if (static_cast<int64_t>(innermost.values.size()) == innermost.arguments) {
        add_token(close);
        const int64_t value = result(tokens_[innermost.token], innermost.values);
        values_[innermost.token] = value;
        guesses_[innermost.token] = guess(tokens_[innermost.token]);
        open_.pop_back();
        if (!open_.empty()) open_.back().values.push_back(value);
      } else if (static_cast<int64_t>(open_.size()) < task_.depth_ &&
                 uniform() < operator_chance()) {
        open_operator();
      } else {
        innermost.values.push_back(below(10));
        add_token(innermost.values.back());
      }
    }

    static int64_t result(int64_t operation, std::vector<int64_t> values) {
      std::sort(values.begin(), values.end());
      const size_t middle = values.size() / 2;
      switch (operation - minimum) {
        case 0:
          return values.front();
        case 1:
          return values.back();
        case 2:
          return values.size() % 2 == 1 ? values[middle]
                                        : (values[middle - 1] + values[middle]) / 2;
        default:
          return std::accumulate(values.begin(), values.end(), int64_t{0}) % 10;
      }
    }

    // The value that each operator has most often.
    static int64_t guess(int64_t operation) {
      constexpr std::array<int64_t, 4> commonest = {0, 9, 4, 0};  // MIN MAX MED SM
      return commonest[static_cast<size_t>(operation - minimum)];
    }

    const ListOps& task_;
    int64_t size_;
    std::mt19937_64& random_;
    std::vector<int64_t> tokens_, values_;  // value of every operator's token, -1 of others
    std::vector<int64_t> guesses_;
    std::vector<Open> open_;
    Structure structure_;
  };

  int64_t operators_;
  int64_t arity_;
  int64_t depth_;
};

}  // namespace

TaskEntry task_listops() {
  return {
      .summary = "every operator of a nested expression predicts its value: structure, computed on",
      .relation = "tree",
      .trivial = "by operator: 0 for MIN, 9 for MAX, 4 for MED, 0 for SM",
      .kind = TaskKind::gate,
      .ability = "values computed along a structure",
      .options = {{.name = "operators",
                   .value = int64_t{2},
                   .meaning = "2: MIN MAX; 4: MED and SM as well",
                   .minimum = 2,
                   .maximum = 4},
                  {.name = "arity",
                   .value = int64_t{5},
                   .meaning = "arguments at most",
                   .minimum = 2,
                   .maximum = 100},
                  {.name = "depth",
                   .value = int64_t{5},
                   .meaning = "operators inside each other",
                   .minimum = 1,
                   .maximum = 100}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<ListOps>(options); },
  };
}

}  // namespace relbias::modalities
