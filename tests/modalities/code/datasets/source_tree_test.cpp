// SPDX-License-Identifier: Apache-2.0
// tests: datasets `source-tree` and `python-stdlib`: what is read, what is left out and counted.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/error_of.h"
#include "tests/modalities/code/code_data.h"
#include "tests/source_folder.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string function(int n) { return fmt::format("def f{}(a):\n  return a + b{}\n", n, n); }

std::vector<std::string> functions(int count) {
  std::vector<std::string> sources;
  for (int n = 0; n < count; ++n) sources.push_back(function(n));
  return sources;
}

TEST(SourceTree, DividesByFileAndKeepsEveryFunctionOnce) {
  const ScratchFolder folder;
  const auto code = code_of(folder, functions(10));
  std::set<std::string> files;
  size_t all = 0;
  for (const Split split : all_splits) {
    EXPECT_FALSE(code->snippets(split).empty());
    for (const Snippet& snippet : code->snippets(split)) {
      files.insert(snippet.name);
      EXPECT_EQ(snippet.ids.size(), snippet.tree.nodes.size() * Vocabulary::features);
      ++all;
    }
  }
  EXPECT_EQ(all, 10u);
  EXPECT_EQ(files.size(), 10u);
  EXPECT_EQ(code->content_hash().size(), 40u);
}

TEST(SourceTree, CountsWhatItLeavesOut) {
  const ScratchFolder folder;
  folder.write("empty.py", "");
  folder.write("comment.py", "# nothing else\n");
  folder.write("binary.py", std::string("\x7F"
                                        "ELF\0\0",
                                        6));
  folder.write("latin1.py", "def caf\xE9(): pass\n");
  folder.write("copy.py", function(0));
  folder.write("same.py", "# another file\n" + function(0));
  folder.write("broken.py", "\n def f(:\n  pass\n");
  folder.write("note.txt", "def not_read(): pass\n");
  const auto code = code_of(folder, functions(9));
  EXPECT_THAT(code->report(),
              HasSubstr("12 of 16 files read (1 empty, 2 not UTF-8 text, 1 copies; the first: "));
  EXPECT_THAT(code->report(),
              HasSubstr("1 with syntax errors (the first: broken.py line 2 column "));
  EXPECT_THAT(code->report(), HasSubstr("1 copies left out"));
  for (const Split split : all_splits) {
    for (const Snippet& snippet : code->snippets(split)) {
      EXPECT_EQ(snippet.name.find("note"), std::string::npos);
    }
  }
}

TEST(SourceTree, ACopyOfWhatIsHeldOutDoesNotTrain) {
  const ScratchFolder folder;
  std::vector<std::string> sources = functions(12);
  for (std::string& source : sources) source += "def shared(x): return x\n";
  const auto code = code_of(folder, sources);
  const auto holds = [&](Split split) {
    const auto& snippets = code->snippets(split);
    return std::count_if(snippets.begin(), snippets.end(),
                         [](const Snippet& snippet) { return token_text(snippet, 2) == "shared"; });
  };
  EXPECT_EQ(holds(Split::test), 1);
  EXPECT_EQ(holds(Split::validation), 0);
  EXPECT_EQ(holds(Split::train), 0);
}

TEST(SourceTree, LongFunctionsAreCutAndCounted) {
  const ScratchFolder folder;
  code_of(folder, functions(9));
  const auto code =
      code_data(fmt::format("source-tree path=\"{}\" limit=5", folder.path().string()));
  EXPECT_THAT(code->report(), HasSubstr("9 functions, 9 cut to 5 tokens"));
  EXPECT_EQ(code->snippets(Split::test).front().tokens.size(), 5u);
}

TEST(SourceTree, DeepAndLongSourceIsOrdinary) {
  const ScratchFolder folder;
  std::string sum;
  for (int term = 0; term < 3000; ++term) sum += "a+";
  folder.write("deep.py",
               "def f(): return " + std::string(20000, '(') + "1" + std::string(20000, ')') + "\n");
  folder.write("sum.py", "def g(a): return " + sum + "a\n");
  const auto code = code_of(folder, functions(5));
  EXPECT_THAT(code->report(), HasSubstr("0 with syntax errors"));
  EXPECT_THAT(code->report(), HasSubstr("2 cut to 2048 tokens"));
}

TEST(SourceTree, OtherLanguages) {
  const ScratchFolder folder;
  for (int n = 0; n < 4; ++n) {
    folder.write(fmt::format("{}.c", n), fmt::format("int f{}(int a) {{ return a; }}\n", n));
  }
  const auto code =
      code_data(fmt::format("source-tree path=\"{}\" language=c", folder.path().string()));
  EXPECT_EQ(code->language().name, "c");
}

TEST(SourceTree, FoldersThatCannotBeUsed) {
  const ScratchFolder folder;
  folder.write("a.txt", "x");
  const auto refusal = [&](const std::string& more) {
    return error_of([&] {
      code_data(fmt::format("source-tree path=\"{}\" {}", folder.path().string(), more));
    });
  };
  EXPECT_THAT(refusal("language=java"),
              HasSubstr("holds no java source: no file that ends in one of: java"));
  folder.write("a.py", "x = 1\n");
  EXPECT_THAT(refusal(""), HasSubstr("at least 3 files expected"));
  folder.write("b.py", "y = 1\n");
  folder.write("c.py", "z = 1\n");
  EXPECT_THAT(refusal(""), HasSubstr("0 functions"));
  EXPECT_THAT(error_of([] { code_data("source-tree"); }), HasSubstr("path= is missing"));
  EXPECT_THAT(error_of([] { code_data("source-tree path=/nowhere/at/all"); }),
              HasSubstr("/nowhere/at/all does not exist"));
}

TEST(PythonStdlib, IsWhatThePackagesInstalled) {
  const auto code = code_data("python-stdlib");
  EXPECT_THAT(code->report(), HasSubstr("files read"));
  EXPECT_GT(code->snippets(Split::train).size(), 6000u) << code->report();
  EXPECT_GT(code->snippets(Split::test).size(), 500u) << code->report();
  fmt::print("{}\n{}\n", code->report(), code->content_hash());
}

// A point release of the system's Python brings functions and files: no other file changes its
// split.
TEST(PythonStdlib, AnAlteredLibraryMovesNoOtherFile) {
  const ScratchFolder original, altered;
  for (int n = 0; n < 60; ++n) {
    const std::string name = fmt::format("module{}.py", n),
                      source = function(n) + function(n + 100);
    original.write(name, source);
    altered.write(name, n == 7 ? source + function(500) : source);
  }
  altered.write("new.py", function(600) + function(601));
  const auto splits_of = [](const ScratchFolder& folder) {
    std::map<std::string, Split> splits;
    const auto code = code_data("python-stdlib path=\"" + folder.path().string() + "\"");
    for (const Split split : all_splits) {
      for (const Snippet& snippet : code->snippets(split)) splits[snippet.name] = split;
    }
    return splits;
  };
  const auto before = splits_of(original);
  auto after = splits_of(altered);
  EXPECT_EQ(before.size(), 120u);
  EXPECT_EQ(after.size(), 123u);
  for (const auto& [name, split] : before) {
    if (!name.starts_with("module7.py")) EXPECT_EQ(after.at(name), split) << name;
  }
}

// So shipped studies read packages of which every system has the same.
TEST(CodePackages, AreWhatShippedStudiesReadInsteadOfTheSystemsLibrary) {
  const auto code = code_data("code-packages");
  EXPECT_THAT(code->report(), HasSubstr("content as published"));
  EXPECT_GT(code->snippets(Split::train).size(), 6000u) << code->report();
  EXPECT_GT(code->snippets(Split::validation).size(), 500u) << code->report();
  EXPECT_GT(code->snippets(Split::test).size(), 500u) << code->report();
  EXPECT_THAT(code_data("code-packages language=javascript")->report(),
              HasSubstr("content as published"));
  int64_t studies = 0;
  for (const char* folder : {"experiments/studies", "experiments/published/studies"}) {
    const std::filesystem::path place = std::filesystem::path(source_folder()) / folder;
    for (const std::string& name : files_below(place, {"toml"})) {
      EXPECT_THAT(read_file(place / name), Not(HasSubstr("python-stdlib\""))) << name;
      ++studies;
    }
  }
  EXPECT_GT(studies, 10);
}

}  // namespace
}  // namespace relbias::modalities
