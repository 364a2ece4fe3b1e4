// SPDX-License-Identifier: Apache-2.0
// modalities/code: reading functions, leaving out copies, giving every token its ids.
#include "modalities/code/code.h"

#include <unordered_set>

#include "modalities/parallel.h"
#include "modalities/text/division.h"

namespace relbias::modalities {
namespace {

// What one file gave.
struct ParsedFile {
  std::vector<Snippet> functions;
  bool has_error = false;
  std::string first_error;  // `ast.py line 3 column 5`
  int64_t cut = 0;
};

std::string place_text(const std::string& file, const SyntaxTree& tree, size_t node) {
  const Place place = place_of(tree.source, tree.nodes[node].begin);
  return fmt::format("{} line {} column {}", file, place.line, place.column);
}

ParsedFile parse_file(const Language& language, const File& file, int64_t limit) {
  const SyntaxTree tree = parse(language, with_plain_lines(file.bytes));
  ParsedFile parsed;
  parsed.has_error = tree.has_error;
  for (size_t node = 0; node < tree.nodes.size() && parsed.first_error.empty(); ++node) {
    const bool is_error = tree.nodes[node].type + size_t{1} == type_count(language);
    if (is_error || tree.nodes[node].missing) {
      parsed.first_error = place_text(file.name, tree, node);
    }
  }
  for (const size_t node : outer_functions(tree)) {
    Snippet function = snippet_of(tree, node, static_cast<size_t>(limit));
    function.source = file.name;
    function.name =
        fmt::format("{} line {}", file.name, place_of(tree.source, tree.nodes[node].begin).line);
    parsed.cut += function.cut;
    parsed.functions.push_back(std::move(function));
  }
  return parsed;
}

// What is left out, and how often: `, 3 copies left out, 1 without a token (f.py line 2)`.
std::string drop_copies(std::array<std::vector<Snippet>, 3>& splits) {
  std::unordered_set<std::string> seen;
  int64_t copies = 0, empty = 0;
  std::string first_empty;
  for (const Split split : {Split::test, Split::validation, Split::train}) {
    std::erase_if(splits[static_cast<size_t>(split)], [&](const Snippet& snippet) {
      if (!snippet.tokens.empty()) {
        return !seen.insert(token_texts(snippet)).second && ++copies > 0;
      }
      if (empty == 0) first_empty = snippet.name;
      return ++empty > 0;
    });
  }
  std::string text = fmt::format(", {} copies left out", copies);
  if (empty > 0) text += fmt::format(", {} without a token (the first: {})", empty, first_empty);
  return text;
}

}  // namespace

CodeDataset::CodeDataset(CodeSource source)
    : hash_(std::move(source.content_hash)),
      report_(std::move(source.origin)),
      language_(source.language),
      splits_(std::move(source.splits)) {
  report_ += drop_copies(splits_);
  for (const Split split : all_splits) {
    const size_t count = snippets(split).size();
    report_ += fmt::format("; {} {} functions", split_name(split), count);
    if (count == 0) input_error("{}: too few for three splits", report_);
  }
  vocabulary_ = Vocabulary(snippets(Split::train));
  for (auto& split : splits_) {
    for (Snippet& snippet : split) {
      for (size_t node = 0; node < snippet.tree.nodes.size(); ++node) {
        const auto ids = vocabulary_.ids(snippet, node);
        snippet.ids.insert(snippet.ids.end(), ids.begin(), ids.end());
      }
    }
  }
}

OptionSpec limit_option() {
  return {.name = "limit",
          .value = int64_t{2048},
          .meaning = "tokens of a function that are kept, the first; the cut ones are counted",
          .minimum = 1,
          .maximum = 1 << 16};
}

void read_functions(CodeSource& source, const TextSplits& files, int64_t limit) {
  int64_t broken = 0, cut = 0, functions = 0;
  std::string first_error;
  for (size_t split = 0; split < files.size(); ++split) {
    std::vector<ParsedFile> parsed(files[split].size());
    in_parallel(static_cast<int64_t>(parsed.size()), [&](int64_t n) {
      parsed[n] = parse_file(*source.language, files[split][n], limit);
    });
    for (ParsedFile& file : parsed) {
      if (first_error.empty()) first_error = file.first_error;
      broken += file.has_error;
      cut += file.cut;
      functions += static_cast<int64_t>(file.functions.size());
      for (Snippet& function : file.functions) {
        source.splits[split].push_back(std::move(function));
      }
    }
  }
  source.origin += fmt::format(", {} with syntax errors", broken);
  if (broken > 0) source.origin += fmt::format(" (the first: {})", first_error);
  source.origin += fmt::format(", {} functions, {} cut to {} tokens", functions, cut, limit);
}

TextSplits divided_sources(CodeSource& source, std::vector<File> files) {
  source.origin += ": " + keep_distinct_texts(files);
  if (files.size() < 3) {
    input_error("{}: at least 3 files expected, they are divided by file", source.origin);
  }
  source.content_hash = content_hash(files);
  TextSplits splits;
  source.origin += ", " + divide_by_file(std::move(files), splits);
  return splits;
}

}  // namespace relbias::modalities
