// SPDX-License-Identifier: Apache-2.0
// tests: tasks on drawn graphs: the answers are right, the families are what they are called.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "modalities/graph/graph_structure.h"
#include "modalities/graph/paths.h"
#include "modalities/graph/random_graphs.h"
#include "modalities/modality.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Task> make(const std::string& text) {
  const auto& entry = find_entry("task", option_name(text), task_entries());
  return entry.make(parse_options("task", text, entry.options), nullptr);
}

// How many nodes stand at every distance from node 0.
std::vector<int64_t> histogram(const Structure& graph) {
  const at::Tensor row = hop_distances(graph, false)[0];
  std::vector<int64_t> counts(static_cast<size_t>(row.max().item<int64_t>()) + 1, 0);
  for (int64_t j = 0; j < row.size(0); ++j) ++counts[static_cast<size_t>(row[j].item<int64_t>())];
  return counts;
}

TEST(Csl, AllNodesLookAlikeAndHaveFourNeighbours) {
  const Batch batch = make("csl")->training({.size = 41, .batch = 10, .seed = 0, .step = 0});
  EXPECT_EQ(batch.inputs.abs().sum().item<int64_t>(), 0);
  EXPECT_TRUE(at::equal(batch.answers[0].targets, at::arange(10).unsqueeze(1)));
  for (const Structure& graph : batch.structures) {
    EXPECT_THAT(degrees(graph), Each(4));
    EXPECT_EQ(component_count(graph), 1);
  }
}

TEST(Csl, TwoClassesShareTheirDistancesAt41AndNoneAt83) {
  const auto task = make("csl");
  const Batch small = task->training({.size = 41, .batch = 10, .seed = 0, .step = 0});
  std::map<std::vector<int64_t>, std::vector<size_t>> at41;
  for (size_t n = 0; n < 10; ++n) at41[histogram(small.structures[n])].push_back(n);
  EXPECT_EQ(at41.size(), 9u);
  EXPECT_THAT((at41[{1, 4, 8, 12, 10, 6}]), ElementsAre(4, 9));  // skips 6 and 16
  const Batch large = task->training({.size = 83, .batch = 10, .seed = 0, .step = 0});
  std::set<std::vector<int64_t>> at83;
  for (const Structure& graph : large.structures) at83.insert(histogram(graph));
  EXPECT_EQ(at83.size(), 10u);
}

TEST(Csl, TheCeilingIsWhatTheRelationTellsApart) {
  const auto task = make("csl");
  EXPECT_EQ(task->ceiling("hops", 41), 0.9);
  EXPECT_EQ(task->ceiling("hops", 83), 1.0);
  EXPECT_EQ(task->ceiling("random-walk", 41), 1.0);
}

TEST(Csl, SamplesOfAClassCountAsOne) {
  std::vector<std::string> sources;
  make("csl")->evaluation({.size = 41, .samples = 100, .tokens = 0, .batch = 7},
                          [&](const Batch& batch) {
                            for (const auto& source : batch.sources) sources.push_back(source);
                          });
  ASSERT_EQ(sources.size(), 100u);
  EXPECT_EQ(sources.front(), "skip 2");
  EXPECT_EQ(sources.back(), "skip 16");
  EXPECT_EQ(std::unique(sources.begin(), sources.end()) - sources.begin(), 10);
}

TEST(Csl, ARelationIsComputedOnceForEveryTrainingGraph) {
  const auto task = make("csl");
  std::set<const SampleCache*> caches;
  for (uint64_t step = 0; step < 200; ++step) {
    for (const Structure& graph :
         task->training({.size = 41, .batch = 10, .seed = 0, .step = step}).structures) {
      caches.insert(graph.cache.get());
    }
  }
  EXPECT_EQ(caches.size(), 160u);
}

TEST(Csl, SizesWhereClassesAreOneGraphAreRefused) {
  const auto task = make("csl");
  EXPECT_NO_THROW(task->check({41, 83}, {}));
  EXPECT_THAT(error_of([&] { task->check({64}, {}); }), HasSubstr("give the same graph"));
  EXPECT_THAT(error_of([&] { task->check({33}, {}); }), HasSubstr("at least 34 nodes expected"));
  for (const int64_t size : {int64_t{20'011}, int64_t{9'000'000'000}}) {
    const EvaluationRequest large{.size = size, .samples = 1, .tokens = 0, .batch = 1};
    EXPECT_THAT(error_of([&] { task->check({41}, {large}); }),
                HasSubstr("bytes for its pairs, at most 268435456 expected"));
  }
}

TEST(PairDistance, TheAnswerIsTheDistanceOfTheMarks) {
  const auto task = make("pair-distance");
  for (const int64_t size : {2, 6, 16, 32}) {
    const Batch batch = task->training({.size = size, .batch = 64, .seed = 1, .step = 2});
    std::set<int64_t> seen;
    for (int64_t b = 0; b < 64; ++b) {
      const Structure& graph = batch.structures[static_cast<size_t>(b)];
      EXPECT_EQ(component_count(graph), 1);
      EXPECT_EQ(static_cast<int64_t>(graph_of(graph).edges.size()), size - 1 + size / 8);
      const at::Tensor marks = batch.inputs[b].nonzero().squeeze(1);
      ASSERT_EQ(marks.size(0), 2);
      EXPECT_TRUE(at::equal(batch.answers[0].pooled[b], batch.inputs[b] == 1));
      const at::Tensor row = hop_distances(graph, false)[marks[0].item<int64_t>()];
      const int64_t steps = row[marks[1].item<int64_t>()].item<int64_t>();
      EXPECT_EQ(batch.answers[0].targets[b][0].item<int64_t>(), std::min<int64_t>(steps, 8) - 1);
      seen.insert(steps);
    }
    EXPECT_GE(seen.size(), size == 2 ? 1u : 3u);
  }
  EXPECT_THAT(error_of([&] { task->check({1}, {}); }), HasSubstr("2 to 4096 nodes expected"));
}

// Distances are drawn before pairs, so that none is rare where graphs have it.
TEST(PairDistance, DistancesAreEven) {
  const Batch batch =
      make("pair-distance")->training({.size = 32, .batch = 800, .seed = 0, .step = 0});
  const at::Tensor counts = at::bincount(batch.answers[0].targets.flatten(), {}, 8);
  EXPECT_GT(counts.min().item<int64_t>(), 60);
  EXPECT_LT(counts.max().item<int64_t>(), 150);
}

TEST(RandomGraphs, TreesAreEquallyLikely) {
  at::Generator generator = stream(1, "trees");
  Draw random(generator);
  std::map<std::set<std::set<int64_t>>, int> seen;
  for (int n = 0; n < 3200; ++n) {
    std::set<std::set<int64_t>> edges;
    const Structure tree = random_tree(4, random);
    for (const auto& edge : graph_of(tree).edges) edges.insert({edge[0], edge[1]});
    EXPECT_EQ(edges.size(), 3u);
    ++seen[edges];
  }
  EXPECT_EQ(seen.size(), 16u);  // Cayley: 4^2
  for (const auto& [tree, count] : seen) EXPECT_NEAR(count, 200, 70);
  EXPECT_TRUE(graph_of(random_tree(1, random)).edges.empty());
  EXPECT_EQ(graph_of(random_tree(2, random)).edges.size(), 1u);
}

TEST(RandomGraphs, FamiliesHaveTheNodesAskedFor) {
  at::Generator generator = stream(2, "families");
  Draw random(generator);
  double shares = 0;
  for (const auto& family : graph_families()) {
    shares += family.share;
    for (const int64_t nodes : {1, 2, 3, 15, 24, 60}) {
      const Structure graph = family.make(nodes, random);
      EXPECT_EQ(graph_of(graph).nodes, nodes) << family.name;
      EXPECT_NO_THROW(check_graph(graph)) << family.name << nodes;
      std::set<std::set<int64_t>> edges;
      for (const auto& edge : graph_of(graph).edges) {
        EXPECT_TRUE(edges.insert({edge[0], edge[1]}).second) << family.name << " " << nodes;
        EXPECT_NE(edge[0], edge[1]) << family.name;
      }
      if (family.name != "erdos-renyi") {
        EXPECT_EQ(component_count(graph), 1) << family.name;
      }
      const bool tree = family.name == "tree" || family.name == "line" || family.name == "star" ||
                        family.name == "caterpillar" || family.name == "lobster";
      if (tree) {
        EXPECT_EQ(edges.size(), static_cast<size_t>(nodes - 1)) << family.name;
      }
    }
  }
  EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(GraphTheory, AnswersEqualThoseOfTheirDefinitions) {
  const auto task = make("graph-theory question=all");
  EXPECT_EQ(task->traits().metrics.front(), "eccentricity mean-absolute-error");
  const Batch batch = task->training({.size = 24, .batch = 20, .seed = 0, .step = 0});
  std::set<int64_t> sizes;
  for (int64_t b = 0; b < 20; ++b) {
    const Structure& graph = batch.structures[static_cast<size_t>(b)];
    const int64_t nodes = graph_of(graph).nodes, padding = batch.inputs.size(1) - nodes;
    sizes.insert(nodes);
    const at::Tensor hops = hop_distances(graph, false).to(at::kFloat);
    const auto answer = [&](size_t n) { return batch.answers[n].targets[b]; };
    const int64_t source = batch.inputs[b].select(1, 1).argmax().item<int64_t>();
    EXPECT_TRUE(at::equal(answer(0).narrow(0, 0, nodes), hops.amax(1)));
    EXPECT_TRUE(at::equal(answer(1).narrow(0, 0, nodes), hops[source]));
    std::vector<double> laplacian(static_cast<size_t>(nodes), 0);
    for (const auto& edge : graph_of(graph).edges) {
      const double gap = (batch.inputs[b][edge[0]][0] - batch.inputs[b][edge[1]][0]).item<double>();
      laplacian[static_cast<size_t>(edge[0])] += gap;
      laplacian[static_cast<size_t>(edge[1])] -= gap;
    }
    EXPECT_TRUE(at::allclose(answer(2).narrow(0, 0, nodes).to(at::kDouble),
                             at::tensor(laplacian, at::kDouble), 0, 1e-4));
    EXPECT_EQ(answer(3)[0].item<int64_t>(), component_count(graph) == 1);
    EXPECT_EQ(answer(4)[0].item<float>(), hops.max().item<float>());
    EXPECT_FALSE(batch.answers[0].scored[b].narrow(0, nodes, padding).any().item<bool>());
  }
  EXPECT_GT(sizes.size(), 3u);
  EXPECT_GE(*sizes.begin(), 15);
  EXPECT_LE(*sizes.rbegin(), 24);
}

TEST(GraphTheory, SizesAreBins) {
  const auto task = make("graph-theory");
  task->evaluation({.size = 49, .samples = 30, .tokens = 0, .batch = 7, .above = 24},
                   [](const Batch& batch) {
                     for (const Structure& graph : batch.structures) {
                       EXPECT_GT(graph_of(graph).nodes, 24);
                       EXPECT_LE(graph_of(graph).nodes, 49);
                     }
                   });
  EXPECT_THAT(error_of([&] { task->check({14}, {}); }), HasSubstr("15 to 1024 nodes expected"));
}

}  // namespace
}  // namespace relbias::modalities
