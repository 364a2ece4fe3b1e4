// SPDX-License-Identifier: Apache-2.0
// modalities/graph: graphs with what is known of their nodes and what is asked of them, in three
// splits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modalities/modality.h"
#include "modalities/plain/files.h"
#include "modalities/sampling/split.h"

namespace relbias::modalities {

/// The most categories that a label or a column of the nodes may have: each takes a row of a table.
inline constexpr int64_t most_categories = int64_t{1} << 20;

/// One graph. `structure` has its name, its edges as they were read and a place where relations
/// keep what they compute; its tokens are the nodes.
struct Graph {
  Structure structure{};
  Tensor categories{};           // [N, C] int64, each below its column's count; undefined: none
  Tensor numbers{};              // [N, F] float32; undefined: none
  std::vector<Tensor> labels{};  // one a target: [1] or, of nodes, [N] float64; NaN: not known
  std::optional<Split> split{};  // where the source says it
  std::string key{};             // what divides it: its canonical SMILES; empty: its content
};

/// What the graphs of a dataset are labelled with.
struct GraphTarget {
  std::string name;
  Question::Kind kind = Question::Kind::number;  // a number or a category
  Question::About about = Question::About::sample;
  int64_t categories = 0;
  bool steps = false;  // counts steps of the relation
  std::string gate{};  // what it isolates, where the relation states or nearly states it
};

/// What a graph dataset was read from.
struct GraphSource {
  std::string origin;        // for the report: what was read, what was skipped
  std::string content_hash;  // of the files as they were found
  std::vector<Graph> graphs;
  std::vector<GraphTarget> targets;
  std::vector<int64_t> category_counts;  // C
  int64_t number_count = 0;              // F
  int64_t train_nodes = 0;               // larger graphs are for testing alone; 0: none is
};

/// A graph as it is read: `nodes` nodes, no edge yet, and a place to keep relations.
Graph new_graph(std::string name, int64_t nodes);

/// Graphs in the order of the source. Unless the source has splits of its own, graphs of at most
/// `train_nodes` nodes are divided by key or content (modalities/division.h) into 80 % train, 5 %
/// validation and 15 % test, and all larger ones test. Self loops, repeated edges, isolated nodes
/// and graphs in several parts are ordinary and counted in the report; a label that is NaN is
/// missing.
class GraphDataset final : public Dataset {
 public:
  /// Throws InputError where a graph names a node or a category that there is not, has a label that
  /// does not fit its target or a number that is not finite, or where a split is left without
  /// graphs.
  explicit GraphDataset(GraphSource source);

  std::string content_hash() const override { return source_.content_hash; }
  std::string report() const override { return report_; }

  const std::vector<const Graph*>& graphs(Split split) const {
    return splits_[static_cast<size_t>(split)];
  }
  const std::vector<GraphTarget>& targets() const { return source_.targets; }
  const std::vector<int64_t>& category_counts() const { return source_.category_counts; }
  int64_t number_count() const { return source_.number_count; }

 private:
  void check() const;
  void divide();
  void count();

  GraphSource source_;
  std::string report_;
  std::array<std::vector<const Graph*>, 3> splits_;
};

}  // namespace relbias::modalities
