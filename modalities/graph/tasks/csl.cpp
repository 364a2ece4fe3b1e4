// SPDX-License-Identifier: Apache-2.0
// modalities/graph: task `csl`, telling circulant graphs apart (Murphy et al. 2019, "Relational
// Pooling for Graph Representations").
#include <ATen/ATen.h>

#include <mutex>
#include <numeric>
#include <set>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "modalities/modality.h"

namespace relbias::modalities {
namespace {

const std::vector<int64_t> skips = {2, 3, 4, 5, 6, 9, 11, 12, 13, 16};
const auto classes = static_cast<int64_t>(skips.size());
constexpr uint64_t training_orders = 16;

Structure circulant(int64_t size, int64_t skip, at::Generator order) {
  Structure sample;
  sample.name = fmt::format("the circulant graph of {} nodes with skip {}", size, skip);
  edit_graph(sample).nodes = sample.queries = sample.keys = size;
  const Tensor nodes = at::randperm(size, order, at::TensorOptions(at::kLong));
  const auto* const node = nodes.data_ptr<int64_t>();
  for (int64_t i = 0; i < size; ++i) {
    for (const int64_t step : {int64_t{1}, skip}) {
      edit_graph(sample).edges.push_back({node[i], node[(i + step) % size]});
    }
  }
  sample.cache = std::make_shared<SampleCache>();
  return sample;
}

/// The steps {1, R} around a cycle under a factor: two skips give the same graph where a factor
/// takes the steps of one to those of the other.
std::set<int64_t> steps_times(int64_t factor, int64_t skip, int64_t size) {
  std::set<int64_t> steps;
  for (const int64_t step : {int64_t{1}, skip}) {
    const int64_t moved = step * factor % size;
    steps.insert(std::min(moved, size - moved));
  }
  return steps;
}

/// A cycle of n nodes and, from every node, an edge to the one R further: ten values of R are ten
/// classes. All nodes of all graphs look alike and have four neighbours, so that the answer lies in
/// how nodes are related and nowhere else. Softmax attention over tokens that are all alike gives
/// the same whatever the weights, so a virtual node (model.readout=class) has to read the relation.
///
/// A training batch holds the classes in turn, an evaluation one class after the other, each a
/// graph with its nodes in a random order; the order changes nothing but the rounding. Training
/// draws from 16 orders a class, so that a relation is computed once for each of them; evaluation
/// has orders of its own.
///
/// The orders of a class are one graph to every model here, so training and evaluation hold the
/// same ten inputs, and standard errors count ten.
///
/// At n = 41 the skips 6 and 16 have equally many nodes at every distance (1 4 8 12 10 6), so that
/// no encoding of distances gets beyond 0.9; at n = 83 all ten differ.
class Csl final : public Task {
 public:
  TaskTraits traits() const override {
    return {.vocabulary = 1,
            .questions = {{.about = Question::About::sample, .outputs = classes}},
            .metrics = {"accuracy", "cross-entropy"},
            .chance = 1.0 / static_cast<double>(classes),
            .ceiling = 1.0};
  }

  // Who sees distances alone takes graphs with equally many nodes at every distance for one.
  double ceiling(const std::string& relation, int64_t size) const override {
    if (relation != "hops") return 1.0;
    std::set<std::vector<int64_t>> told_apart;
    for (const int64_t skip : skips) {
      const Structure graph = circulant(size, skip, stream(0, "ceiling of csl"));
      const Tensor hops = hop_distances(graph, false)[0].to(at::kLong) + 1;  // -1: none
      const Tensor counts = at::bincount(hops);
      told_apart.emplace(counts.data_ptr<int64_t>(), counts.data_ptr<int64_t>() + counts.numel());
    }
    return static_cast<double>(told_apart.size()) / static_cast<double>(classes);
  }

  Batch training(const TrainingRequest& request) const override {
    check_size(request.size);
    std::vector<Structure> graphs;
    std::vector<int64_t> asked;
    for (int64_t b = 0; b < request.batch; ++b) {
      asked.push_back(b % classes);
      const auto place = static_cast<uint64_t>(b);
      const uint64_t draw = request.step * static_cast<uint64_t>(request.batch) + place;
      graphs.push_back(training_graph(request.size, b % classes,
                                      stream_seed(request.seed, "data", draw) % training_orders));
    }
    return batch_of(std::move(graphs), asked);
  }

  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const override {
    check({}, {request});
    const std::string name = fmt::format("{} of csl", evaluation_stream(request.split));
    for (int64_t first = 0; first < request.samples; first += request.batch) {
      const int64_t last = std::min(first + request.batch, request.samples);
      std::vector<Structure> graphs;
      std::vector<int64_t> asked;
      for (int64_t b = first; b < last; ++b) {
        asked.push_back(b * classes / std::max(request.samples, classes));
        graphs.push_back(circulant(request.size, skips[static_cast<size_t>(asked.back())],
                                   stream(0, name, static_cast<uint64_t>(b))));
      }
      use(batch_of(std::move(graphs), asked));
    }
  }

  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const override {
    for (const int64_t size : train_sizes) check_size(size);
    for (const EvaluationRequest& request : evaluations) {
      check_size(request.size);
      check_counts(request, "csl");
    }
  }

 private:
  static void check_size(int64_t size) {
    if (size < 2 * skips.back() + 2) {
      input_error("csl: size {} found, at least {} nodes expected", size, 2 * skips.back() + 2);
    }
    Structure sample;
    sample.name = "a circulant graph";
    edit_graph(sample).nodes = size;
    check_any_pair_memory(sample);
    for (const int64_t a : skips) {
      for (const int64_t b : skips) {
        for (int64_t factor = 1; a < b && factor < size; ++factor) {
          if (std::gcd(factor, size) != 1 ||
              steps_times(factor, a, size) != steps_times(1, b, size)) {
            continue;
          }
          input_error(
              "csl: size {} found, where the skips {} and {} give the same graph; at 41 "
              "and 83 all differ",
              size, a, b);
        }
      }
    }
  }

  static Batch batch_of(std::vector<Structure> graphs, const std::vector<int64_t>& asked) {
    const auto samples = static_cast<int64_t>(graphs.size());
    Batch batch;
    batch.inputs = at::zeros({samples, graph_of(graphs.front()).nodes}, at::kLong);
    Answers answers;
    answers.targets = at::tensor(asked, at::kLong).unsqueeze(1);
    answers.scored = at::ones({samples, 1}, at::kBool);
    batch.answers = {answers};
    // However its nodes are numbered, a class is one graph: there are ten inputs and no more.
    for (const int64_t each : asked) {
      batch.sources.push_back(fmt::format("skip {}", skips[static_cast<size_t>(each)]));
    }
    batch.structures = std::move(graphs);
    return batch;
  }

  Structure training_graph(int64_t size, int64_t number, uint64_t order) const {
    const std::lock_guard lock(mutex_);
    auto& graphs = trained_[size];
    for (uint64_t n = graphs.size(); n < static_cast<uint64_t>(classes) * training_orders; ++n) {
      graphs.push_back(
          circulant(size, skips[n / training_orders], stream(0, "training of csl", n)));
    }
    return graphs[static_cast<size_t>(number) * training_orders + order];
  }

  mutable std::mutex mutex_;
  mutable std::map<int64_t, std::vector<Structure>> trained_;  // by size: orders of every class
};

}  // namespace

TaskEntry task_csl() {
  return {
      .summary =
          "which of ten circulant graphs: nothing but the relation of the nodes tells; no "
          "distance separates two of them at 41 nodes",
      .relation = "hops",
      .kind = TaskKind::gate,
      .ability = "telling regular graphs apart by their relation alone",
      .make = [](const Options&, const Dataset*) { return std::make_unique<Csl>(); },
  };
}

}  // namespace relbias::modalities
