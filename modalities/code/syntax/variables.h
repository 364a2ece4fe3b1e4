// SPDX-License-Identifier: Apache-2.0
// modalities/code/syntax: the local variables of a function, where they are bound and where read.
#pragma once

#include "modalities/code/syntax/snippet.h"

namespace relbias::modalities {

struct Occurrence {
  int32_t node;      // a leaf
  int32_t variable;  // an index of Variables::names
  bool read;         // false: it is bound here
  int32_t from;      // of a binding: the node from which it holds; `x = x + 1` binds after the sum
};

/// The variables that the function itself binds, its parameters included, in the order in which
/// they first occur; not those of functions, lambdas and comprehensions inside, but their reads of
/// the outer ones. By the rules of languages.cpp, which know syntax and no run time: names bound by
/// import, by `global` or in other ways are none.
///
///   def f(a, b=1): c = a + b; return c     names a b c
///         ^  ^     ^   ^   ^         ^     bound bound bound read read read
struct Variables {
  std::vector<std::string> names;
  std::vector<Occurrence> occurrences;  // in the order of the source

  /// Reads that may be mistaken: their variable and another one are bound by then. Indices of
  /// `occurrences`, as are the following.
  std::vector<size_t> mistakable() const;
  /// Of every variable that is bound before an occurrence: its first occurrence, or its latest
  /// before this one.
  std::vector<size_t> first_before(size_t occurrence) const;
  std::vector<size_t> latest_before(size_t occurrence) const;

 private:
  std::vector<int32_t> bound_from() const;  // by variable
};

Variables local_variables(const Snippet& snippet);

}  // namespace relbias::modalities
