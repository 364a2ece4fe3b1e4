// SPDX-License-Identifier: Apache-2.0
// tests: tables as printed, in each format.
#include "results/print/table.h"

#include <gmock/gmock.h>

#include <chrono>

#include "tests/results/sampled_runs.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string table(const std::vector<RunRecord>& runs, TableFormat format,
                  const std::string& metric = "") {
  return render_table(runs, {metric, format});
}

std::vector<RunRecord> two_encodings() {
  return {sampled_run("none", 0, {{1, 0.97}, {8, 0.6}}),
          sampled_run("none", 1, {{1, 0.96}, {8, 0.61}}),
          sampled_run("t5 num_buckets=8", 0, {{1, 1}, {8, 0.75}}),
          sampled_run("t5 num_buckets=8", 1, {{1, 0.98}, {8, 0.74}})};
}

TEST(Table, Text) {
  EXPECT_EQ(table(two_encodings(), TableFormat::text),
            R"(text-gates: flip-flop (text)
accuracy (higher is better), trained at 32, relation token, mean [95 % interval], guessing 0.5

encoding                            1x                    8x    keeps 90 %  seeds  parameters  speed
----------------  --------------------  ----------------------  ----------  -----  ----------  -----
none              0.965 [0.944, 0.986]  0.605 [0.584, 0.626]            1x      2           0   1.00
t5 num_buckets=8  0.990 [0.861, 1.119]  0.745 [0.725, 0.765] *          1x      2         128   0.75

* best of its column, or not told from it
no star: no row is told from the best at 1x
told would have been a difference of 0.026 at 1x, 0.051 at 8x; of two rows, with nothing to pool their spread over seeds with
seeds 0, 1; 64 samples, each a sequence; not tuned
[low, high]: 95 % intervals, over seeds and test samples together
keeps 90 %: largest size up to which the metric keeps 90 % of its value at 1x; + none larger was evaluated
parameters: of the encoding; speed: training tokens per second relative to none
)");
}

TEST(Table, Markdown) {
  EXPECT_EQ(table(two_encodings(), TableFormat::markdown),
            R"(**text-gates: flip-flop (text)**

accuracy (higher is better), trained at 32, relation token, mean \[95 % interval], guessing 0.5

| encoding | 1x | 8x | keeps 90 % | seeds | parameters | speed |
|:---|---:|---:|---:|---:|---:|---:|
| none | 0.965 \[0.944, 0.986] | 0.605 \[0.584, 0.626] | 1x | 2 | 0 | 1.00 |
| t5 num\_buckets=8 | 0.990 \[0.861, 1.119] | **0.745 \[0.725, 0.765]** | 1x | 2 | 128 | 0.75 |

no star: no row is told from the best at 1x

told would have been a difference of 0.026 at 1x, 0.051 at 8x; of two rows, with nothing to pool their spread over seeds with

seeds 0, 1; 64 samples, each a sequence; not tuned

\[low, high]: 95 % intervals, over seeds and test samples together

keeps 90 %: largest size up to which the metric keeps 90 % of its value at 1x; + none larger was evaluated

parameters: of the encoding; speed: training tokens per second relative to none
)");
}

TEST(Table, Latex) {
  EXPECT_EQ(table(two_encodings(), TableFormat::latex),
            R"(% \usepackage{booktabs,adjustbox,array,xcolor}
\begin{table}
\centering
\caption{text-gates: flip-flop (text). accuracy (higher is better), trained at 32, relation token, mean {[}95 \% interval], guessing 0.5.}
\label{tab:text-gates-flip-flop-text}
\begin{adjustbox}{max width=\linewidth}
\begin{tabular}{lrrrrrr}
\toprule
encoding & 1x & 8x & keeps 90 \% & seeds & parameters & speed \\
\midrule
none & 0.965 {[}0.944, 0.986] & 0.605 {[}0.584, 0.626] & 1x & 2 & 0 & 1.00 \\
t5 num\_buckets=8 & 0.990 {[}0.861, 1.119] & \textbf{0.745 {[}0.725, 0.765]} & 1x & 2 & 128 & 0.75 \\
\bottomrule
\end{tabular}
\end{adjustbox}

\smallskip\footnotesize no star: no row is told from the best at 1x

\smallskip\footnotesize told would have been a difference of 0.026 at 1x, 0.051 at 8x; of two rows, with nothing to pool their spread over seeds with

\smallskip\footnotesize seeds 0, 1; 64 samples, each a sequence; not tuned

\smallskip\footnotesize {[}low, high]: 95 \% intervals, over seeds and test samples together

\smallskip\footnotesize keeps 90 \%: largest size up to which the metric keeps 90 \% of its value at 1x; + none larger was evaluated

\smallskip\footnotesize parameters: of the encoding; speed: training tokens per second relative to none
\end{table}
)");
}

TEST(Table, StatesAreWordsInEveryFormat) {
  for (const TableFormat format : {TableFormat::text, TableFormat::markdown, TableFormat::latex}) {
    const std::string text = table(runs_of_every_state(), format);
    for (const char* word :
         {"undefined", "diverged", "failed", "running", "nan", "1 of 3", "no rows past its table",
          "loss not finite at step 40", "out of memory", "not solved at the training size"}) {
      EXPECT_THAT(text, HasSubstr(word));
    }
    EXPECT_THAT(text, Not(HasSubstr("first in block 1")));  // notes have one line
  }
  const std::string text = table(runs_of_every_state(), TableFormat::text);
  EXPECT_THAT(text, HasSubstr("\nnone             †  "));
  EXPECT_THAT(text, HasSubstr("] diverged in 1 of 3: seed 0 diverged"));
}

TEST(Table, SpecialCharactersAreEscaped) {
  std::vector<RunRecord> runs = {table_run("a_b|c*<d> & 50% $x^2 {#} \\~ [e]\nf", 0, {{1, 0.99}})};
  EXPECT_THAT(table(runs, TableFormat::markdown),
              HasSubstr("\n| a\\_b\\|c\\*\\<d> & 50% $x^2 {#} \\\\~ \\[e] f | 0.990 |"));
  EXPECT_THAT(table(runs, TableFormat::latex),
              HasSubstr("\na\\_b$|$c*$<$d$>$ \\& 50\\% \\$x\\textasciicircum{}2 \\{\\#\\} "
                        "\\textbackslash{}\\textasciitilde{} {[}e] f & 0.990 &"));
  EXPECT_THAT(table(runs, TableFormat::text), HasSubstr(" [e] f  0.990  "));
}

TEST(Table, NumbersHaveThreeDecimalsOrFewer) {
  const auto cell = [](double value) {
    RunRecord run = table_run("alibi", 0, {{1, value}});
    run.ceiling = not_given;
    const std::string text = table({run}, TableFormat::markdown);
    const std::string row = text.substr(text.find("| alibi | ") + 10);
    return row.substr(0, row.find(' '));
  };
  EXPECT_EQ(cell(0), "0.000");
  EXPECT_EQ(cell(2.71828), "2.718");
  EXPECT_EQ(cell(27.1828), "27.18");
  EXPECT_EQ(cell(271.828), "271.8");
  EXPECT_EQ(cell(271828), "271828");
  EXPECT_EQ(cell(0.0002718), "2.72e-04");
  EXPECT_EQ(cell(-2.71828), "-2.718");
  EXPECT_EQ(cell(INFINITY), "inf");
  EXPECT_EQ(cell(not_given), "nan");
}

TEST(Table, OneSeedHasNoSpread) {
  const std::string text = table({table_run("alibi", 0, {{1, 0.99}})}, TableFormat::text);
  EXPECT_THAT(text, HasSubstr("0.990"));
  EXPECT_THAT(text, Not(HasSubstr("±")));
}

TEST(Table, CellsOfFewerRunsSaySo) {
  RunRecord undefined = table_run("alibi", 2, {{1, 0.98}});
  undefined.evaluation.push_back({64, 2, "", "accuracy", 0, 0, 0, 0.5, false, "too long"});
  EXPECT_THAT(
      table({table_run("alibi", 0, {{1, 1}, {2, 0.75}}),
             table_run("alibi", 1, {{1, 0.99}, {2, 0.75}}), undefined},
            TableFormat::markdown),
      HasSubstr("| alibi | 0.990 ± 0.010 | 0.750 ± 0.000 (2) <sup>a</sup> | 1x | 3 | 128 |"));
}

TEST(Table, ChanceThatChangesWithTheSizeIsARow) {
  RunRecord run = table_run("alibi", 0, {{1, 1}, {2, 1}});
  run.evaluation[1].chance = 0.25;
  EXPECT_THAT(table({run}, TableFormat::markdown),
              HasSubstr("| guessing | 0.500 | 0.250 |  |  |  |"));
}

TEST(Table, RunsThatNeverGotToEvaluationAreShown) {
  const auto run = stopped_run("shaw", 0, RunStatus::diverged, "at step 3");
  EXPECT_THAT(table({run}, TableFormat::markdown), HasSubstr("| shaw | diverged | 0 of 1"));
}

TEST(Table, AMetricOfChoice) {
  std::vector<RunRecord> runs = two_encodings();
  runs[0].evaluation.push_back({32, 1, "", "cross_entropy", 0.25, 0.1, 10, not_given, true, ""});
  runs.push_back(table_run("alibi", 0, {{1, 1}}));
  runs.back().task = "lag-copy";
  const std::string text = table(runs, TableFormat::text, "cross_entropy");
  EXPECT_THAT(text, HasSubstr("cross_entropy, trained at 32"));
  EXPECT_THAT(text, HasSubstr("0.250"));
  EXPECT_THAT(text, HasSubstr("text-gates: lag-copy was not measured in cross_entropy"));
  EXPECT_THAT(metrics_of(runs), ElementsAre("accuracy", "cross_entropy"));
  try {
    (void)table(runs, TableFormat::csv, "acuracy");
    ADD_FAILURE() << "no error";
  } catch (const UnknownMetric& error) {
    EXPECT_STREQ(error.what(),
                 "no run has the metric 'acuracy'; there are: accuracy, cross_entropy");
    EXPECT_EQ(error.metric(), "acuracy");
    EXPECT_THAT(error.known(), ElementsAre("accuracy", "cross_entropy"));
  }
}

TEST(Table, CsvIsTidy) {
  RunRecord run = table_run("alibi", 1, {{1, 1.0 / 3}});
  run.message = "a, \"b\"\nc";
  run.evaluation.push_back(
      {64, 2, "x,y", "accuracy", not_given, not_given, 0, 0.5, false, "too long"});
  RunRecord failed = stopped_run("t5", 0, RunStatus::failed, "no");
  run.settings = {{"train.steps", "30"}, {"train.batch", "8"}};
  failed.settings = {{"train.steps", "60"}, {"train.batch", "8"}};
  EXPECT_EQ(
      table({run, failed}, TableFormat::csv),
      "run_id,role,study,status,message,commit,uncommitted,device,cpu,threads,parameters_total,"
      "parameters_position,started,finished,wall_seconds,modality,task,task_kind,dataset,"
      "dataset_hash,relation,encoding,backend,seed,train_size,primary_metric,better,ceiling,label,"
      "seeds,tuned,train.steps,size,factor,condition,metric,value,standard_error,samples,chance,"
      "defined,reason,step,evaluation_commit,low,high,over_chance\n"
      "alibi-1,run,text-gates,done,\"a, \"\"b\"\"\nc\",,,,,0,0,128,,,,text,flip-flop,benchmark,,,"
      "token,alibi,,1,32,accuracy,higher,1,alibi,1,,30,32,1,,accuracy,0.3333333333333333,0.01,384,"
      "0.5,true,,0,,,,0.6666666666666666\n"
      "alibi-1,run,text-gates,done,\"a, \"\"b\"\"\nc\",,,,,0,0,128,,,,text,flip-flop,benchmark,,,"
      "token,alibi,,1,32,accuracy,higher,1,alibi,1,,30,64,2,\"x,y\",accuracy,,,0,0.5,false,"
      "too long,0,,,,\n"
      "t5-0,run,text-gates,failed,no,,,,,0,0,128,,,,text,flip-flop,benchmark,,,token,t5,,0,32,"
      "accuracy,higher,1,t5,1,,60,,,,,,,,,,,,,,,\n");
}

TEST(Table, RanksByModalityAndAsCsv) {
  const std::vector<RunRecord> runs = two_encodings();
  const std::string csv = render_standings(runs, StandingsBy::modality, 8, TableFormat::csv);
  EXPECT_THAT(csv, StartsWith("table,encoding,column,factor,tasks,rank,value,state,score,low,high\n"
                              "1,t5 num_buckets=8,text,8,1,1,0.745,,,,\n"
                              "1,t5 num_buckets=8,overall,8,1,1,,,0.4"));
  EXPECT_THAT(csv, HasSubstr("1,none,text,8,1,2,0.605,,,,\n1,none,overall,8,1,2,,,0.2"));
  EXPECT_THAT(render_standings(runs, StandingsBy::modality, 8, TableFormat::markdown),
              HasSubstr("**Probability of improvement at 8x the training size**"));
  EXPECT_THAT(render_standings(runs, StandingsBy::task, 1, TableFormat::markdown),
              HasSubstr("| encoding | flip-flop (text) | overall | score |"));
  EXPECT_THROW(render_standings(runs, StandingsBy::modality, 3, TableFormat::text), StoreError);
}

TEST(Table, DeviationsInPlaceOfIntervals) {
  const std::string text =
      render_table(two_encodings(), {.format = TableFormat::markdown, .spread = Spread::deviation});
  EXPECT_THAT(text, HasSubstr("mean ± standard deviation over seeds"));
  EXPECT_THAT(text, HasSubstr("| **0.745 ± 0.007** |"));
}

TEST(Table, WhatGuessesIsGrey) {
  const std::vector<RunRecord> runs = {sampled_run("alibi", 0, {{1, 0.5}})};
  EXPECT_THAT(table(runs, TableFormat::latex), HasSubstr("\\textcolor{gray}{0.500 "));
  EXPECT_THAT(table(runs, TableFormat::text), HasSubstr("[a] not above guessing\n"));
}

TEST(Table, DifferencesFromABaseline) {
  std::vector<RunRecord> runs = three_runs("none", {{1, 0.7}});
  for (const RunRecord& run : three_runs("t5", {{1, 0.9}})) runs.push_back(run);
  for (const RunRecord& run : three_runs("cope", {{1, 0.7}})) runs.push_back(run);
  runs.push_back(sampled_run("alibi", 7, {{1, 0.9}}));
  runs.push_back(sampled_run("shaw", 0, {{1, 0.9}}));
  runs.push_back(stopped_run("shaw", 1, RunStatus::diverged, "at step 3"));
  for (RunRecord& run : runs) run.ceiling = not_given;
  const std::string text = render_table(runs, {.format = TableFormat::markdown, .against = "none"});
  EXPECT_THAT(text, HasSubstr("less none"));
  EXPECT_THAT(text, HasSubstr("p after Holm over the rows of a column"));
  EXPECT_THAT(text, HasSubstr("| t5 | +0.202 \\[+0.178, +0.226], p = 1.9e-20 (3 seeds) |"));
  EXPECT_THAT(text, HasSubstr("no star: no row has all planned seeds at 1x"));
  EXPECT_THAT(text, HasSubstr("| alibi | no common seed |"));
  EXPECT_THAT(text, HasSubstr("| shaw | diverged or failed in 1 of 4 |"));
  EXPECT_THROW(render_table(runs, {.against = "rope"}), StoreError);
}

TEST(Table, ClaimsStandBelow) {
  const StudyText study = parse_study_text(
      "question = \"?\"\n[[claim]]\nbetter = \"t5\"\nworse = \"none\"\nat = 8.0\n", "text-gates");
  EXPECT_EQ(render_claims(two_encodings(), {}, TableFormat::text), "");
  EXPECT_THAT(
      render_claims(two_encodings(), {study}, TableFormat::text),
      StartsWith("\nclaims of text-gates\n"
                 "  holds      t5 before none at 8x\n"
                 "               text-gates: flip-flop (text): t5 num_buckets=8 0.745, none "
                 "0.605; better by 0.14 ["));
}

TEST(Table, AThousandRunsAreQuick) {
  std::vector<RunRecord> runs;
  for (int64_t seed = 0; seed < 1000; ++seed) {
    runs.push_back(table_run(seed % 2 == 0 ? "alibi" : "t5", seed, {{1, 0.99}, {2, 0.9}}));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(table(runs, TableFormat::text), HasSubstr("  500 of 1000 seeds  "));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(seconds.count()));
}

}  // namespace
}  // namespace relbias::results
