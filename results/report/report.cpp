// SPDX-License-Identifier: Apache-2.0
// results/report: the runs of a folder as one page that needs no network.
#include "results/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "results/analysis/planning/never_begun.h"
#include "results/print/tuning_table.h"
#include "results/report/contents.h"
#include "results/report/figures/figures.h"
#include "results/report/page/page.h"
#include "results/store/disk/run_file.h"
#include "results/store/runs.h"

namespace relbias::results {
namespace {

// Invalid UTF-8 of a config or a message must not cost the whole report.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Tells our figures from other files in the same folder.
constexpr const char* maker = "relbias report";

bool is_our_figure(const std::filesystem::path& file) {
  const std::string stem = file.stem();
  const size_t number = stem.rfind('-') + 1;  // 0: no dash
  const bool is_named = number > 0 && number < stem.size() &&
                        stem.find_first_not_of("0123456789", number) == std::string::npos;
  if (!is_named || file.extension() != ".json") return false;
  try {
    const std::vector<char> text = file_bytes(file);
    return !std::ranges::search(text, fmt::format("\"meta\":\"{}\"", maker)).empty();
  } catch (const StoreError&) {
    return false;
  }
}

// Numbers the figures of each kind and keeps their JSON.
class Figures {
 public:
  explicit Figures(Report& report) : report_(report) {}

  /// The names under which they are kept.
  Json add(const std::vector<Figure>& figures, const std::string& modality) {
    Json names = Json::array();
    for (const Figure& figure : figures) {
      const std::string name = fmt::format("{}-{}", figure.kind, ++count_[figure.kind]);
      Json plotly = {{"data", figure.data}, {"layout", figure.layout}};
      plotly["layout"]["meta"] = maker;
      report_.figures[name] = text_of(plotly);
      all_[name] = {{"title", figure.title},
                    {"caption", figure.caption},
                    {"modality", modality},
                    {"data", figure.data},
                    {"layout", figure.layout}};
      names.push_back(name);
    }
    return names;
  }
  const Json& all() const { return all_; }

 private:
  Report& report_;
  std::map<std::string, int64_t> count_;
  Json all_ = Json::object();
};

// Of each row the finished run of the first seed, or none.
WholeRuns read_whole_runs(const std::vector<TaskRuns>& groups, const ReportInput& input,
                          std::vector<std::string>& problems) {
  WholeRuns whole;
  for (const TaskRuns& group : groups) {
    for (const Repetitions& row : group.rows) {
      const auto run = std::ranges::find(row.runs, RunStatus::done, &RunRecord::status);
      if (run == row.runs.end() || !input.read_whole) continue;
      try {
        whole.emplace(&row, input.read_whole(**run));
      } catch (const StoreError& error) {
        problems.emplace_back(error.what());
      }
    }
  }
  return whole;
}

Json section_of(const TaskRuns& group, const Palette& palette, const WholeRuns& whole,
                Figures& figures) {
  const RunRecord& run = group.example();
  Json section = {{"modality", run.modality},
                  {"gate", group.is_gate()},
                  {"tables", Json::array()},
                  {"figures", Json::array()}};
  const auto add = [&](const char* place, const std::vector<Figure>& found) {
    for (const Json& name : figures.add(found, run.modality)) section[place].push_back(name);
  };
  section["biases"] = Json::array();
  const std::vector<Comparison> comparisons =
      compare(group, run.primary_metric, better_of(group, run.primary_metric));
  for (const Comparison& comparison : comparisons) {
    section["tables"].push_back(table_json(comparison));
    add("figures", curve_figures(comparison, palette));
    add("figures", length_scale_figures(comparison, palette));
    add("figures", forest_figures(comparison, palette));
  }
  const Comparison& plain = comparisons.front();
  section["title"] = plain.title;
  add("figures", cost_figures(plain, palette));
  add("figures", training_figures(plain, palette));
  add("figures", progress_figures(plain, palette));
  add("figures", attention_figures(plain, palette, whole));
  add("biases", bias_figures(plain, whole));
  return section;
}

// Ranks at the training size, and at 4x where anything was evaluated there.
void add_standings(const std::vector<TaskRuns>& groups, Figures& figures, Json& data) {
  data["standings"] = Json::array();
  for (const double factor : {1.0, 4.0}) {
    for (const Standings& found : standings(groups, StandingsBy::modality, factor)) {
      const Json names = figures.add(rank_figures(found), "");
      data["standings"].push_back({{"table", table_json(found)}, {"figures", names}});
      const Sheet improving = improvement_sheet(found);
      if (improving.rows.empty()) continue;
      data["standings"].push_back({{"table", sheet_json(improving)}, {"figures", Json::array()}});
    }
    const Sheet gates = gates_sheet(groups, factor);
    if (gates.rows.empty()) continue;
    data["standings"].push_back({{"table", sheet_json(gates)}, {"figures", Json::array()}});
  }
}

Json tuning_json(const std::vector<RunRecord>& runs, const Palette& palette, Figures& figures) {
  Json all = Json::array();
  for (const TaskTrials& trials : trials_of(runs)) {
    const Json names = figures.add(tuning_figures(trials, palette), trials.modality);
    all.push_back({{"table", sheet_json(sheet_of(trials))}, {"figures", names}});
  }
  return all;
}

}  // namespace

Report make_report(const ReportInput& input) {
  Report report;
  Figures figures(report);
  const std::vector<TaskRuns> groups = group_runs(input.runs);
  const Palette palette(groups);
  std::vector<std::string> problems = input.problems;
  const WholeRuns whole = read_whole_runs(groups, input, problems);

  Json data = Json::object();
  add_standings(groups, figures, data);
  data["sections"] = Json::array();
  for (const TaskRuns& group : groups) {
    data["sections"].push_back(section_of(group, palette, whole, figures));
  }
  data["tuning"] = tuning_json(input.runs, palette, figures);
  data["advice"] = advice_json(advise(groups));
  data["claims"] = claims_json(input.studies, groups);
  data["runs"] = runs_json(input.runs);
  data["filters"] = filters_json(input.runs, palette);
  data["overview"] = overview_json(input);
  data["overview"]["problems"] = problems;
  data["figures"] = figures.all();
  report.page = page_with(input.title, text_of(data), input.plotly);
  return report;
}

void write_report(const std::filesystem::path& file, const Report& report) {
  const auto write = [](const std::filesystem::path& place, const std::string& text) {
    replace_file(place, std::span(text.data(), text.size()));
  };
  std::filesystem::path folder = file;
  folder.replace_extension();
  folder += "-figures";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder.string(), error.message()));
  // Figures of an earlier report at this place would be taken for this one's.
  for (const auto& old : std::filesystem::directory_iterator(folder)) {
    if (report.figures.contains(old.path().stem())) continue;
    if (is_our_figure(old.path())) std::filesystem::remove(old, error);
  }
  for (const auto& [name, json] : report.figures) write(folder / (name + ".json"), json);
  write(file, report.page);
}

ReportInput read_report_input(const std::filesystem::path& folder) {
  RunsRead read = read_runs(folder);
  add_never_begun(read.runs);
  StudiesRead studies = read_studies(folder);
  ReportInput input{.title = folder.string(),
                    .runs = std::move(read.runs),
                    .studies = std::move(studies.studies),
                    .problems = std::move(read.problems)};
  input.problems.insert(input.problems.end(), studies.problems.begin(), studies.problems.end());
  input.read_whole = [](const RunRecord& run) { return read_run(run.file); };
  return input;
}

}  // namespace relbias::results
