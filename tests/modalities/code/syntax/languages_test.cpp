// SPDX-License-Identifier: Apache-2.0
// tests: the table of languages against the grammars, and a function in each of them.
#include "modalities/code/syntax/languages.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "modalities/code/function_task.h"
#include "modalities/code/syntax/variables.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool has_type(const Language& language, const std::string& name) {
  const auto named = types_named(language, {name});
  return std::count(named.begin(), named.end(), true) > 0;
}

TEST(Languages, EveryWordOfTheTableIsOneOfTheGrammar) {
  for (const Language& language : languages()) {
    std::vector<std::string> types = {"identifier"};
    const ScopeRules& rules = language.scopes;
    for (const auto& words :
         {language.functions, language.blocks, language.comments, language.literals,
          language.interpolations, rules.scopes, rules.patterns, rules.not_local}) {
      types.insert(types.end(), words.begin(), words.end());
    }
    for (const auto& places : {rules.bindings, rules.not_variables}) {
      for (const auto& [type, field] : places) {
        types.push_back(type);
        if (field.empty()) continue;
        EXPECT_GT(field_named(language, field), 0) << language.name << field;
      }
    }
    for (const std::string& type : types) {
      EXPECT_TRUE(has_type(language, type)) << language.name << " has no " << type;
    }
  }
}

TEST(Languages, TypesOfOneNameCountAsOne) {
  const Language& python = language_named("python");
  const auto lambda = types_named(python, {"lambda"});
  std::vector<size_t> canonical;
  for (size_t type = 0; type + 1 < type_count(python); ++type) {
    if (lambda[type]) canonical.push_back(types_of_symbols(python)[type]);
  }
  ASSERT_GE(canonical.size(), 2u);
  EXPECT_EQ(canonical.front(), canonical.back());
  EXPECT_EQ(type_name(python, type_count(python) - 1), "ERROR");
}

TEST(Languages, UnknownOnesListTheValid) {
  EXPECT_THAT(error_of([] { language_named("pyton"); }), HasSubstr("did you mean 'python'?"));
  EXPECT_THAT(error_of([] { language_of_file("a.xyz"); }),
              HasSubstr("a.xyz: extension 'xyz' found, one of c, h, cpp"));
  EXPECT_THAT(error_of([] { language_of_file("Makefile"); }), HasSubstr("extension '' found"));
  EXPECT_EQ(language_of_file("dir/a.cc").name, "cpp");
}

struct Example {
  std::string language, source;
  std::vector<std::string> variables, reads;
  int32_t deepest;
};

TEST(Languages, AFunctionOfEachIsFoundWithItsVariables) {
  const std::vector<Example> examples = {
      {"python",
       "def f(a, b=1):\n  for i in a:\n    if b: print(i.a)\n  return [x for x in a]\n",
       {"a", "b", "i"},
       {"a", "b", "i", "a"},
       3},
      {"c",
       "int f(int a, char *b) {\n  int c = a + 1; // c\n  if (c) { c = g(b[a]); }\n}\n",
       {"a", "b", "c"},
       {"a", "c", "b", "a"},
       2},
      {"cpp",
       "int f(const S& a) {\n  for (auto b : a.c) { auto d = b; return d; }\n}\n",
       {"a", "b", "d"},
       {"a", "b", "d"},
       2},
      {"java",
       "class T { int f(int a) { int b = a; while (b > a) { b = this.a; } return b; } }",
       {"a", "b"},
       {"a", "b", "a", "b"},
       2},
      {"javascript",
       "function f(a, {b}) { let c = a; if (c) { return c.a + `${c} x`; } }",
       {"a", "c"},
       {"a", "c", "c", "c"},
       2}};
  for (const Example& example : examples) {
    const SyntaxTree tree = parse(language_named(example.language), example.source);
    EXPECT_FALSE(tree.has_error) << example.language;
    const auto functions = outer_functions(tree);
    ASSERT_EQ(functions.size(), 1u) << example.language;
    const Snippet snippet = snippet_of(tree, functions[0], 1000);
    const Variables variables = local_variables(snippet);
    EXPECT_EQ(variables.names, example.variables) << example.language;
    std::vector<std::string> reads;
    for (const Occurrence& found : variables.occurrences) {
      if (found.read) reads.push_back(variables.names[static_cast<size_t>(found.variable)]);
    }
    EXPECT_EQ(reads, example.reads) << example.language;
    const auto depths = block_depths(snippet);
    EXPECT_EQ(*std::max_element(depths.begin(), depths.end()), example.deepest);
  }
}

}  // namespace
}  // namespace relbias::modalities
