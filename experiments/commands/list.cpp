// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias list`, what can be named in a study.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "encodings/encoding.h"
#include "experiments/commands/commands.h"
#include "experiments/published/tables.h"
#include "experiments/run/optimiser.h"
#include "experiments/run/schedule.h"
#include "experiments/study/matrix.h"
#include "experiments/study/study.h"
#include "modalities/modality.h"
#include "results/metrics/metric.h"

namespace relbias::experiments {
namespace {

using nlohmann::ordered_json;

struct Item {
  std::string name;
  std::string modality;  // empty: of any
  std::string summary;
};

// The first line of a text.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

template <class Entry>
std::vector<Item> items_of(const std::vector<Entry>& entries) {
  std::vector<Item> items;
  for (const auto& entry : entries) {
    if constexpr (requires { entry.modality; }) {
      items.push_back({entry.name, entry.modality, entry.summary});
    } else if constexpr (requires { entry.summary; }) {
      items.push_back({entry.name, "", entry.summary});
    } else {
      items.push_back({entry.name, "", first_line(entry.formula)});
    }
  }
  return items;
}

std::vector<Item> modality_items() {
  std::set<std::string> names;
  for (const auto& entry : relation_entries()) names.insert(entry.modality);
  for (const auto& entry : dataset_entries()) names.insert(entry.modality);
  for (const auto& entry : task_entries()) names.insert(entry.modality);
  std::vector<Item> items;
  for (const auto& name : names) {
    const auto count = [&](const auto& entries) {
      return std::count_if(entries.begin(), entries.end(),
                           [&](const auto& entry) { return entry.modality == name; });
    };
    items.push_back({name, "",
                     fmt::format("{} relations, {} datasets, {} tasks", count(relation_entries()),
                                 count(dataset_entries()), count(task_entries()))});
  }
  return items;
}

std::vector<Item> study_items() {
  std::vector<Item> items;
  for (const auto& name : study_names()) items.push_back({name, "", load_study(name).question});
  return items;
}

std::vector<Item> published_items() {
  std::vector<Item> items;
  for (const auto& name : published_names()) {
    const Published table = read_published(name);
    items.push_back({name, table.modality, table.title});
  }
  return items;
}

const std::map<std::string, std::function<std::vector<Item>()>>& kinds() {
  static const std::map<std::string, std::function<std::vector<Item>()>> all{
      {"modalities", modality_items},
      {"relations", [] { return items_of(relation_entries()); }},
      {"encodings", [] { return items_of(encoding_entries()); }},
      {"datasets", [] { return items_of(dataset_entries()); }},
      {"tasks", [] { return items_of(task_entries()); }},
      {"metrics", [] { return items_of(metric_entries()); }},
      {"optimisers", [] { return items_of(optimiser_entries()); }},
      {"schedules", [] { return items_of(schedule_entries()); }},
      {"studies", study_items},
      {"published", published_items},
  };
  return all;
}

std::vector<Item> items_of_kind(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& [name, items] : kinds()) names.push_back(name);
  const auto found = kinds().find(kind);
  if (found == kinds().end()) unknown_word("kind", kind, names);
  return found->second();
}

void print_items(const std::vector<Item>& items, bool json) {
  if (json) {
    ordered_json list = ordered_json::array();
    for (const Item& item : items) {
      ordered_json object{{"name", item.name}};
      if (!item.modality.empty()) object["modality"] = item.modality;
      object["summary"] = item.summary;
      list.push_back(object);
    }
    std::cout << list.dump(2) << '\n';
    return;
  }
  size_t width = 0;
  for (const Item& item : items) width = std::max(width, item.name.size());
  for (const Item& item : items) {
    const std::string modality = item.modality.empty() ? "" : item.modality + ": ";
    std::cout << fmt::format("{:<{}}  {}{}\n", item.name, width, modality, item.summary);
  }
}

}  // namespace

void add_list_command(CLI::App& app, int&) {
  struct Request {
    std::string kind;
    bool matrix = false, json = false;
  };
  const auto request = std::make_shared<Request>();
  CLI::App* command = app.add_subcommand("list", "What can be named in a study");
  command->add_option(
      "KIND", request->kind,
      "modalities, relations, encodings, datasets, tasks, metrics, optimisers, schedules, "
      "studies or published");
  command->add_flag("--matrix", request->matrix,
                    "every relation with every encoding: defined, or why not");
  command->add_flag("--json", request->json, "for programs");
  command->callback([request] {
    if (request->matrix == !request->kind.empty()) {
      input_error(
          "list: a kind (modalities, relations, encodings, datasets, tasks, metrics, optimisers, "
          "schedules, studies, published) or --matrix expected");
    }
    if (request->matrix) {
      std::cout << (request->json ? matrix_json() : matrix_text());
    } else {
      print_items(items_of_kind(request->kind), request->json);
    }
  });
}

}  // namespace relbias::experiments
