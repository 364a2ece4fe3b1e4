// SPDX-License-Identifier: Apache-2.0
// experiments/attend: the input file of `relbias attend`, read strictly.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "modalities/plain/check.h"
#include "results/store/arrays.h"

namespace relbias::experiments {

/// The file with what has been asked of it, so that what nobody asked for can be named. Every error
/// is an InputError that names the file, the attribute or dataset, what was found and what was
/// expected.
class AttendCase {
 public:
  explicit AttendCase(const std::filesystem::path& file);

  /// The text of an attribute; an error where it is missing and `otherwise` is empty.
  std::string word(const std::string& name, const std::string& otherwise = "");
  /// 0 or 1, or a boolean of h5py.
  bool flag(const std::string& name);
  /// A whole number of at least `minimum`, or nothing where the attribute is missing.
  std::optional<int64_t> count(const std::string& name, int64_t minimum);
  /// A size: a text as it stands, or a whole number of at least 1; empty where it is missing.
  std::string size(const std::string& name);

  bool has(const std::string& dataset) const { return contents_.arrays.count(dataset) != 0; }
  /// The scale of the scores: `rsqrt` or nothing, `none`, a number, also as text.
  std::optional<double> scale();
  /// A dataset, float64; undefined where the file has none of this name.
  at::Tensor raw(const std::string& name);
  /// The same of finite numbers.
  at::Tensor array(const std::string& name);
  /// The same, in another type whose range its numbers must fit; an error where it is missing.
  at::Tensor required(const std::string& name, at::ScalarType type);
  /// The same, of numbers that need not be finite.
  at::Tensor required_raw(const std::string& name, at::ScalarType type);
  bool was_asked(const std::string& name) const { return asked_.count(name) != 0; }
  std::vector<std::string> arrays_under(const std::string& group) const;

  /// Throws for the first attribute, dataset or group that nobody asked for.
  void refuse_unasked() const;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    input_error("{}: {}", file_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  [[noreturn]] void refuse_missing(const std::string& name) const;
  [[noreturn]] void refuse_link(const std::string& name) const;

  // A number attribute; nothing where it is missing, an error where it is none.
  std::optional<double> number(const std::string& name, const std::string& expected);
  [[noreturn]] void wrong(const std::string& name, const std::string& expected) const;

  std::string file_;
  NamedArrays contents_;
  std::set<std::string> asked_;
};

/// Throws where a number is too large for the type: it became infinite.
void check_fits(const AttendCase& input, const std::string& name, const at::Tensor& converted);

}  // namespace relbias::experiments
