// SPDX-License-Identifier: Apache-2.0
// modalities/graph: dataset `graphml`, one graph a file, read by Boost.Graph.
#include <ATen/ATen.h>

#include <algorithm>
#include <boost/graph/graphml.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "modalities/graph/graph.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/plain/csv.h"

namespace relbias::modalities {
namespace {

constexpr int64_t most_depth = 1000;

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;
using Xml = boost::property_tree::ptree;

/// What a GraphML file says: nodes and edges in its order, the data of each by key.
class ReadGraph final : public boost::mutate_graph {
 public:
  explicit ReadGraph(bool directed) : directed_(directed) {}

  bool is_directed() const override { return directed_; }
  boost::any do_add_vertex() override {
    nodes.emplace_back();
    return nodes.size() - 1;
  }
  std::pair<boost::any, bool> do_add_edge(boost::any from, boost::any to) override {
    ends.push_back({static_cast<int64_t>(boost::any_cast<size_t>(from)),
                    static_cast<int64_t>(boost::any_cast<size_t>(to))});
    edges.emplace_back();
    return {edges.size() - 1, true};
  }
  void set_graph_property(const std::string& key, const std::string& value,
                          const std::string&) override {
    whole[key] = value;
  }
  void set_vertex_property(const std::string& key, boost::any node, const std::string& value,
                           const std::string&) override {
    nodes[boost::any_cast<size_t>(node)][key] = value;
  }
  void set_edge_property(const std::string& key, boost::any edge, const std::string& value,
                         const std::string&) override {
    edges[boost::any_cast<size_t>(edge)][key] = value;
  }

  Texts whole;
  std::vector<Texts> nodes, edges;
  std::vector<std::array<int64_t, 2>> ends;

 private:
  bool directed_;
};

// Where the markup that begins at `at` ends: at the last character of its closing mark.
size_t end_of_markup(std::string_view text, size_t at) {
  using Marks = std::pair<std::string_view, std::string_view>;
  for (const auto& [begin, end] : {Marks{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}) {
    if (!text.substr(at).starts_with(begin)) continue;
    const size_t found = text.find(end, at);
    return found == text.npos ? text.npos : found + end.size() - 1;
  }
  while ((at = text.find_first_of("\"'>", at)) != text.npos && text[at] != '>') {
    at = text.find(text[at], at + 1);  // a value in quotes may hold all signs
    if (at == text.npos) return at;
    ++at;
  }
  return at;
}

// Both readers recurse, and depth is what a stack ends at.
void check_depth(const std::string& file, std::string_view text) {
  int64_t depth = 0;
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at)) {
    const size_t end = end_of_markup(text, at);
    if (end == text.npos) return;  // the reader says what is wrong
    const char kind = text[at + 1];
    if (kind == '/') depth = std::max<int64_t>(0, depth - 1);
    if (kind != '/' && kind != '!' && kind != '?' && text[end - 1] != '/') ++depth;
    if (depth > most_depth) {
      input_error("{}: elements nested more than {} deep found", file, most_depth);
    }
    at = end;
  }
}

void collect(const Xml& xml, const std::string& kind, std::vector<const Xml*>& found) {
  for (const auto& [name, inner] : xml) {
    if (name == kind) found.push_back(&inner);
    collect(inner, kind, found);
  }
}

// Boost would read the first graph alone, make a node of every name that an edge has, and one of
// two nodes with the same name.
void check_names(const std::string& file, const std::string& text) {
  Xml document;
  std::istringstream stream(text);
  boost::property_tree::read_xml(stream, document);
  const size_t graphs = document.get_child("graphml").count("graph");
  if (graphs > 1) input_error("{}: {} graphs found, one expected", file, graphs);
  std::vector<const Xml*> nodes, edges;
  collect(document, "node", nodes);
  collect(document, "edge", edges);
  std::set<std::string> names;
  for (const Xml* node : nodes) {
    const auto name = node->get<std::string>("<xmlattr>.id");
    if (!names.insert(name).second) {
      input_error("{}: the node '{}' found twice, once expected", file, name);
    }
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    for (const char* end : {"source", "target"}) {
      const auto name = edges[e]->get<std::string>(std::string("<xmlattr>.") + end);
      if (names.count(name) != 0) continue;
      input_error("{}: edge {} has the {} '{}', a node of the file expected", file, e, end, name);
    }
  }
}

ReadGraph read_graph(const std::string& file, const std::string& text) {
  check_depth(file, text);
  for (const bool directed : {false, true}) {
    ReadGraph graph(directed);
    std::istringstream stream(text);
    try {
      boost::read_graphml(stream, graph, 0);
      check_names(file, text);
      return graph;
    } catch (const boost::directed_graph_error&) {
      continue;  // said to be directed: once more
    } catch (const InputError&) {
      throw;
    } catch (const std::exception& error) {
      input_error("{}: no GraphML: {}", file, error.what());
    }
  }
  input_error("{}: directed and undirected edges in one graph found, one kind expected", file);
}

/// Reads values by the keys that options name, and remembers which keys there are.
class Reader {
 public:
  explicit Reader(const Options& options) : options_(options) {}

  Tensor numbers(const std::string& file, const std::vector<Texts>& all,
                 const std::string& option) {
    std::vector<double> values;
    for (const Texts& texts : all) {
      auto& there = keys_[option];
      for (const auto& [key, value] : texts) there.insert(key);
      values.push_back(number(file, texts, options_.word(option)));
    }
    return at::tensor(values, at::kDouble);
  }

  /// A single graph or node may lack a key; one that none has is misspelt.
  void check_keys(const std::string& path) const {
    for (const auto& [option, there] : keys_) {
      const std::string& key = options_.word(option);
      if (there.contains(key)) continue;
      unknown_word(fmt::format("key ({}=) of {}", option, path), key, {there.begin(), there.end()});
    }
  }

 private:
  // `true` as XML writes it, `True` as Python does.
  static std::optional<bool> flag_of(std::string word) {
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word != "true" && word != "false") return std::nullopt;
    return word == "true";
  }
  static double number(const std::string& file, const Texts& texts, const std::string& key) {
    const auto found = texts.find(key);
    if (found == texts.end() || found->second.empty()) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (const auto flag = flag_of(found->second)) return *flag;
    const auto value = number_of(found->second);
    if (!value || std::abs(*value) > most_number) {
      input_error("{}: key {} has the value '{}', a number from {} to {} expected", file, key,
                  found->second, -most_number, most_number);
    }
    return *value;
  }

  const Options& options_;
  std::map<std::string, std::set<std::string>> keys_;  // by option
};

// Whole numbers 0, 1, 2 ... of nodes as categories.
int64_t add_node_categories(Graph& graph, const Tensor& values) {
  const Tensor whole = values.nan_to_num(-1.0);
  if ((whole < 0).logical_or(whole != whole.floor()).any().item<bool>()) {
    input_error("{}: a node without a category 0, 1, 2 ... found", graph.structure.name);
  }
  graph.categories = whole.to(at::kLong).unsqueeze(1);
  return whole.numel() == 0 ? 1 : whole.max().item<int64_t>() + 1;
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path path = options.word("path");
  if (path.empty()) input_error("dataset graphml: path= is missing, a folder of GraphML files");
  LeftOut left_out;
  const std::vector<std::string> names = fs::is_directory(path)
                                             ? files_below(path, {"graphml", "xml"}, &left_out)
                                             : std::vector<std::string>{path.filename().string()};
  const fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  const bool about_nodes = options.word("label").empty();
  if (about_nodes == options.word("node_label").empty()) {
    input_error(
        "dataset graphml: one of label= (a key of graphs) and node_label= (of nodes) "
        "expected");
  }
  Reader reader(options);
  GraphSource source{.train_nodes = options.integer("train_nodes")};
  int64_t empty = 0, most = 1;
  std::vector<File> files;
  std::vector<Tensor> categories;
  for (const std::string& name : names) {
    files.push_back({name, read_file(folder / name)});
    const std::string file = (folder / name).string();
    const ReadGraph read = read_graph(file, files.back().bytes);
    if (read.nodes.empty()) {
      ++empty;
      continue;
    }
    Graph graph = new_graph("graph " + name, static_cast<int64_t>(read.nodes.size()));
    edit_graph(graph.structure).edges = read.ends;
    edit_graph(graph.structure).both_ways = !read.is_directed();
    graph.labels = {about_nodes ? reader.numbers(file, read.nodes, "node_label")
                                : reader.numbers(file, {read.whole}, "label")};
    if (!options.word("node_category").empty()) {
      categories.push_back(reader.numbers(file, read.nodes, "node_category"));
    }
    if (!options.word("weight").empty() && !read.edges.empty()) {
      const Tensor weights = reader.numbers(file, read.edges, "weight");
      edit_graph(graph.structure)
          .edge_weights.assign(weights.data_ptr<double>(),
                               weights.data_ptr<double>() + weights.numel());
    }
    source.graphs.push_back(std::move(graph));
  }
  reader.check_keys(path.string());
  for (size_t g = 0; g < categories.size(); ++g) {
    most = std::max(most, add_node_categories(source.graphs[g], categories[g]));
    source.category_counts = {most};
  }
  GraphTarget target{.name = options.word(about_nodes ? "node_label" : "label"),
                     .about = about_nodes ? Question::About::token : Question::About::sample};
  if (options.word("labels") == "categories") {
    target.kind = Question::Kind::category;
    for (const Graph& graph : source.graphs) {
      const Tensor known = graph.labels[0].nan_to_num(0.0);
      target.categories = std::max(target.categories, known.max().item<int64_t>() + 1);
    }
  }
  source.targets = {target};
  source.content_hash = content_hash(files);
  source.origin = fmt::format("graphml {}: {} files, {} empty graphs left out{}", path.string(),
                              files.size(), empty, left_out.text(/*all=*/true));
  return std::make_unique<GraphDataset>(std::move(source));
}

}  // namespace

/// One graph a file, directed or not as it says (its edges have a direction where a relation asks
/// for it). Values belong to keys by their names (attr.name). A key that nothing in any file has is
/// an error that lists those there are; a node or graph without a label has none, and is not
/// scored.
DatasetEntry dataset_graphml() {
  return {
      .version = 2,
      .summary = "a folder of GraphML files with labels of graphs or nodes",
      .options = {{"path", std::string(), "the folder"},
                  {"label", std::string(), "key of the graphs' label"},
                  {"node_label", std::string(), "key of the nodes' label, instead of the graphs'"},
                  {"labels", "numbers", "what the labels are", {"numbers", "categories"}},
                  {"node_category", std::string(), "key of the nodes' category 0, 1, 2 ..."},
                  {"weight", std::string(), "key of the edges' weight"},
                  {"train_nodes", int64_t{0}, "larger graphs test alone; 0: none", {}, 0}},
      .make = make,
  };
}

}  // namespace relbias::modalities
