// SPDX-License-Identifier: Apache-2.0
// tests: what tasks on functions ask, bins of length and depth, padding.
#include "modalities/code/function_task.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "modalities/code/tree_structure.h"
#include "tests/error_of.h"
#include "tests/modalities/code/code_data.h"

namespace relbias::modalities {
namespace {

using at::Tensor;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int64_t> row(const Tensor& tensor) {
  const Tensor flat = tensor.to(at::kLong).contiguous().flatten();
  return {flat.data_ptr<int64_t>(), flat.data_ptr<int64_t>() + flat.numel()};
}

// The same function under three names, so that every split has one.
struct OneFunction {
  explicit OneFunction(const std::string& source, const std::string& options = "") {
    std::vector<std::string> sources;
    for (const char* name : {"f0", "f1", "f2"}) {
      std::string copy = source;
      copy.replace(copy.find("NAME"), 4, name);
      sources.push_back(copy);
    }
    code = code_of(folder, sources, options);
  }
  Batch batch(const std::string& task, int64_t size = 100) const {
    return evaluated(*code_task(task, code.get()), size);
  }
  ScratchFolder folder;
  std::shared_ptr<CodeDataset> code;
};

TEST(BlockStructure, TheExampleOfTheComment) {
  const OneFunction function("def NAME(a):\n  if a:\n    return a\n");
  const Batch batch = function.batch("block-structure");
  ASSERT_EQ(batch.inputs.sizes(), at::IntArrayRef({1, 11, 5}));
  EXPECT_THAT(row(batch.answers[0].targets), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2));
  EXPECT_THAT(row(batch.answers[1].targets), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 6));
  EXPECT_THAT(row(batch.answers[1].scored), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1));
  EXPECT_THAT(row(batch.answers[1].candidates), ElementsAre(1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(row(batch.answers[0].guesses), Each(1));
  EXPECT_THAT(row(batch.answers[1].guesses), ElementsAre(0, 0, 0, 0, 0, 0, 0, 6, 6, 6, 6));
  EXPECT_TRUE(batch.valid.all().item<bool>());
}

TEST(BlockStructure, ElseOpensItsOwnBlock) {
  const OneFunction function("def NAME(a):\n  if a: b\n  else: c\n");
  const Batch batch = function.batch("block-structure");
  // def f ( a ) :  if a : b  else : c
  EXPECT_THAT(row(batch.answers[0].targets), ElementsAre(0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 1, 1, 2));
  EXPECT_EQ(batch.answers[1].targets[0][9].item<int64_t>(), 6);
  EXPECT_EQ(batch.answers[1].targets[0][12].item<int64_t>(), 10);
}

// What does not parse may be an ERROR that begins with a block. Cut there, it has no token at all:
// who looks for its first reads past the end of the tokens, which sanitizers see.
TEST(BlockStructure, AnOpenerMayStandBehindTheCut) {
  const OneFunction function(R"(
def _interpolate_some(self, parser, optiNAME, accum, rest, section, map,
                          depth, q1, q2, q3, q4, q5):
                try:
                    if len(path) == 1:
                except (Key[Error, NoSectionError, NoOptionError):
                    raise InterpolationMissingOptionError(
                if "$" in v:
                    self._interpolate_some(parser, opt, accum, v, sect,
                                           depth + 1)
                else:
                    accum.append(v)
)",
                             "limit=32");
  const Snippet& snippet = function.code->snippets(Split::test).front();
  const auto block = static_cast<size_t>(snippet.tree.nodes.back().parent);
  ASSERT_EQ(snippet.tree.type(block), "block");
  ASSERT_GT(snippet.tree.nodes[block].parent, snippet.tokens.back());
  const Batch batch = function.batch("block-structure");
  // def f ( self , ... q5 ) : try :  two tokens in a block, which the def opens.
  std::vector<int64_t> depths(32, 0), scored(32, 0);
  for (const size_t token : {30, 31}) depths[token] = scored[token] = 1;
  EXPECT_EQ(row(batch.answers[0].targets), depths);
  EXPECT_EQ(row(batch.answers[1].scored), scored);
  EXPECT_THAT(row(batch.answers[1].targets), Each(0));
}

TEST(BlockStructure, NodesAsTokensAskTheLeaves) {
  const OneFunction function("def NAME(a):\n  return a\n");
  const Batch leaves = function.batch("block-structure");
  const Batch nodes = function.batch("block-structure tokens=nodes");
  EXPECT_GT(nodes.inputs.size(1), leaves.inputs.size(1));
  const auto answers = [](const Batch& batch, size_t question) {
    return row(batch.answers[question].targets.masked_select(batch.answers[question].scored));
  };
  EXPECT_EQ(answers(nodes, 0), answers(leaves, 0));
  // `def` is node 1, after the function itself.
  EXPECT_THAT(answers(nodes, 1), ElementsAre(1, 1));
}

TEST(VariableMisuse, HalfTheSamplesSayAnotherVariable) {
  const OneFunction function("def NAME(aa, bb):\n  return aa + bb\n");
  const auto task = code_task("variable-misuse", function.code.get());
  const Batch batch = task->training({.size = 100, .batch = 64, .seed = 0, .step = 0});
  const Tensor bug = batch.answers[0].targets.flatten();
  EXPECT_GT(bug.sum().item<int64_t>(), 16);
  EXPECT_LT(bug.sum().item<int64_t>(), 48);
  // def f ( aa , bb ) : return aa + bb: reads at 9 and 11, first occurrences at 3 and 5.
  for (int64_t n = 0; n < 64; ++n) {
    const auto text = [&](int64_t token) { return batch.inputs[n][token][1].item<int64_t>(); };
    const auto target = [&](size_t question) {
      return batch.answers[question].targets[n][0].item<int64_t>();
    };
    EXPECT_EQ(row(batch.answers[1].candidates[n]),
              (std::vector<int64_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}));
    const bool mistaken = bug[n].item<int64_t>() == 1;
    EXPECT_EQ(batch.answers[1].scored[n][0].item<bool>(), mistaken);
    EXPECT_EQ(batch.answers[2].scored[n][0].item<bool>(), mistaken);
    EXPECT_EQ(batch.answers[0].guesses[n][0].item<int64_t>(), 0);
    EXPECT_EQ(batch.answers[1].guesses[n][0].item<int64_t>(), 11);
    EXPECT_EQ(batch.answers[2].guesses[n][0].item<int64_t>(), 3);
    // Whichever read is mistaken, the choice is among all names bound before any of them.
    EXPECT_EQ(row(batch.answers[2].candidates[n]),
              (std::vector<int64_t>{0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}));
    if (!mistaken) {
      EXPECT_EQ(text(9), text(3));
      EXPECT_EQ(text(11), text(5));
      continue;
    }
    const int64_t location = target(1), repair = target(2);
    EXPECT_EQ(location == 9 ? 3 : 5, repair);
    EXPECT_EQ(text(location), text(location == 9 ? 5 : 3));
  }
}

// A name that is bound between two reads is a candidate also where the first read is mistaken.
TEST(VariableMisuse, CandidatesDoNotTellWhereTheBugIs) {
  const OneFunction function("def NAME(aa, bb):\n  cc = aa + bb\n  return cc + aa\n");
  const auto task = code_task("variable-misuse", function.code.get());
  const Batch batch = task->training({.size = 100, .batch = 64, .seed = 0, .step = 0});
  const Tensor candidates = batch.answers[2].candidates;
  for (int64_t n = 1; n < 64; ++n) EXPECT_TRUE(at::equal(candidates[n], candidates[0])) << n;
  EXPECT_EQ(candidates[0].sum().item<int64_t>(), 3);
}

TEST(VariableMisuse, JudgesBugPlaceRepairAndAllOfThem) {
  const OneFunction function("def NAME(aa, bb):\n  return aa + bb\n");
  EXPECT_THAT(
      code_task("variable-misuse", function.code.get())->traits().metrics,
      ElementsAre("bug accuracy", "location accuracy", "repair accuracy", "joint accuracy"));
}

TEST(NameCloze, PointsAtTheLatestOccurrence) {
  const OneFunction function("def NAME(aa, bb):\n  cc = aa + bb\n  return cc + cc\n");
  const Batch batch = function.batch("name-cloze");
  // def f ( aa , bb ) :  cc = aa + bb  return cc + cc
  const int64_t hidden = batch.answers[0].scored[0].to(at::kByte).argmax().item<int64_t>();
  ASSERT_TRUE(hidden == 10 || hidden == 12 || hidden == 14 || hidden == 16) << hidden;
  const std::map<int64_t, int64_t> latest = {{10, 3}, {12, 5}, {14, 8}, {16, 14}};
  EXPECT_EQ(batch.answers[0].targets[0][hidden].item<int64_t>(), latest.at(hidden));
  EXPECT_EQ(batch.answers[0].scored.sum().item<int64_t>(), 1);
  const std::map<int64_t, int64_t> nearest = {{10, 5}, {12, 10}, {14, 12}, {16, 14}};
  EXPECT_EQ(batch.answers[0].guesses[0][hidden].item<int64_t>(), nearest.at(hidden));
  EXPECT_TRUE(batch.answers[0].candidates[0][latest.at(hidden)].item<bool>());
  EXPECT_FALSE(batch.answers[0].candidates[0][hidden].item<bool>());
  const auto text = [&](int64_t token) { return batch.inputs[0][token][1].item<int64_t>(); };
  EXPECT_NE(text(hidden), text(latest.at(hidden)));
}

TEST(Completion, TheNextTokenWithoutTheTree) {
  const OneFunction function("def NAME(aa):\n  return aa(aa)\n");
  const auto task = code_task("completion", function.code.get());
  EXPECT_TRUE(task->traits().causal);
  const Batch batch = evaluated(*task, 100);
  EXPECT_TRUE(tree_of(batch.structures.at(0)).parents.empty());
  // def f ( aa ) : return aa ( aa ): known are the texts that the one training function has twice.
  EXPECT_THAT(row(batch.answers[0].scored), ElementsAre(0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0));
  const auto target = [&](int64_t token) {
    return batch.answers[0].targets[0][token].item<int64_t>();
  };
  EXPECT_EQ(target(2), target(6));
  EXPECT_EQ(target(2), 0);  // aa, the most frequent
  // After `(` the training function has aa, after aa `)` and once `(` and once nothing.
  EXPECT_EQ(batch.answers[0].guesses[0][2].item<int64_t>(), target(2));
  EXPECT_EQ(batch.answers[0].guesses[0][9].item<int64_t>(), target(9));
  EXPECT_THAT(error_of([&] { code_task("completion tokens=nodes", function.code.get()); }),
              HasSubstr("tokens=nodes would show"));
}

struct ManyFunctions : testing::Test {
  ManyFunctions() {
    std::vector<std::string> sources;
    for (int n = 0; n < 60; ++n) {
      std::string body = "  return a\n";
      for (int more = 0; more < n % 5; ++more) body = fmt::format("  b{} = a\n", more) + body;
      // Every second one is deep.
      const std::string deep = "  if a:\n    if a:\n      if a:\n        a\n";
      body =
          (n % 2 == 0 ? deep : fmt::format("  {} = a\n", std::string(deep.size() - 7, 'c'))) + body;
      sources.push_back(fmt::format("def f{}(a):\n", n) + body);
    }
    code = code_of(folder, sources);
  }
  ScratchFolder folder;
  std::shared_ptr<CodeDataset> code;
};

TEST_F(ManyFunctions, ASizeIsAnUpperBoundAndABinHasALowerOne) {
  const auto task = code_task("block-structure", code.get());
  const Batch all = evaluated(*task, 1000), low = evaluated(*task, 12),
              high = evaluated(*task, 1000, 12);
  EXPECT_EQ(all.inputs.size(0), static_cast<int64_t>(code->snippets(Split::test).size()));
  EXPECT_EQ(low.inputs.size(0) + high.inputs.size(0), all.inputs.size(0));
  EXPECT_LE(low.inputs.size(1), 12);
  EXPECT_GT(high.valid.sum(1).min().item<int64_t>(), 12);
  EXPECT_TRUE(task->traits().binned);
}

TEST_F(ManyFunctions, PaddingIsOnTheRightAndNeverScored) {
  const Batch batch = evaluated(*code_task("block-structure", code.get()), 1000);
  for (int64_t n = 0; n < batch.inputs.size(0); ++n) {
    const int64_t length = batch.structures.at(static_cast<size_t>(n)).keys;
    EXPECT_EQ(batch.valid[n].sum().item<int64_t>(), length);
    EXPECT_TRUE(batch.valid[n].narrow(0, 0, length).all().item<bool>());
    EXPECT_FALSE(batch.answers[0].scored[n].slice(0, length).any().item<bool>());
  }
}

TEST_F(ManyFunctions, DepthDividesTrainingFromEvaluation) {
  const auto shallow = code_task("block-structure depth=2", code.get());
  const auto deep = code_task("block-structure depth=2 deeper=true", code.get());
  EXPECT_LE(evaluated(*shallow, 1000).answers[0].targets.max().item<int64_t>(), 2);
  const Tensor deepest = std::get<0>(evaluated(*deep, 1000).answers[0].targets.max(1));
  EXPECT_GT(deepest.min().item<int64_t>(), 2);
  const TrainingRequest request{.size = 1000, .batch = 8, .seed = 1, .step = 2};
  EXPECT_TRUE(at::equal(shallow->training(request).inputs, deep->training(request).inputs));
  EXPECT_THAT(error_of([&] { code_task("block-structure deeper=true", code.get()); }),
              HasSubstr("deeper=true needs depth="));
}

TEST_F(ManyFunctions, WhereThereIsNoneItSaysWhatThereIs) {
  const auto task = code_task("block-structure", code.get());
  EXPECT_THAT(error_of([&] { task->check({3}, {}); }),
              HasSubstr("no function of 1 to 3 tokens in the training split; it has "));
  EXPECT_THAT(error_of([&] {
                task->check(
                    {100}, {{.size = 2000, .samples = 10, .tokens = 0, .batch = 4, .above = 1000}});
              }),
              HasSubstr("no function of 1001 to 2000 tokens in the test split"));
  EXPECT_THAT(error_of([] { code_task("block-structure"); }),
              HasSubstr("needs a dataset of code, for example code-packages"));
}

TEST_F(ManyFunctions, EvaluationTakesAtMostSoManyWhateverTheBatch) {
  const auto task = code_task("block-structure", code.get());
  int64_t samples = 0;
  task->evaluation({.size = 1000, .samples = 2, .tokens = 0, .batch = 1},
                   [&](const Batch& batch) { samples += batch.inputs.size(0); });
  EXPECT_EQ(samples, 2);
}

}  // namespace
}  // namespace relbias::modalities
