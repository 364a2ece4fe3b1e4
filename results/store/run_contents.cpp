// SPDX-License-Identifier: Apache-2.0
// results/store: where each part of a run record stands in its file.
#include "results/store/run_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/schema.h"
#include "results/store/run_samples.h"

namespace relbias::results {
namespace {

const std::string rows_ending = ".rows";

template <typename Row>
StoredTable table_of(const std::vector<Row>& rows) {
  StoredTable table;
  visit_columns<Row>([&]<typename Field>(const char* name, Field Row::*member) {
    std::vector<Field> values;
    values.reserve(rows.size());
    for (const Row& row : rows) values.push_back(row.*member);
    table.push_back({name, std::move(values)});
  });
  return table;
}

template <typename Row>
std::vector<Row> rows_of(const StoredTable& table, bool is_first_schema) {
  std::vector<Row> rows;
  visit_columns<Row>([&]<typename Field>(const char* name, Field Row::*member) {
    if (std::is_same_v<Row, EvaluationRow> && is_first_schema &&
        std::ranges::find(later_columns, std::string_view(name)) != later_columns.end()) {
      return;
    }
    const std::vector<Field>& values = column_in<Field>(table, name);
    rows.resize(values.size());
    for (size_t row = 0; row < rows.size(); ++row) rows[row].*member = values[row];
  });
  return rows;
}

std::vector<std::string> split(const std::string& list, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(separator, begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// ---- learned tables ----

// What the rows of a learned table stand for: a column an axis, then the label.
StoredTable meaning_of_rows(const LearnedTable& learned, size_t rows) {
  StoredTable table;
  const size_t axes = learned.axes.size();
  for (size_t axis = 0; axis < axes; ++axis) {
    std::vector<double> values(rows);
    for (size_t row = 0; row < rows; ++row) values[row] = learned.coordinates[row * axes + axis];
    table.push_back({learned.axes[axis], std::move(values)});
  }
  std::vector<std::string> labels = learned.labels;
  labels.resize(rows);
  table.push_back({"label", std::move(labels)});
  if (!learned.attended.empty()) table.push_back({"attended", learned.attended});
  return table;
}

void take_meaning(const StoredTable& table, LearnedTable& learned) {
  learned.labels = column_in<std::string>(table, "label");
  const size_t rows = learned.labels.size();
  if (std::ranges::all_of(learned.labels, &std::string::empty)) learned.labels.clear();
  for (const StoredColumn& column : table) {
    if (column.name == "attended") {
      learned.attended = held<const std::vector<bool>>(column.values, "column 'attended'");
    } else if (column.name != "label") {
      learned.axes.push_back(column.name);
    }
  }
  const size_t axes = learned.axes.size();
  learned.coordinates.resize(rows * axes);
  for (size_t axis = 0; axis < axes; ++axis) {
    const std::vector<double>& values = column_in<double>(table, learned.axes[axis]);
    for (size_t row = 0; row < rows; ++row) learned.coordinates[row * axes + axis] = values[row];
  }
}

void put_learned(const LearnedTable& table, std::vector<StoredDataset>& datasets) {
  const std::string path = fmt::format("encoding/{}/{}", table.layer, table.term);
  const std::string dimensions = fmt::format("{}", fmt::join(table.dimensions, ","));
  datasets.push_back({path,
                      StoredArray{table.shape, table.values},
                      {{"relation", table.relation}, {"dimensions", dimensions}}});
  const auto relation = std::ranges::find(table.dimensions, "relation");
  if (relation == table.dimensions.end()) return;
  const auto rows = static_cast<size_t>(table.shape[relation - table.dimensions.begin()]);
  datasets.push_back({path + rows_ending, meaning_of_rows(table, rows)});
}

void take_learned(StoredDataset& dataset, std::vector<LearnedTable>& tables) {
  const std::vector<std::string> path = split(dataset.path, '/');
  if (path.size() != 3) throw StoreError("expected it at encoding/<layer>/<term>");
  if (path[2].ends_with(rows_ending)) {
    const std::string term = path[2].substr(0, path[2].size() - rows_ending.size());
    const auto learned = std::ranges::find_if(tables, [&](const LearnedTable& table) {
      return table.layer == path[1] && table.term == term;
    });
    if (learned == tables.end()) throw StoreError("there is no table that these rows belong to");
    take_meaning(held<StoredTable>(dataset.data, "it"), *learned);
    return;
  }
  auto& array = held<StoredArray>(dataset.data, "it");
  LearnedTable& table = tables.emplace_back();
  table.layer = path[1];
  table.term = path[2];
  table.relation = attribute_in<std::string>(dataset.attributes, "relation");
  table.dimensions = split(attribute_in<std::string>(dataset.attributes, "dimensions"), ',');
  table.shape = array.shape;
  table.values = std::move(held<std::vector<float>>(array.values, "it"));
}

// ---- monitors and checkpoint ----

void put_monitor(const Monitor& monitor, std::vector<StoredDataset>& datasets) {
  const std::string dimensions = fmt::format("{}", fmt::join(monitor.dimensions, ","));
  datasets.push_back({"attention/" + monitor.name,
                      StoredArray{monitor.shape, monitor.values},
                      {{"dimensions", dimensions}}});
}

void take_monitor(StoredDataset& dataset, std::vector<Monitor>& monitors) {
  auto& array = held<StoredArray>(dataset.data, "it");
  monitors.push_back({split(dataset.path, '/').at(1),
                      split(attribute_in<std::string>(dataset.attributes, "dimensions"), ','),
                      array.shape, std::move(held<std::vector<double>>(array.values, "it"))});
}

void put_checkpoint(const Checkpoint& checkpoint, std::vector<StoredDataset>& datasets) {
  datasets.push_back({"checkpoint",
                      StoredArray{{0}, std::vector<char>{}},
                      {{"step", checkpoint.step}, {"checksum", checkpoint.checksum}}});
}

Checkpoint checkpoint_of(const StoredDataset& dataset) {
  return {attribute_in<int64_t>(dataset.attributes, "step"),
          attribute_in<std::string>(dataset.attributes, "checksum")};
}

void take_dataset(StoredDataset& dataset, RunRecord& run) {
  const std::string part = dataset.path.substr(0, dataset.path.find('/'));
  const bool is_first = run.schema_version == 1;
  if (part == "train")
    run.train = rows_of<TrainRow>(held<StoredTable>(dataset.data, "it"), is_first);
  if (part == "evaluation")
    run.evaluation = rows_of<EvaluationRow>(held<StoredTable>(dataset.data, "it"), is_first);
  if (part == "encoding") take_learned(dataset, run.tables);
  if (part == "attention") take_monitor(dataset, run.attention);
  if (part == "samples") run.samples.push_back(sample_set_of(dataset));
  if (part == "model") run.weights.push_back(weights_of(dataset));
  if (part == "checkpoint") run.checkpoint = checkpoint_of(dataset);
}

void take_attributes(const StoredAttributes& attributes, RunRecord& run) {
  visit_attributes([&]<typename Field>(const char* name, Field RunRecord::*member) {
    const auto is_in = [&](const auto& names) {
      return std::ranges::find(names, name) != names.end();
    };
    const bool may_lack =
        is_in(added_attributes) || (run.schema_version == 1 && is_in(later_attributes));
    if (may_lack && !attributes.contains(name)) return;
    const auto& value = attribute_in<decltype(stored(run.*member))>(attributes, name);
    try {
      restore(value, run.*member);
    } catch (const StoreError& error) {
      throw StoreError(fmt::format("attribute '{}': {}", name, error.what()));
    }
  });
}

// A run of schema 1 kept its settings as text only. What its attributes say goes where tables look
// for it; options stay part of the names, which nothing takes apart.
void fill_in_first_schema(RunRecord& run) {
  run.positions = {{.encoding = run.encoding, .relation = run.relation}};
  run.settings = {{"data.task", run.task},
                  {"data.dataset", run.dataset},
                  {"train.size", fmt::format("{}", run.train_size)}};
}

// The groups of a run, in which others may have put something too.
bool is_in_group(const std::string& path) {
  const std::string group = path.substr(0, path.find('/'));
  return group == "encoding" || group == "attention" || group == "samples" || group == "model";
}

}  // namespace

StoredContents contents_of(const RunRecord& run) {
  StoredContents contents;
  visit_attributes(
      [&](const char* name, auto member) { contents.attributes[name] = stored(run.*member); });
  contents.datasets.push_back({"train", table_of(run.train)});
  contents.datasets.push_back({"evaluation", table_of(run.evaluation)});
  for (const LearnedTable& table : run.tables) put_learned(table, contents.datasets);
  for (const Monitor& monitor : run.attention) put_monitor(monitor, contents.datasets);
  int64_t last = 0;
  for (const SampleSet& set : run.samples) last = std::max(last, set.step);
  for (const SampleSet& set : run.samples) {
    contents.datasets.push_back(stored_samples(set, set.step == last));
  }
  for (const Weights& weights : run.weights) contents.datasets.push_back(stored_weights(weights));
  if (run.checkpoint && !is_finished(run.status)) {
    put_checkpoint(*run.checkpoint, contents.datasets);
  }
  return contents;
}

void check_schema(const StoredAttributes& attributes) {
  const auto version = attributes.find("schema_version");
  if (version == attributes.end()) {
    throw StoreError("not a run file: attribute 'schema_version' is missing");
  }
  const auto found = held<const int64_t>(version->second, "attribute 'schema_version'");
  if (found != current_schema && found != 1) {
    throw StoreError(fmt::format("schema version {}, this program reads versions 1 and {}", found,
                                 current_schema));
  }
}

RunRecord record_of(StoredContents contents) {
  RunRecord run;
  take_attributes(contents.attributes, run);
  if (run.schema_version == 1) fill_in_first_schema(run);
  for (const std::string name : {"train", "evaluation"}) {
    if (std::ranges::find(contents.datasets, name, &StoredDataset::path) ==
        contents.datasets.end()) {
      throw StoreError(fmt::format("dataset '{}' is missing", name));
    }
  }
  for (StoredDataset& dataset : contents.datasets) {
    try {
      take_dataset(dataset, run);
    } catch (const StoreError& error) {
      throw StoreError(fmt::format("dataset '{}': {}", dataset.path, error.what()));
    }
  }
  if (const std::string problem = problem_with(run); !problem.empty()) throw StoreError(problem);
  return run;
}

bool is_number_of_run(const std::string& path) {
  // The samples of a size by their positions are for curves: no table compares them.
  const bool samples = path.starts_with("samples/") && path.find("position ") == path.npos;
  return path == "train" || path == "evaluation" || samples;
}

bool is_part_of_run(const std::string& path) {
  return path == "train" || path == "evaluation" || path == "checkpoint" || is_in_group(path);
}

bool is_own(const std::string& path, const StoredAttributes& attributes) {
  if (!is_in_group(path)) return is_part_of_run(path);
  return attributes.contains("dimensions") || attributes.contains("samples") ||
         attributes.contains("weights") || path.ends_with(rows_ending);
}

}  // namespace relbias::results
