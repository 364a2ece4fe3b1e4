// SPDX-License-Identifier: Apache-2.0
// modalities/code: dataset `code-packages`, functions of packages pinned by content.
#include "modalities/code/code.h"

namespace relbias::modalities {
namespace {

/// By language: what the shipped studies read, from the same archives on every system.
std::string_view published_hash(const std::string& language) {
  return language == "python" ? "8a21e163264c8e733c9248b686c41a66311860d7"
                              : "efeb637ceec58bf3d5a19e3a350a0c4e2b1eb6c5";
}

std::unique_ptr<Dataset> make(const Options& options) {
  std::filesystem::path folder = options.word("path");
  if (folder.empty()) folder = data_folder() / "code-packages-1";
  if (!std::filesystem::is_directory(folder)) {
    input_error("dataset code-packages: no folder {}: run experiments/setup", folder.string());
  }
  CodeSource source;
  source.origin = "code-packages";
  source.language = &language_named(options.word("language"));
  std::vector<File> files;
  for (const std::string& name : files_below(folder, source.language->extensions)) {
    files.push_back({name, read_file(folder / name)});
  }
  const TextSplits splits = divided_sources(source, std::move(files));
  source.origin += source.content_hash == published_hash(source.language->name)
                       ? ", content as published"
                       : ", content differs from that of published numbers";
  read_functions(source, splits, options.integer("limit"));
  return std::make_unique<CodeDataset>(std::move(source));
}

}  // namespace

DatasetEntry dataset_code_packages() {
  return {
      .summary =
          "outermost functions of Django 5.2.4 and of SymPy 1.14.0 (core, functions, matrices, "
          "printing, solvers), 10.4 MB of Python and 1.0 MB of JavaScript, divided by file; BSD-3",
      .options =
          {{"path", std::string(),
            "folder of the packages; empty: the one that experiments/setup unpacked"},
           {"language", std::string("python"), "whose files are read", {"python", "javascript"}},
           limit_option()},
      .make = make,
  };
}

}  // namespace relbias::modalities
