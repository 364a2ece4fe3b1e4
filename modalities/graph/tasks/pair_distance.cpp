// SPDX-License-Identifier: Apache-2.0
// modalities/graph: task `pair-distance`, the distance between two marked nodes of a random graph.
#include <ATen/ATen.h>

#include <algorithm>

#include "modalities/graph/paths.h"
#include "modalities/graph/random_graphs.h"
#include "modalities/sampling/sampled_task.h"

namespace relbias::modalities {
namespace {

constexpr int64_t classes = 8;

/// A random tree (every labelled tree equally likely) of n nodes and n / 8 further edges. Two nodes
/// are marked, which is all that nodes show; the answer is the steps between them, 8 standing for 8
/// and more (category 0 is one step). The distance is drawn first, uniformly among those that the
/// graph has, then a pair of that distance. The two marked nodes answer, so that no long way to a
/// readout is measured. A table of distances sees the answer, no relation leaves chance: the task
/// proves that the relation arrives, not that an encoding is good.
///
/// Path 0-1-2-3, marks on 0 and 3: category 2.
class PairDistance final : public SampledTask {
 public:
  TaskTraits traits() const override {
    return {.vocabulary = 2,
            .questions = {{.about = Question::About::sample, .outputs = classes}},
            .metrics = {"balanced accuracy", "accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(classes),
            .ceiling = 1.0};
  }

 protected:
  void check_size(int64_t size) const override {
    if (size < 2 || size > 4096) {
      input_error("pair-distance: size {} found, 2 to 4096 nodes expected", size);
    }
  }

  Batch draw(int64_t size, int64_t samples, at::Generator generator) const override {
    Batch batch;
    batch.inputs = at::zeros({samples, size}, at::kLong);
    Answers answers;
    answers.targets = at::zeros({samples, 1}, at::kLong);
    answers.scored = at::ones({samples, 1}, at::kBool);
    for (int64_t b = 0; b < samples; ++b) {
      Draw random(generator);
      Structure graph = random_tree(size, random);
      add_random_edges(graph, size / 8, random);
      const auto [first, second, steps] = marked_pair(graph, random);
      batch.inputs[b][first] = 1;
      batch.inputs[b][second] = 1;
      answers.targets[b][0] = steps - 1;
      batch.structures.push_back(std::move(graph));
    }
    answers.pooled = batch.inputs == 1;
    batch.answers = {answers};
    return batch;
  }

 private:
  struct Marked {
    int64_t first, second, steps;  // 1..8
  };

  static Marked marked_pair(const Structure& graph, Draw& random) {
    std::array<std::vector<Marked>, classes> pairs;
    for_hops_of_every_node(graph, false, [&](int64_t source, const std::vector<int32_t>& hops) {
      for (int64_t other = 0; other < source; ++other) {
        const int64_t steps = std::min<int64_t>(hops[static_cast<size_t>(other)], classes);
        pairs[static_cast<size_t>(steps - 1)].push_back({source, other, steps});
      }
    });
    std::vector<const std::vector<Marked>*> present;
    for (const auto& some : pairs) {
      if (!some.empty()) present.push_back(&some);
    }
    const auto& chosen = *present[random.below(present.size())];
    return chosen[random.below(chosen.size())];
  }
};

}  // namespace

TaskEntry task_pair_distance() {
  return {
      .summary =
          "steps between two marked nodes of a random graph, 1 to 8 and more: whether the "
          "relation of nodes arrives",
      .relation = "hops",
      .kind = TaskKind::gate,
      .ability = "that the relation of nodes arrives",
      .make = [](const Options&, const Dataset*) { return std::make_unique<PairDistance>(); },
  };
}

}  // namespace relbias::modalities
