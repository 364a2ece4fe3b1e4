// SPDX-License-Identifier: Apache-2.0
// tests/golden: loads what public implementations computed; the one place that opens those files.
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "modalities/plain/rooms.h"

namespace relbias::golden {

using namespace experiments;  // which sees all others

using at::Tensor;

/// One case: a group of an HDF5 file in this folder, `t5` and `attention/enc_self_pad`.
struct CaseId {
  std::string file;
  std::string group;
};

/// `t5_attention_enc_self_pad`: letters, digits and underscores, as a test may be named.
std::string case_name(const CaseId& id);
inline void PrintTo(const CaseId& id, std::ostream* out) { *out << case_name(id); }

/// The cases of a file whose group begins with `prefix`, in the order of their names. Called while
/// tests are being registered: where the file is missing or holds no such case the answer is a case
/// that says so when it is opened, so that the test fails and not the program.
std::vector<CaseId> cases(const std::string& file, const std::string& prefix = "");

/// One test a case, which ctest shows under its name.
#define RELBIAS_GOLDEN_TESTS(fixture, ...)                                                         \
  INSTANTIATE_TEST_SUITE_P(Golden, fixture, testing::ValuesIn(__VA_ARGS__), [](const auto& test) { \
    return relbias::golden::case_name(test.param);                                                 \
  })

/// What a case holds. Every name that it does not hold is an std::runtime_error with file and
/// group.
class Case {
 public:
  explicit Case(const CaseId& id);

  // Hyper-parameters, stored as attributes. A list of words is one word with commas.
  bool has_option(const std::string& name) const;
  int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  std::string word(const std::string& name) const;
  std::vector<int64_t> integers(const std::string& name) const;

  /// Whether there is a data set or a group `in/q`, `grad64`.
  bool has(const std::string& path) const;
  /// The data sets of a group, without its name: `grad64` -> `k.weight`, `q.weight`.
  std::vector<std::string> names(const std::string& group) const;
  /// Real numbers as float64, whole ones as int64.
  Tensor read(const std::string& path) const;
  /// A data set of strings.
  std::vector<std::string> words(const std::string& path) const;
  /// Whether a data set holds float32: rounded to 6e-8 whatever it was computed in.
  bool is_float32(const std::string& path) const;

  /// `in/...` or `w/...` as a float64 tensor that takes part in gradients; the same one each time.
  Tensor leaf(const std::string& path);
  Tensor in(const std::string& name) { return leaf("in/" + name); }
  Tensor w(const std::string& name) { return leaf("w/" + name); }
  const std::map<std::string, Tensor>& leaves() const { return leaves_; }

 private:
  std::string where(const std::string& name) const;

  std::string file_, group_;
  std::map<std::string, Tensor> leaves_;
};

}  // namespace relbias::golden
