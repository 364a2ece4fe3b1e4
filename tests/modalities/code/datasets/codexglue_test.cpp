// SPDX-License-Identifier: Apache-2.0
// tests: dataset `codexglue` and task `defect`: both layouts, and every line that is wrong.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/code/tree_structure.h"
#include "tests/error_of.h"
#include "tests/modalities/code/code_data.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string line(int n) {
  return fmt::format(R"({{"func": "int f{}(int a) {{ return a; }}", "target": {}, "idx": {}}})", n,
                     n % 2, n) +
         "\n";
}

struct Defects : testing::Test {
  Defects() {
    folder.write("train.jsonl", line(0) + line(1) + line(2) + "\n" + line(3));
    folder.write("valid.jsonl", line(4) + line(5));
    folder.write("test.jsonl", line(6) + line(7) + line(8));
  }
  std::shared_ptr<CodeDataset> load() {
    return code_data(fmt::format("codexglue path=\"{}\"", folder.path().string()));
  }
  std::string refusal_of_second_line(const std::string& bad) {
    folder.write("valid.jsonl", line(4) + bad + "\n");
    return error_of([&] { load(); });
  }
  ScratchFolder folder;
};

TEST_F(Defects, AreFunctionsWithALabel) {
  const auto code = load();
  EXPECT_EQ(code->snippets(Split::train).size(), 4u);
  ASSERT_EQ(code->snippets(Split::test).size(), 3u);
  EXPECT_EQ(code->snippets(Split::test)[1].label, 1);
  EXPECT_THAT(code->report(), HasSubstr("defects: 0 with syntax errors"));

  const auto task = code_task("defect", code.get());
  EXPECT_DOUBLE_EQ(task->traits().chance, 0.5);
  const Batch batch = evaluated(*task, 100);
  EXPECT_TRUE(batch.sources.empty());  // of a jsonl file each function is its own source
  EXPECT_TRUE(at::equal(batch.answers.at(0).targets.flatten(), at::tensor({0, 1, 0}, at::kLong)));
  EXPECT_FALSE(tree_of(batch.structures.at(0)).parents.empty());
}

TEST_F(Defects, ACopyOfATestFunctionDoesNotTrain) {
  folder.write("train.jsonl", line(0) + line(6));
  EXPECT_EQ(load()->snippets(Split::train).size(), 1u);
  EXPECT_EQ(load()->snippets(Split::test).size(), 3u);
}

TEST_F(Defects, FunctionsWithoutATokenAreNoCopies) {
  const std::string empty = R"({"func": "// nothing", "target": 1})";
  folder.write("train.jsonl", line(0) + line(1) + empty + "\n");
  const auto code = load();
  EXPECT_EQ(code->snippets(Split::train).size(), 2u);
  EXPECT_THAT(code->report(), AllOf(HasSubstr("0 copies left out, 1 without a token (the first: "),
                                    HasSubstr("train.jsonl line 3)")));
}

TEST_F(Defects, OneLabelIsNoClassification) {
  folder.write("train.jsonl", line(0) + line(2));
  const auto code = load();
  EXPECT_THAT(error_of([&] { code_task("defect", code.get()); }),
              AllOf(HasSubstr("task defect: codexglue " + folder.path().string()),
                    HasSubstr("one class only (0) in training, at least two classes expected")));
}

TEST_F(Defects, WrongLinesAreNamed) {
  EXPECT_THAT(refusal_of_second_line("{\"func\": "),
              HasSubstr("valid.jsonl line 2: no JSON object"));
  EXPECT_THAT(refusal_of_second_line("[1]"), HasSubstr("valid.jsonl line 2: no JSON object"));
  EXPECT_THAT(refusal_of_second_line(R"({"func": "int a;"})"),
              HasSubstr("valid.jsonl line 2: field 'target' is missing"));
  EXPECT_THAT(refusal_of_second_line(R"({"target": 1})"),
              HasSubstr("valid.jsonl line 2: field 'func' is missing"));
  EXPECT_THAT(refusal_of_second_line(R"({"func": 3, "target": 1})"),
              HasSubstr("valid.jsonl line 2: field 'func' is no string"));
  EXPECT_THAT(refusal_of_second_line(R"({"func": "int a;", "target": 2})"),
              HasSubstr("valid.jsonl line 2: target 2 found, 0 or 1 expected"));
}

// Arrays in arrays in arrays: what prints them one by one comes to the end of its stack.
std::string nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST_F(Defects, ATargetThatIsNoNumberIsNamedByItsType) {
  const auto refusal = [&](const std::string& target) {
    return refusal_of_second_line(R"({"func": "int a;", "target": )" + target + "}");
  };
  EXPECT_THAT(refusal(nested(1)), HasSubstr("valid.jsonl line 2: target array found, 0 or 1"));
  EXPECT_THAT(refusal(nested(200'000)), HasSubstr("valid.jsonl line 2: target array found"));
  EXPECT_THAT(refusal("true"), HasSubstr("target boolean found"));
  EXPECT_THAT(refusal("0.5"), HasSubstr("target 0.5 found"));
}

TEST_F(Defects, WantsAllThreeFilesAndLabels) {
  std::filesystem::remove(folder.path() / "test.jsonl");
  EXPECT_THAT(error_of([&] { load(); }), HasSubstr("test.jsonl does not exist"));
  EXPECT_THAT(error_of([] { code_data("codexglue"); }), HasSubstr("path= is missing"));
  const ScratchFolder sources;
  const auto code = code_of(sources, {"def a(): pass", "def b(): pass", "def c(): pass"});
  EXPECT_THAT(error_of([&] { code_task("defect", code.get()); }),
              HasSubstr("no function has a label"));
}

TEST(Clones, ArePairsBelowACommonRoot) {
  const ScratchFolder folder;
  std::string data;
  for (int n = 0; n < 5; ++n) {
    data += fmt::format("{{\"func\": \"int f{}() {{ return {}; }}\", \"idx\": \"{}\"}}\n", n, n, n);
  }
  folder.write("data.jsonl", data);
  folder.write("train.txt", "0\t1\t1\n1\t2\t0\n");
  folder.write("valid.txt", "2\t3\t1\n");
  folder.write("test.txt", "3\t4\t1\n");
  const auto load = [&] {
    return code_data(fmt::format("codexglue path=\"{}\"", folder.path().string()));
  };
  const auto code = load();
  EXPECT_THAT(code->report(), HasSubstr("clone pairs"));
  EXPECT_EQ(code->snippets(Split::train).at(1).label, 0);
  EXPECT_EQ(code->snippets(Split::test).at(0).tokens.size(), 18u);
  folder.write("test.txt", "3\t9\t1\n");
  EXPECT_THAT(error_of([&] { load(); }), HasSubstr("test.txt line 1: no function 9 in data.jsonl"));
  folder.write("test.txt", "3\t4\n");
  EXPECT_THAT(error_of([&] { load(); }), HasSubstr("two numbers of functions and 0 or 1 expected"));
  folder.write("data.jsonl", data + "{\"func\": \"int g() { return 1; }\", \"idx\": 3}\n");
  EXPECT_THAT(error_of([&] { load(); }),
              AllOf(HasSubstr("data.jsonl line 6: idx 3 found, that of "),
                    HasSubstr("data.jsonl line 4; one of its own expected")));
  for (const size_t levels : {1, 200'000}) {
    folder.write("data.jsonl", data + R"({"func": "int a;", "idx": )" + nested(levels) + "}\n");
    EXPECT_THAT(error_of([&] { load(); }),
                HasSubstr("data.jsonl line 6: idx is array, a string or a whole number expected"));
  }
}

}  // namespace
}  // namespace relbias::modalities
