// SPDX-License-Identifier: Apache-2.0
// tests: datasets of graphs: division, counts, what is refused; graphs side by side in a batch.
#include "modalities/graph/graph.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <set>

#include "modalities/graph/batch.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/graph/reading/edge_lists.h"
#include "tests/modalities/graph/graphs.h"

namespace relbias::modalities {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

GraphSource some_graphs(int64_t count) {
  GraphSource source{.origin = "test", .targets = {{.name = "size"}}};
  for (int64_t n = 0; n < count; ++n) {
    Graph graph = new_graph(fmt::format("graph {}", n), 1 + n % 5);
    for (int64_t node = 1; node < graph_of(graph.structure).nodes; ++node) {
      edit_graph(graph.structure).edges.push_back({node - 1, node});
    }
    graph.labels = {at::full({1}, static_cast<double>(n % 5), at::kDouble)};
    graph.key = graph.structure.name;
    source.graphs.push_back(std::move(graph));
  }
  return source;
}

std::string error_with(const std::function<void(GraphSource&)>& change) {
  GraphSource source = some_graphs(20);
  change(source);
  return error_of([&] { GraphDataset(std::move(source)); });
}

TEST(GraphDataset, DividesEveryGraphOnceAndLargeOnesToTheTest) {
  GraphSource source = some_graphs(100);
  source.train_nodes = 3;
  const GraphDataset dataset(std::move(source));
  std::set<const Graph*> seen;
  for (const Split split : all_splits) {
    for (const Graph* graph : dataset.graphs(split)) {
      EXPECT_TRUE(seen.insert(graph).second);
      EXPECT_TRUE(split == Split::test || graph_of(graph->structure).nodes <= 3);
    }
  }
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_NEAR(static_cast<double>(dataset.graphs(Split::train).size()), 48, 8);
  EXPECT_GE(dataset.graphs(Split::validation).size(), 1u);
  EXPECT_GE(dataset.graphs(Split::test).size(), 40u);
}

// Without a key, what a model sees of them divides: equal graphs are in one split.
TEST(GraphDataset, CopiesStayTogether) {
  GraphSource source = some_graphs(100);
  for (Graph& graph : source.graphs) graph.key.clear();
  const GraphDataset dataset(std::move(source));
  std::map<int64_t, std::set<Split>> splits_of_size;
  for (const Split split : all_splits) {
    for (const Graph* graph : dataset.graphs(split)) {
      splits_of_size[graph_of(graph->structure).nodes].insert(split);
    }
  }
  for (const auto& [nodes, splits] : splits_of_size) EXPECT_EQ(splits.size(), 1u) << nodes;
}

TEST(GraphDataset, SplitsOfTheSourceAreKept) {
  GraphSource source = some_graphs(20);
  for (size_t n = 0; n < 20; ++n) {
    source.graphs[n].split = n < 10 ? Split::train : n < 15 ? Split::validation : Split::test;
  }
  const GraphDataset dataset(std::move(source));
  EXPECT_EQ(dataset.graphs(Split::train).size(), 10u);
  EXPECT_EQ(dataset.graphs(Split::test).front()->structure.name, "graph 15");
}

TEST(GraphDataset, CountsWhatIsUnusual) {
  GraphSource source = some_graphs(20);
  edit_graph(source.graphs[4].structure).edges = {{0, 1}, {0, 1}, {2, 2}};  // 5 nodes
  source.graphs[9].labels[0].fill_(NAN);
  const GraphDataset dataset(std::move(source));
  for (const char* part :
       {"20 graphs of 1 to 5 nodes, median 3", "4 of a single node", "1 in several parts",
        "2 isolated nodes", "1 self loops", "1 repeated edges", "1 missing labels"}) {
    EXPECT_THAT(dataset.report(), HasSubstr(part));
  }
}

TEST(GraphDataset, NamesWhatIsWrong) {
  EXPECT_EQ(error_with([](GraphSource& s) {
              edit_graph(s.graphs[3].structure).edges = {{0, 4}};
            }),
            "graph 3: edge 0 is 0-4, its nodes are 0 to 3");
  EXPECT_THAT(error_with([](GraphSource& s) { s.graphs[3].labels[0] = at::zeros({2}); }),
              HasSubstr("graph 3: 2 labels 'size' found, 1 expected"));
  EXPECT_THAT(error_with([](GraphSource& s) {
                s.targets[0].kind = Question::Kind::category;
                s.targets[0].categories = 4;
              }),
              HasSubstr("label 'size' has the category 4, a whole number from 0 to 3 expected"));
  for (const double label : {1.5, -1.0, 4e9}) {
    EXPECT_THAT(error_with([&](GraphSource& s) {
                  s.targets[0].kind = Question::Kind::category;
                  s.targets[0].categories = 5'000'000'000;
                  s.graphs[3].labels[0].fill_(label);
                }),
                HasSubstr(fmt::format("graph 3: label 'size' has the category {}, a whole number "
                                      "from 0 to 1048575 expected",
                                      label)));
  }
  EXPECT_THAT(error_with([](GraphSource& s) {
                s.category_counts = {5'000'000'000};
                for (auto& graph : s.graphs) {
                  graph.categories = at::zeros({graph_of(graph.structure).nodes, 1}, at::kLong);
                }
                s.graphs[3].categories.fill_(4'000'000'000);
              }),
              HasSubstr("graph 3: node category 0 has values from 4000000000 to 4000000000, 0 to "
                        "1048575 expected"));
  EXPECT_EQ(error_with([](GraphSource& s) {
              edit_graph(s.graphs[3].structure).edge_features = at::ones({3, 2});
              edit_graph(s.graphs[3].structure).edge_features[1][1] = NAN;
            }),
            "graph 3: a feature of edge 1 (1-2) is missing or not finite");
  EXPECT_THAT(error_with([](GraphSource& s) { s.category_counts = {3}; }),
              HasSubstr("graph 0: 0 categories of 0 nodes found, 1 of 1 expected"));
  EXPECT_THAT(error_with([](GraphSource& s) {
                s.category_counts = {3};
                for (auto& graph : s.graphs) {
                  graph.categories = at::full({graph_of(graph.structure).nodes, 1}, 3, at::kLong);
                }
              }),
              HasSubstr("node category 0 has values from 3 to 3, 0 to 2 expected"));
  EXPECT_THAT(error_with([](GraphSource& s) {
                s.number_count = 1;
                for (auto& graph : s.graphs) {
                  graph.numbers = at::full({graph_of(graph.structure).nodes, 1}, NAN);
                }
              }),
              HasSubstr("graph 0: number 0 of node 0 is nan, a finite one expected"));
  EXPECT_THAT(error_of([] { GraphDataset(some_graphs(2)); }),
              HasSubstr("2 graphs are too few for three splits"));
  EXPECT_THAT(error_of([] { GraphDataset(some_graphs(0)); }), HasSubstr("0 graphs are too few"));
}

Structure with_edges(EdgeList list) {
  Graph graph = new_graph("graph 3", 3);
  int64_t paired = 0;
  set_edges(graph, std::move(list), paired);
  EXPECT_EQ(paired, graph_of(graph.structure).both_ways ? 1 : 0);
  return graph.structure;
}

at::Tensor directed(const std::string& relation, const Structure& sample) {
  const RelationMap map = make_relation(relation + " directed=true")->map(sample);
  return map.features.defined() ? map.features[0].sum(2) : map.pair_rows()[0];
}

// Each edge is kept from its low end to its high one, but was given from high to low as well.
TEST(SetEdges, WhatIsListedBothWaysIsWalkedBothWays) {
  Structure both = with_edges({.edges = {{0, 1}, {1, 0}, {2, 1}, {1, 2}}});
  EXPECT_TRUE(graph_of(both).both_ways);
  EXPECT_THAT(graph_of(both).edges, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
  EXPECT_MATRIX(directed("hops clip=3", both), matrix({{0, 1, 2}, {1, 0, 1}, {2, 1, 0}}));
  EXPECT_MATRIX(directed("edges", both), matrix({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}));
  EXPECT_MATRIX(make_relation("edges directed=true")->map(both).pair_rows()[0],
                at::zeros({3, 3}, at::kDouble));
  both.cache = nullptr;
  edit_graph(both).edge_weights = {2, 3};
  EXPECT_MATRIX(directed("hops weighted=true", both), matrix({{0, 2, 5}, {2, 0, 3}, {5, 3, 0}}));
}

TEST(SetEdges, WhatIsListedOneWayKeepsItsDirection) {
  for (const EdgeList& list :
       {EdgeList{.edges = {{0, 1}, {1, 2}}, .features = {}},
        EdgeList{.edges = {{0, 1}, {1, 0}, {1, 2}}, .features = {}},
        // The way back is another edge where it has other features.
        EdgeList{.edges = {{0, 1}, {1, 0}, {1, 2}, {1, 2}}, .features = {{1}, {2}, {3}, {3}}}}) {
    const Structure sample = with_edges(list);
    EXPECT_FALSE(graph_of(sample).both_ways);
    EXPECT_EQ(graph_of(sample).edges.size(), list.edges.size());
    EXPECT_MATRIX(directed("hops clip=3", sample).narrow(0, 2, 1), matrix({{4, 4, 0}}));
    EXPECT_MATRIX(directed("edges", sample).narrow(0, 2, 1), matrix({{0, 0, 0}}));
  }
}

// Seen elsewhere: errors of shape for one node or no edges.
TEST(GraphBatch, PadsOnTheRight) {
  const at::Tensor rows = padded_rows({at::tensor({1, 2}, at::kLong), at::tensor({3}, at::kLong)});
  EXPECT_MATRIX(rows, matrix({{1, 2}, {3, 0}}));
  EXPECT_MATRIX(valid_rows({graph_of(2, {}), graph_of(1, {})}), matrix({{1, 1}, {1, 0}}));
  EXPECT_FALSE(valid_rows({graph_of(2, {}), graph_of(2, {})}).defined());
  EXPECT_EQ(padded_rows({at::zeros({1, 2, 3}), at::zeros({4, 2, 3})}).sizes(),
            (at::IntArrayRef{2, 4, 2, 3}));
}

}  // namespace
}  // namespace relbias::modalities
