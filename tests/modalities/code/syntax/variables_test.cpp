// SPDX-License-Identifier: Apache-2.0
// tests: which names are local variables of a Python function, where bound, where read.
#include "modalities/code/syntax/variables.h"

#include <gmock/gmock.h>

namespace relbias::modalities {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Snippet function(const std::string& source) {
  const SyntaxTree tree = parse(language_named("python"), source);
  EXPECT_FALSE(tree.has_error) << source;
  return snippet_of(tree, outer_functions(tree).at(0), 1000);
}

// `a` bound, `a?` read
std::string described(const std::string& source) {
  const Variables variables = local_variables(function(source));
  std::string text;
  for (const Occurrence& found : variables.occurrences) {
    text += variables.names[static_cast<size_t>(found.variable)] + (found.read ? "? " : " ");
  }
  return text;
}

TEST(Variables, TheExampleOfTheComment) {
  EXPECT_EQ(described("def f(a, b=1):\n  c = a + b; return c"), "a b c a? b? c? ");
}

TEST(Variables, EveryWayToBind) {
  EXPECT_EQ(described("def f(a: int, *b, c: int = a, **d): pass"), "a b c a? d ");
  EXPECT_EQ(described("def f():\n  for i, (j, k) in g(): pass"), "i j k ");
  EXPECT_EQ(described("def f():\n  with g() as h: pass"), "h ");
  EXPECT_EQ(described("def f():\n  try: pass\n  except E as e: print(e)"), "e e? ");
  EXPECT_EQ(described("def f():\n  if (n := g()): n += 1"), "n n ");
  EXPECT_EQ(described("def f():\n  import a as b\n  return b"), "b b? ");
}

TEST(Variables, WhatOnlyLooksLikeOne) {
  EXPECT_EQ(described("def f(a): return a.b(a=a).a"), "a a? a? ");
  EXPECT_EQ(described("def f(a):\n  global b\n  b = a\n  return b"), "a a? ");
  EXPECT_EQ(described("def f(a):\n  a.x = 1\n  a[a] = 2\n  print(len)"), "a a? a? a? ");
}

TEST(Variables, InnerScopesKeepTheirOwn) {
  EXPECT_EQ(described("def f(a):\n  def g(b): return a + b\n  return g"), "a a? ");
  EXPECT_EQ(described("def f(a, x): return [x + a for x in a]"), "a x a? a? ");
  EXPECT_EQ(described("def f(a): return lambda a: a"), "a ");
}

TEST(Variables, WhatMayBeMistakenHasASecondNameBoundBefore) {
  const Variables variables = local_variables(function("def f(a):\n  b = a\n  return a + b + c"));
  EXPECT_THAT(variables.mistakable(),
              ElementsAre(3, 4));  // not the a of `b = a`, before b is bound
  EXPECT_THAT(variables.first_before(4), ElementsAre(0, 1));
  EXPECT_THAT(variables.latest_before(4), ElementsAre(1, 3));
  EXPECT_THAT(local_variables(function("def f(a): return a")).mistakable(), IsEmpty());
  // A loop binds its variable for its body, not for what it runs over.
  EXPECT_THAT(local_variables(function("def f(a):\n  for b in a:\n    a")).mistakable(),
              ElementsAre(3));
}

}  // namespace
}  // namespace relbias::modalities
