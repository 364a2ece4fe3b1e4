// SPDX-License-Identifier: Apache-2.0
// tests: `relbias attend` against attention called directly, its errors, and the example of the
// README.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "experiments/attend.h"
#include "experiments/version.h"
#include "modalities/seed.h"
#include "results/arrays.h"
#include "tests/encodings/worked.h"
#include "tests/experiments/program.h"

namespace relbias {
namespace {

using at::Tensor;

Tensor random(at::IntArrayRef shape, uint64_t seed) {
  at::Generator generator = stream(seed, "attend test");
  return at::empty(shape, at::kDouble).normal_(0, 1, generator);
}

Array array_of(const Tensor& tensor) {
  const Tensor values = tensor.contiguous();
  const double* const first = values.data_ptr<double>();
  return {values.sizes().vec(), {first, first + values.numel()}};
}

Tensor tensor_of(const Array& array) { return at::tensor(array.values).view(array.shape); }

struct Attend : ::testing::Test {
  Attend() {
    input.texts = {{"encoding", "t5 num_buckets=8 max_distance=20"},
                   {"relation", "token"},
                   {"type", "float64"}};
    input.numbers = {{"causal", 1}};
    for (const char* name : {"q", "k", "v", "grad_out"}) {
      input.arrays[name] = array_of(random({2, 2, 5, 4}, static_cast<uint64_t>(name[0])));
    }
    input.arrays["parameters/table"] = array_of(random({2, 1, 8}, 9));
  }

  NamedArrays run() {
    const auto in = folder.path() / "case.h5", out = folder.path() / "out.h5";
    write_arrays(in, input);
    attend(in, out);
    return read_arrays(out);
  }

  std::string message() {
    try {
      run();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  }

  ScratchFolder folder;
  NamedArrays input;
};

TEST_F(Attend, GivesWhatAttentionGivesWithAllGradients) {
  const NamedArrays output = run();
  testing::Worked worked = testing::work("t5 num_buckets=8 max_distance=20", 5, 5,
                                         {.heads = 2, .head_width = 4, .causal = true});
  worked.encoding->to(at::kDouble);
  Tensor table = worked.encoding->named_parameters()["table"];
  {
    const at::NoGradGuard no_gradients;
    table.copy_(tensor_of(input.arrays["parameters/table"]));
  }
  const auto leaf = [&](const char* name) {
    return tensor_of(input.arrays[name]).requires_grad_();
  };
  const Tensor q = leaf("q"), k = leaf("k"), v = leaf("v");
  AttentionOptions options;
  options.causal = true;
  const auto result = attention(
      q, k, v, {{worked.position.relation, worked.encoding->terms(worked.position.relation)}},
      options);
  result.out.backward(tensor_of(input.arrays["grad_out"]));
  const auto expect = [&](const std::string& name, const Tensor& expected) {
    EXPECT_CLOSE(tensor_of(output.arrays.at(name)), expected, 1e-12) << name;
  };
  expect("out", result.out);
  expect("weights", result.weights);
  expect("grad/q", q.grad());
  expect("grad/k", k.grad());
  expect("grad/v", v.grad());
  expect("grad/parameters/table", table.grad());
  EXPECT_EQ(output.texts.at("backend"), "reference");
}

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
  EXPECT_EQ(by_distance.arrays.at("grad/parameters/table").values,
            by_edges.arrays.at("grad/parameters/table").values);
  distance.values[1] = 2;
  EXPECT_NE(run().arrays.at("weights").values, by_edges.arrays.at("weights").values);
  distance.values[1] = 1.5;
  EXPECT_NE(message().find("relation/distance: whole numbers"), std::string::npos);
  distance.shape = {samples, 2, 8};
  EXPECT_NE(message().find("4, 4] expected"), std::string::npos) << message();
}

TEST_F(Attend, NamesWhatIsWrong) {
  const NamedArrays good = input;
  const auto with = [&](auto&& change) {
    input = good;
    change();
    return message();
  };
  EXPECT_NE(with([&] { input.arrays.erase("k"); }).find("dataset 'k' is missing"),
            std::string::npos);
  EXPECT_NE(with([&] {
              input.arrays["extra"] = {{1}, {0}};
            }).find("unknown dataset 'extra'"),
            std::string::npos);
  EXPECT_NE(with([&] {
              input.arrays["parameters/tables"] = {{1}, {0}};
            }).find("but: table"),
            std::string::npos);
  EXPECT_NE(with([&] {
              input.arrays["parameters/table"] = {{2}, {0, 0}};
            }).find("parameters/table has shape [2], [2, 1, 8] expected"),
            std::string::npos);
  EXPECT_NE(
      with([&] { input.arrays["parameters/table"].values[3] = std::nan(""); }).find("not finite"),
      std::string::npos);
  EXPECT_NE(with([&] { input.texts["type"] = "float16"; }).find("unknown type 'float16'"),
            std::string::npos);
  EXPECT_NE(with([&] { input.texts["backend"] = "fused"; }).find("no fused kernel"),
            std::string::npos);
  EXPECT_NE(with([&] { input.texts["encoding"] = "learned"; }).find("changes token embeddings"),
            std::string::npos);
}

TEST(AttendExample, OfTheReadmeRuns) {
  const ScratchFolder folder;
  std::ifstream readme(source_folder() + "/README.md");
  std::ofstream script(folder.path() / "example.py");
  int lines = 0;
  bool inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (inside && line == "```") break;
    if (inside && ++lines > 0) script << line << '\n';
    if (line == "```python") inside = true;
  }
  script.close();
  EXPECT_GT(lines, 10);
  EXPECT_LE(lines, 30);
  const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("relbias");
  const std::string command = "cd '" + folder.path().string() + "' && ln -s '" + program.string() +
                              "' relbias && PATH=$PWD:$PATH /usr/bin/python3 example.py";
  EXPECT_EQ(std::system(command.c_str()), 0);
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

}  // namespace
}  // namespace relbias
