// SPDX-License-Identifier: Apache-2.0
// tests/golden: every case of index.tsv stands in one row of README.md, and is tested where that
// says so.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/golden/golden.h"
#include "tests/source_folder.h"

namespace relbias::golden {
namespace {

std::string folder() { return source_folder() + "/tests/golden/"; }

std::vector<CaseId> index_of_cases() {
  std::ifstream lines(folder() + "index.tsv");
  std::string line;
  std::getline(lines, line);  // the names of the columns
  std::vector<CaseId> all;
  static const std::regex start(R"(^([^\t]+)\.h5\t([^\t]+)\t)");
  for (std::smatch match; std::getline(lines, line);) {
    if (std::regex_search(line, match, start)) all.push_back({match[1], match[2]});
  }
  return all;
}

/// One row of the table: a group, or all that begin as `attention/*` does.
struct Row {
  std::string file, groups;
  size_t cases;
  std::string use;  // a file of tests, `waits for ...`, `does not apply`

  bool is_tested() const { return use.ends_with("_test.cpp"); }
  bool is_pattern() const { return groups.ends_with('*'); }
  bool holds(const CaseId& id) const {
    if (id.file != file) return false;
    return is_pattern() ? id.group.starts_with(groups.substr(0, groups.size() - 1))
                        : id.group == groups;
  }
};

std::vector<Row> table() {
  std::ifstream lines(folder() + "README.md");
  static const std::regex row(R"(^\| `([^`]+)\.h5` \| `([^`]+)` \| (\d+) \| `?([^|`]+?)`? \|)");
  std::vector<Row> rows;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, row)) continue;
    rows.push_back({match[1], match[2], std::stoul(match[3]), match[4]});
  }
  return rows;
}

/// The row that a case belongs to: its own before a pattern.
const Row* row_of(const CaseId& id, const std::vector<Row>& rows) {
  const Row* found = nullptr;
  for (const auto& row : rows) {
    if (row.holds(id) && (found == nullptr || found->is_pattern())) found = &row;
  }
  return found;
}

/// Names of the cases that tests have been registered for.
std::set<std::string> registered() {
  std::set<std::string> names;
  const auto& unit = *testing::UnitTest::GetInstance();
  for (int suite = 0; suite < unit.total_test_suite_count(); ++suite) {
    const auto& tests = *unit.GetTestSuite(suite);
    if (!std::string(tests.name()).starts_with("Golden/")) continue;
    for (int test = 0; test < tests.total_test_count(); ++test) {
      const std::string name = tests.GetTestInfo(test)->name();
      names.insert(name.substr(name.find('/') + 1));
    }
  }
  return names;
}

TEST(GoldenAccounting, EveryCaseHasOneRow) {
  const auto all = index_of_cases();
  const auto rows = table();
  EXPECT_EQ(all.size(), 348U);
  std::vector<size_t> counts(rows.size(), 0);
  for (const auto& id : all) {
    const Row* row = row_of(id, rows);
    ASSERT_NE(row, nullptr) << id.file << " " << id.group << " stands in no row";
    ++counts[static_cast<size_t>(row - rows.data())];
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(rows[row].cases, counts[row]) << rows[row].file << " " << rows[row].groups;
  }
}

TEST(GoldenAccounting, WhatIsSaidToBeTestedIs) {
  const auto rows = table();
  const auto tested = registered();
  for (const auto& id : index_of_cases()) {
    const Row* row = row_of(id, rows);
    ASSERT_NE(row, nullptr) << id.file << " " << id.group;
    EXPECT_EQ(tested.contains(case_name(id)), row->is_tested()) << id.file << " " << id.group;
  }
  for (const auto& row : rows) {
    if (row.is_tested()) {
      EXPECT_TRUE(std::filesystem::exists(folder() + row.use)) << row.use;
    }
  }
}

TEST(GoldenAccounting, TheSumsAreRight) {
  size_t tested = 0, waiting = 0, other = 0;
  for (const auto& row : table()) {
    (row.is_tested() ? tested : row.use.starts_with("waits for") ? waiting : other) += row.cases;
  }
  std::ifstream file(folder() + "README.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string sums = fmt::format(
      "{} cases are tested, {} wait for their modality, {} do not apply.", tested, waiting, other);
  EXPECT_NE(text.find(sums), std::string::npos) << sums;
  EXPECT_EQ(tested + waiting + other, 348U);
}

TEST(GoldenFiles, SayWhatIsMissing) {
  const auto message = [](const CaseId& id, const std::string& data) -> std::string {
    try {
      Case(id).read(data);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message({"no_such_file", "a"}, "out/out").find("no_such_file.h5: no such file"),
            std::string::npos);
  EXPECT_NE(message({"t5", "attention/none"}, "out/out").find("attention/none: not found"),
            std::string::npos);
  EXPECT_NE(
      message({"t5", "compute_bias/enc_5x5"}, "out/none").find("enc_5x5: out/none: not found"),
      std::string::npos);
  // What cannot be listed is a case that fails when it is opened.
  EXPECT_EQ(cases("no_such_file").size(), 1U);
  EXPECT_THROW(Case(cases("t5", "no_such_group/").at(0)), std::runtime_error);
}

}  // namespace
}  // namespace relbias::golden
