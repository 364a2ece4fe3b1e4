// SPDX-License-Identifier: Apache-2.0
// tests: every option of every encoding and relation changes a number somewhere, or is refused
// there with the reason: two spellings of one experiment would be two runs with the same numbers.
#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "encodings/attention/attention.h"
#include "modalities/seed.h"
#include "tests/encodings/relation_cases.h"
#include "tests/error_of.h"

namespace relbias::encodings {
namespace {

using Written = std::map<std::string, std::string>;

std::string text_of(const std::string& name, const Written& options) {
  std::string text = name;
  for (const auto& [key, value] : options) text += " " + key + "=" + value;
  return text;
}

Written written(const std::string& text) {
  Written options;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    options[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return options;
}

// Values worth trying beside the default; those out of range are refused, which is no help.
std::vector<std::string> values_of(const OptionSpec& spec, int64_t pairs = 1) {
  if (std::holds_alternative<bool>(spec.value)) {
    return {std::get<bool>(spec.value) ? "false" : "true"};
  }
  if (std::holds_alternative<std::string>(spec.value)) {
    if (!spec.choices.empty()) return spec.choices;
    return {"1.5", fmt::format(
                       "{}", fmt::join(std::vector<double>(static_cast<size_t>(pairs), 1.5), ","))};
  }
  std::vector<std::string> values;
  for (const double value : {2.0, 3.0, 4.0, 5.0, 8.0, 0.5, 0.25, 0.01}) {
    const bool whole = value == std::round(value);
    if (value < spec.minimum || value > spec.maximum) continue;
    if (whole) values.push_back(fmt::format("{:.0f}", value));
    if (!whole && std::holds_alternative<double>(spec.value)) {
      values.push_back(fmt::format("{}", value));
    }
  }
  return values;
}

// `1.5,1.5`
std::string list_of(int64_t count, const char* number) {
  return fmt::format("{}",
                     fmt::join(std::vector<std::string>(static_cast<size_t>(count), number), ","));
}

// Under which other options an option may have something to do.
std::vector<std::string> contexts_of(const std::string& name, int64_t pairs = 1) {
  if (name == "t5") return {"", "num_buckets=4"};
  if (name == "deberta") return {"", "buckets=4", "buckets=0"};
  if (name == "irpe") return {"", "method=euclidean", "mode=bias"};
  if (name == "table") return {"", "past_range=interpolate"};
  if (name == "hops") return {"", "weighted=true"};
  if (name != "rope" && name != "xpos") return {""};
  const std::string longrope =
      fmt::format("scaling=longrope factor=2 short_factor={} long_factor={}", list_of(pairs, "1"),
                  list_of(pairs, "2"));
  return {"",
          "scaling=linear factor=2",
          "scaling=dynamic-ntk factor=2",
          "scaling=yarn factor=4 trained=512 base=10",
          "scaling=yarn factor=4 trained=512 base=10 beta_fast=2 beta_slow=0.5 truncate=false",
          "scaling=yarn factor=4 mscale=0.5 mscale_all_dim=1",
          longrope,
          longrope + " trained=2",
          "scaling=llama3 factor=4",
          "scaling=llama3 factor=4 low_freq_factor=0.5"};
}

// Numbers as text, so that they can be put together with the reasons why there are none.
std::string numbers(const Tensor& x) {
  if (!x.defined()) return "-";
  const Tensor flat = x.detach().to(at::kDouble).flatten();
  const Tensor weights = at::arange(1, flat.numel() + 1, at::kDouble).sin();
  return fmt::format("{} {:.12g} {:.12g};", fmt::join(x.sizes(), "x"),
                     (flat * weights).nan_to_num(-1).sum().item<double>(),
                     flat.abs().nan_to_num(-1).sum().item<double>());
}

/// What an option made, or why it was refused.
struct Outcome {
  std::string made;
  bool refused = false;
};

std::string outputs(Encoding& encoding, const EncodingEntry& entry, const RelationCase& relation,
                    const RelationMap& map, bool causal) {
  at::Generator generator = stream(5, "every option");
  const auto draw = [&](at::IntArrayRef shape) {
    return at::empty(shape).normal_(0, 1, generator);
  };
  const int64_t width = relation.head_width;  // two heads; two samples, as their ids
  if (const auto reason = encoding.undefined_at(map)) return *reason;
  if (entry.on_tokens) return numbers(encoding.tokens(draw({2, map.keys, 2 * width}), map));
  const Tensor q = draw({2, 2, map.queries, width}), k = draw({2, 2, map.keys, width}),
               v = draw({2, 2, map.keys, width});
  const Terms terms = encoding.terms(map);
  // Tables too: an example may not meet every id.
  return numbers(attention(q, k, v, {{map, terms}}, {.causal = causal}).out) +
         numbers(terms.score) + numbers(terms.key) + numbers(terms.table_rows);
}

Outcome outcome(const EncodingEntry& entry, const RelationCase& relation, const std::string& text) {
  Outcome found;
  for (const bool causal : {false, true}) {
    found.made += '|';
    try {
      const EncodingContext context = context_for(relation, causal);
      const auto encoding =
          make_encoding(parse_encoding(text), relation.name, context, Initialiser(3));
      const auto larger = relation.map(4 * relation.tokens, 4 * relation.tokens);
      found.made += outputs(*encoding, entry, relation, context.trained, causal);
      if (!larger.sides.empty()) found.made += outputs(*encoding, entry, relation, larger, causal);
      found.made +=
          fmt::format("rate {} parameters {}", encoding->rate(), encoding->parameters().size());
    } catch (const InputError& error) {
      EXPECT_GT(std::string(error.what()).size(), 20u) << text;
      found.made += "refused";
    }
  }
  found.refused = found.made == "|refused|refused";
  return found;
}

// On a tree and on a graph of a few ids options of far distances have nothing to do; the relations
// of the catalogue have all ids.
std::vector<EncodingCase> cases_with_every_id() {
  std::vector<EncodingCase> cases = defined_cases();
  std::erase_if(cases, [](const EncodingCase& test) {
    return test.relation == "small-tree" || test.relation == "small-hops";
  });
  return cases;
}

class EveryOption : public ::testing::TestWithParam<EncodingCase> {};

TEST_P(EveryOption, ChangesANumberOrIsRefused) {
  const at::NoGradGuard no_gradients;
  RelationCase relation = relation_case(GetParam().relation);
  relation.head_width = 24;  // as many pairs of channels an axis as scalings need to differ
  const int64_t pairs = 12 / std::max<int64_t>(relation.traits.coordinates, 1);
  const auto sides = relation.map(relation.tokens, relation.tokens).sides;
  const bool grows = relation.map(4 * relation.tokens, 4 * relation.tokens).sides != sides;
  const auto& entry = find_entry("encoding", GetParam().encoding, encoding_entries());
  for (const OptionSpec& spec : encoding_options(entry)) {
    // Of a model's layers; of all encodings of a run alike.
    if (spec.name == "shared" || spec.name == "encoding_rate") continue;
    const bool of_sizes =
        spec.name == "past_range" || (spec.name == "kernel" && entry.name == "table");
    if (of_sizes && !grows && !sides.empty()) continue;  // an example of one size
    bool changes = false;
    std::string accepted;
    for (const std::string& context : contexts_of(entry.name, pairs)) {
      if (changes) break;
      const Written options = written(context);
      const std::string before = text_of(entry.name, options);
      const Outcome plain = outcome(entry, relation, before);
      if (plain.refused) continue;
      for (const std::string& value : values_of(spec, pairs)) {
        if (changes || option_text(spec.value) == value) continue;
        Written changed = options;
        changed[spec.name] = value;
        const std::string text = text_of(entry.name, changed);
        const Outcome found = outcome(entry, relation, text);
        changes = !found.refused && found.made != plain.made;
        if (!found.refused) accepted = text;
      }
    }
    EXPECT_TRUE(changes || accepted.empty())
        << accepted << " on " << relation.name << " changes nothing";
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryOption, ::testing::ValuesIn(cases_with_every_id()),
                         [](const auto& test) { return case_name(test.param); });

// An example in which every option of a relation has something to do: two shortest paths that
// differ, weights, directions.
std::string example_of(const std::string& name) {
  const std::string graph = " edges=0-1:2,1-2:1.5,0-3:1,3-2:4,2-4:1 nodes=6";
  if (name == "hops" || name == "edges" || name == "random-walk" || name == "spectrum") {
    return graph;
  }
  return "";
}

std::string made_by(const std::string& text) {
  const auto relation = make_relation(text);
  const Structure sample = relation->structure(std::nullopt, std::nullopt);
  const RelationMap map = relation->map(sample);
  std::string made = fmt::format("{} {} {} {} {};", map.rows, map.queries, map.keys,
                                 map.unit_seconds, fmt::join(map.sides, "x"));
  for (const Tensor& tensor : {map.index, map.offsets, map.distance, map.special, map.features,
                               map.query_coordinates, map.key_coordinates, map.unplaced}) {
    made += numbers(tensor);
  }
  return made;
}

TEST(EveryRelationOption, ChangesANumberOrIsRefused) {
  for (const auto& entry : relation_entries()) {
    for (const OptionSpec& spec : entry.options) {
      if (spec.of_example) continue;
      bool changes = false;
      std::string accepted;
      for (const std::string& context : contexts_of(entry.name)) {
        const std::string base = entry.name + example_of(entry.name) + " " + context;
        const std::string plain = made_by(base);
        for (const std::string& value : values_of(spec)) {
          if (option_text(spec.value) == value) continue;
          const std::string text = base + " " + spec.name + "=" + value;
          if (error_of([&] { changes |= made_by(text) != plain; }) == "no error") accepted = text;
        }
      }
      EXPECT_TRUE(changes || accepted.empty()) << accepted << " changes nothing";
    }
  }
}

TEST(UnreadOptions, AreRefusedWithTheReason) {
  const auto reason = [](const char* text, const char* relation) {
    return error_of([&] {
      const RelationCase found = relation_case(relation);
      make_encoding(parse_encoding(text), relation, context_for(found, true), Initialiser(1));
    });
  };
  const auto expect = [&](const char* text, const char* relation, const char* part) {
    EXPECT_NE(reason(text, relation).find(part), std::string::npos) << reason(text, relation);
  };
  expect("rope scaling=yarn factor=4 mscale=0.5", "token", "belong together");
  expect("rope scaling=yarn factor=4 mscale_all_dim=0.5", "token", "belong together");
  expect("rope scaling=yarn factor=4 mscale=1 mscale_all_dim=1 attention_factor=1.2", "token",
         "attention_factor");
  expect("rope trained=64", "token", "trained found with scaling=none");
  expect("rope scaling=linear factor=2 trained=64", "token", "does not read it");
  expect("table kernel=linear", "token", "past_range=interpolate expected");
  expect("cpb scale=linear", "small-features", "taken as they are");
  expect("t5 bidirectional=true", "hops", "no direction");
  expect("t5 past_range=clamp", "hops", "no size that others could be past");
  expect("alibi shared=true", "token", "no parameters");
  expect("alibi encoding_rate=10", "token", "encoding_rate found, but it has no parameters");
  EXPECT_EQ(reason("alibi alpha=0.1 encoding_rate=10", "token"), "no error");
}

}  // namespace
}  // namespace relbias::encodings
