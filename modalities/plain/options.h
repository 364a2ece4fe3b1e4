// SPDX-License-Identifier: Apache-2.0
// modalities/plain: a name with its options as one string, e.g. `t5 num_buckets=8 max_distance=20`.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "modalities/plain/check.h"

namespace relbias::plain {

using OptionValue = std::variant<bool, int64_t, double, std::string>;

/// One option of an encoding, relation, dataset or task. Its type is the type of its default.
struct OptionSpec {
  std::string name;
  OptionValue value;  // the default
  std::string meaning;
  std::vector<std::string> choices{};  // of a word; empty: any word
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool of_example = false;  // of a relation: describes the structure that `terms` shows, no more
};

/// A name and the value of every option it has, defaults filled in.
class Options {
 public:
  Options() = default;  // no name: none is meant
  Options(std::string name, std::vector<OptionSpec> specs,
          std::map<std::string, OptionValue> given);

  const std::string& name() const { return name_; }
  bool flag(std::string_view option) const;
  int64_t integer(std::string_view option) const;
  double real(std::string_view option) const;
  const std::string& word(std::string_view option) const;
  bool has(std::string_view option) const;      // is declared
  bool given(std::string_view option) const;    // is written out
  bool differs(std::string_view option) const;  // from its default

  /// As a reader wants it: only what differs from the defaults, `t5 num_buckets=8`.
  std::string label() const;
  /// As an identity wants it: every option, in the order of their declaration.
  std::string canonical() const;
  /// Only what is written out, without the name: `num_buckets=8`.
  std::string written() const;
  /// Every option that differs from its default, as a text that parse_options reads back.
  std::map<std::string, std::string> changed() const;
  /// These options, with what `changes` writes out in place of their own values.
  Options with(const Options& changes) const;
  /// These options, one of them given.
  Options with(const std::string& option, OptionValue value) const;
  /// These options, one of them with another default.
  Options with_default(std::string_view option, const OptionValue& value) const;

 private:
  const OptionValue& value(std::string_view option) const;

  std::string name_;
  std::vector<OptionSpec> specs_;
  std::map<std::string, OptionValue> given_;
};

/// The first word of `rope layout=half`.
std::string option_name(std::string_view text);

/// Reads `NAME key=value key="value with blanks"`. `kind` ("encoding") is for the error messages.
/// Throws InputError on an unknown or repeated key, a value of the wrong type or out of range.
Options parse_options(std::string_view kind, std::string_view text,
                      const std::vector<OptionSpec>& specs);

/// `32`, `true`, `0.5`, `half`: the spelling that parse_options reads back to the same value.
std::string option_text(const OptionValue& value);

/// The entry of a catalogue with this name; unknown names throw InputError with the valid ones.
template <class Entry>
const Entry& find_entry(std::string_view kind, std::string_view name,
                        const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  unknown_word(kind, name, names);
}

}  // namespace relbias::plain
