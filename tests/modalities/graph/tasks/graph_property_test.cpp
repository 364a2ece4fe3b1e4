// SPDX-License-Identifier: Apache-2.0
// tests: task `graph-property`: bins, inputs, labels that are missing.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "modalities/graph/graph.h"
#include "modalities/graph/graph_structure.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Graph n has 1 + n % 6 nodes, the label n (missing for every third) and, of nodes, their parity.
std::unique_ptr<GraphDataset> dataset_of(bool categories, int64_t numbers) {
  GraphSource source{.origin = "test",
                     .targets = {{.name = "number"},
                                 {.name = "parity",
                                  .kind = Question::Kind::category,
                                  .about = Question::About::token,
                                  .categories = 2}},
                     .number_count = numbers};
  if (categories) source.category_counts = {3, 2};
  for (int64_t n = 0; n < 120; ++n) {
    Graph graph = new_graph(fmt::format("graph {}", n), 1 + n % 6);
    const int64_t nodes = graph_of(graph.structure).nodes;
    for (int64_t node = 1; node < nodes; ++node)
      edit_graph(graph.structure).edges.push_back({0, node});
    if (categories) {
      graph.categories = at::stack({at::arange(nodes) % 3, at::arange(nodes) % 2}, 1);
    }
    if (numbers > 0) graph.numbers = at::full({nodes, numbers}, 0.5);
    graph.labels = {at::full({1}, n % 3 == 0 ? NAN : static_cast<double>(n), at::kDouble),
                    (at::arange(nodes) % 2).to(at::kDouble)};
    graph.key = graph.structure.name;
    source.graphs.push_back(std::move(graph));
  }
  return std::make_unique<GraphDataset>(std::move(source));
}

std::unique_ptr<Task> make(const std::string& options, const Dataset& dataset) {
  const auto& entry = find_entry("task", "graph-property", task_entries());
  return entry.make(parse_options("task", "graph-property " + options, entry.options), &dataset);
}

TEST(GraphProperty, IdsOfEveryColumnHaveRowsOfTheirOwn) {
  const auto dataset = dataset_of(true, 0);
  const auto task = make("degree=true", *dataset);
  EXPECT_EQ(task->traits().vocabulary, 3 + 2 + 16);
  const Batch batch = task->training({.size = 4, .batch = 30, .seed = 0, .step = 0});
  for (int64_t b = 0; b < 30; ++b) {
    const int64_t nodes = graph_of(batch.structures[static_cast<size_t>(b)]).nodes;
    EXPECT_LE(nodes, 4);
    const auto row = [&](int64_t node) {
      std::vector<int64_t> ids;
      for (int64_t f = 0; f < 3; ++f) ids.push_back(batch.inputs[b][node][f].item<int64_t>());
      return ids;
    };
    EXPECT_THAT(row(0), ElementsAre(0, 3, 5 + nodes - 1));
    if (nodes > 1) {
      EXPECT_THAT(row(1), ElementsAre(1, 4, 5 + 1));
    }
    if (batch.valid.defined()) {
      EXPECT_EQ(batch.valid[b].sum().item<int64_t>(), nodes);
    }
  }
}

TEST(GraphProperty, NumbersAndNodesOfWhichNothingIsKnown) {
  const auto numbers = dataset_of(false, 2);
  EXPECT_EQ(make("", *numbers)->traits().features, 2);
  EXPECT_EQ(make("degree=true", *numbers)->traits().features, 3);
  const Batch some =
      make("degree=true", *numbers)->training({.size = 2, .batch = 4, .seed = 0, .step = 0});
  EXPECT_EQ(some.inputs.scalar_type(), at::kFloat);
  const auto nothing = dataset_of(false, 0);
  EXPECT_EQ(make("", *nothing)->traits().vocabulary, 1);
  EXPECT_EQ(make("degree=true", *nothing)->traits().vocabulary, 17);
  const Batch bare = make("", *nothing)->training({.size = 6, .batch = 4, .seed = 0, .step = 0});
  EXPECT_EQ(bare.inputs.dim(), 2);
}

// Edges 0-0, 0-1, 1-0 and 0-1 once more: node 0 has five ends, node 1 three. Hops know none of it.
TEST(GraphProperty, DegreesCountBothEndsOfALoopAndRepeatedEdgesEach) {
  GraphSource source{.origin = "test", .targets = {{.name = "number"}}};
  for (int64_t n = 0; n < 40; ++n) {
    Graph graph = new_graph(fmt::format("graph {}", n), 2);
    edit_graph(graph.structure).edges = {{0, 0}, {0, 1}, {1, 0}, {0, 1}};
    graph.labels = {at::full({1}, static_cast<double>(n), at::kDouble)};
    graph.key = graph.structure.name;
    source.graphs.push_back(std::move(graph));
  }
  const GraphDataset dataset(std::move(source));
  const auto task = make("degree=true", dataset);
  const Batch batch = task->training({.size = 2, .batch = 1, .seed = 0, .step = 0});
  const auto vocabulary = task->traits().vocabulary;  // the last 16 rows: degrees 0 to 15 and more
  EXPECT_EQ(batch.inputs[0][0][1].item<int64_t>(), vocabulary - 16 + 5);
  EXPECT_EQ(batch.inputs[0][1][1].item<int64_t>(), vocabulary - 16 + 3);
  EXPECT_THAT(find_entry("task", "graph-property", task_entries()).options[1].meaning,
              HasSubstr("a loop has both of its ends at its node, repeated edges count each"));
}

TEST(GraphProperty, MissingLabelsAreNeverScored) {
  const auto dataset = dataset_of(true, 0);
  // One target: graphs without its label are left out.
  const Batch one = make("", *dataset)->training({.size = 6, .batch = 50, .seed = 0, .step = 0});
  EXPECT_TRUE(one.answers[0].scored.all().item<bool>());
  EXPECT_TRUE(at::isfinite(one.answers[0].targets).all().item<bool>());
  // All targets: the other label counts.
  const auto task = make("target=all", *dataset);
  EXPECT_THAT(task->traits().metrics, ElementsAre("number mean-absolute-error", "parity accuracy",
                                                  "parity balanced accuracy"));
  const Batch all = task->training({.size = 6, .batch = 50, .seed = 0, .step = 0});
  EXPECT_FALSE(all.answers[0].scored.all().item<bool>());
  EXPECT_TRUE(at::isfinite(all.answers[0].targets).all().item<bool>());
  EXPECT_TRUE(at::equal(all.answers[1].scored, all.valid));
}

TEST(GraphProperty, NumbersAreMeasuredOnTheTrainingGraphs) {
  const auto dataset = dataset_of(true, 0);
  std::vector<double> labels;
  for (const Graph* graph : dataset->graphs(Split::train)) {
    const double label = graph->labels[0].item<double>();
    if (!std::isnan(label)) labels.push_back(label);
  }
  const at::Tensor all = at::tensor(labels, at::kDouble);
  const TaskTraits traits = make("", *dataset)->traits();
  EXPECT_NEAR(traits.questions[0].mean, all.mean().item<double>(), 1e-9);
  EXPECT_NEAR(traits.questions[0].deviation, all.std(false).item<double>(), 1e-9);
}

// The residuals of least squares are orthogonal to all that the rule knows, 1 and nodes among it.
TEST(GraphProperty, TheTrivialRuleIsALinearModelOfTheTrainingGraphs) {
  const auto dataset = dataset_of(true, 0);
  const EvaluationRequest request{
      .size = 6, .samples = 1000, .tokens = 0, .batch = 1000, .split = Split::train};
  make("", *dataset)->evaluation(request, [&](const Batch& batch) {
    const Answers& answers = batch.answers[0];
    const at::Tensor residual = (answers.targets - answers.guesses).masked_fill(~answers.scored, 0);
    std::vector<double> nodes;
    for (const Structure& graph : batch.structures) {
      nodes.push_back(static_cast<double>(graph_of(graph).nodes));
    }
    const at::Tensor sizes = at::tensor(nodes, at::kFloat);
    EXPECT_GT(residual.abs().max().item<double>(), 1);
    EXPECT_NEAR(residual.sum().item<double>(), 0, 0.05);
    EXPECT_NEAR(residual.flatten().dot(sizes).item<double>(), 0, 0.2);
  });
}

TEST(GraphProperty, ACategoryThatIsNotTrainedIsRefused) {
  const auto with_categories = [](const std::function<double(const Graph&, int64_t)>& label) {
    GraphSource source{.origin = "made up"};
    for (int64_t n = 0; n < 30; ++n) {
      Graph graph = new_graph(fmt::format("graph {}", n), 2);
      graph.split = n < 20 ? Split::train : n < 25 ? Split::validation : Split::test;
      graph.labels = {at::full({1}, label(graph, n), at::kDouble)};
      source.graphs.push_back(std::move(graph));
    }
    source.targets = {{.name = "kind", .kind = Question::Kind::category, .categories = 3}};
    return GraphDataset(std::move(source));
  };
  const auto error = [](const GraphDataset& dataset) {
    return error_of([&] { make("", dataset); });
  };
  EXPECT_EQ(error(with_categories([](auto&, int64_t) { return 1.0; })),
            "graph-property: target 'kind': one class only (1) in training, at least two classes "
            "expected");
  EXPECT_EQ(error(with_categories([](auto&, int64_t n) { return n == 29 ? 2.0 : n % 2; })),
            "graph-property: target 'kind': class 2 has no sample in training and 1 held out, at "
            "least one trained expected");
}

TEST(GraphProperty, SizesAreBinsOfTheHeldOutSplit) {
  const auto dataset = dataset_of(true, 0);
  const auto task = make("target=parity", *dataset);
  int64_t seen = 0, expected = 0;
  task->evaluation({.size = 5, .samples = 1000, .tokens = 0, .batch = 3, .above = 2},
                   [&](const Batch& batch) {
                     for (const Structure& graph : batch.structures) {
                       EXPECT_GT(graph_of(graph).nodes, 2);
                       EXPECT_LE(graph_of(graph).nodes, 5);
                       ++seen;
                     }
                   });
  for (const Graph* graph : dataset->graphs(Split::test)) {
    expected += graph_of(graph->structure).nodes > 2 && graph_of(graph->structure).nodes <= 5;
  }
  EXPECT_EQ(seen, expected);
  EXPECT_THAT(error_of([&] {
                task->check({}, {{.size = 99, .samples = 1, .tokens = 0, .batch = 1, .above = 6}});
              }),
              HasSubstr("no labelled graph of the test split has 7 to 99 nodes"));
}

TEST(GraphProperty, AGraphTooLargeForAnyRelationIsRefusedBeforeTheTraining) {
  GraphSource source{.origin = "test", .targets = {{.name = "number"}}};
  for (int64_t n = 0; n < 20; ++n) {
    Graph graph = new_graph(fmt::format("graph {}", n), n == 17 ? 20'000 : 3);
    graph.labels = {at::ones({1}, at::kDouble)};
    graph.key = graph.structure.name;
    source.graphs.push_back(std::move(graph));
  }
  source.train_nodes = 3;
  const GraphDataset dataset(std::move(source));
  const auto task = make("", dataset);
  const EvaluationRequest small{.size = 3, .samples = 9, .tokens = 0, .batch = 1};
  EXPECT_NO_THROW(task->check({3}, {small}));
  EXPECT_EQ(error_of([&] {
              task->check(
                  {3},
                  {small, {.size = 30'000, .samples = 9, .tokens = 0, .batch = 1, .above = 3}});
            }),
            "graph 17 of 20000 nodes: the ids of any relation need 400000000 bytes for its pairs, "
            "at most 268435456 expected");
}

TEST(GraphProperty, NamesWhatIsWrong) {
  const auto dataset = dataset_of(true, 0);
  EXPECT_THAT(error_of([&] { make("target=numbers", *dataset); }),
              HasSubstr("'numbers': did you mean 'number'?"));
  const auto& entry = find_entry("task", "graph-property", task_entries());
  EXPECT_THAT(error_of([&] {
                entry.make(parse_options("task", "graph-property", entry.options), nullptr);
              }),
              HasSubstr("needs a dataset of graphs, none found"));
}

}  // namespace
}  // namespace relbias::modalities
