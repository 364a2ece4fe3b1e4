// SPDX-License-Identifier: Apache-2.0
// tests/experiments/launch: what a sweep says while it runs, on a terminal and elsewhere.
#include "experiments/launch/progress.h"

#include <gmock/gmock.h>

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string errors_of_a_run(bool terminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress(2, 200, terminal);
    progress.start(0, "alibi", 100);
    progress.refresh();
    progress.step(0, 50, 2.5);
    progress.say("a line");
    progress.finish(0, "done");
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, IsPlainLinesWithoutATerminal) {
  EXPECT_EQ(errors_of_a_run(false), "alibi: starts\na line\nalibi: done (0 s, 1 of 2 runs)\n");
}

TEST(Progress, ErasesItsBarsOnATerminal) {
  const std::string text = errors_of_a_run(true);
  EXPECT_THAT(text, AllOf(HasSubstr("alibi: reading data\n"), HasSubstr("0 of 2 runs"),
                          HasSubstr("\x1b[A\x1b[2K\r\x1b[A\x1b[2K\ra line\n")));
  EXPECT_THAT(text, Not(HasSubstr("alibi: starts")));
  EXPECT_TRUE(text.ends_with("alibi: done (0 s, 1 of 2 runs)\n")) << text;
}

}  // namespace
}  // namespace relbias::experiments
