// SPDX-License-Identifier: Apache-2.0
// modalities/code: dataset `codexglue`, functions with a label from jsonl files that a user brings.
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

#include "modalities/code/code.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array<const char*, 3> split_files = {"train", "valid", "test"};

/// Calls use(line, number) with every line that is not empty, numbers from 1.
template <class Use>
void each_line(const fs::path& file, Use&& use) {
  std::istringstream lines(with_plain_lines(read_file(file)));
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.empty()) use(line, number);
  }
}

json object_in(const std::string& line, const std::string& place) {
  json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) input_error("{}: no JSON object: {:.40}", place, line);
  return object;
}

const json& field(const json& object, const char* name, const std::string& place) {
  const auto found = object.find(name);
  if (found == object.end()) input_error("{}: field '{}' is missing", place, name);
  return *found;
}

Snippet function_in(const json& object, const Options& options, const std::string& place) {
  const json& text = field(object, "func", place);
  if (!text.is_string()) input_error("{}: field 'func' is no string", place);
  const SyntaxTree tree =
      parse(language_named(options.word("language")), with_plain_lines(text.get<std::string>()));
  Snippet snippet = snippet_of(tree, 0, static_cast<size_t>(options.integer("limit")));
  snippet.name = place;
  return snippet;
}

// {"func": "...", "target": 0 or 1}
std::vector<Snippet> labelled_functions(const fs::path& file, const Options& options) {
  std::vector<Snippet> functions;
  each_line(file, [&](const std::string& line, size_t number) {
    const std::string place = fmt::format("{} line {}", file.string(), number);
    const json object = object_in(line, place);
    const json& target = field(object, "target", place);
    if (target != 0 && target != 1) {
      input_error("{}: target {} found, 0 or 1 expected", place,
                  target.is_number() ? target.dump() : target.type_name());
    }
    functions.push_back(function_in(object, options, place));
    functions.back().label = target.get<int64_t>();
  });
  return functions;
}

using FunctionsByIndex = std::unordered_map<std::string, Snippet>;

// {"func": "...", "idx": "123"}
FunctionsByIndex numbered_functions(const fs::path& file, const Options& options) {
  FunctionsByIndex functions;
  each_line(file, [&](const std::string& line, size_t number) {
    const std::string place = fmt::format("{} line {}", file.string(), number);
    const json object = object_in(line, place);
    const json& index = field(object, "idx", place);
    if (!index.is_string() && !index.is_number_integer()) {
      input_error("{}: idx is {}, a string or a whole number expected", place, index.type_name());
    }
    const std::string name = index.is_string() ? index.get<std::string>() : index.dump();
    const auto [found, is_new] = functions.emplace(name, function_in(object, options, place));
    if (!is_new) {
      input_error("{}: idx {} found, that of {}; one of its own expected", place, name,
                  found->second.name);
    }
  });
  return functions;
}

// idx1 TAB idx2 TAB label
std::vector<Snippet> labelled_pairs(const fs::path& file, const FunctionsByIndex& functions) {
  std::vector<Snippet> pairs;
  each_line(file, [&](const std::string& line, size_t number) {
    const std::string place = fmt::format("{} line {}", file.string(), number);
    std::istringstream words(line);
    std::string first, second, label, more;
    words >> first >> second >> label;
    if ((label != "0" && label != "1") || words >> more) {
      input_error("{}: '{:.40}' found, two numbers of functions and 0 or 1 expected", place, line);
    }
    for (const std::string& index : {first, second}) {
      if (functions.count(index) == 0)
        input_error("{}: no function {} in data.jsonl", place, index);
    }
    pairs.push_back(joined(functions.at(first), functions.at(second)));
    pairs.back().name = place;
    pairs.back().label = label == "1";
  });
  return pairs;
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path folder = options.word("path");
  if (folder.empty()) input_error("dataset codexglue: path= is missing, a folder");
  const bool clones = fs::exists(folder / "data.jsonl");
  CodeSource source;
  source.language = &language_named(options.word("language"));
  std::vector<File> files;
  FunctionsByIndex functions;
  if (clones) {
    files.push_back({"data.jsonl", read_file(folder / "data.jsonl")});
    functions = numbered_functions(folder / "data.jsonl", options);
  }
  int64_t cut = 0, broken = 0;
  for (size_t split = 0; split < split_files.size(); ++split) {
    const std::string name = fmt::format("{}.{}", split_files[split], clones ? "txt" : "jsonl");
    files.push_back({name, read_file(folder / name)});
    source.splits[split] = clones ? labelled_pairs(folder / name, functions)
                                  : labelled_functions(folder / name, options);
    for (const Snippet& snippet : source.splits[split]) {
      cut += snippet.cut;
      broken += snippet.tree.has_error;
    }
  }
  source.content_hash = content_hash(files);
  source.origin =
      fmt::format("codexglue {}, {}: {} with syntax errors, {} cut to {} tokens", folder.string(),
                  clones ? "clone pairs" : "defects", broken, cut, options.integer("limit"));
  return std::make_unique<CodeDataset>(std::move(source));
}

}  // namespace

/// Two layouts. Defects: train.jsonl, valid.jsonl and test.jsonl, a line {"func", "target"}.
/// Clones: data.jsonl with lines {"func", "idx"}, and train.txt, valid.txt and test.txt with lines
/// `idx1 TAB idx2 TAB label`; a pair is one sample, both functions below a common root.
DatasetEntry dataset_codexglue() {
  return {
      .summary = "functions labelled 0 or 1 (defect), or pairs of them (clone), as jsonl files",
      .options = {{"path", std::string(), "folder of the files"},
                  {"language", std::string("c"), "of the functions", language_names()},
                  limit_option()},
      .make = make,
  };
}

}  // namespace relbias::modalities
