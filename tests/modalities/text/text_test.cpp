// SPDX-License-Identifier: Apache-2.0
// tests: UTF-8 validation and the joining of documents.
#include "modalities/text/text.h"

#include <gmock/gmock.h>

namespace relbias::modalities {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(NotText, AcceptsEveryLengthOfCharacter) {
  for (const std::string text :
       {"", "plain\r\n\tASCII", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
        "\xEF\xBB\xBFwith a byte-order mark", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF", "\xEE\x80\x80"}) {
    EXPECT_EQ(not_text(text), std::nullopt) << testing::PrintToString(text);
  }
}

struct Invalid {
  std::string bytes;
  std::string expected;
};

TEST(NotText, NamesTheFirstBadByte) {
  const std::vector<Invalid> cases = {
      {"abc\xFF", "byte 0xff at offset 3"},           // never occurs in UTF-8
      {"\x80", "byte 0x80 at offset 0"},              // continuation without a beginning
      {"a\xC0\xAF", "byte 0xc0 at offset 1"},         // overlong '/'
      {"\xC1\xBF", "byte 0xc1 at offset 0"},          // overlong
      {"\xE0\x9F\xBF", "byte 0xe0 at offset 0"},      // overlong, three bytes
      {"\xF0\x8F\xBF\xBF", "byte 0xf0 at offset 0"},  // overlong, four bytes
      {"ok\xED\xA0\x80", "byte 0xed at offset 2"},    // surrogate
      {"\xF4\x90\x80\x80", "byte 0xf4 at offset 0"},  // above U+10FFFF
      {"\xF5\x80\x80\x80", "byte 0xf5 at offset 0"},
      {"\xC3\xA9\xE2\x82", "byte 0xe2 at offset 2"},  // cut off at the end
      {"\xE2\x82z", "byte 0xe2 at offset 0"},         // cut off in the middle
      {"Caf\xE9 au lait", "byte 0xe9 at offset 3"},   // Latin-1
      {std::string("\xFF\xFE"
                   "a\0",
                   4),
       "byte 0xff at offset 0"}};  // UTF-16
  for (const auto& [bytes, expected] : cases) {
    EXPECT_EQ(not_text(bytes), "not UTF-8: " + expected) << testing::PrintToString(bytes);
  }
}

TEST(NotText, AZeroByteIsBinary) {
  EXPECT_EQ(not_text(std::string("PNG\0\0", 5)), "binary: byte 0x00 at offset 3");
}

TextSource source_of(std::vector<File> train) {
  return {.origin = "notes",
          .content_hash = "h",
          .splits = {std::move(train), {File{"v", "vv"}}, {File{"t", "t"}}}};
}

TEST(TextDataset, JoinsDocumentsByOneLineEnd) {
  const TextDataset text(source_of({{"a", "one\n"}, {"b", "two"}, {"c", "\r\nthree "}}));
  EXPECT_EQ(text.bytes(Split::train), "one\ntwo\n\r\nthree ");
  EXPECT_EQ(text.bytes(Split::validation), "vv");
  EXPECT_EQ(text.bytes(Split::test), "t");
  EXPECT_THAT(text.documents(Split::train), ElementsAre("a", "b", "c"));
  EXPECT_EQ(text.content_hash(), "h");
}

TEST(TextDataset, ReportsSizesOfSplits) {
  const TextDataset text(source_of({{"a", "12345\n"}, {"b", "678"}}));
  EXPECT_EQ(text.report(),
            "notes; train 9 bytes of 2 documents; validation 2 bytes of 1 document; test 1 bytes "
            "of 1 document");
}

TEST(TextDataset, ASplitWithoutTextIsAnError) {
  EXPECT_THAT([] { TextDataset text(source_of({})); },
              ThrowsMessage<InputError>(HasSubstr("nothing is left for train")));
  EXPECT_THAT(
      [] {
        TextDataset text(source_of({{"a", ""}}));
      },
      ThrowsMessage<InputError>(HasSubstr("notes: too little text")));
}

}  // namespace
}  // namespace relbias::modalities
