// SPDX-License-Identifier: Apache-2.0
// tests: figures of trials, what is not drawn, and the page where there is no browser to run it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/results/report/report_runs.h"

namespace relbias::results {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using Json = nlohmann::json;

Json data_of(const Report& report) {
  const std::string opening = "<script id=\"data\" type=\"application/json\">";
  const size_t begin = report.page.find(opening) + opening.size();
  return Json::parse(report.page.substr(begin, report.page.find("</script>", begin) - begin));
}

RunRecord trial_of(const std::string& encoding, int64_t number, const std::string& rate,
                   double value) {
  RunRecord run = sampled_run(encoding, 100, {{1, value}});
  run.run_id += "-trial-" + std::to_string(number);
  run.role = "trial";
  run.tuning = R"({"trial":)" + std::to_string(number) + R"(,"cell":")" + encoding +
               R"(","setting":{"train.learning_rate":")" + rate + R"("}})";
  return run;
}

// Trials have a table and a figure of their own, and stand nowhere else.
TEST(Figures, OfTrialsShowWhatWasChosen) {
  std::vector<RunRecord> runs = three_runs("t5", {{1, 0.97}});
  for (RunRecord& run : runs) {
    run.tuning = R"({"trials":2,"of":2,"chosen":{"train.learning_rate":"0.003"}})";
  }
  runs.push_back(trial_of("t5", 0, "0.001", 0.6));
  runs.push_back(trial_of("t5", 1, "0.003", 0.9));
  const Json data = data_of(make_report(report_input(runs)));
  ASSERT_EQ(data["tuning"].size(), 1);
  const Json& trace =
      data["figures"][data["tuning"][0]["figures"][0].get<std::string>()]["data"][0];
  EXPECT_EQ(trace["x"], Json({"train.learning_rate=0.001", "train.learning_rate=0.003"}));
  EXPECT_NEAR(trace["y"][1].get<double>(), 0.9, 1e-12);
  EXPECT_GT(trace["marker"]["size"][1], trace["marker"]["size"][0]);
  EXPECT_EQ(data["runs"]["list"].size(), 3);
  EXPECT_EQ(data["overview"]["runs"], 3);
  EXPECT_EQ(data["overview"]["trials"], 2);
  EXPECT_EQ(data["sections"][0]["tables"][0]["rows"].size(), 1);
}

TEST(Figures, OfRunsEvaluatedWithinTheirTrainingShowProgress) {
  std::vector<RunRecord> runs;
  for (const int64_t seed : {0, 1}) {
    RunRecord run = table_run("t5", seed, {{1, 0.9}, {2, 0.8}});
    run.evaluation[0].step = run.evaluation[1].step = 20;
    EvaluationRow early = run.evaluation[0];
    early.step = 10;
    early.value = seed == 0 ? 0.5 : 0.6;
    run.evaluation.push_back(early);
    runs.push_back(std::move(run));
  }
  const Report report = make_report(report_input(runs));
  const Json figure = Json::parse(report.figures.at("progress-1"));
  EXPECT_EQ(figure["data"][0]["x"], Json({10, 20}));
  EXPECT_EQ(figure["data"][0]["y"], Json({0.55, 0.9}));
  for (RunRecord& run : runs) run.evaluation.pop_back();
  EXPECT_EQ(make_report(report_input(runs)).figures.count("progress-1"), 0);
}

// A causal model attends to no key behind the query.
TEST(Figures, DrawNoBiasWhereNothingAttends) {
  ReportInput input = report_input({table_run("table", 0, {{1, 0.99}})});
  input.read_whole = [](RunRecord run) {
    run.tables = {learned("token", {"offset"}, {-2, -1, 0, 1, 2}),
                  learned("grid", {"dy", "dx"}, {-1, 0, 0, 0})};
    run.tables[0].attended = {true, true, true, false, false};
    run.tables[1].attended = {false, true};
    return run;
  };
  const Report report = make_report(input);
  EXPECT_EQ(Json::parse(report.figures.at("bias-1"))["data"][0]["x"], Json({-2, -1, 0}));
  EXPECT_EQ(Json::parse(report.figures.at("bias-2"))["data"][0]["z"][0].dump(), "[null]");
}

TEST(Figures, OfGatesStandApart) {
  std::vector<RunRecord> runs = modality_runs("text", "words");
  for (RunRecord run : modality_runs("text", "lag-copy")) {
    run.run_id += "-gate";
    run.task_kind = "gate";
    run.ability = "exact offset";
    runs.push_back(std::move(run));
  }
  const Json sections = data_of(make_report(report_input(runs)))["sections"];
  ASSERT_EQ(sections.size(), 2);
  EXPECT_TRUE(sections[0]["gate"].get<bool>());
  EXPECT_THAT(sections[0]["tables"][0]["facts"].get<std::string>(),
              HasSubstr("gate: exact offset"));
  EXPECT_FALSE(sections[1]["gate"].get<bool>());
}

TEST(Page, SaysWhatToDoWithoutJavaScriptAndPrintsWhatWasNotSeen) {
  const std::string page = make_report(report_input(report_runs())).page;
  EXPECT_THAT(page, ContainsRegex("<noscript><p class=\"problem\">[^<]*JavaScript"));
  EXPECT_THAT(page, HasSubstr("<code>relbias table FOLDER</code>"));
  EXPECT_THAT(page,
              AllOf(HasSubstr("@media print {"), HasSubstr("addEventListener(\"beforeprint\"")));
}

}  // namespace
}  // namespace relbias::results
