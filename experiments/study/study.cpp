// SPDX-License-Identifier: Apache-2.0
// experiments/study: finding and reading of study files.
#include "experiments/study/study.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "experiments/study/claims.h"
#include "experiments/study/shipped.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;

std::string study_name(const fs::path& file) {
  std::string name = file.stem().string();
  std::replace(name.begin(), name.end(), '_', '-');
  // The name becomes a folder of results, which must not be one above it.
  const bool has_control =
      std::ranges::any_of(name, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; });
  if (name.find_first_not_of('.') == std::string::npos || has_control) {
    input_error("study {}: its name is '{}', a name with a letter or a number expected",
                file.string(), name);
  }
  return name;
}

// Nodes in the order of the file; the library sorts tables by key.
template <class Item, class NodeOf>
void sort_by_place(std::vector<Item>& items, NodeOf node_of) {
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    const auto &left = node_of(a).source().begin, &right = node_of(b).source().begin;
    return left < right;
  });
}

std::vector<Axis> read_sweep(const toml::table& table) {
  Settings lists;
  flatten(table, "", lists);
  std::vector<std::pair<Axis, const toml::node*>> axes;
  for (const auto& [key, value] : lists) {
    if (!value->is_array() || value->as_array()->empty()) {
      wrong_value("sweep." + key, *value, "a list of values");
    }
    Axis axis{key, {}};
    for (const auto& element : *value->as_array()) axis.values.push_back(&element);
    axes.emplace_back(std::move(axis), value);
  }
  sort_by_place(axes, [](const auto& item) -> const toml::node& { return *item.second; });
  std::vector<Axis> sweep;
  for (auto& [axis, value] : axes) sweep.push_back(std::move(axis));
  return sweep;
}

// A key of a study or of one of its parts: settings, sweep or smoke.
void read_settings(const std::string& key, const toml::node& value, Part& part) {
  if (key == "sweep") {
    part.sweep = read_sweep(table_value(key, value));
  } else if (key == "tune") {
    part.tuning = read_tuning(table_value(key, value));
  } else if (key == "smoke") {
    flatten(table_value(key, value), "", part.smoke);
  } else if (value.is_table() && !value.as_table()->empty()) {
    flatten(*value.as_table(), key + ".", part.base);
  } else {
    part.base[key] = &value;
  }
}

// What `part` writes over what the whole study says.
Part over(const Part& whole, Part part) {
  part.base.insert(whole.base.begin(), whole.base.end());
  part.smoke.insert(whole.smoke.begin(), whole.smoke.end());
  if (part.sweep.empty()) part.sweep = whole.sweep;
  if (!part.tuning) part.tuning = whole.tuning;
  return part;
}

std::vector<Part> read_parts(const toml::node& node, const Part& whole) {
  if (!node.is_array()) wrong_value("part", node, "a list of tables, [[part]]");
  std::vector<Part> parts;
  for (const auto& element : *node.as_array()) {
    Part part;
    for (const auto& [name, value] : table_value("part", element)) {
      if (name.str() == "name") {
        part.name = text_value("part.name", value);
      } else {
        read_settings(std::string(name.str()), value, part);
      }
    }
    if (part.name.empty()) input_error("{}: part.name: missing, text expected", place_of(element));
    for (const Part& other : parts) {
      if (other.name == part.name) {
        input_error("{}: part.name: '{}' found twice", place_of(element), part.name);
      }
    }
    parts.push_back(over(whole, std::move(part)));
  }
  return parts;
}

}  // namespace

const std::vector<KeyMeaning>& study_keys() {
  static const std::vector<KeyMeaning> keys{
      {"question", "what is asked; without it a file is no study"},
      {"expected", "what is expected, and why"},
      {"cost", "what its runs take, and on which machine"},
      {"[sweep]", "keys with lists of values: one run for each combination, the last key fastest"},
      {"[smoke]", "settings that replace others with --smoke, for a test of a minute"},
      {"[tune]",
       "what each encoding may try before its runs, on validation data: over, each, trials, "
       "seeds"},
      {"[[part]]",
       "runs with other data or models under the same question: `name`, its own "
       "settings over the study's, a [part.sweep] in place of the study's"},
      {"[[claim]]", "an ordering that is expected; its keys:"},
  };
  return keys;
}

Study parse_study(std::string_view text, const std::string& file) {
  Study study;
  study.name = study_name(file);
  study.file = file;
  study.sources.push_back(parse_toml(text, file));
  const std::map<std::string, std::string*> texts{
      {"question", &study.question}, {"expected", &study.expected}, {"cost", &study.cost}};
  Part whole;
  const toml::node* parts = nullptr;
  for (const auto& [name, value] : *study.sources.front()) {
    const std::string key(name.str());
    if (const auto prose = texts.find(key); prose != texts.end()) {
      *prose->second = text_value(key, value);
    } else if (key == "claim") {
      study.claims = read_claims(*study.sources.front());
    } else if (key == "part") {
      parts = &value;
    } else {
      read_settings(key, value, whole);
    }
  }
  if (study.sources.front()->empty()) {
    input_error(
        "{}: empty, a study expected: question, settings, sweep (see relbias describe config)",
        file);
  }
  if (study.question.empty()) input_error("{}: question: missing, text expected", file);
  study.parts = parts == nullptr ? std::vector{whole} : read_parts(*parts, whole);
  if (!study.claims.empty()) check_claims(study, expand(study, {}));
  return study;
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const fs::path& file : shipped_files("studies")) names.push_back(study_name(file));
  std::sort(names.begin(), names.end());
  return names;
}

std::string study_file(const std::string& name) {
  for (const fs::path& file : shipped_files("studies")) {
    if (study_name(file) == name) return file.string();
  }
  unknown_word("study", name, study_names());
}

Study load_study(const std::string& name_or_path) {
  const bool is_path = name_or_path.ends_with(".toml");
  const std::string file = is_path ? name_or_path : study_file(name_or_path);
  if (fs::is_directory(file)) input_error("study {}: is a folder, a .toml file expected", file);
  if (!fs::exists(file)) input_error("study {}: no such file", file);
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) input_error("study {}: cannot be read", file);
  return parse_study(text, file);
}

}  // namespace relbias::experiments
