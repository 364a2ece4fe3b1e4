// SPDX-License-Identifier: Apache-2.0
// tests: what stands in a report, before any browser sees it.
#include "results/report/report.h"

#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "results/report/figures/figures.h"
#include "results/store/store.h"
#include "tests/results/report/report_runs.h"
#include "tests/scratch_folder.h"

namespace relbias::results {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

Json data_of(const Report& report) {
  const std::string opening = "<script id=\"data\" type=\"application/json\">";
  const size_t begin = report.page.find(opening) + opening.size();
  return Json::parse(report.page.substr(begin, report.page.find("</script>", begin) - begin));
}

// The figures of one kind.
std::vector<Json> figures_of(const Report& report, const std::string& kind) {
  std::vector<Json> found;
  for (const auto& [name, text] : report.figures) {
    if (name.starts_with(kind + "-")) found.push_back(Json::parse(text));
  }
  return found;
}

TEST(Report, HasEveryKindOfFigureAndTheirJson) {
  const Report report = make_report(report_input(report_runs()));
  EXPECT_EQ(figures_of(report, "curves").size(), 5);
  EXPECT_EQ(figures_of(report, "training").size(), 5);
  EXPECT_EQ(figures_of(report, "cost").size(), 5);
  EXPECT_EQ(figures_of(report, "forest").size(), 5);
  EXPECT_EQ(figures_of(report, "attention").size(), 5);
  EXPECT_EQ(figures_of(report, "bias").size(), 5);
  EXPECT_EQ(figures_of(report, "ranks").size(), 2);  // at 1x and 4x
  const Json data = data_of(report);
  for (const auto& [name, figure] : data["figures"].items()) {
    EXPECT_EQ(figure["data"], Json::parse(report.figures.at(name))["data"]) << name;
    EXPECT_NE(figure["caption"], "") << name;
  }
}

TEST(Report, CurvesHaveABandAndALineAtTheTrainingSize) {
  const Report report = make_report(report_input(modality_runs("text", "flip-flop")));
  const Json figure = figures_of(report, "curves").at(0);
  EXPECT_EQ(figure["layout"]["xaxis"]["type"], "log");
  EXPECT_EQ(figure["layout"]["shapes"][0]["x0"], 1);
  std::map<std::string, int> roles;
  for (const Json& trace : figure["data"]) ++roles[trace["meta"]["role"].get<std::string>()];
  EXPECT_EQ(roles,
            (std::map<std::string, int>{{"mean", 4}, {"band", 4}, {"seed", 12}, {"guessing", 1}}));
  for (const Json& trace : figure["data"]) {
    if (trace["name"] != "alibi" || trace["meta"]["role"] != "mean") continue;
    EXPECT_EQ(trace["x"], Json({1, 2, 4, 8}));
    EXPECT_NEAR(trace["y"][3].get<double>(), 0.902, 1e-9);
    EXPECT_EQ(trace["text"][3], "0.902 ± 0.002, 95 % [0.8977, 0.9063], 3 seeds");
  }
}

TEST(Report, OneSeedHasNoBand) {
  const Report report = make_report(report_input(
      {table_run("alibi", 0, {{1, 0.99}, {2, 0.9}}), table_run("t5", 0, {{1, 0.98}})}));
  const Json figure = figures_of(report, "curves").at(0);
  for (const Json& trace : figure["data"]) {
    EXPECT_NE(trace["meta"]["role"], "band");
  }
  EXPECT_THAT(data_of(report)["advice"][0]["missing"].dump(),
              HasSubstr("3 seeds or more, 1 found"));
}

TEST(Report, LearnedTablesTakeTheShapeOfTheirRelation) {
  const Report report = make_report(report_input(report_runs()));
  std::map<std::string, Json> by_axis;
  for (const Json& figure : figures_of(report, "bias")) {
    by_axis[figure["layout"]["xaxis"]["title"]["text"].get<std::string>()] = figure;
  }
  EXPECT_EQ(by_axis.at("offset")["data"][0]["type"], "scatter");
  EXPECT_EQ(by_axis.at("offset")["data"][1]["x"], Json({-2, -1, 0, 1, 2}));
  EXPECT_EQ(by_axis.at("hops")["data"][0]["type"], "bar");
  EXPECT_EQ(by_axis.at("hops")["data"][0]["x"], Json({"0", "1", "2", "unreachable"}));
  const Json& map = by_axis.at("dx, head 0")["data"][0];
  EXPECT_EQ(map["type"], "heatmap");
  EXPECT_EQ(map["x"], Json({-1, 0}));
  EXPECT_EQ(map["y"], Json({-1, 0}));
  EXPECT_NEAR(map["z"][1][0].get<double>(), -0.3, 1e-6);  // row 2 stands at (0, -1)
  EXPECT_EQ(by_axis.at("down, head 0")["layout"]["yaxis"]["title"]["text"], "up");
}

// A file may hold tables of no heads or no rows. Maps of no heads would stand in no columns.
TEST(Report, EmptyLearnedTablesAreNotDrawn) {
  LearnedTable headless = learned("grid", {"dy", "dx"}, {-1, -1, -1, 0, 0, -1, 0, 0});
  headless.shape = {0, 4};
  headless.values.clear();
  const LearnedTable rowless = learned("token", {"offset"}, {});
  const LearnedTable full = learned("token", {"offset"}, {-1, 0, 1});
  ReportInput input = report_input({table_run("table", 0, {{1, 0.99}})});
  input.read_whole = [&](RunRecord run) {
    run.tables = {headless, rowless, full};
    return run;
  };
  const auto figures = figures_of(make_report(input), "bias");
  ASSERT_EQ(figures.size(), 1);
  EXPECT_EQ(figures[0]["data"][0]["x"], Json({-1, 0, 1}));
}

TEST(Report, AttentionIsAShareByDistance) {
  const Report report = make_report(report_input(modality_runs("text", "flip-flop")));
  const Json figure = figures_of(report, "attention").at(0);
  EXPECT_EQ(figure["data"][0]["x"], Json({"0", "1", "2-3", "4+"}));
  EXPECT_EQ(figure["data"][0]["y"], Json({0.4, 0.3, 0.2, 0.1}));
  EXPECT_EQ(figure["data"][1]["name"], "none, at 256");
}

// Runs of two versions of a program may lie in one folder. The first row's bins are the figure's.
TEST(Report, AttentionByOtherDistancesIsLeftOut) {
  for (const char* coarse : {"alibi", "t5"}) {
    ReportInput input =
        report_input({table_run("alibi", 0, {{1, 0.99}}), table_run("t5", 0, {{1, 0.98}})});
    input.read_whole = [&](RunRecord run) {
      run.attention = watched();
      if (run.encoding == coarse) {
        run.attention[1] = monitor("distance", {"distance"}, {3}, {0, 1, -1});
        run.attention[2] = monitor("share", {"size", "layer", "head", "distance"}, {2, 1, 1, 3},
                                   {0.6, 0.4, 0, 0.3, 0.7, 0});
      }
      return run;
    };
    const auto figures = figures_of(make_report(input), "attention");
    ASSERT_EQ(figures.size(), 1) << coarse;
    EXPECT_EQ(figures[0]["data"].size(), 2) << coarse;  // its smallest and its largest size
    for (const Json& trace : figures[0]["data"]) {
      EXPECT_THAT(trace["name"].get<std::string>(), StartsWith("alibi, at "));
      EXPECT_EQ(trace["x"].size(), coarse == std::string("alibi") ? 2 : 4) << coarse;
      EXPECT_EQ(trace["x"].size(), trace["y"].size()) << coarse;
    }
  }
}

TEST(Report, PlainAndScaledAttentionStandSideBySide) {
  std::vector<RunRecord> runs = modality_runs("text", "flip-flop");
  const size_t count = runs.size();
  for (size_t i = 0; i < count; ++i) {
    runs.push_back(runs[i]);
    runs[i].settings[rival_setting] = "none";
    runs.back().settings[rival_setting] = "log";
    runs.back().run_id += "-log";
  }
  const auto figures = figures_of(make_report(report_input(runs)), "length-scale");
  ASSERT_EQ(figures.size(), 1);
  EXPECT_EQ(figures[0]["data"].size(), 8);
  // One dash for one encoding, in every figure.
  EXPECT_NE(figures[0]["data"][0]["line"]["dash"], figures[0]["data"][1]["line"]["dash"]);
}

TEST(Report, ClaimsHaveVerdictsAndEvidence) {
  const Json claims = data_of(make_report(report_input(report_runs())))["claims"];
  ASSERT_EQ(claims.size(), 3);
  EXPECT_EQ(claims[0]["verdict"], "holds");
  EXPECT_EQ(claims[0]["why"], "decay");
  EXPECT_EQ(claims[1]["verdict"], "fails");
  EXPECT_EQ(claims[2]["verdict"], "undecided");
  EXPECT_THAT(claims[0]["evidence"].get<std::string>(), HasSubstr("3 seeds, 64 samples"));
}

TEST(Report, AdviceFollowsFromTunedRuns) {
  std::vector<RunRecord> runs = report_runs();
  for (RunRecord& run : runs) run.tuning = R"({"trials":6,"of":6,"chosen":{}})";
  const Json advice = data_of(make_report(report_input(runs)))["advice"];
  ASSERT_EQ(advice.size(), 5);
  for (const Json& one : advice) {
    ASSERT_EQ(one["choices"].size(), 2) << one;
    EXPECT_EQ(one["choices"][0]["purpose"], "at the training size");
    EXPECT_EQ(one["choices"][1]["purpose"], "at 4x");
    EXPECT_THAT(one["choices"][1]["encoding"].get<std::string>(), StartsWith("alibi"));
    EXPECT_THAT(one["choices"][1]["reason"].get<std::string>(), HasSubstr("] over 1 task"));
    EXPECT_TRUE(one["missing"].empty());
  }
}

TEST(Report, AdviceSaysWhatIsMissing) {
  const auto missing = [](const std::vector<RunRecord>& runs) {
    const Json advice = data_of(make_report(report_input(runs)))["advice"][0];
    EXPECT_TRUE(advice["choices"].empty()) << advice;
    return advice["missing"].dump();
  };
  std::vector<RunRecord> runs = modality_runs("text", "flip-flop");
  EXPECT_THAT(missing(runs), HasSubstr("tuned runs"));
  for (RunRecord& run : runs) run.tuning = R"({"trials":6,"of":6,"chosen":{}})";
  EXPECT_THAT(missing({runs.begin(), runs.begin() + 4}), HasSubstr("3 seeds or more, 1 found"));
  for (RunRecord& run : runs) run.task_kind = "gate";
  EXPECT_THAT(missing(runs), HasSubstr("benchmark tasks"));
}

TEST(Report, WhatRunsShareIsSaidOnce) {
  const Json runs = data_of(make_report(report_input(report_runs())))["runs"];
  EXPECT_EQ(runs["list"].size(), 60);
  EXPECT_EQ(runs["environments"].size(), 1);
  EXPECT_EQ(runs["shared"]["text-study"]["model.layers"], "2");
  EXPECT_EQ(runs["list"][0]["seed"], 0);
  EXPECT_FALSE(runs["list"][0]["settings"].contains("model.layers"));
}

TEST(Report, HostileTextsStayTexts) {
  std::vector<RunRecord> runs = {
      table_run("</script><script>alert(1)</script>", 0, {{1, 0.99}, {2, 0.98}}),
      table_run("t5 \xff\xfe", 0, {{1, 0.99}, {2, 0.98}})};
  runs.push_back(stopped_run("fire", 0, RunStatus::failed, "<!-- <script>"));
  const Report report = make_report(report_input(runs));
  EXPECT_THAT(report.page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(report.page, Not(HasSubstr("<!-- <script>")));
  EXPECT_THAT(report.page, HasSubstr("relbias: runs &lt;of> a test"));
  EXPECT_EQ(data_of(report)["runs"]["list"].size(), 3);
}

TEST(Report, StatesAreWordsAndDrawNothing) {
  const Report report = make_report(report_input(runs_of_every_state()));
  const Json data = data_of(report);
  const std::string tables = data["sections"][0]["tables"].dump();
  for (const char* word : {"undefined", "diverged", "failed", "running", "nan"}) {
    EXPECT_THAT(tables, HasSubstr(word));
  }
  const Json figure = figures_of(report, "curves").at(0);
  for (const Json& trace : figure["data"]) {
    // null is a gap in the curve.
    for (const Json& value : trace["y"]) {
      EXPECT_TRUE(value.is_number() || value.is_null()) << trace["name"];
    }
  }
  EXPECT_THAT(data["overview"]["problems"], Contains("half.h5: cut short"));
}

TEST(Report, RunsThatNeverGotToEvaluationAreStillARow) {
  const Report report =
      make_report(report_input({stopped_run("shaw", 0, RunStatus::diverged, "at step 3")}));
  EXPECT_THAT(data_of(report)["sections"][0]["tables"][0]["rows"].dump(), HasSubstr("diverged"));
  EXPECT_THAT(data_of(report)["advice"][0]["choices"], IsEmpty());
}

TEST(Report, TenThousandRunsTakeSecondsAndMegabytes) {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 2500; ++seed) {
    for (const char* encoding : {"none", "alibi", "rope", "t5"}) {
      const double noise = 1e-5 * static_cast<double>(seed);
      runs.push_back(table_run(encoding, seed, {{1, 0.95 + noise}, {4, 0.9}, {8, 0.6}}));
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const Report report = make_report(report_input(std::move(runs)));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 60);
  EXPECT_LT(report.page.size(), 10'000'000);
  EXPECT_EQ(data_of(report)["runs"]["list"].size(), 10'000);
}

TEST(Report, IsWrittenWithItsFigures) {
  const ScratchFolder folder;
  const auto runs = modality_runs("text", "flip-flop");
  for (const RunRecord& run : runs) {
    write_run(folder.path() / "text-study" / (run.run_id + ".h5"), run);
  }
  folder.write("text-study/half.h5", "not much");
  folder.write("text-study/text-study.toml", "question = \"Which?\"\n");
  ReportInput input = read_report_input(folder.path());
  EXPECT_EQ(input.problems.size(), 1);
  EXPECT_EQ(input.studies.at(0).question, "Which?");
  EXPECT_EQ(input.read_whole(input.runs.front()).run_id, input.runs.front().run_id);
  write_report(folder.path() / "out" / "report.html", make_report(input));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "report.html"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "report-figures" / "curves-1.json"));
  EXPECT_THROW(read_report_input(folder.path() / "nothing"), StoreError);
}

// Both copies lie in a folder of the same study under the same name.
TEST(Report, LearnedTablesAreThoseOfTheCopyThatCounts) {
  const ScratchFolder folder;
  RunRecord run = table_run("table", 0, {{1, 0.99}});
  run.tables = {learned("token", {"offset"}, {-1, 0, 1})};
  const std::string name = run.study + "/" + run.run_id + ".h5";
  run.started = "2025-01-01T00:00:00Z";
  write_run(folder.path() / "1" / name, run);
  run.started = "2025-01-02T00:00:00Z";
  run.tables[0].values.assign(6, 7.0F);
  write_run(folder.path() / "2" / name, run);
  const auto figures = figures_of(make_report(read_report_input(folder.path())), "bias");
  ASSERT_EQ(figures.size(), 1);
  EXPECT_EQ(figures[0]["data"][0]["y"], Json({7, 7, 7}));
}

// The names of a user's files look like those of figures.
TEST(Report, ReplacesItsOwnFiguresAndNothingElse) {
  const ScratchFolder folder;
  const auto figures = folder.path() / "report-figures";
  write_report(folder.path() / "report.html", make_report(report_input(report_runs())));
  EXPECT_TRUE(std::filesystem::exists(figures / "curves-5.json"));
  folder.write("report-figures/data-2024.json", "{\"data\": [], \"layout\": {}}");
  folder.write("report-figures/notes-.json", "[]");
  const auto fewer = modality_runs("text", "flip-flop");
  write_report(folder.path() / "report.html", make_report(report_input(fewer)));
  EXPECT_TRUE(std::filesystem::exists(figures / "curves-1.json"));
  EXPECT_FALSE(std::filesystem::exists(figures / "curves-2.json"));
  EXPECT_FALSE(std::filesystem::exists(figures / "curves-5.json"));
  EXPECT_TRUE(std::filesystem::exists(figures / "data-2024.json"));
  EXPECT_TRUE(std::filesystem::exists(figures / "notes-.json"));
}

}  // namespace
}  // namespace relbias::results
