// SPDX-License-Identifier: Apache-2.0
// modalities/graph: task `graph-theory`, properties of nodes and whole graphs (Corso et al. 2020,
// PNA, section 4).
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "modalities/graph/batch.h"
#include "modalities/graph/paths.h"
#include "modalities/graph/random_graphs.h"
#include "modalities/modality.h"

namespace relbias::modalities {
namespace {

constexpr int64_t least_nodes = 15;

/// What one graph is asked and what its nodes show.
struct Sample {
  Structure graph;
  Tensor inputs;                // [N, 2] a random number, the mark of the source
  std::vector<Tensor> answers;  // in the order of all_questions(): [N] or [1] float64
};

/// A graph of one of ten families, its nodes in a random order. A node shows a random number x and
/// whether it is the source. Three questions about every node: its eccentricity (steps to the
/// farthest node that it reaches), its distance from the source (-1: no path), and the Laplacian
/// of x, degree(i) x_i - the sum over neighbours. Three about the graph: whether it is connected,
/// its diameter (the largest eccentricity), and the spectral radius of its adjacency. `question`
/// asks one of them, or all at once.
///
/// Sizes are upper bounds: training draws 15 to size nodes, evaluation those above the next smaller
/// size. Path 0-1-2, source 0: eccentricity 2 1 2, distance 0 1 2, connected, diameter 2, radius
/// 1.4142.
class GraphTheory final : public Task {
 public:
  explicit GraphTheory(const Options& options) : question_(options.word("question")) {
    std::vector<Sample> samples;
    for (uint64_t n = 0; n < 256; ++n) {
      samples.push_back(sample(least_nodes + static_cast<int64_t>(n % 10),
                               stream(0, "statistics of graph-theory", n)));
    }
    for (size_t n = 0; n < all_questions().size(); ++n) {
      std::vector<Tensor> found;
      for (const auto& some : samples) found.push_back(some.answers[n]);
      const Tensor all = at::cat(found);
      mean_.push_back(all.mean().item<double>());
      deviation_.push_back(std::max(all.std().item<double>(), 1e-6));
      guess_.push_back(all.median().item<double>());
    }
  }

  TaskTraits traits() const override {
    TaskTraits traits{.features = 2, .binned = true};
    for (const size_t n : asked()) {
      Question question = all_questions()[n];
      question.target = question.name;
      if (question.kind == Question::Kind::number) {
        question.mean = mean_[n];
        question.deviation = deviation_[n];
      }
      const std::string metric =
          question.kind == Question::Kind::number ? "mean-absolute-error" : "accuracy";
      if (asked().size() == 1) question.name.clear();
      traits.metrics.push_back(question.name.empty() ? metric : question.name + " " + metric);
      traits.questions.push_back(question);
    }
    return traits;
  }

  Batch training(const TrainingRequest& request) const override {
    check_sizes(request.size, 0);
    std::vector<Sample> samples;
    for (int64_t b = 0; b < request.batch; ++b) {
      const uint64_t draw =
          request.step * static_cast<uint64_t>(request.batch) + static_cast<uint64_t>(b);
      samples.push_back(random_sample(0, request.size, stream(request.seed, "data", draw)));
    }
    return batch_of(samples);
  }

  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const override {
    check({}, {request});
    const std::string name =
        fmt::format("{} of graph-theory {}", evaluation_stream(request.split), request.size);
    for (int64_t first = 0; first < request.samples; first += request.batch) {
      std::vector<Sample> samples;
      for (int64_t b = first; b < std::min(first + request.batch, request.samples); ++b) {
        samples.push_back(
            random_sample(request.above, request.size, stream(0, name, static_cast<uint64_t>(b))));
      }
      use(batch_of(samples));
    }
  }

  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const override {
    for (const int64_t size : train_sizes) check_sizes(size, 0);
    for (const EvaluationRequest& request : evaluations) {
      check_sizes(request.size, request.above);
      check_counts(request, "graph-theory");
    }
  }

 private:
  static const std::vector<Question>& all_questions() {
    using Kind = Question::Kind;
    using About = Question::About;
    static const std::vector<Question> all = {
        {.name = "eccentricity", .kind = Kind::number, .about = About::token, .steps = true},
        {.name = "distance", .kind = Kind::number, .about = About::token, .steps = true},
        {.name = "laplacian", .kind = Kind::number, .about = About::token},
        {.name = "connected", .kind = Kind::category, .about = About::sample, .outputs = 2},
        {.name = "diameter", .kind = Kind::number, .about = About::sample, .steps = true},
        {.name = "spectral-radius", .kind = Kind::number, .about = About::sample}};
    return all;
  }

  std::vector<size_t> asked() const {
    std::vector<size_t> numbers;
    for (size_t n = 0; n < all_questions().size(); ++n) {
      if (question_ == "all" || question_ == all_questions()[n].name) numbers.push_back(n);
    }
    return numbers;
  }

  static void check_sizes(int64_t size, int64_t above) {
    if (size < std::max(least_nodes, above + 1) || size > 1024) {
      input_error("graph-theory: size {} found, {} to 1024 nodes expected", size,
                  std::max(least_nodes, above + 1));
    }
  }

  static Sample random_sample(int64_t above, int64_t size, at::Generator generator) {
    const int64_t least = std::max(least_nodes, above + 1);
    const int64_t nodes = at::randint(least, size + 1, {1}, generator, at::kLong).item<int64_t>();
    return sample(nodes, generator);
  }

  static Sample sample(int64_t nodes, at::Generator generator) {
    Draw random(generator);
    Sample made{.graph = graph_of_some_family(nodes, random), .inputs = {}, .answers = {}};
    const auto source = static_cast<int64_t>(random.below(static_cast<size_t>(nodes)));
    const Tensor x = at::rand({nodes}, generator, at::kDouble);
    const Tensor mark = (at::arange(nodes) == source).to(at::kDouble);
    made.inputs = at::stack({x, mark}, 1).to(at::kFloat);
    const Tensor hops = hop_distances(made.graph, false).to(at::kDouble);
    Tensor adjacency = (hops == 1).to(at::kDouble);
    const Tensor eccentricity = hops.amax(1);
    made.answers = {eccentricity,
                    hops[source],
                    adjacency.sum(1) * x - at::mv(adjacency, x),
                    (hops.amin() >= 0).to(at::kDouble).view(1),
                    eccentricity.amax().view(1),
                    at::linalg_eigvalsh(adjacency).abs().amax().view(1)};
    return made;
  }

  Batch batch_of(const std::vector<Sample>& samples) const {
    Batch batch;
    std::vector<Tensor> inputs;
    for (const auto& sample : samples) {
      inputs.push_back(sample.inputs);
      batch.structures.push_back(sample.graph);
    }
    batch.inputs = padded_rows(inputs);
    batch.valid = valid_rows(batch.structures);
    for (const size_t n : asked()) {
      const Question& question = all_questions()[n];
      std::vector<Tensor> found;
      for (const auto& sample : samples) found.push_back(sample.answers[n]);
      Answers answers;
      answers.targets =
          padded_rows(found).to(question.kind == Question::Kind::number ? at::kFloat : at::kLong);
      const bool some = question.about == Question::About::token && batch.valid.defined();
      answers.scored = some ? batch.valid : at::ones_like(answers.targets, at::kBool);
      answers.guesses = at::full_like(answers.targets, guess_[n]);
      batch.answers.push_back(answers);
    }
    return batch;
  }

  std::string question_;
  std::vector<double> mean_, deviation_, guess_;  // of small graphs, a question each
};

}  // namespace

TaskEntry task_graph_theory() {
  return {
      .summary =
          "eccentricity, distance and Laplacian of nodes, connectedness, diameter and "
          "spectral radius of graphs of ten families; sizes are upper bounds",
      .relation = "hops",
      .trivial = "the median over graphs of 15 to 24 nodes",
      .kind = TaskKind::gate,
      .ability = "properties that follow from the steps between nodes",
      .options = {{"question",
                   "distance",
                   "one of the six, or all",
                   {"all", "eccentricity", "distance", "laplacian", "connected", "diameter",
                    "spectral-radius"}}},
      .make = [](const Options& options,
                 const Dataset*) { return std::make_unique<GraphTheory>(options); },
  };
}

}  // namespace relbias::modalities
