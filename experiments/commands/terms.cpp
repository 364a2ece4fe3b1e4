// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias terms`, the ids and position terms of an encoding on a relation.
#include <ATen/ATen.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "encodings/attention/attention.h"
#include "encodings/encoding.h"
#include "experiments/commands/commands.h"

namespace relbias::experiments {
namespace {

using nlohmann::ordered_json;

struct TermsRequest {
  std::string encoding;
  std::string relation = "token";
  std::optional<int64_t> queries, keys;
  std::string trained;  // empty: the size itself
  int64_t heads = 1;
  int64_t width = 32;
  bool causal = false;
  bool json = false;
  int64_t seed = 0;
};

// What is printed is made in memory first, some 50 bytes a number. Tables of learned rows count
// too.
void check_size(const TermsRequest& request, int64_t queries, int64_t keys, int64_t trained) {
  constexpr double largest = 4e7;  // 4096 x 4096 of one head
  const auto real = [](int64_t number) { return static_cast<double>(number); };
  const double heads = real(request.heads), rows = real(keys + trained);
  const double numbers =
      real(queries) * real(keys) * (heads + 1) + rows * heads * real(request.width);
  if (numbers <= largest) return;
  input_error(
      "terms of {} queries, {} keys, {} heads of width {}: {:.3g} numbers, at most {} expected",
      queries, keys, request.heads, request.width, numbers, largest);
}

// A number that JSON cannot write would be null, which means something else.
void check_finite(const char* what, const TermsRequest& request, const Tensor& tensor) {
  if (!tensor.defined() || at::isfinite(tensor).all().item<bool>()) return;
  input_error("{} of {} on {}: not a finite number", what, request.encoding, request.relation);
}

ordered_json nested(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  if (tensor.dim() == 0) {
    return tensor.is_floating_point() ? ordered_json(tensor.item<double>())
                                      : ordered_json(tensor.item<int64_t>());
  }
  ordered_json list = ordered_json::array();
  for (const Tensor& part : tensor.unbind(0)) list.push_back(nested(part));
  return list;
}

// The only sample's [Q, K] ids of the encoding's own table.
Tensor table_ids(const Position& position) {
  if (!position.terms.table_rows.defined()) return {};
  return position.terms.table_rows.take(position.relation.pair_rows()).select(0, 0);
}

bool depends_on_content(const Terms& terms, bool on_tokens) {
  return on_tokens || terms.key.defined() || terms.query.defined() || terms.rotation ||
         terms.content_bias.defined() || terms.dense;
}

Tensor score_of_pairs(const Position& position, int64_t heads) {
  const auto& [relation, terms] = position;
  if (!terms.score.defined()) return at::zeros({heads, relation.queries, relation.keys});
  return terms.score.index_select(1, relation.pair_rows().flatten())
      .view({heads, relation.queries, relation.keys});
}

ordered_json rotation_json(const std::optional<Rotation>& rotation) {
  if (!rotation) return nullptr;
  const auto table = [](const Tensor& values) {  // [1, H|1, K, P]
    const Tensor sample = values.select(0, 0);
    return nested(sample.size(0) == 1 ? sample.select(0, 0) : sample);
  };
  return {{"layout", rotation->layout == RotaryLayout::half ? "half" : "interleaved"},
          {"base", rotation->base},
          {"cos", table(rotation->key_cos)},
          {"sin", table(rotation->key_sin)}};
}

ordered_json terms_json(const TermsRequest& request) {
  const at::NoGradGuard no_gradients;
  const Options options = parse_encoding(request.encoding);
  const auto relation = make_relation(request.relation);
  const int64_t keys = request.keys.value_or(1);
  check_size(request, request.queries.value_or(keys), keys, keys);
  const Structure structure = relation->structure(request.queries, request.keys);
  std::optional<TrainedAt> trained;
  if (!request.trained.empty()) trained = trained_at(request.relation, request.trained);
  check_size(request, structure.queries, structure.keys,
             trained ? trained->structure.keys : structure.keys);
  Structure whole = structure;  // models are trained on whole sequences
  whole.queries = whole.keys;
  const EncodingContext context{.heads = request.heads,
                                .head_width = request.width,
                                .width = request.heads * request.width,
                                .causal = request.causal,
                                .relation = relation->traits(),
                                .trained = trained ? trained->map() : relation->map(whole)};
  const auto encoding = make_encoding(options, request.relation, context,
                                      Initialiser(static_cast<uint64_t>(request.seed)));
  const RelationMap map = relation->map(structure);
  const Position position{map, encoding->terms(map)};
  const auto& terms = position.terms;
  const auto& entry = find_entry("encoding", options.name(), encoding_entries());

  check_finite("score", request, terms.score);
  if (terms.rotation) check_finite("rotation", request, terms.rotation->key_cos);

  ordered_json result;
  result["encoding"] = options.canonical();
  result["relation"] = request.relation;
  result["queries"] = map.queries;
  result["keys"] = map.keys;
  result["ids"] = nested(table_ids(position));
  result["rows"] = terms.table_rows.defined() ? terms.table_size : map.rows;
  result["score"] = depends_on_content(terms, entry.on_tokens)
                        ? ordered_json(nullptr)
                        : nested(score_of_pairs(position, request.heads));
  result["rotation"] = rotation_json(terms.rotation);
  result["scale"] = attention_scale(request.width, {position}, {});
  return result;
}

void print_matrix(std::ostream& out, const char* title, const ordered_json& rows) {
  out << title << '\n';
  for (const auto& row : rows) {
    for (const auto& value : row) {
      out << (value.is_number_float() ? fmt::format("{:>9.4f}", value.get<double>())
                                      : fmt::format("{:>5}", value.dump()));
    }
    out << '\n';
  }
}

void print_text(std::ostream& out, const ordered_json& terms) {
  out << terms["encoding"].get<std::string>() << " on " << terms["relation"].get<std::string>()
      << ", scale " << terms["scale"] << '\n';
  if (!terms["ids"].is_null()) print_matrix(out, "ids (row of the table)", terms["ids"]);
  const std::string name = option_name(terms["encoding"].get<std::string>());
  const bool on_tokens = find_entry("encoding", name, encoding_entries()).on_tokens;
  if (on_tokens) out << "changes token embeddings, not scores\n";
  if (terms["score"].is_null() && !on_tokens) out << "score depends on content\n";
  for (size_t head = 0; head < terms["score"].size(); ++head) {
    print_matrix(out, fmt::format("score, head {}", head).c_str(), terms["score"][head]);
  }
  if (!terms["rotation"].is_null()) {
    out << "rotation, base " << terms["rotation"]["base"] << '\n';
    for (const char* table : {"cos", "sin"}) print_matrix(out, table, terms["rotation"][table]);
  }
}

}  // namespace

void add_terms_command(CLI::App& app, int&) {
  const auto request = std::make_shared<TermsRequest>();
  CLI::App* command = app.add_subcommand(
      "terms", "Relation ids and position terms of an encoding on a relation, for given sizes");
  command->add_option("--encoding", request->encoding, "e.g. 't5 num_buckets=8'")->required();
  command->add_option("--relation", request->relation, "e.g. 'grid height=3 width=4'");
  const CLI::Range positive(int64_t{1}, int64_t{1} << 30);
  command->add_option("--queries", request->queries, "the last stands at the last key")
      ->check(positive);
  command->add_option("--keys", request->keys, "where the relation does not fix them")
      ->check(positive);
  command->add_option(
      "--trained", request->trained,
      "trained size, in tokens or as 'grid height=2 width=2'; default: the size itself");
  command->add_option("--heads", request->heads, "number of heads")->check(positive);
  command->add_option("--width", request->width, "width of a head")->check(positive);
  command
      ->add_option("--seed", request->seed, "of learned tables")
      // A larger number is read as the largest there is, without a word.
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max() - 1));
  command->add_flag("--causal", request->causal, "for a model that sees the past only");
  command->add_flag("--json", request->json, "print one JSON object");
  command->callback([request] {
    const ordered_json terms = terms_json(*request);
    if (request->json) {
      std::cout << terms.dump() << '\n';
    } else {
      print_text(std::cout, terms);
    }
  });
}

}  // namespace relbias::experiments
