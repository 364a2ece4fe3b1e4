// SPDX-License-Identifier: Apache-2.0
// experiments/study: from a study and what the command line asks for to the list of runs.
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/run/record/identity.h"
#include "experiments/study/study.h"

namespace relbias::experiments {
namespace {

std::vector<std::string> texts_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const auto* value : axis.values) texts.push_back(text_of(*value));
  return texts;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Axis& find_axis(std::vector<Axis>& sweep, const std::string& key) {
  std::vector<std::string> keys;
  for (Axis& axis : sweep) {
    if (axis.key == key) return axis;
    keys.push_back(axis.key);
  }
  unknown_word("key of the sweep", key, keys);
}

// A value is meant by its whole text, or by the name it starts with: `rope` for `rope layout=half`.
bool is_meant(const std::string& value, const std::string& wanted,
              const std::vector<std::string>& values) {
  if (std::find(values.begin(), values.end(), wanted) != values.end()) return value == wanted;
  return value.starts_with(wanted + " ");
}

void keep_only(std::vector<Axis>& sweep, const std::string& filter) {
  const auto equals = filter.find('=');
  if (equals == std::string::npos) {
    input_error("--only {}: key=value,value expected, for example model.encoding=alibi,t5", filter);
  }
  at_place("--only " + filter, nullptr, [&]() {
    Axis& axis = find_axis(sweep, filter.substr(0, equals));
    const auto values = texts_of(axis);
    std::vector<bool> kept(values.size(), false);
    for (const auto& wanted : split(filter.substr(equals + 1), ',')) {
      bool found = false;
      for (size_t i = 0; i < values.size(); ++i) {
        if (!is_meant(values[i], wanted, values)) continue;
        kept[i] = found = true;
      }
      if (!found) unknown_word(fmt::format("value of {}", axis.key), wanted, values);
    }
    std::vector<const toml::node*> remaining;
    for (size_t i = 0; i < values.size(); ++i) {
      if (kept[i]) remaining.push_back(axis.values[i]);
    }
    axis.values = remaining;
  });
}

// What a run is called among the others: the swept values, encodings and tasks by their text alone.
std::string label_of(const std::vector<Axis>& sweep, const std::vector<size_t>& choice) {
  std::vector<std::string> parts;
  for (size_t axis = 0; axis < sweep.size(); ++axis) {
    const std::string& key = sweep[axis].key;
    const std::string text = text_of(*sweep[axis].values[choice[axis]]);
    const bool is_named = key == "model.encoding" || key == "data.task" || key == "data.dataset";
    parts.push_back(is_named ? text : fmt::format("{}={}", key.substr(key.rfind('.') + 1), text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The next choice of one value an axis, the last axis fastest; false after the last choice.
bool next_choice(const std::vector<Axis>& sweep, std::vector<size_t>& choice) {
  for (size_t axis = sweep.size(); axis-- > 0;) {
    if (++choice[axis] < sweep[axis].values.size()) return true;
    choice[axis] = 0;
  }
  return false;
}

Run resolve(const Settings& settings, std::string label) {
  Run run{.config = read_config(settings),
          .text = "",
          .identity = "",
          .id = "",
          .label = std::move(label)};
  run.text = config_text(run.config);
  run.identity = identity_text(run.config);
  run.id = run_id(run.identity);
  if (run.label.empty()) run.label = position_label(run.config.model);
  return run;
}

void refuse_twins(const std::vector<Run>& runs) {
  std::map<std::string, std::string> labels;
  for (const Run& run : runs) {
    const auto [twin, is_new] = labels.emplace(run.id, run.label);
    if (!is_new) {
      input_error("sweep: '{}' and '{}' are the same run, {}", twin->second, run.label, run.id);
    }
  }
}

// `part=image,text`: parts by their names.
void keep_parts(std::vector<Part>& parts, const std::string& filter, const std::string& wanted) {
  std::vector<std::string> names;
  for (const Part& part : parts) {
    if (!part.name.empty()) names.push_back(part.name);
  }
  if (names.empty()) input_error("--only {}: the study has no [[part]]", filter);
  const std::vector<std::string> kept = split(wanted, ',');
  for (const std::string& name : kept) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    at_place("--only " + filter, nullptr, [&]() { unknown_word("part", name, names); });
  }
  std::erase_if(parts, [&](const Part& part) {
    return std::find(kept.begin(), kept.end(), part.name) == kept.end();
  });
}

// The parts in which the key and every value of a filter occur; at least one part must have them.
void keep_only(std::vector<Part>& parts, const std::string& filter) {
  constexpr std::string_view by_name = "part=";
  if (filter.starts_with(by_name)) {
    return keep_parts(parts, filter, filter.substr(by_name.size()));
  }
  std::vector<Part> kept;
  std::exception_ptr refusal;
  for (Part& part : parts) {
    try {
      keep_only(part.sweep, filter);
      kept.push_back(std::move(part));
    } catch (const InputError&) {
      if (!refusal) refusal = std::current_exception();
    }
  }
  if (kept.empty() && refusal) std::rethrow_exception(refusal);
  parts = std::move(kept);
}

void add_runs(const Part& part, const Settings& pinned, std::vector<Run>& runs) {
  std::vector<size_t> choice(part.sweep.size(), 0);
  do {
    Settings settings = part.base;
    for (size_t axis = 0; axis < part.sweep.size(); ++axis) {
      assign(part.sweep[axis].key, *part.sweep[axis].values[choice[axis]], settings);
    }
    for (const auto& [key, value] : pinned) settings[key] = value;
    Run run = resolve(settings, label_of(part.sweep, choice));
    if (!part.name.empty()) run.label = fmt::format("{}: {}", part.name, run.label);
    runs.push_back(std::move(run));
  } while (next_choice(part.sweep, choice));
}

// model.positions and the pair model.encoding, model.relation are two spellings of one thing:
// --set model.positions replaces both.
void replace_spelling(Part& part, const Settings& set) {
  if (set.count("model.positions") == 0) return;
  for (const char* key : {"model.encoding", "model.relation"}) {
    part.base.erase(key);
    part.smoke.erase(key);
    std::erase_if(part.sweep, [&](const Axis& axis) { return axis.key == key; });
  }
}

// Reads the first run of a part at its smoke size, so that its errors do not wait for --smoke.
void check_smoke(const Part& part) {
  Settings settings = part.base;
  for (const Axis& axis : part.sweep) assign(axis.key, *axis.values.front(), settings);
  for (const auto& [key, value] : part.smoke) settings[key] = value;
  read_config(settings);
}

// An error about a setting that is written nowhere has no place: the study is the place.
template <class Read>
auto naming_study(const Study& study, Read&& read) {
  try {
    return read();
  } catch (const InputError& error) {
    const std::string message = error.what();
    if (message.starts_with(study.file) || message.starts_with("--")) throw;
    input_error("study {}: {}", study.name, message);
  }
}

}  // namespace

std::vector<Run> expand(const Study& study, const Selection& selection) {
  std::vector<Assignment> assignments;
  Settings set;
  for (const auto& text : selection.set) {
    assignments.push_back(parse_assignment(text, "--set"));
    assign(assignments.back().key, assignments.back().value(), set);
  }
  return naming_study(study, [&]() {
    // From here on a part's smoke settings are all that is pinned.
    std::vector<Part> parts = study.parts;
    for (Part& part : parts) {
      if (set.empty()) check_smoke(part);
      if (selection.smoke && part.smoke.empty()) {
        input_error("no [smoke] settings found, --smoke expects some");
      }
      if (!selection.smoke) part.smoke.clear();
      replace_spelling(part, set);
      for (const auto& [key, value] : set) part.smoke[key] = value;
      std::erase_if(part.sweep, [&](const Axis& axis) { return part.smoke.count(axis.key) != 0; });
    }
    for (const auto& filter : selection.only) keep_only(parts, filter);
    std::vector<Run> runs;
    for (const Part& part : parts) add_runs(part, part.smoke, runs);
    refuse_twins(runs);
    return runs;
  });
}

}  // namespace relbias::experiments
