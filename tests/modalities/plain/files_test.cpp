// SPDX-License-Identifier: Apache-2.0
// tests: reading files and folders, and the content hash.
#include "modalities/plain/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "modalities/plain/check.h"
#include "tests/scratch_folder.h"

namespace relbias::plain {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;
namespace fs = std::filesystem;

TEST(ReadFile, ReturnsEveryByte) {
  const ScratchFolder folder;
  std::string bytes(200'000, 'x');  // more than one buffer
  bytes += std::string("\0\r\n\xff", 4);
  EXPECT_EQ(read_file(folder.write("a", bytes)), bytes);
  EXPECT_EQ(read_file(folder.write("empty", "")), "");
}

TEST(ReadFile, SaysWhyItCannot) {
  const ScratchFolder folder;
  const fs::path missing = folder.path() / "missing.txt";
  EXPECT_THAT(
      [&] { read_file(missing); },
      ThrowsMessage<InputError>(AllOf(HasSubstr("missing.txt"), HasSubstr("does not exist"))));
  EXPECT_THAT([&] { read_file(folder.path()); },
              ThrowsMessage<InputError>(HasSubstr("is a folder, a file expected")));
  const fs::path below_a_file = fs::path(folder.write("file", "x")) / "below";
  EXPECT_THROW(read_file(below_a_file), InputError);
}

TEST(ReadFile, DoesNotWaitForAPipe) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT([&] { read_file(pipe); },
              ThrowsMessage<InputError>(HasSubstr("neither file nor folder")));
}

TEST(ReadFile, ReportsAnErrorOfTheDevice) {
  const fs::path unreadable = "/proc/self/mem";  // opens, but address 0 cannot be read
  if (!fs::exists(unreadable)) GTEST_SKIP() << "no /proc here";
  EXPECT_THAT([&] { read_file(unreadable); },
              ThrowsMessage<InputError>(HasSubstr("cannot be read past byte 0")));
}

TEST(ReadFile, ReportsMissingPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const ScratchFolder folder;
  const fs::path file = folder.write("secret", "x");
  fs::permissions(file, fs::perms::none);
  EXPECT_THAT([&] { read_file(file); }, ThrowsMessage<InputError>(HasSubstr("cannot be read")));
  const fs::path closed = folder.path() / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::none);
  EXPECT_THROW(files_below(folder.path(), {"txt"}), InputError);
  fs::permissions(closed, fs::perms::owner_all);
}

TEST(FilesBelow, AreSortedFilteredAndRelative) {
  const ScratchFolder folder;
  for (const auto* name : {"b.txt", "a/z.txt", "a.TXT", "c.md", "c.png", "txt", ".hidden.txt",
                           ".git/objects.txt", "a/b/c.txt"}) {
    folder.write(name, "x");
  }
  EXPECT_THAT(files_below(folder.path(), {"txt"}),
              ElementsAre("a.TXT", "a/b/c.txt", "a/z.txt", "b.txt"));
  EXPECT_THAT(files_below(folder.path(), {"md", "png"}), ElementsAre("c.md", "c.png"));
  EXPECT_THAT(files_below(folder.path() / "", {"md"}), ElementsAre("c.md"));
  EXPECT_THAT(files_below(folder.path(), {"tex"}), ElementsAre());
}

TEST(FilesBelow, FollowsLinksAndCountsTheirEnds) {
  const ScratchFolder folder, elsewhere;
  for (const auto* name : {"a/z.txt", "a/b/c.txt", "a/x.md"}) folder.write(name, "x");
  elsewhere.write("deep/y.txt", "x");
  fs::create_symlink("nowhere", folder.path() / "dangling.txt");
  fs::create_symlink("itself", folder.path() / "itself");
  fs::create_directory_symlink(folder.path(), folder.path() / "a" / "loop");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "linked");
  fs::create_directory_symlink(folder.path() / "a", elsewhere.path() / "back");
  fs::create_directory_symlink(folder.path() / "a" / "b", folder.path() / "twice");
  LeftOut left_out;
  EXPECT_THAT(files_below(folder.path(), {"txt"}, &left_out),
              ElementsAre("a/b/c.txt", "a/z.txt", "linked/back/b/c.txt", "linked/back/z.txt",
                          "linked/deep/y.txt", "twice/c.txt"));
  EXPECT_THAT(left_out.dangling, ElementsAre("dangling.txt"));
  EXPECT_THAT(left_out.loops, ElementsAre("a/loop", "itself", "linked/back/loop"));
  EXPECT_EQ(left_out.text(/*all=*/true),
            ", 1 links lead nowhere (first dangling.txt), 3 links lead back to where they lie "
            "(first a/loop), other files: 2 .md");
  EXPECT_EQ(LeftOut().text(true), "");
}

TEST(FilesBelow, MissingFolderIsAnError) {
  EXPECT_THAT([] { files_below("no/such/folder", {"txt"}); },
              ThrowsMessage<InputError>(HasSubstr("no/such/folder does not exist")));
}

// printf abc > a.txt; printf '' > b.txt; sha1sum a.txt b.txt | sha1sum
TEST(ContentHash, IsWhatSha1sumPrints) {
  EXPECT_EQ(content_hash({{"a.txt", "abc"}, {"b.txt", ""}}),
            "60904662c142b84b3a6b3e6597eb4032e166ca3d");
}

TEST(ContentHash, SeesNamesContentsAndOrder) {
  const std::string hash = content_hash({{"a", "xy"}, {"b", "z"}});
  EXPECT_EQ(hash, content_hash({{"a", "xy"}, {"b", "z"}}));
  EXPECT_NE(hash, content_hash({{"a", "x"}, {"b", "yz"}}));
  EXPECT_NE(hash, content_hash({{"a", "xy"}, {"c", "z"}}));
  EXPECT_NE(hash, content_hash({{"b", "z"}, {"a", "xy"}}));
}

TEST(DataFolder, FollowsTheEnvironment) {
  const char* before = std::getenv("RELBIAS_CACHE");
  const std::string kept = before == nullptr ? "" : before;
  setenv("RELBIAS_CACHE", "/some/where", 1);
  EXPECT_EQ(data_folder(), "/some/where/data");
  unsetenv("RELBIAS_CACHE");
  if (const char* home = std::getenv("HOME")) {
    EXPECT_EQ(data_folder(), fs::path(home) / ".cache/relbias/data");
  }
  if (before != nullptr) setenv("RELBIAS_CACHE", kept.c_str(), 1);
}

}  // namespace
}  // namespace relbias::plain
