// SPDX-License-Identifier: Apache-2.0
// experiments/study: what the command line leaves of a study.
#include "experiments/study/selection.h"

#include <algorithm>

namespace relbias::experiments {
namespace {

std::vector<std::string> texts_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const auto* value : axis.values) texts.push_back(text_of(*value));
  return texts;
}

// `alibi,t5`: what stands between commas, but for a comma within what is known.
std::vector<std::string> listed(const std::string& text, const std::vector<std::string>& known) {
  std::vector<std::string> all;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = std::min(text.find(',', begin), text.size());
    for (const std::string& one : known) {
      const size_t behind = begin + one.size();
      if (behind <= end || text.compare(begin, one.size(), one) != 0) continue;
      if (behind == text.size() || text[behind] == ',') end = behind;
    }
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
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
    for (const auto& wanted : listed(filter.substr(equals + 1), values)) {
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

// `part=image,text`: parts by their names.
void keep_parts(std::vector<Part>& parts, const std::string& filter, const std::string& wanted) {
  std::vector<std::string> names;
  for (const Part& part : parts) {
    if (!part.name.empty()) names.push_back(part.name);
  }
  if (names.empty()) input_error("--only {}: the study has no [[part]]", filter);
  const std::vector<std::string> kept = listed(wanted, names);
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

// What is pinned by hand or by a smoke test is not tuned; a smoke test tries two settings.
void leave_untuned(Part& part, bool smoke) {
  if (!part.tuning) return;
  const auto is_pinned = [&](const TunedAxis& axis) { return part.smoke.count(axis.key) != 0; };
  std::erase_if(part.tuning->over, is_pinned);
  if (smoke) part.tuning->trials = std::min<int64_t>(2, part.tuning->trials);
  if (part.tuning->over.empty() && part.tuning->each.empty()) part.tuning.reset();
}

}  // namespace

SelectedParts selected_parts(const Study& study, const Selection& selection) {
  SelectedParts selected{.assignments = {}, .parts = study.parts};
  Settings set;
  for (const auto& text : selection.set) {
    selected.assignments.push_back(parse_assignment(text, "--set"));
    Settings one;
    assign(selected.assignments.back().key, selected.assignments.back().value(), one);
    for (const auto& [key, value] : one) {
      if (!set.emplace(key, value).second) input_error("--set {}: {} is set twice", text, key);
    }
  }
  for (Part& part : selected.parts) {
    if (set.empty()) check_smoke(part);
    if (selection.smoke && part.smoke.empty()) {
      input_error("no [smoke] settings found, --smoke expects some");
    }
    if (!selection.smoke) part.smoke.clear();
    replace_spelling(part, set);
    for (const auto& [key, value] : set) part.smoke[key] = value;
    leave_untuned(part, selection.smoke);
    std::erase_if(part.sweep, [&](const Axis& axis) { return part.smoke.count(axis.key) != 0; });
  }
  for (const auto& filter : selection.only) keep_only(selected.parts, filter);
  return selected;
}

}  // namespace relbias::experiments
