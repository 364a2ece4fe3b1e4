// SPDX-License-Identifier: Apache-2.0
// tests: the report in a real browser: drawn without an error, filtered, used, narrow and wide.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "modalities/plain/files.h"
#include "results/report/report.h"
#include "tests/results/report/report_runs.h"
#include "tests/scratch_folder.h"
#include "tests/source_folder.h"

namespace relbias::results {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Json = nlohmann::json;

std::filesystem::path plotly_file() {
  return data_folder().parent_path() / "plotly-6.3.0" / "plotly.min.js";
}

// What browser.py sees of a page.
Json look_at(const Report& report) {
  const ScratchFolder folder;
  write_report(folder.path() / "report.html", report);
  const std::string command =
      "cd '" + folder.path().string() + "' && mkdir seen && /usr/bin/python3 '" + source_folder() +
      "/tests/results/report/browser.py' report.html seen >seen.json 2>errors";
  const int status = std::system(command.c_str());
  std::ostringstream text, errors;
  text << std::ifstream(folder.path() / "seen.json").rdbuf();
  errors << std::ifstream(folder.path() / "errors").rdbuf();
  EXPECT_EQ(status, 0) << errors.str();
  return status == 0 ? Json::parse(text.str()) : Json();
}

class Browser : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v chromium >/dev/null") != 0) GTEST_SKIP() << "no chromium here";
    if (!std::filesystem::exists(plotly_file())) GTEST_SKIP() << "run experiments/setup first";
  }
  static Report report_of(std::vector<RunRecord> runs) {
    ReportInput input = report_input(std::move(runs));
    input.plotly = read_file(plotly_file());
    return make_report(input);
  }
};

TEST_F(Browser, DrawsEverythingWithoutAnError) {
  const Json seen = look_at(report_of(report_runs()));
  ASSERT_FALSE(seen.is_null());
  EXPECT_THAT(seen["problems"], IsEmpty());
  EXPECT_THAT(seen["requests"], IsEmpty());  // nothing but the page itself
  EXPECT_THAT(seen["unprinted"], IsEmpty());
  EXPECT_THAT(seen["without script"].get<std::string>(), HasSubstr("relbias table FOLDER"));
  EXPECT_EQ(seen["figures"].size(), 32);
  for (const Json& figure : seen["figures"]) {
    EXPECT_TRUE(figure["drawn"].get<bool>()) << figure;
    EXPECT_GT(figure["marks"].get<int>(), 0) << figure;
  }
}

TEST_F(Browser, FiltersAndControlsWork) {
  const Json seen = look_at(report_of(report_runs()));
  ASSERT_FALSE(seen.is_null());
  const Json& filter = seen["filter"];
  EXPECT_GT(filter["before"]["traces"].get<int>(), 0);
  EXPECT_GT(filter["before"]["rows"].get<int>(), 0);
  EXPECT_EQ(filter["without"]["traces"], 0);
  EXPECT_EQ(filter["without"]["rows"], 0);
  EXPECT_GT(filter["before"]["ranked"].get<int>(), 0);
  EXPECT_EQ(filter["without"]["ranked"], 0);
  EXPECT_EQ(filter["again"], filter["before"]);
  EXPECT_THAT(filter["roles"], Contains("seed"));
  EXPECT_THAT(filter["means"], Contains("mean"));
  EXPECT_THAT(filter["means"], Not(Contains("seed")));
  EXPECT_EQ(filter["hidden"], 1);
  EXPECT_EQ(filter["shown"], 5);
  const Json& use = seen["use"];
  EXPECT_GT(use["rows"].get<int>(), 0);
  EXPECT_TRUE(use["closed"].get<bool>());
  EXPECT_NE(use["light"], use["dark"]);
  EXPECT_TRUE(use["settings"].get<bool>());
  EXPECT_EQ(use["unnamed"], 0);
  EXPECT_THAT(use["headings"], IsEmpty());
  EXPECT_EQ(use["advice"], 5);
  EXPECT_EQ(use["verdicts"], Json({"holds", "fails", "undecided"}));
  EXPECT_EQ(seen["downloads"].size(), 1);
  EXPECT_EQ(seen["narrow"], 420);  // nothing sticks out
}

// In half a second on an idle machine; only what is out of all order fails.
TEST_F(Browser, FiveHundredRunsAreThereAtOnce) {
  std::vector<RunRecord> runs;
  for (int64_t copy = 0; copy < 9; ++copy) {
    for (RunRecord run : report_runs()) {
      run.seed += 3 * copy;
      run.run_id += "-" + std::to_string(copy);
      runs.push_back(std::move(run));
    }
  }
  const Json seen = look_at(report_of(std::move(runs)));
  ASSERT_FALSE(seen.is_null());
  std::printf("a page of 500 runs: %d ms\n", seen["milliseconds"].get<int>());
  EXPECT_LT(seen["milliseconds"].get<int>(), 30'000);
  EXPECT_THAT(seen["problems"], IsEmpty());
}

}  // namespace
}  // namespace relbias::results
