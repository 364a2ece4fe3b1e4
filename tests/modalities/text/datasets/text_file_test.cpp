// SPDX-License-Identifier: Apache-2.0
// tests: dataset `text-file`: layouts, and every kind of input that is not text.
#include <gmock/gmock.h>

#include "modalities/text/text.h"
#include "tests/error_of.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<TextDataset> load(const std::string& path, const std::string& more = "") {
  const auto& entry = find_entry("dataset", "text-file", dataset_entries());
  auto dataset = entry.make(
      parse_options("dataset", "text-file path=\"" + path + "\" " + more, entry.options));
  auto* text = dynamic_cast<TextDataset*>(dataset.get());
  EXPECT_NE(text, nullptr);
  dataset.release();
  return std::unique_ptr<TextDataset>(text);
}

std::string refusal(const std::string& path, const std::string& more = "") {
  return error_of([&] { load(path, more); });
}

TEST(TextFile, OneFileIsCutByBytes) {
  const ScratchFolder folder;
  const auto text = load(folder.write("my notes.txt", "0123456789"));
  EXPECT_EQ(text->bytes(Split::train), "01234567");
  EXPECT_EQ(text->bytes(Split::validation), "8");
  EXPECT_EQ(text->bytes(Split::test), "9");
  EXPECT_THAT(text->report(), AllOf(HasSubstr("my notes.txt"), HasSubstr("cut by bytes")));
}

TEST(TextFile, BytesStayAsTheyAre) {
  const ScratchFolder folder;
  const std::string bytes = "\xEF\xBB\xBFline\r\n\r\nCaf\xC3\xA9 \xE2\x82\xAC\t end  ";
  const auto text = load(folder.write("a.dat", bytes));
  EXPECT_EQ(text->bytes(Split::train) + text->bytes(Split::validation) + text->bytes(Split::test),
            bytes);
}

TEST(TextFile, AFileThatIsNotTextIsAnErrorWithItsPlace) {
  const ScratchFolder folder;
  EXPECT_THAT(refusal(folder.write("a.txt", "good\xC3(bad")),
              HasSubstr("a.txt: not UTF-8: byte 0xc3 at offset 4"));
  EXPECT_THAT(refusal(folder.write("b.txt", std::string("GIF8\0\0", 6))),
              HasSubstr("binary: byte 0x00 at offset 4"));
  EXPECT_THAT(refusal(folder.write("c.txt", "")), HasSubstr("c.txt is empty"));
  EXPECT_THAT(refusal(folder.write("d.txt", "x")), HasSubstr("too little text for three splits"));
  EXPECT_THAT(refusal(folder.write("e.txt", "\xE2\x82\xAC")),
              HasSubstr("too little text for three splits"));
}

TEST(TextFile, APathThatLeadsNowhereIsAnError) {
  const ScratchFolder folder;
  EXPECT_THAT(refusal((folder.path() / "missing").string()), HasSubstr("missing does not exist"));
  EXPECT_THAT(refusal(""), HasSubstr("path= is missing"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("neither file nor folder"));
  EXPECT_THAT(refusal(folder.path().string()),
              HasSubstr("holds no file that ends in one of: txt,text,md"));
  folder.write("picture.png", "x");
  EXPECT_THAT(refusal(folder.path().string()), HasSubstr("holds no file that ends in"));
  EXPECT_THAT(refusal(folder.path().string(), "extensions=tex"), HasSubstr("one of: tex"));
}

TEST(TextFile, AFolderIsDividedByFile) {
  const ScratchFolder folder;
  for (const auto* name : {"a.txt", "sub/b.md", "sub/deep/c.text", "d.txt"}) {
    folder.write(name, std::string("content of ") + name + "\n");
  }
  folder.write("ignored.png", "content");
  const auto text = load(folder.path().string());
  std::vector<std::string> names;
  for (const Split split : all_splits) {
    EXPECT_FALSE(text->documents(split).empty());
    std::string expected;
    for (const auto& name : text->documents(split)) {
      names.push_back(name);
      expected += "content of " + name + "\n";
    }
    EXPECT_EQ(text->bytes(split), expected);
  }
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("a.txt", "d.txt", "sub/b.md", "sub/deep/c.text"));
  EXPECT_THAT(text->report(), HasSubstr("divided by each file's content"));
}

TEST(TextFile, AFolderOfTwoFilesIsCutByBytes) {
  const ScratchFolder folder;
  folder.write("b.txt", "56789");
  folder.write("a.txt", "01234");
  const auto text = load(folder.path().string());
  EXPECT_EQ(text->bytes(Split::train), "01234\n56");
  EXPECT_EQ(text->bytes(Split::validation), "7");
  EXPECT_EQ(text->bytes(Split::test), "89");
  EXPECT_THAT(text->documents(Split::test), ElementsAre("a.txt + b.txt"));
}

TEST(TextFile, WhatAFolderHoldsBesidesTextIsSkippedAndCounted) {
  const ScratchFolder folder;
  for (const auto* name : {"a.txt", "b.txt", "c.txt"}) folder.write(name, name);
  folder.write("latin1.txt", "Caf\xE9");
  folder.write("binary.txt", std::string("\0\1", 2));
  folder.write("empty.txt", "");
  folder.write("copy of b.txt", "b.txt");
  const auto text = load(folder.path().string());
  EXPECT_THAT(text->report(),
              HasSubstr("3 of 7 files read (1 empty, 2 not UTF-8 text, 1 copies; the first: "));
}

TEST(TextFile, AFolderInWhichNothingIsTextIsAnError) {
  const ScratchFolder folder;
  folder.write("latin1.txt", "Caf\xE9");
  folder.write("empty.txt", "");
  EXPECT_THAT(refusal(folder.path().string()),
              HasSubstr("no text: 0 of 2 files read (1 empty, 1 not UTF-8"));
}

TEST(TextFile, WikiTextKeepsItsOwnSplit) {
  const ScratchFolder folder;
  folder.write("wiki.train.tokens", " = Title = \n");
  folder.write("wiki.valid.tokens", "a @-@ b\n");
  folder.write("wiki.test.tokens", "<unk>\n");
  folder.write("README.txt", "about");
  const auto text = load(folder.path().string());
  EXPECT_EQ(text->bytes(Split::train), " = Title = \n");
  EXPECT_EQ(text->bytes(Split::validation), "a @-@ b\n");
  EXPECT_EQ(text->bytes(Split::test), "<unk>\n");
  EXPECT_THAT(text->report(), HasSubstr("WikiText layout, 1 other files ignored"));
}

TEST(TextFile, WikiTextRawIsKnownAndTheTwoAreNotMixed) {
  const ScratchFolder folder;
  for (const auto* name : {"wiki.train.raw", "wiki.valid.raw", "wiki.test.raw"})
    folder.write(name, name);
  EXPECT_EQ(load(folder.path().string())->bytes(Split::validation), "wiki.valid.raw");
  for (const auto* name : {"wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens"})
    folder.write(name, name);
  EXPECT_THAT(refusal(folder.path().string()), HasSubstr("choose by extensions=tokens or =raw"));
  EXPECT_EQ(load(folder.path().string(), "extensions=tokens")->bytes(Split::test),
            "wiki.test.tokens");
  EXPECT_EQ(load(folder.path().string(), "extensions=raw")->bytes(Split::test), "wiki.test.raw");
}

TEST(TextFile, IncompleteOrBrokenWikiTextIsAnError) {
  const ScratchFolder folder;
  folder.write("wiki.train.tokens", "a");
  folder.write("wiki.test.tokens", "b");
  EXPECT_THAT(refusal(folder.path().string()),
              HasSubstr("WikiText layout, but no wiki.valid.tokens"));
  folder.write("wiki.valid.tokens", "a\xff");
  EXPECT_THAT(refusal(folder.path().string()),
              HasSubstr("wiki.valid.tokens: not UTF-8: byte 0xff at offset 1"));
}

TEST(TextFile, TheHashIsOfTheContentNotOfThePlace) {
  const ScratchFolder here, there;
  const std::string hash = load(here.write("a.txt", "0123456789"))->content_hash();
  EXPECT_EQ(load(there.write("a.txt", "0123456789"))->content_hash(), hash);
  EXPECT_NE(load(there.write("a.txt", "0123456780"))->content_hash(), hash);
  EXPECT_EQ(hash.size(), 40u);
}

}  // namespace
}  // namespace relbias::modalities
