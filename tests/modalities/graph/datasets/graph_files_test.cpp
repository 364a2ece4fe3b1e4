// SPDX-License-Identifier: Apache-2.0
// tests: datasets of graphs from files: GraphML, TUDataset, OGB.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <cmath>

#include "modalities/graph/graph.h"
#include "modalities/graph/graph_structure.h"
#include "tests/modalities/graph/graphs.h"
#include "tests/scratch_folder.h"

namespace relbias::modalities {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Loaded {
  std::unique_ptr<Dataset> dataset;
  const GraphDataset* operator->() const {
    return dynamic_cast<const GraphDataset*>(dataset.get());
  }
  const Graph& graph(const std::string& name) const {
    for (const Split split : all_splits) {
      for (const Graph* graph : (*this)->graphs(split)) {
        if (graph->structure.name == name) return *graph;
      }
    }
    throw std::logic_error("no graph " + name);
  }
};

Loaded load(const std::string& name, const std::string& options) {
  const auto& entry = find_entry("dataset", name, dataset_entries());
  return {entry.make(parse_options("dataset", name + " " + options, entry.options))};
}

std::string graphml(const std::string& body, const std::string& direction = "undirected") {
  return R"(<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k0" for="graph" attr.name="toxic" attr.type="boolean"/>
<key id="k1" for="node" attr.name="kind" attr.type="int"/>
<key id="k2" for="edge" attr.name="length" attr.type="double"/>
<graph id="G" edgedefault=")" +
         direction + "\">" + body + "</graph></graphml>";
}

const std::string three =
    R"(<data key="k0">true</data><node id="a"><data key="k1">2</data></node>
<node id="b"><data key="k1">0</data></node><node id="c"><data key="k1">1</data></node>
<edge source="a" target="b"><data key="k2">1.5</data></edge>
<edge source="b" target="c"><data key="k2">2</data></edge>)";

// g0.graphml as it stands, g1 to g3 with lone nodes more: copies of one graph are in one split.
void write_four(const ScratchFolder& folder, const std::string& body) {
  std::string lone;
  for (int n = 0; n < 4; ++n) {
    folder.write(fmt::format("g{}.graphml", n), graphml(body + lone));
    lone += fmt::format("<node id=\"lone{}\"><data key=\"k1\">1</data></node>", n);
  }
}

TEST(Graphml, ReadsNodesEdgesAndKeys) {
  const ScratchFolder folder;
  write_four(folder, three);
  folder.write("empty.graphml", graphml(""));
  folder.write("directed.graphml", graphml(three, "directed"));
  const std::string path = "path=" + folder.path().string();
  const Loaded loaded =
      load("graphml", path + " label=toxic labels=categories node_category=kind weight=length");
  EXPECT_THAT(loaded->report(), HasSubstr("6 files, 1 empty graphs left out"));
  const Graph& graph = loaded.graph("graph g0.graphml");
  EXPECT_EQ(graph_of(graph.structure).nodes, 3);
  EXPECT_THAT(graph_of(graph.structure).edges, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
  EXPECT_THAT(graph_of(graph.structure).edge_weights, ElementsAre(1.5, 2));
  EXPECT_MATRIX(graph.categories.t(), matrix({{2, 0, 1}}));
  EXPECT_EQ(graph.labels[0].item<double>(), 1);
  EXPECT_EQ(graph_of(loaded.graph("graph directed.graphml").structure).edges.size(), 2u);
  const Loaded nodes = load("graphml", path + " node_label=kind");
  EXPECT_MATRIX(nodes.graph("graph g0.graphml").labels[0].unsqueeze(0), matrix({{2, 0, 1}}));
}

// As networkx writes what Python calls True.
TEST(Graphml, TruthIsReadHoweverItIsSpelt) {
  for (const auto& [word, value] : std::map<std::string, double>{
           {"True", 1}, {"False", 0}, {"true", 1}, {"FALSE", 0}, {"1", 1}, {"0", 0}}) {
    const ScratchFolder folder;
    std::string body = three;
    body.replace(body.find("true"), 4, word);
    write_four(folder, body);
    const Loaded loaded = load("graphml", "path=" + folder.path().string() + " label=toxic");
    EXPECT_EQ(loaded.graph("graph g0.graphml").labels[0].item<double>(), value) << word;
  }
}

TEST(Graphml, NamesWhatIsWrong) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text, const std::string& options) {
    folder.write("g.graphml", text);
    return error_of([&] { load("graphml", "path=" + folder.path().string() + " " + options); });
  };
  EXPECT_THAT(message(graphml(three), "label=toxid"),
              AllOf(HasSubstr("unknown key (label=) of " + folder.path().string()),
                    HasSubstr("did you mean 'toxic'? valid: toxic")));
  EXPECT_THAT(message(graphml(three), "node_label=length"), HasSubstr("valid: kind"));
  EXPECT_THAT(message(graphml(three), "label=toxic weight=len"), HasSubstr("valid: length"));
  EXPECT_THAT(message(graphml(three), "label=toxic node_category=knd"),
              HasSubstr("did you mean 'kind'? valid: kind"));
  EXPECT_THAT(message(graphml(three), ""), HasSubstr("one of label="));
  EXPECT_THAT(message("no xml", "label=toxic"), HasSubstr("g.graphml: no GraphML"));
  EXPECT_THAT(message(graphml(R"(<node id="a"/><edge source="a" target="z"/>)"), "label=toxic"),
              HasSubstr("g.graphml"));
  EXPECT_THAT(message(graphml(R"(<node id="a"><data key="k1">-3</data></node>)"),
                      "node_label=kind node_category=kind"),
              HasSubstr("a node without a category 0, 1, 2 ... found"));
  EXPECT_THAT(message(graphml(three + R"(<edge source="a" target="z"/>)"), "label=toxic"),
              HasSubstr("g.graphml: edge 2 has the target 'z', a node of the file expected"));
  EXPECT_THAT(message(graphml(three + R"(<node id="b"/>)"), "label=toxic"),
              HasSubstr("g.graphml: the node 'b' found twice, once expected"));
  EXPECT_THAT(message(graphml(three + R"(</graph><graph edgedefault="directed">)"), "label=toxic"),
              HasSubstr("g.graphml: 2 graphs found, one expected"));
  const std::string half = R"(<data key="k0">1.5</data><node id="a"/>)";
  EXPECT_THAT(message(graphml(half), "label=toxic labels=categories"),
              HasSubstr("graph g.graphml: label 'toxic' has the category 1.5, a whole number"));
  const std::string large = R"(<data key="k0">1e300</data><node id="a"/>)";
  EXPECT_THAT(message(graphml(large), "label=toxic"),
              HasSubstr("g.graphml: key toxic has the value '1e300', a number from -1e+18 to"));
}

TEST(Graphml, AGraphMayLackTheLabelThatOthersHave) {
  const ScratchFolder folder;
  write_four(folder, three);
  folder.write("bare.graphml", graphml(R"(<node id="a"/>)"));
  for (const char* labels : {"numbers", "categories"}) {
    const Loaded loaded = load(
        "graphml", fmt::format("path={} label=toxic labels={}", folder.path().string(), labels));
    EXPECT_THAT(loaded->report(), AllOf(HasSubstr("5 files"), HasSubstr("1 missing labels")));
    EXPECT_TRUE(std::isnan(loaded.graph("graph bare.graphml").labels[0].item<double>()));
    EXPECT_EQ(loaded.graph("graph g0.graphml").labels[0].item<double>(), 1);
  }
}

TEST(Graphml, DepthIsRefusedBeforeItEndsTheStack) {
  const ScratchFolder folder;
  std::string deep;
  for (int n = 0; n < 40'000; ++n) deep += "<a>";
  for (int n = 0; n < 40'000; ++n) deep += "</a>";
  folder.write("g.graphml", "<graphml>" + deep + "</graphml>");
  EXPECT_THAT(error_of([&] { load("graphml", "label=toxic path=" + folder.path().string()); }),
              HasSubstr("g.graphml: elements nested more than 1000 deep found"));
}

// A tag ends at the > behind its values, which may hold one.
TEST(Graphml, ManyElementsAreNotDeep) {
  const ScratchFolder folder;
  std::string wide = three;
  for (int n = 0; n < 1500; ++n) {
    wide += fmt::format("<!-- <a> --><edge id=\"a->b {}\" source=\"a\" target=\"b\"/>\n", n);
  }
  write_four(folder, wide);
  const Loaded loaded = load("graphml", "label=toxic path=" + folder.path().string());
  EXPECT_EQ(graph_of(loaded.graph("graph g0.graphml").structure).edges.size(), 1502u);
}

// Twelve paths of three nodes, every edge listed in both directions.
struct TuFiles {
  std::string edges, indicator, labels, nodes;
};

TuFiles tu_files() {
  TuFiles files;
  for (int n = 0; n < 12; ++n) {
    const int first = 3 * n + 1;
    for (const auto& [a, b] : {std::pair{0, 1}, std::pair{1, 2}}) {
      files.edges += fmt::format("{}, {}\n{}, {}\n", first + a, first + b, first + b, first + a);
    }
    for (int node = 0; node < 3; ++node) {
      files.indicator += fmt::format("{}\n", n + 1);
      files.nodes += fmt::format("{}\n", 5 + 2 * (node == 2 && n > 3 ? n % 4 : node));
    }
    files.labels += n % 2 == 0 ? "-1\n" : "1\n";
  }
  return files;
}

std::string write_tu(const ScratchFolder& folder, const TuFiles& files) {
  folder.write("DS_A.txt", files.edges);
  folder.write("DS_graph_indicator.txt", files.indicator);
  folder.write("DS_graph_labels.txt", files.labels);
  folder.write("DS_node_labels.txt", files.nodes);
  return "path=" + folder.path().string();
}

TEST(TuDataset, ReadsGraphsLabelsAndNodes) {
  const ScratchFolder folder;
  const Loaded loaded = load("tudataset", write_tu(folder, tu_files()));
  EXPECT_THAT(loaded->report(),
              HasSubstr("edges of 12 graphs listed in both directions, kept once"));
  const Graph& graph = loaded.graph("graph 2 of DS");
  EXPECT_THAT(graph_of(graph.structure).edges, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
  EXPECT_TRUE(graph_of(graph.structure).both_ways);
  EXPECT_MATRIX(graph.categories.t(), matrix({{0, 1, 2}}));
  EXPECT_EQ(graph.labels[0].item<double>(), 1);
  EXPECT_EQ(loaded.graph("graph 1 of DS").labels[0].item<double>(), 0);
  EXPECT_EQ(loaded->targets()[0].categories, 2);
}

TEST(TuDataset, NamesWhatIsWrong) {
  const auto message = [](const std::function<void(TuFiles&)>& change) {
    const ScratchFolder folder;
    TuFiles files = tu_files();
    change(files);
    const std::string path = write_tu(folder, files);
    return error_of([&] { load("tudataset", path); });
  };
  EXPECT_THAT(message([](TuFiles& f) { f.labels += "1\n"; }),
              HasSubstr("DS_graph_labels.txt: 13 lines found, one for each of 12 graphs expected"));
  EXPECT_THAT(message([](TuFiles& f) { f.nodes += "1\n"; }),
              HasSubstr("DS_node_labels.txt: 37 lines found, one for each of 36 nodes expected"));
  EXPECT_THAT(message([](TuFiles& f) { f.labels.replace(0, 2, "0.5"); }),
              HasSubstr("DS_graph_labels.txt, line 1: 0.5 found, a whole number expected"));
  EXPECT_THAT(message([](TuFiles& f) { f.edges += "1, 37\n"; }),
              HasSubstr("DS_A.txt, line 49, column 2: '37' found, a node from 1 to 36 expected"));
  for (const char* place : {"nan", "", "1.5", "0"}) {
    EXPECT_THAT(message([&](TuFiles& f) { f.edges += fmt::format("{},1\n", place); }),
                HasSubstr(fmt::format("line 49, column 1: '{}' found, a node from 1", place)));
  }
  EXPECT_THAT(message([](TuFiles& f) { f.edges += "1, 36\n"; }),
              HasSubstr("line 49: an edge from graph 1 to graph 12"));
  EXPECT_THAT(message([](TuFiles& f) { f.indicator += "40\n"; }),
              HasSubstr("line 37, column 1: '40' found, a graph from 12 to 13 expected"));
  for (const char* place : {"nan", "12.5"}) {
    EXPECT_THAT(message([&](TuFiles& f) { f.indicator += fmt::format("{}\n", place); }),
                HasSubstr(fmt::format("line 37, column 1: '{}' found, a graph from", place)));
  }
  EXPECT_THAT(message([](TuFiles& f) { f.indicator.clear(); }),
              HasSubstr("DS_graph_indicator.txt is empty"));
  EXPECT_THAT(message([](TuFiles& f) { f.nodes.replace(0, 1, "nan"); }),
              HasSubstr("DS_node_labels.txt, line 1: 'nan' found, the label of a node expected"));
  EXPECT_THAT(message([](TuFiles& f) { f.edges += "1, x\n"; }),
              HasSubstr("DS_A.txt, line 49, column 2: 'x' found"));
}

void write_compressed(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  const gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
}

std::string write_ogb(const ScratchFolder& folder, const std::string& labels) {
  std::string nodes, counts, edges, features;
  for (int n = 0; n < 6; ++n) {
    nodes += "2\n";
    counts += "1\n";
    edges += "0,1\n";
    features += fmt::format("{},0\n8,1\n", n == 3 ? 6 : n);  // no two graphs are copies
  }
  const auto put = [&](const std::string& name, const std::string& text) {
    write_compressed(folder.path() / name, text);
  };
  put("raw/num-node-list.csv.gz", nodes);
  put("raw/num-edge-list.csv.gz", counts);
  put("raw/edge.csv.gz", edges);
  put("raw/node-feat.csv.gz", features);
  put("raw/edge-feat.csv.gz", "0,1\n0,1\n0,1\n0,1\n0,1\n0,1\n");
  put("raw/graph-label.csv.gz", labels);
  put("split/scaffold/train.csv.gz", "5\n0\n1\n");
  put("split/scaffold/valid.csv.gz", "2\n");
  put("split/scaffold/test.csv.gz", "3\n4\n");
  return "path=" + folder.path().string();
}

TEST(OgbCsv, ReadsCompressedFilesSplitsAndMissingLabels) {
  const ScratchFolder folder;
  const Loaded loaded = load("ogb-csv", write_ogb(folder, "1\n0\n\n1\n0\n1\n"));
  const auto named = [&](int n) {
    return fmt::format("graph {} of {}", n, folder.path().string());
  };
  EXPECT_THAT(loaded->report(),
              HasSubstr("split scaffold, 0 empty graphs and 0 in no part of the split left out"));
  EXPECT_THAT(loaded->report(), HasSubstr("1 missing labels"));
  EXPECT_EQ(loaded->graphs(Split::train).size(), 3u);
  EXPECT_EQ(loaded->graphs(Split::validation).front()->structure.name, named(2));
  EXPECT_TRUE(std::isnan(loaded.graph(named(2)).labels[0].item<double>()));
  EXPECT_MATRIX(loaded.graph(named(3)).categories, matrix({{6, 0}, {8, 1}}));
  EXPECT_THAT(loaded->category_counts(), ElementsAre(9, 2));
  EXPECT_MATRIX(graph_of(loaded.graph(named(3)).structure).edge_features, matrix({{0, 1}}));
  EXPECT_THAT(graph_of(loaded.graph(named(3)).structure).edges, ElementsAre(ElementsAre(0, 1)));
  EXPECT_FALSE(graph_of(loaded.graph(named(3)).structure).both_ways);
}

TEST(OgbCsv, GraphsThatTheSplitDoesNotListAreLeftOut) {
  const ScratchFolder folder;
  const std::string path = write_ogb(folder, "1\n0\n1\n1\n0\n1\n");
  write_compressed(folder.path() / "split/scaffold/train.csv.gz", "5\n");
  const Loaded loaded = load("ogb-csv", path);
  EXPECT_THAT(loaded->report(), HasSubstr("0 empty graphs and 2 in no part of the split left out"));
  EXPECT_EQ(loaded->graphs(Split::train).size(), 1u);
  EXPECT_EQ(loaded->graphs(Split::test).size(), 2u);
}

TEST(OgbCsv, WhatIsNoCountNodeGraphOrCategoryIsNamed) {
  const auto message = [](const std::string& file, const std::string& text) {
    const ScratchFolder folder;
    const std::string path = write_ogb(folder, "1\n0\n1\n1\n0\n1\n");
    write_compressed(folder.path() / (file + ".csv.gz"), text);
    return error_of([&] { load("ogb-csv", path + " labels=categories"); });
  };
  for (const char* count : {"nan", "1.5", "-1", "1e17"}) {
    for (const char* list : {"node", "edge"}) {
      EXPECT_THAT(
          message(fmt::format("raw/num-{}-list", list), fmt::format("2\n{}\n2\n2\n2\n2\n", count)),
          HasSubstr(fmt::format("num-{}-list.csv, line 2, column 1: '{}' found, a count from 0 to",
                                list, count)));
    }
  }
  for (const char* node : {"nan", "0.5", "2"}) {
    EXPECT_THAT(
        message("raw/edge", fmt::format("0,1\n0,{}\n0,1\n0,1\n0,1\n0,1\n", node)),
        HasSubstr(fmt::format("edge.csv, line 2, column 2: '{}' found, a node from 0 to 1", node)));
  }
  for (const char* graph : {"nan", "0.5", "6"}) {
    EXPECT_THAT(message("split/scaffold/train", fmt::format("5\n{}\n", graph)),
                HasSubstr(fmt::format(
                    "train.csv, line 2, column 1: '{}' found, a graph from 0 to 5", graph)));
  }
  EXPECT_THAT(message("split/scaffold/test", "3\n0\n"),
              HasSubstr("test.csv, line 2: graph 0 found, which is listed before, in train.csv"));
  for (const char* label : {"0.5", "-1", "4000000000"}) {
    EXPECT_THAT(
        message("raw/graph-label", fmt::format("0\n1\n{}\n1\n0\n1\n", label)),
        HasSubstr(fmt::format("graph-label.csv, line 3, column 1: '{}' found, a category from "
                              "0 to 1048575",
                              label)));
  }
  EXPECT_THAT(message("raw/node-feat",
                      "4000000000,0\n8,1\n6,0\n8,1\n6,0\n8,1\n6,0\n8,1\n6,0\n8,1\n6,0\n8,1\n"),
              AllOf(HasSubstr("graph 0 of /"),
                    HasSubstr(": node category 0 has values from 8 to 4000000000")));
  EXPECT_THAT(message("raw/edge-feat", "0,1\n0,\n0,1\n0,1\n0,1\n0,1\n"),
              AllOf(HasSubstr("graph 1 of /"),
                    HasSubstr(": a feature of edge 0 (0-1) is missing or not finite")));
}

TEST(OgbCsv, NamesWhatIsWrong) {
  const ScratchFolder folder;
  const std::string path = write_ogb(folder, "1\n0\n1\n");
  EXPECT_THAT(error_of([&] { load("ogb-csv", path); }),
              HasSubstr("graph-label.csv: 3 lines found, one for each of 6 graphs expected"));
  write_ogb(folder, "1\n0\n1\n0\n1\n0\n");
  EXPECT_THAT(error_of([&] { load("ogb-csv", path + " split=elsewhere"); }),
              HasSubstr("is no folder of a split"));
  EXPECT_THAT(load("ogb-csv", path + " split=random")->report(), HasSubstr("split random"));
  std::filesystem::create_directory(folder.path() / "split/other");
  EXPECT_THAT(error_of([&] { load("ogb-csv", path); }),
              HasSubstr("split: 2 splits found: other, scaffold, one expected; choose with "
                        "split=NAME, or split=random"));
  std::filesystem::remove(folder.path() / "split/other");
  folder.write("raw/edge.csv.gz", "not compressed");
  EXPECT_THAT(error_of([&] { load("ogb-csv", path); }),
              HasSubstr("edge.csv.gz: the compressed data ends or is damaged"));
  std::filesystem::remove(folder.path() / "raw/edge.csv.gz");
  EXPECT_THAT(error_of([&] { load("ogb-csv", path); }),
              HasSubstr("does not exist, nor does edge.csv.gz"));
}

}  // namespace
}  // namespace relbias::modalities
