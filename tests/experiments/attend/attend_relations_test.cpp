// SPDX-License-Identifier: Apache-2.0
// tests: graphs, trees, grids and positions in the cases of `relbias attend`.
#include "tests/encodings/worked.h"
#include "tests/experiments/attend/attend_cases.h"

namespace relbias::experiments {
namespace {

// The path 0-1-2, node 3 apart, and for the second sample a star: as edges and as distances.
TEST_F(Attend, ReadsGraphs) {
  input.texts["encoding"] = "table";
  input.texts["relation"] = "hops clip=3";
  input.arrays.erase("parameters/table");
  const auto shaped = [](Array array, int64_t tokens) {
    array.shape[2] = tokens;
    const auto numbers =
        static_cast<size_t>(array.shape[0] * array.shape[1] * tokens * array.shape[3]);
    array.values.resize(numbers, 0.25);
    return array;
  };
  for (const char* name : {"q", "k", "v", "grad_out"}) {
    input.arrays[name] = shaped(input.arrays[name], 4);
  }
  const auto samples = input.arrays["q"].shape[0];
  input.arrays["relation/edges"] = {{2, 2}, {0, 1, 1, 2}};
  const NamedArrays by_edges = run();
  input.arrays.erase("relation/edges");
  const std::vector<double> path = {0, 1, 2, -1, 1, 0, 1, -1, 2, 1, 0, -1, -1, -1, -1, 0};
  Array& distance = input.arrays["relation/distance"];
  distance.shape = {samples, 4, 4};
  for (int64_t b = 0; b < samples; ++b) {
    distance.values.insert(distance.values.end(), path.begin(), path.end());
  }
  const NamedArrays by_distance = run();
  EXPECT_EQ(by_distance.arrays.at("weights").values, by_edges.arrays.at("weights").values);
  EXPECT_EQ(by_distance.arrays.at("grad/parameters/table").shape, (std::vector<int64_t>{2, 5}));
  EXPECT_CLOSE(tensor_of(by_distance.arrays.at("grad/parameters/table")),
               tensor_of(by_edges.arrays.at("grad/parameters/table")), 1e-12);
  distance.values[4] = 2;  // from node 1 to node 0, which the causal mask shows
  EXPECT_NE(run().arrays.at("weights").values, by_edges.arrays.at("weights").values);
  distance.values[4] = 1.5;
  EXPECT_NE(message().find("relation/distance: whole numbers"), std::string::npos);
  distance.shape = {samples, 2, 8};
  EXPECT_NE(message().find("4, 4] expected"), std::string::npos) << message();
}

// The edges 0-1 with the feature 3 and 1-2 with 5, as datasets and as the relation's own words.
TEST_F(Attend, ReadsFeaturesOfEdges) {
  input.texts["encoding"] = "linear";
  input.texts["relation"] = "edges steps=2 edges=0-1:3,1-2:5 nodes=5";
  input.numbers["causal"] = 0;
  input.arrays.erase("parameters/table");
  const NamedArrays worded = run();
  input.texts["relation"] = "edges steps=2";
  input.arrays["relation/edges"] = {{2, 2}, {0, 1, 1, 2}};
  input.arrays["relation/edge_features"] = {{2, 1}, {3, 5}};
  const NamedArrays given = run();
  EXPECT_EQ(given.arrays.at("weights").values, worded.arrays.at("weights").values);
  EXPECT_EQ(given.arrays.at("grad/q").values, worded.arrays.at("grad/q").values);
  input.arrays["relation/edge_features"].values[1] = 6;
  EXPECT_NE(run().arrays.at("weights").values, worded.arrays.at("weights").values);
  // Two features an edge have two weights a step.
  input.texts["relation"] = "edges steps=2 features=2";
  input.arrays["relation/edge_features"] = {{2, 2}, {3, 0, 5, 0}};
  EXPECT_EQ(message(), "no error");
  input.arrays["relation/edge_features"] = {{1, 2}, {3, 5}};
  EXPECT_NE(message().find("relation/edge_features has shape [1, 2], [2, F] expected"),
            std::string::npos)
      << message();
  input.arrays["relation/edge_features"] = {{2, 3}, {3, 0, 5, 0, 1, 1}};
  EXPECT_NE(message().find("3 features"), std::string::npos) << message();
  input.arrays.erase("relation/edges");
  EXPECT_NE(message(), "no error");
}

// Sample 0 has a root with the children 1 2 3 4, sample 1 the chain 0-1-2-3-4.
TEST_F(Attend, ReadsATreeASample) {
  input.texts["encoding"] = "table";
  input.texts["relation"] = "tree clip=2";
  input.numbers["causal"] = 0;
  Tensor table = at::zeros({2, 10}, at::kDouble);
  table.select(1, 1).fill_(50);  // child: one step down
  input.arrays["parameters/table"] = array_of(table);
  input.arrays["relation/parents"] = {{2, 5}, {-1, 0, 0, 0, 0, -1, 0, 1, 2, 3}};
  const Tensor weights = tensor_of(run().arrays.at("weights"));
  // The root attends to its four children alike or, in the chain, to its one child; leaves to
  // nothing in particular.
  EXPECT_NEAR(weights[0][0][0].slice(0, 1).sum().item<double>(), 1, 1e-6);
  EXPECT_NEAR(weights[1][0][0][1].item<double>(), 1, 1e-6);
  EXPECT_NEAR(weights[1][1][3][4].item<double>(), 1, 1e-6);
  EXPECT_LT(weights[1][1][4].max().item<double>(), 0.999);
}

TEST_F(Attend, TokensMayBeTheLeavesOfATree) {
  input.texts["encoding"] = "none";
  input.texts["relation"] = "tree";
  input.arrays.erase("parameters/table");
  input.arrays["relation/parents"] = {{1, 6}, {-1, 0, 0, 0, 0, 0}};
  EXPECT_EQ(message(), "no error");
  input.arrays["relation/parents"] = {{1, 7}, {-1, 0, 0, 0, 0, 0, 0}};
  EXPECT_NE(message().find("has 7 nodes, 6 of them leaves, but there are 5 tokens"),
            std::string::npos);
  input.arrays["relation/parents"] = {{3, 5}, std::vector<double>(15, -1)};
  EXPECT_NE(message().find("has shape [3, 5], [2, nodes] expected"), std::string::npos);
  input.arrays["relation/parents"] = {{1, 5}, {-1, 0, 0, 9, 0}};
  EXPECT_NE(message().find("parent of node 3 is 9"), std::string::npos);
}

// The last query is the last token: with fewer queries than keys, rows are the last ones.
TEST_F(Attend, TreesOfABatchMayHaveFewerQueriesThanTokens) {
  input.texts["encoding"] = "table";
  input.texts["relation"] = "tree";
  input.arrays.erase("parameters/table");
  const Tensor q = random({2, 2, 5, 4}, 1), grad_out = random({2, 2, 5, 4}, 7);
  const auto ask = [&](int64_t samples, int64_t queries) {
    const auto last = [&](const Tensor& x) {
      return array_of(x.narrow(0, 0, samples).narrow(2, 5 - queries, queries).contiguous());
    };
    input.arrays["q"] = last(q);
    input.arrays["grad_out"] = last(grad_out);
    for (const char* name : {"k", "v"}) {
      input.arrays[name] = array_of(random({samples, 2, 5, 4}, 2));
    }
    const Tensor parents = at::tensor({-1., 0., 0., 0., 0.}, at::kDouble);
    input.arrays["relation/parents"] = array_of(parents.expand({samples, 5}));
  };
  for (const int64_t samples : {1, 2}) {
    ask(samples, 5);
    const Tensor whole = tensor_of(run().arrays.at("out"));
    ask(samples, 3);
    EXPECT_CLOSE(tensor_of(run().arrays.at("out")), whole.narrow(2, 2, 3), 1e-12);
  }
  input.arrays["q"] = input.arrays["grad_out"] = array_of(random({2, 2, 6, 4}, 1));
  EXPECT_NE(message().find("relation/parents: 6 queries and 5 keys found"), std::string::npos)
      << message();
}

// No whole number of 64 bits: the cast would make any node of it.
TEST_F(Attend, NodesThatCannotBeAreRefused) {
  input.texts["relation"] = "hops";
  input.arrays["relation/edges"] = {{1, 2}, {0, 1e300}};
  EXPECT_NE(message().find("relation/edges: whole numbers expected"), std::string::npos)
      << message();
  input.arrays.erase("relation/edges");
  input.texts["relation"] = "tree";
  input.arrays["relation/parents"] = {{1, 5}, {-1, 0, 0, 1e300, 0}};
  EXPECT_NE(message().find("relation/parents: whole numbers expected"), std::string::npos)
      << message();
}

TEST_F(Attend, TokensStandWhereTheCaseSays) {
  input.texts["encoding"] = "alibi";
  input.arrays.erase("parameters/table");
  const Tensor plain = tensor_of(run().arrays.at("weights"));
  input.arrays["positions"] = {{2, 5}, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4}};
  EXPECT_CLOSE(tensor_of(run().arrays.at("weights")), plain, 1e-6);
  input.arrays["positions"] = {{2, 5}, {0, 1, 2, 3, 4, 0, 2, 4, 6, 8}};
  const Tensor apart = tensor_of(run().arrays.at("weights"));
  EXPECT_CLOSE(apart[0], plain[0], 1e-6);
  EXPECT_GT((apart[1] - plain[1]).abs().max().item<double>(), 1e-3);
  input.texts["relation"] = "grid height=1 width=5";
  EXPECT_NE(message().find("positions: relation grid does not read it, token expected"),
            std::string::npos)
      << message();
}

TEST_F(Attend, WindowsOfAGrid) {
  input.texts["encoding"] = "none";
  input.texts["relation"] = "grid height=1 width=5";
  input.texts["pattern"] = "window size=2";
  input.arrays.erase("parameters/table");
  input.numbers["causal"] = 0;
  const Tensor weights = tensor_of(run().arrays.at("weights"));
  EXPECT_EQ(weights[0][0][0][2].item<double>(), 0);
  EXPECT_GT(weights[0][0][0][1].item<double>(), 0);
  input.texts["relation"] = "token";
  EXPECT_NE(message().find("no relation of the case has a grid"), std::string::npos) << message();
}

TEST_F(Attend, SeveralRelationsAddUp) {
  input.texts.erase("encoding");
  input.texts.erase("relation");
  input.arrays.erase("parameters/table");
  input.texts["relations"] = R"([{"encoding": "alibi", "relation": "token"},
                                 {"encoding": "table", "relation": "token"}])";
  const Tensor table = random({2, 9}, 6);
  input.arrays["parameters/1/table"] = array_of(table);
  const NamedArrays both = run();
  EXPECT_EQ(both.arrays.count("grad/parameters/1/table"), 1U);
  input.texts.erase("relations");
  input.arrays.erase("parameters/1/table");
  input.texts["encoding"] = "alibi";
  const Tensor index = at::arange(5).unsqueeze(0) - at::arange(5).unsqueeze(1) + 4;
  input.arrays["bias"] = array_of(table.index_select(1, index.flatten()).view({1, 2, 5, 5}));
  EXPECT_CLOSE(tensor_of(both.arrays.at("out")), tensor_of(run().arrays.at("out")), 1e-6);
  input.texts["relations"] = "[1]";
  EXPECT_NE(message().find("a JSON array of"), std::string::npos) << message();
}

// A table of the trained size has a row for each offset of a whole sequence.
TEST_F(Attend, TheLastQueriesAloneGiveTheLastRowsOfAll) {
  input.texts["encoding"] = "table";
  input.arrays.erase("grad_out");
  input.arrays.erase("parameters/table");
  const Tensor q = tensor_of(input.arrays.at("q"));
  const Tensor all = tensor_of(run().arrays.at("out"));
  input.arrays["q"] = array_of(q.narrow(2, 3, 2).contiguous());
  EXPECT_TRUE(at::allclose(tensor_of(run().arrays.at("out")), all.narrow(2, 3, 2)));
}

}  // namespace
}  // namespace relbias::experiments
