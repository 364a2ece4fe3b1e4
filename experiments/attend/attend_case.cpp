// SPDX-License-Identifier: Apache-2.0
// experiments/attend: the input file of `relbias attend`, read strictly.
#include "experiments/attend/attend_case.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "experiments/model/scale.h"

namespace relbias::experiments {

AttendCase::AttendCase(const std::filesystem::path& file)
    : file_(file.string()), contents_(read_arrays(file)) {}

void AttendCase::wrong(const std::string& name, const std::string& expected) const {
  std::string found = "a list or another type";
  if (const auto text = contents_.texts.find(name); text != contents_.texts.end()) {
    found = fmt::format("'{}'", text->second);
  }
  if (const auto number = contents_.numbers.find(name); number != contents_.numbers.end()) {
    found = fmt::format("{}", number->second);
  }
  fail("attribute '{}': {} found, {} expected", name, found, expected);
}

std::string AttendCase::word(const std::string& name, const std::string& otherwise) {
  asked_.insert(name);
  const auto found = contents_.texts.find(name);
  if (found != contents_.texts.end()) return found->second;
  const auto& others = contents_.other_attributes;
  const bool other = std::find(others.begin(), others.end(), name) != others.end();
  if (other || contents_.numbers.count(name) != 0) wrong(name, "a string");
  if (otherwise.empty()) fail("attribute '{}' is missing, a string expected", name);
  return otherwise;
}

std::optional<double> AttendCase::number(const std::string& name, const std::string& expected) {
  asked_.insert(name);
  const auto found = contents_.numbers.find(name);
  if (found != contents_.numbers.end()) return found->second;
  const auto& others = contents_.other_attributes;
  const bool other = std::find(others.begin(), others.end(), name) != others.end();
  if (other || contents_.texts.count(name) != 0) wrong(name, expected);
  return std::nullopt;
}

bool AttendCase::flag(const std::string& name) {
  const std::string expected = "0 or 1";
  const double value = number(name, expected).value_or(0);
  if (value != 0 && value != 1) wrong(name, expected);
  return value == 1;
}

std::optional<int64_t> AttendCase::count(const std::string& name, int64_t minimum) {
  constexpr double exact = 9007199254740992.0;  // doubles beyond 2^53 are not every whole number
  const std::string expected = fmt::format("a whole number from {} to 2^53", minimum);
  const auto value = number(name, expected);
  if (!value) return std::nullopt;
  const bool good = std::floor(*value) == *value && *value <= exact;
  if (!good || *value < static_cast<double>(minimum)) wrong(name, expected);
  return static_cast<int64_t>(*value);
}

std::string AttendCase::size(const std::string& name) {
  if (contents_.texts.count(name) != 0) return word(name);
  const auto tokens = count(name, 1);
  return tokens ? std::to_string(*tokens) : "";
}

std::optional<double> AttendCase::scale() {
  constexpr const char* expected = "rsqrt, none or a number above 0";
  std::string text = "rsqrt";
  if (contents_.texts.count("scale") != 0) {
    text = word("scale");
  } else if (const auto value = number("scale", expected)) {
    text = fmt::format("{}", *value);
  }
  try {
    return scale_in(text);
  } catch (const InputError&) {
    wrong("scale", expected);
  }
}

at::Tensor AttendCase::raw(const std::string& name) {
  asked_.insert(name);
  const auto found = contents_.arrays.find(name);
  if (found == contents_.arrays.end()) return {};
  const Array& array = found->second;
  return at::tensor(array.values, at::kDouble).view(array.shape);
}

at::Tensor AttendCase::array(const std::string& name) {
  const at::Tensor values = raw(name);
  if (!values.defined()) return {};
  if (!at::isfinite(values).all().item<bool>()) {
    fail("dataset '{}' has numbers that are not finite", name);
  }
  return values;
}

void AttendCase::refuse_missing(const std::string& name) const {
  for (const auto& link : contents_.links) {
    if (link == name) refuse_link(name);
  }
  fail("dataset '{}' is missing", name);
}

void AttendCase::refuse_link(const std::string& name) const {
  fail("'{}' is a link, or one more name of something, a dataset of its own expected", name);
}

at::Tensor AttendCase::required(const std::string& name, at::ScalarType type) {
  const at::Tensor found = array(name);
  if (!found.defined()) refuse_missing(name);
  const at::Tensor converted = found.to(type);
  check_fits(*this, name, converted);
  return converted;
}

at::Tensor AttendCase::required_raw(const std::string& name, at::ScalarType type) {
  const at::Tensor found = raw(name);
  if (!found.defined()) refuse_missing(name);
  const at::Tensor converted = found.to(type);
  check_fits(*this, name, converted.masked_fill(at::isfinite(found).logical_not(), 0));
  return converted;
}

void check_fits(const AttendCase& input, const std::string& name, const at::Tensor& converted) {
  if (at::isfinite(converted).all().item<bool>()) return;
  input.fail("dataset '{}' has numbers that are too large for {}", name,
             c10::toString(converted.scalar_type()));
}

std::vector<std::string> AttendCase::arrays_under(const std::string& group) const {
  std::vector<std::string> names;
  for (const auto& [name, array] : contents_.arrays) {
    if (name.starts_with(group)) names.push_back(name.substr(group.size()));
  }
  return names;
}

void AttendCase::refuse_unasked() const {
  const auto check = [&](const std::string& name, const char* what) {
    if (asked_.count(name) == 0) fail("unknown {} '{}' (see relbias describe attend)", what, name);
  };
  for (const auto& [name, value] : contents_.arrays) check(name, "dataset");
  for (const auto& [name, value] : contents_.texts) check(name, "attribute");
  for (const auto& [name, value] : contents_.numbers) check(name, "attribute");
  for (const auto& name : contents_.other_attributes) check(name, "attribute");
  for (const auto& name : contents_.links) refuse_link(name);
  for (const auto& name : contents_.groups) {
    if (name == "parameters" || name == "relation") continue;
    const auto holds = [&](const std::string& asked) { return asked.starts_with(name + "/"); };
    if (std::any_of(asked_.begin(), asked_.end(), holds)) continue;
    if (asked_.count(name) != 0) fail("'{}' is a group, a dataset expected", name);
    fail("unknown group '{}' (see relbias describe attend)", name);
  }
}

}  // namespace relbias::experiments
