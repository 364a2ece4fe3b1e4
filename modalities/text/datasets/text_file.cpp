// SPDX-License-Identifier: Apache-2.0
// modalities/text: dataset `text-file`, any UTF-8 file or folder that a user brings.
#include <algorithm>
#include <sstream>

#include "modalities/text/division.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

std::string whole_text(const fs::path& path) {
  std::string bytes = read_file(path);
  if (bytes.empty()) input_error("{} is empty", path.string());
  if (const auto fault = not_text(bytes)) input_error("{}: {}", path.string(), *fault);
  return bytes;
}

/// wiki.train.tokens, wiki.valid.tokens and wiki.test.tokens, or the three with .raw: false where
/// there is none of them, an error where there are some.
bool read_wikitext(TextSource& source, const fs::path& folder,
                   const std::vector<std::string>& names) {
  const auto found = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<File> files;
  for (const std::string kind : {"tokens", "raw"}) {
    const std::array<std::string, 3> layout = {"wiki.train." + kind, "wiki.valid." + kind,
                                               "wiki.test." + kind};
    if (std::none_of(layout.begin(), layout.end(), found)) continue;
    if (!files.empty()) {
      input_error("{} holds wiki.*.tokens and wiki.*.raw: choose by extensions=tokens or =raw",
                  folder.string());
    }
    for (const std::string& name : layout) {
      if (!found(name)) input_error("{}: WikiText layout, but no {}", folder.string(), name);
      files.push_back({name, whole_text(folder / name)});
    }
  }
  if (files.empty()) return false;
  source.content_hash = content_hash(files);
  source.origin +=
      fmt::format(", WikiText layout, {} other files ignored", names.size() - files.size());
  for (size_t split = 0; split < 3; ++split) source.splits[split] = {std::move(files[split])};
  return true;
}

std::vector<File> distinct_texts(TextSource& source, const fs::path& folder,
                                 const std::vector<std::string>& names) {
  std::vector<File> files;
  for (const std::string& name : names) files.push_back({name, read_file(folder / name)});
  const std::string counts = keep_distinct_texts(files);
  if (files.empty()) input_error("{}: no text: {}", folder.string(), counts);
  source.origin += ", " + counts;
  return files;
}

File joined(const std::vector<File>& files) {
  File whole = files.front();
  for (size_t i = 1; i < files.size(); ++i) {
    if (whole.bytes.back() != '\n') whole.bytes += '\n';
    whole.bytes += files[i].bytes;
    whole.name += " + " + files[i].name;
  }
  return whole;
}

void read_folder(TextSource& source, const fs::path& folder, const std::string& extensions) {
  std::vector<std::string> wanted;
  std::istringstream words(extensions);
  for (std::string word; std::getline(words, word, ',');) wanted.push_back(word);
  LeftOut left_out;
  const std::vector<std::string> names = files_below(folder, wanted, &left_out);
  source.origin += left_out.text();
  if (names.empty()) {
    input_error("{} holds no file that ends in one of: {} (option extensions)", folder.string(),
                extensions);
  }
  if (read_wikitext(source, folder, names)) return;
  std::vector<File> files = distinct_texts(source, folder, names);
  source.content_hash = content_hash(files);
  source.origin += ", " + (files.size() < 3 ? cut_by_bytes(joined(files), source.splits)
                                            : divide_by_file(std::move(files), source.splits));
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path path = options.word("path");
  if (path.empty()) input_error("dataset text-file: path= is missing, a file or a folder");
  TextSource source;
  source.origin = fmt::format("text-file {}", path.string());
  if (fs::is_directory(path)) {
    read_folder(source, path, options.word("extensions"));
  } else {
    File file{path.filename().string(), whole_text(path)};
    source.content_hash = content_hash({file});
    source.origin += ", " + cut_by_bytes(std::move(file), source.splits);
  }
  return std::make_unique<TextDataset>(std::move(source));
}

}  // namespace

/// One file is read as UTF-8 text without zero bytes, or it is an error that names the first bad
/// byte. In a folder, files that are not text, empty files and copies are left out and counted in
/// the report. Layouts with splits of their own are recognised and said in the report: WikiText
/// (wiki.train.tokens ...) and enwik8 or text8 (exactly 1e8 bytes).
DatasetEntry dataset_text_file() {
  return {
      .version = 2,
      .summary =
          "a UTF-8 file or a folder of them; enwik8, text8 and WikiText layouts keep their "
          "own split",
      .options = {{"path", std::string(), "the file or folder"},
                  {"extensions", std::string("txt,text,md,tokens,raw"),
                   "files of a folder that are read, by the end of their names"}},
      .make = make,
  };
}

}  // namespace relbias::modalities
