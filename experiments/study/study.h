// SPDX-License-Identifier: Apache-2.0
// experiments/study: a study, which is one TOML file, and the runs it consists of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/config.h"
#include "experiments/config/settings.h"
#include "experiments/tuning/tuning.h"
#include "results/claims/read_claims.h"

namespace relbias::experiments {

/// One key of a sweep with the values it takes.
struct Axis {
  std::string key;
  std::vector<const toml::node*> values;
};

/// Runs that differ in the keys of one sweep. A study without [[part]] has one.
struct Part {
  std::string name;  // `image`; empty where there is but one
  Settings base;
  std::vector<Axis> sweep;  // in the order of the file: the last key changes fastest
  Settings smoke;           // replace base and sweep in a smoke test
  std::optional<Tuning> tuning{};
};

struct Study {
  std::string name;  // from the file name, `-` for `_`
  std::string file;
  std::string question;
  std::string expected;
  std::string cost;
  /// A [[part]] has the settings of the whole study and its own over them; a sweep of its own
  /// replaces the study's.
  std::vector<Part> parts;
  std::vector<Claim> claims;
  std::vector<std::shared_ptr<const toml::table>> sources;  // what the settings point into
};

/// The keys of a study that are no settings of a run.
const std::vector<KeyMeaning>& study_keys();

/// `quickstart`, a study that comes with the program, or the path of a .toml file.
/// Throws InputError where it is unknown, no TOML, or not what a study is made of.
Study load_study(const std::string& name_or_path);
Study parse_study(std::string_view text, const std::string& file);

/// The names of the studies that come with the program, sorted.
std::vector<std::string> study_names();
/// The file of such a study.
std::string study_file(const std::string& name);

/// What the command line makes of a study.
struct Selection {
  bool smoke = false;
  std::vector<std::string> set;   // `train.steps=100`: replaces the base and pins a swept key
  std::vector<std::string> only;  // `model.encoding=alibi,rope`: keeps these values of the sweep;
                                  // `part=image`: keeps these parts
};

/// One run of a study, ready to start.
struct Run {
  RunConfig config;
  std::string text{};      // config_text(config)
  std::string identity{};  // identity_text(config)
  std::string id{};        // run_id(identity)
  std::string label{};     // what tells it from the study's other runs: `alibi seed=1`
  std::string role = "run";
  std::string tuning{};  // as a record has it
  bool is_open = false;  // to be tuned: its settings, and so its id, follow from trials
};

/// What is tuned on its own: an encoding on a task, the runs that differ in their seed alone.
struct TunedCell {
  std::string name;                        // `t5, lag-copy`
  int64_t of = 0;                          // trials asked for
  std::vector<std::vector<Run>> trials{};  // in the order in which they were drawn; one run a seed
};

/// The trial that was best.
struct Choice {
  size_t trial = 0;
  bool diverged = false;  // as all others
};
using Choices = std::map<std::string, Choice>;  // by the name of the cell

/// Every run of the selection, resolved. Those of cells without a choice have the first trial's
/// settings and are open. Throws InputError if one has wrong settings, if two are the same run, or
/// if the selection names keys or values that are not there.
std::vector<Run> expand(const Study& study, const Selection& selection,
                        const Choices& choices = {});

/// What is tuned, with every trial, ready to start. Throws InputError as expand does.
std::vector<TunedCell> tuned_cells(const Study& study, const Selection& selection);

}  // namespace relbias::experiments
