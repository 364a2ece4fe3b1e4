// SPDX-License-Identifier: Apache-2.0
// modalities/plain: reading and printing of `NAME key=value ...` strings.
#include "modalities/plain/options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "modalities/plain/range_text.h"

namespace relbias::plain {
namespace {

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

struct ValueReader {
  std::string_view where;  // `encoding t5, option num_buckets`
  std::string_view text;
  const OptionSpec& spec;

  void check_range(double number) const {
    if (!std::isfinite(number)) input_error("{}: {} found, a finite number expected", where, text);
    if (number >= spec.minimum && number <= spec.maximum) return;
    input_error("{}: {} found, {} expected", where, text, range_text(spec.minimum, spec.maximum));
  }
  OptionValue operator()(bool) const {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    input_error("{}: '{}' found, true or false expected", where, text);
  }
  OptionValue operator()(int64_t) const {
    int64_t number = 0;
    if (!parse_number(text, number)) {
      input_error("{}: '{}' found, a whole number expected", where, text);
    }
    check_range(static_cast<double>(number));
    return number;
  }
  OptionValue operator()(double) const {
    double number = 0;
    if (!parse_number(text, number)) input_error("{}: '{}' found, a number expected", where, text);
    check_range(number);
    return number;
  }
  OptionValue operator()(const std::string&) const {
    const auto& choices = spec.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      unknown_word(fmt::format("value of {}", where), text, choices);
    }
    return std::string(text);
  }
};

// Splits at blanks outside double quotes; the quotes themselves are dropped.
std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (c == '"') quoted = !quoted;
    if (blank && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c != '"') words.back() += c;
  }
  if (quoted) input_error("'{}': a double quote is not closed", text);
  return words;
}

}  // namespace

Options::Options(std::string name, std::vector<OptionSpec> specs,
                 std::map<std::string, OptionValue> given)
    : name_(std::move(name)), specs_(std::move(specs)), given_(std::move(given)) {}

const OptionValue& Options::value(std::string_view option) const {
  if (const auto found = given_.find(std::string(option)); found != given_.end()) {
    return found->second;
  }
  for (const auto& spec : specs_) {
    if (spec.name == option) return spec.value;
  }
  throw std::logic_error(fmt::format("'{}' declares no option '{}'", name_, option));
}

bool Options::flag(std::string_view option) const { return std::get<bool>(value(option)); }
int64_t Options::integer(std::string_view option) const { return std::get<int64_t>(value(option)); }
double Options::real(std::string_view option) const { return std::get<double>(value(option)); }
const std::string& Options::word(std::string_view option) const {
  return std::get<std::string>(value(option));
}
bool Options::has(std::string_view option) const {
  return std::any_of(specs_.begin(), specs_.end(),
                     [&](const OptionSpec& spec) { return spec.name == option; });
}
bool Options::given(std::string_view option) const {
  return given_.count(std::string(option)) != 0;
}

bool Options::differs(std::string_view option) const {
  return std::any_of(specs_.begin(), specs_.end(), [&](const OptionSpec& spec) {
    return spec.name == option && value(option) != spec.value;
  });
}

std::string Options::label() const {
  std::string text = name_;
  for (const auto& spec : specs_) {
    if (!differs(spec.name)) continue;
    text += fmt::format(" {}={}", spec.name, option_text(value(spec.name)));
  }
  return text;
}

std::map<std::string, std::string> Options::changed() const {
  std::map<std::string, std::string> texts;
  for (const auto& spec : specs_) {
    if (differs(spec.name)) texts[spec.name] = option_text(value(spec.name));
  }
  return texts;
}

std::string Options::canonical() const {
  std::string text = name_;
  for (const auto& spec : specs_) {
    text += fmt::format(" {}={}", spec.name, option_text(value(spec.name)));
  }
  return text;
}

std::string Options::written() const {
  std::string text;
  for (const auto& spec : specs_) {
    if (!given(spec.name)) continue;
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : " ", spec.name, option_text(value(spec.name)));
  }
  return text;
}

Options Options::with(const Options& changes) const {
  Options changed = *this;
  for (const auto& [option, value] : changes.given_) changed.given_[option] = value;
  return changed;
}

Options Options::with(const std::string& option, OptionValue value) const {
  Options changed = *this;
  changed.given_[option] = std::move(value);
  return changed;
}

Options Options::with_default(std::string_view option, const OptionValue& value) const {
  Options changed = *this;
  for (OptionSpec& spec : changed.specs_) {
    if (spec.name == option) spec.value = value;
  }
  return changed;
}

std::string option_text(const OptionValue& value) {
  struct Printer {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& word) const {
      const bool plain = !word.empty() && word.find_first_of(" \t\n") == std::string::npos;
      return plain ? word : fmt::format("\"{}\"", word);
    }
  };
  return std::visit(Printer{}, value);
}

std::string option_name(std::string_view text) {
  const auto words = split_words(text);
  return words.empty() ? "" : words.front();
}

Options parse_options(std::string_view kind, std::string_view text,
                      const std::vector<OptionSpec>& specs) {
  const auto words = split_words(text);
  if (words.empty()) input_error("{} is empty, a name expected", kind);
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  std::map<std::string, OptionValue> given;
  for (size_t i = 1; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    if (equals == std::string::npos) {
      input_error("{} '{}': '{}' found, key=value expected", kind, text, words[i]);
    }
    const std::string key = words[i].substr(0, equals);
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const OptionSpec& s) { return s.name == key; });
    if (spec == specs.end()) {
      unknown_word(fmt::format("option of {} {}", kind, words[0]), key, names);
    }
    const std::string where = fmt::format("{} {}, option {}", kind, words[0], key);
    const std::string word = words[i].substr(equals + 1);
    if (!given.emplace(key, std::visit(ValueReader{where, word, *spec}, spec->value)).second) {
      input_error("{} is given twice", where);
    }
  }
  return Options(words[0], specs, std::move(given));
}

}  // namespace relbias::plain
