// SPDX-License-Identifier: Apache-2.0
// modalities/code: the local variables of a function, where they are bound and where read.
#pragma once

#include "modalities/code/snippet.h"

namespace relbias {

struct Occurrence {
  int32_t node;      // a leaf
  int32_t variable;  // an index of Variables::names
  bool read;         // false: it is bound here
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

  /// Reads of variables that have been bound before and stand beside another bound before: what may
  /// be mistaken. Indices of `occurrences`.
  std::vector<size_t> mistakable() const;
  /// By variable, its first occurrence and its latest before an occurrence, indices; only those
  /// that have one.
  std::vector<size_t> first_before(size_t occurrence) const;
  std::vector<size_t> latest_before(size_t occurrence) const;
};

Variables local_variables(const Snippet& snippet);

}  // namespace relbias
