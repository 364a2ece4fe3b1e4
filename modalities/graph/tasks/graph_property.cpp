// SPDX-License-Identifier: Apache-2.0
// modalities/graph: task `graph-property`, the labels of a dataset of graphs.
#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "modalities/graph/batch.h"
#include "modalities/graph/graph.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "modalities/sampling/trained_classes.h"

namespace relbias::modalities {
namespace {

/// The targets of a dataset, one (`target=NAME`; the first unless said otherwise) or `all` of them,
/// about graphs or their nodes: categories or numbers, which are learned divided by the deviation
/// of the training graphs. A label that is missing is never scored, and a graph without any label
/// that is asked for is left out. Sizes are upper bounds: training uses the graphs of the training
/// split with at most `size` nodes, evaluation those of another split above the next smaller size.
///
/// Nodes show their categories (each an embedding, added up), or their numbers where they have no
/// categories; `degree=true` adds the number of ends of edges at the node (Graphormer's
/// centrality), so that a model without any relation knows the graph in part: a loop has both of
/// its ends there, repeated edges count each. Bonds are seen through the relation only.
class GraphProperty final : public Task {
 public:
  GraphProperty(const Options& options, const GraphDataset& dataset)
      : dataset_(dataset), degree_(options.flag("degree")) {
    choose_targets(options.word("target"));
    for (const size_t n : asked_) measure(n);
    for (const Split part : all_splits) {
      for (const Graph* graph : dataset.graphs(part)) {
        if (is_labelled(*graph)) labelled_[static_cast<size_t>(part)].push_back(graph);
      }
    }
    for (const Split part : {Split::validation, Split::test}) {
      shuffle(labelled_[static_cast<size_t>(part)]);
    }
  }

  TaskTraits traits() const override {
    TaskTraits traits{.binned = true};
    if (by_number()) {
      traits.features = std::max<int64_t>(dataset_.number_count(), 0) + (degree_ ? 1 : 0);
    } else {
      traits.vocabulary =
          rows_before(dataset_.category_counts().size()) + (degree_ ? degree_rows : 0);
    }
    for (size_t i = 0; i < asked_.size(); ++i) {
      const GraphTarget& target = dataset_.targets()[asked_[i]];
      Question question{.name = asked_.size() == 1 ? "" : target.name,
                        .kind = target.kind,
                        .about = target.about,
                        .outputs = target.categories,
                        .target = target.name,
                        .steps = target.steps};
      if (asked_.size() == 1) traits.gate = target.gate;
      const bool number = target.kind == Question::Kind::number;
      if (number) {
        question.mean = spread_[i].mean;
        question.deviation = spread_[i].deviation;
      }
      const std::string before = question.name.empty() ? "" : question.name + " ";
      traits.metrics.push_back(before + (number ? "mean-absolute-error" : "accuracy"));
      if (!number) traits.metrics.push_back(before + "balanced accuracy");
      traits.questions.push_back(question);
    }
    return traits;
  }

  Batch training(const TrainingRequest& request) const override {
    const auto graphs = graphs_of(Split::train, 0, request.size);
    if (graphs.empty()) refuse(Split::train, 0, request.size);
    at::Generator generator = stream(request.seed, "data", request.step);
    const Tensor chosen =
        at::randint(static_cast<int64_t>(graphs.size()), {request.batch}, generator, at::kLong);
    std::vector<const Graph*> some;
    for (int64_t b = 0; b < request.batch; ++b) {
      some.push_back(graphs[static_cast<size_t>(chosen[b].item<int64_t>())]);
    }
    return batch_of(some);
  }

  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const override {
    check({}, {request});
    const auto graphs = evaluated(request);
    for (size_t first = 0; first < graphs.size(); first += static_cast<size_t>(request.batch)) {
      const size_t last = std::min(first + static_cast<size_t>(request.batch), graphs.size());
      use(batch_of({graphs.begin() + static_cast<int64_t>(first),
                    graphs.begin() + static_cast<int64_t>(last)}));
    }
  }

  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const override {
    for (const int64_t size : train_sizes) {
      const auto graphs = graphs_of(Split::train, 0, size);
      if (graphs.empty()) refuse(Split::train, 0, size);
      for (const Graph* graph : graphs) check_any_pair_memory(graph->structure);
    }
    for (const EvaluationRequest& request : evaluations) {
      check_counts(request, "graph-property");
      const auto graphs = evaluated(request);
      if (graphs.empty()) refuse(request.split, request.above, request.size);
      for (const Graph* graph : graphs) check_any_pair_memory(graph->structure);
    }
  }

 private:
  static constexpr int64_t degree_rows = 16;    // degrees 0..14, 15 and more
  static constexpr int64_t most_counted = 256;  // categories that the trivial rule counts

  struct Spread {
    double mean = 0, deviation = 1;
    double guess = 0;  // the median or the commonest category
    Tensor weights{};  // [F] of node_counts(), of a number about graphs; undefined: `guess`
  };

  // Files list graphs class by class: the first few are no sample of them.
  static void shuffle(std::vector<const Graph*>& graphs) {
    const Tensor order = at::randperm(static_cast<int64_t>(graphs.size()),
                                      stream(0, "order of held-out graphs"), at::kLong);
    const std::vector<const Graph*> sorted = graphs;
    for (size_t n = 0; n < graphs.size(); ++n) {
      graphs[n] = sorted[static_cast<size_t>(order[static_cast<int64_t>(n)].item<int64_t>())];
    }
  }

  [[noreturn]] void refuse(Split split, int64_t above, int64_t size) const {
    input_error("graph-property: no labelled graph of the {} split has {} to {} nodes: {}",
                split_name(split), above + 1, size, dataset_.report());
  }

  bool by_number() const {
    return dataset_.category_counts().empty() && dataset_.number_count() > 0;
  }

  // Rows of the embedding table before those of a column. Nodes of which nothing is known have one.
  int64_t rows_before(size_t column) const {
    const auto& counts = dataset_.category_counts();
    int64_t rows = counts.empty() ? 1 : 0;
    for (size_t n = 0; n < column; ++n) rows += counts[n];
    return rows;
  }

  void choose_targets(const std::string& wanted) {
    const auto& targets = dataset_.targets();
    std::vector<std::string> names;
    for (size_t n = 0; n < targets.size(); ++n) {
      const bool first = wanted.empty() && n == 0;
      if (first || wanted == "all" || wanted == targets[n].name) asked_.push_back(n);
      names.push_back(targets[n].name);
    }
    if (asked_.empty()) unknown_word("target of the dataset", wanted, names);
  }

  void measure(size_t target) {
    std::vector<Tensor> labels;
    for (const Graph* graph : dataset_.graphs(Split::train))
      labels.push_back(graph->labels[target]);
    const Tensor all = at::cat(labels), known = all.masked_select(all.isnan().logical_not());
    if (known.numel() == 0) {
      input_error("graph-property: target '{}' has no label in the training split",
                  dataset_.targets()[target].name);
    }
    Spread spread;
    if (dataset_.targets()[target].kind == Question::Kind::number) {
      spread.mean = known.mean().item<double>();
      const double deviation = known.std(/*unbiased=*/false).item<double>();
      spread.deviation = deviation > 0 ? deviation : 1;
      spread.guess = known.median().item<double>();
      if (dataset_.targets()[target].about == Question::About::sample) {
        spread.weights = fitted(target);
      }
    } else {
      spread.guess = at::bincount(known.to(at::kLong)).argmax().item<double>();
      check_trained(fmt::format("graph-property: target '{}'", dataset_.targets()[target].name),
                    class_counts(target));
    }
    spread_.push_back(spread);
  }

  // What is known of a graph without any relation: 1, its nodes, and how many are of each category
  // or the sums of their numbers, [F].
  Tensor node_counts(const Graph& graph) const {
    std::vector<Tensor> counts = {
        at::tensor({1.0, static_cast<double>(graph_of(graph.structure).nodes)}, at::kDouble)};
    const auto& columns = dataset_.category_counts();
    for (size_t n = 0; n < columns.size() && graph.categories.defined(); ++n) {
      if (columns[n] > most_counted) continue;
      const Tensor column = graph.categories.select(1, static_cast<int64_t>(n));
      counts.push_back(at::bincount(column, {}, columns[n]).to(at::kDouble));
    }
    if (graph.numbers.defined()) counts.push_back(graph.numbers.to(at::kDouble).sum(0));
    return at::cat(counts);
  }

  // Least squares on the training graphs; of weights that fit as well the smallest.
  Tensor fitted(size_t target) const {
    std::vector<Tensor> known, labels;
    for (const Graph* graph : dataset_.graphs(Split::train)) {
      if (graph->labels[target].isnan().item<bool>()) continue;
      known.push_back(node_counts(*graph));
      labels.push_back(graph->labels[target]);
    }
    return at::mv(at::linalg_pinv(at::stack(known), 1e-9), at::cat(labels));
  }

  std::vector<ClassCount> class_counts(size_t target) const {
    std::vector<ClassCount> classes;
    for (int64_t n = 0; n < dataset_.targets()[target].categories; ++n)
      classes.push_back({.name = fmt::format("{}", n)});
    for (const Split part : all_splits) {
      for (const Graph* graph : dataset_.graphs(part)) {
        const Tensor labels = graph->labels[target];
        const Tensor known = labels.masked_select(labels.isnan().logical_not()).to(at::kLong);
        const Tensor counts = at::bincount(known, {}, static_cast<int64_t>(classes.size()));
        for (size_t n = 0; n < classes.size(); ++n) {
          int64_t& count = part == Split::train ? classes[n].trained : classes[n].held_out;
          count += counts[static_cast<int64_t>(n)].item<int64_t>();
        }
      }
    }
    std::erase_if(classes, [](const ClassCount& n) { return n.trained + n.held_out == 0; });
    return classes;
  }

  bool is_labelled(const Graph& graph) const {
    return std::any_of(asked_.begin(), asked_.end(), [&](size_t n) {
      return !graph.labels[n].isnan().all().template item<bool>();
    });
  }

  std::vector<const Graph*> graphs_of(Split split, int64_t above, int64_t size) const {
    std::vector<const Graph*> found;
    for (const Graph* graph : labelled_[static_cast<size_t>(split)]) {
      const int64_t nodes = graph_of(graph->structure).nodes;
      if (nodes > above && nodes <= size) found.push_back(graph);
    }
    return found;
  }

  std::vector<const Graph*> evaluated(const EvaluationRequest& request) const {
    auto graphs = graphs_of(request.split, request.above, request.size);
    if (static_cast<int64_t>(graphs.size()) > request.samples) {
      graphs.resize(static_cast<size_t>(request.samples));
    }
    return graphs;
  }

  // [N], [N, F] int64 ids or [N, F] float32.
  Tensor inputs_of(const Graph& graph) const {
    const int64_t nodes = graph_of(graph.structure).nodes;
    std::vector<Tensor> columns;
    if (by_number()) columns.push_back(graph.numbers);
    if (!by_number() && !graph.categories.defined())
      columns.push_back(at::zeros({nodes, 1}, at::kLong));
    for (size_t n = 0; n < dataset_.category_counts().size(); ++n) {
      columns.push_back(graph.categories.narrow(1, static_cast<int64_t>(n), 1) + rows_before(n));
    }
    if (degree_) {
      const Tensor ends = at::tensor(degrees(graph.structure), at::kLong).unsqueeze(1);
      columns.push_back(by_number() ? ends.to(at::kFloat)
                                    : ends.clamp_max(degree_rows - 1) +
                                          rows_before(dataset_.category_counts().size()));
    }
    const Tensor all = at::cat(columns, 1);
    return by_number() || all.size(1) > 1 ? all : all.squeeze(1);
  }

  Batch batch_of(const std::vector<const Graph*>& graphs) const {
    Batch batch;
    std::vector<Tensor> inputs;
    for (const Graph* graph : graphs) {
      inputs.push_back(inputs_of(*graph));
      batch.structures.push_back(graph->structure);
      batch.sources.push_back(graph->key.empty() ? graph->structure.name : graph->key);
    }
    batch.inputs = padded_rows(inputs);
    batch.valid = valid_rows(batch.structures);
    for (size_t i = 0; i < asked_.size(); ++i) {
      const size_t n = asked_[i];
      std::vector<Tensor> labels, known;
      for (const Graph* graph : graphs) {
        labels.push_back(graph->labels[n].nan_to_num(0.0));
        known.push_back(graph->labels[n].isnan().logical_not());
      }
      const bool number = dataset_.targets()[n].kind == Question::Kind::number;
      batch.answers.push_back({.targets = padded_rows(labels).to(number ? at::kFloat : at::kLong),
                               .scored = padded_rows(known)});
      Answers& answers = batch.answers.back();
      answers.guesses = at::full_like(answers.targets, spread_[i].guess);
      if (!spread_[i].weights.defined()) continue;
      for (size_t b = 0; b < graphs.size(); ++b) {
        answers.guesses[static_cast<int64_t>(b)].fill_(
            node_counts(*graphs[b]).dot(spread_[i].weights));
      }
    }
    return batch;
  }

  const GraphDataset& dataset_;
  bool degree_;
  std::vector<size_t> asked_;   // targets
  std::vector<Spread> spread_;  // of each
  std::array<std::vector<const Graph*>, 3>
      labelled_;  // by Split: graphs with a label that is asked
};

std::unique_ptr<Task> make(const Options& options, const Dataset* dataset) {
  return std::make_unique<GraphProperty>(
      options, dataset_of<GraphDataset>(dataset, "graph-property", "graphs"));
}

}  // namespace

TaskEntry task_graph_property() {
  return {
      .version = 2,
      .summary =
          "what a dataset of graphs is labelled with: numbers or categories of graphs or "
          "their nodes; sizes are upper bounds",
      .relation = "hops",
      .trivial =
          "numbers of graphs: a linear model on the counts of their nodes, fitted to the training "
          "graphs; numbers of nodes: the median; categories: the commonest",
      .needs_dataset = true,
      .options =
          {{"target", std::string(), "name of a target, or all; empty: the first"},
           {"degree", false,
            "nodes also show how many ends of edges they have: a loop has both of its ends at "
            "its node, repeated edges count each"}},
      .make = make,
  };
}

}  // namespace relbias::modalities
