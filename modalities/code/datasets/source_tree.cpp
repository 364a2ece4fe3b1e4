// SPDX-License-Identifier: Apache-2.0
// modalities/code: dataset `source-tree`, a folder of source files that a user brings.
#include <fmt/ranges.h>

#include "modalities/code/code.h"

namespace relbias::modalities {
namespace {

std::unique_ptr<Dataset> make(const Options& options) {
  const std::filesystem::path folder = options.word("path");
  if (folder.empty()) input_error("dataset source-tree: path= is missing, a folder");
  CodeSource source;
  source.origin = fmt::format("source-tree {}", folder.string());
  source.language = &language_named(options.word("language"));
  std::vector<File> files;
  LeftOut left_out;
  for (const std::string& name : files_below(folder, source.language->extensions, &left_out)) {
    files.push_back({name, read_file(folder / name)});
  }
  source.origin += left_out.text();
  if (files.empty()) {
    input_error("{} holds no {} source: no file that ends in one of: {} (option language)",
                folder.string(), source.language->name,
                fmt::join(source.language->extensions, ", "));
  }
  const TextSplits splits = divided_sources(source, std::move(files));
  read_functions(source, splits, options.integer("limit"));
  return std::make_unique<CodeDataset>(std::move(source));
}

}  // namespace

DatasetEntry dataset_source_tree() {
  return {
      .version = 2,
      .summary = "outermost functions of the source files below a folder, divided by file",
      .options = {{"path", std::string(), "the folder"},
                  {"language", std::string("python"),
                   "which files are read, by the end of their names", language_names()},
                  limit_option()},
      .make = make,
  };
}

}  // namespace relbias::modalities
