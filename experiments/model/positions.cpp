// SPDX-License-Identifier: Apache-2.0
// experiments/model: the encodings of a model on their relations, evaluated for a batch.
#include "experiments/model/positions.h"

#include <ATen/ATen.h>

namespace relbias {
namespace {

// Maps that depend on nothing but a shape, and by which numbers they are kept.
std::optional<std::vector<int64_t>> shape_key(const Structure& s) {
  if (s.positions.defined() || !s.edges.empty() || !s.parents.empty()) return std::nullopt;
  std::vector<int64_t> key{s.queries, s.keys, s.class_token};
  key.insert(key.end(), s.sides.begin(), s.sides.end());
  return key;
}

}  // namespace

Positions::Positions(const std::vector<PositionConfig>& configs, const PositionContext& context,
                     const Initialiser& initial) {
  int rotations = 0;
  for (size_t n = 0; n < configs.size(); ++n) {
    const Options options = parse_encoding(configs[n].encoding);
    const std::string relation_text =
        configs[n].relation.empty() ? context.default_relation : configs[n].relation;
    Pair pair;
    pair.label = options.label() + "@" + relation_text;
    pair.relation = make_relation(relation_text);
    const auto& entry = find_entry("encoding", options.name(), encoding_entries());
    pair.on_tokens = entry.on_tokens;
    pair.after_block = std::min(entry.after_block, context.layers);
    const EncodingContext encoding_context{
        .heads = context.heads,
        .head_width = context.width / context.heads,
        .width = context.width,
        .causal = context.causal,
        .relation = pair.relation->traits(),
        .trained = pair.relation->map(context.trained),
    };
    const bool one = pair.on_tokens || (options.has("shared") && options.flag("shared"));
    for (int64_t layer = 0; layer < (one ? 1 : context.layers); ++layer) {
      const std::string name = fmt::format("position{}_layer{}", n, layer);
      auto encoding = make_encoding(options, relation_text, encoding_context, initial.in(name));
      pair.encodings.push_back(register_module(name, std::move(encoding)));
    }
    rotations += encoding_of(pair, 0).terms(encoding_context.trained).rotation.has_value();
    pairs_.push_back(std::move(pair));
  }
  if (rotations > 1) input_error("model.positions: {} rotations found, one at most", rotations);
}

RelationMap Positions::map_of(Pair& pair, const std::vector<Structure>& structures, int64_t size,
                              c10::Device device) {
  if (structures.size() == 1) {
    const auto key = shape_key(structures.front());
    if (!key) return pair.relation->map(structures.front()).to(device);
    auto found = pair.maps.find(*key);
    if (found == pair.maps.end() || found->second.key_coordinates.device() != device) {
      found = pair.maps.insert_or_assign(*key, pair.relation->map(structures.front()).to(device))
                  .first;
    }
    return found->second;
  }
  std::vector<RelationMap> maps;
  maps.reserve(structures.size());
  for (const auto& structure : structures) maps.push_back(pair.relation->map(structure));
  return stack(maps, size).to(device);
}

std::vector<RelationMap> Positions::relations(const std::vector<Structure>& structures,
                                              int64_t size, c10::Device device) {
  std::vector<RelationMap> maps;
  for (auto& pair : pairs_) maps.push_back(map_of(pair, structures, size, device));
  return maps;
}

Encoding& Positions::encoding_of(Pair& pair, int64_t layer) {
  return *pair.encodings[pair.encodings.size() == 1 ? 0 : static_cast<size_t>(layer)];
}

Tensor Positions::on_tokens(Tensor embeddings, int64_t block,
                            const std::vector<RelationMap>& relations) {
  for (size_t n = 0; n < pairs_.size(); ++n) {
    if (pairs_[n].on_tokens && pairs_[n].after_block == block) {
      embeddings = encoding_of(pairs_[n], 0).tokens(embeddings, relations[n]);
    }
  }
  return embeddings;
}

std::vector<Position> Positions::terms(int64_t layer, const std::vector<RelationMap>& relations) {
  std::vector<Position> positions;
  for (size_t n = 0; n < pairs_.size(); ++n) {
    if (pairs_[n].on_tokens) continue;
    positions.push_back({relations[n], encoding_of(pairs_[n], layer).terms(relations[n])});
  }
  return positions;
}

std::optional<std::string> Positions::undefined_at(const Structure& sample) {
  for (auto& pair : pairs_) {
    const auto reason = encoding_of(pair, 0).undefined_at(pair.relation->map(sample));
    if (reason) return reason;
  }
  return std::nullopt;
}

std::vector<std::pair<Tensor, double>> Positions::parameters_and_rates() {
  std::vector<std::pair<Tensor, double>> found;
  for (auto& pair : pairs_) {
    for (auto& encoding : pair.encodings) {
      for (auto& parameter : encoding->parameters()) found.emplace_back(parameter, encoding->rate());
    }
  }
  return found;
}

std::vector<LearnedParameter> Positions::learned_tables() {
  std::vector<LearnedParameter> found;
  for (auto& pair : pairs_) {
    for (size_t layer = 0; layer < pair.encodings.size(); ++layer) {
      for (auto& parameter : pair.encodings[layer]->named_parameters()) {
        found.push_back({static_cast<int64_t>(layer), pair.label + "." + parameter.key(),
                         parameter.value().detach()});
      }
    }
  }
  return found;
}

}  // namespace relbias
