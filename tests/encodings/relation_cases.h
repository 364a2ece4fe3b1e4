// SPDX-License-Identifier: Apache-2.0
// tests: small relations of every index class, on which every encoding is tried.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "encodings/encoding.h"

namespace relbias::encodings {

/// A relation with a map for any number of tokens. Those of the catalogue come as they are; beside
/// them stand hand-made ones, so that every index class and every feature is met.
struct RelationCase {
  std::string name;
  RelationTraits traits;
  std::function<RelationMap(int64_t queries, int64_t keys)> map;
  int64_t tokens = 6;  // a size that the map can have
  int64_t head_width = 4;
};

std::vector<RelationCase> relation_cases();
RelationCase relation_case(const std::string& name);

/// What an encoding is built for, on such a relation: 2 heads of its width, trained on its tokens.
EncodingContext context_for(const RelationCase& relation, bool causal);

/// Every encoding on every relation on which it is defined, as `t5` and `token`.
struct EncodingCase {
  std::string encoding;
  std::string relation;
};
std::vector<EncodingCase> defined_cases();
std::string case_name(const EncodingCase& test);
inline void PrintTo(const EncodingCase& test, std::ostream* out) { *out << case_name(test); }

/// A double encoding whose parameters are all random, so that no gradient is zero by its start.
std::shared_ptr<Encoding> random_encoding(const std::string& text, const RelationCase& relation,
                                          bool causal);

}  // namespace relbias::encodings
