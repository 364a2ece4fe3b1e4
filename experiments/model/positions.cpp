// SPDX-License-Identifier: Apache-2.0
// experiments/model: the encodings of a model on their relations, evaluated for a batch.
#include "experiments/model/positions.h"

#include <ATen/ATen.h>

#include "encodings/attention/attention.h"
#include "modalities/seed.h"

namespace relbias::experiments {
namespace {

constexpr size_t most_kept_maps = 16;

bool is_on(const RelationMap& map, c10::Device device) {
  for (const Tensor& tensor : {map.index, map.offsets, map.distance, map.key_coordinates}) {
    if (tensor.defined()) return tensor.device() == device;
  }
  return true;
}

}  // namespace

std::vector<std::string> position_caveats(const std::vector<PositionConfig>& configs,
                                          const std::string& default_relation) {
  std::vector<std::string> caveats;
  for (const PositionConfig& config : configs) {
    const Options named = config.relation_or(default_relation);
    const auto& entry = find_entry("encoding", config.encoding.name(), encoding_entries());
    const RelationTraits traits = make_relation(named)->traits();
    // Coordinates whose differences are no offsets: a basis that the graph does not name.
    if (entry.need != Need::coordinates || traits.coordinates == 0 || traits.axes > 0) continue;
    caveats.push_back(fmt::format(
        "{} on {}: where a graph's eigenvalues repeat, as on rings and stars, its coordinates and "
        "so the outputs depend on the order of the nodes; linear on relation spectrum does not",
        entry.name, named.name()));
  }
  return caveats;
}

Positions::Positions(const std::vector<PositionConfig>& configs, const PositionContext& context,
                     const Initialiser& initial)
    : layers_(context.layers), causal_(context.causal), groups_(context.groups) {
  int rotations = 0;
  for (size_t n = 0; n < configs.size(); ++n) {
    const Options& options = configs[n].encoding;
    Pair pair;
    pair.options = configs[n].relation_or(context.default_relation);
    pair.relation = make_relation(pair.options);
    pair.trained = some_map(*pair.relation, context.trained);
    const auto& entry = find_entry("encoding", options.name(), encoding_entries());
    pair.on_tokens = entry.on_tokens;
    pair.after_block = std::min(entry.after_block, context.layers);
    const EncodingContext encoding_context{
        .heads = context.heads,
        .head_width = context.width / context.heads,
        .width = context.width,
        .causal = context.causal,
        .relation = pair.relation->traits(),
        .trained = pair.trained,
    };
    const bool one = pair.on_tokens || (options.has("shared") && options.flag("shared"));
    const int64_t attentions = context.layers + context.pointers;
    for (int64_t layer = 0; layer < (one ? 1 : attentions); ++layer) {
      const std::string name = fmt::format("position{}_layer{}", n, layer);
      auto encoding =
          make_encoding(options, pair.options.label(), encoding_context, initial.in(name));
      pair.encodings.push_back(register_module(name, std::move(encoding)));
    }
    const RelationMap placed = encoding_context.trained.to(initial.device());
    rotations += encoding_of(pair, 0).terms(placed).rotation.has_value();
    pairs_.push_back(std::move(pair));
  }
  if (rotations > 1) input_error("model.positions: {} rotations found, one at most", rotations);
}

// The map of a sample whose random positions, if any, do not matter: its rows and sides do.
RelationMap Positions::some_map(const Relation& relation, const Structure& sample) {
  at::Generator generator = stream(0, "some positions");
  return relation.map(relation.with_random_positions(sample, generator));
}

std::vector<Structure> Positions::with_random_positions(const std::vector<Structure>& structures,
                                                        int64_t samples,
                                                        at::Generator& generator) const {
  std::vector<Structure> result = structures;
  for (const auto& pair : pairs_) {
    if (!pair.relation->is_random()) continue;
    result.resize(static_cast<size_t>(samples), Structure(result.front()));  // where all share one
    for (auto& structure : result)
      structure = pair.relation->with_random_positions(structure, generator);
  }
  return result;
}

RelationMap Positions::shared_map(Pair& pair, const Structure& sample, c10::Device device) {
  const auto key = pair.relation->map_key(sample);
  if (!key) return pair.relation->map(sample).to(device);
  // Of clips hardly two batches are equally long: what is kept must end somewhere.
  if (pair.maps.size() >= most_kept_maps) pair.maps.clear();
  auto found = pair.maps.find(*key);
  if (found == pair.maps.end() || !is_on(found->second, device)) {
    found = pair.maps.insert_or_assign(*key, pair.relation->map(sample).to(device)).first;
  }
  return found->second;
}

RelationMap Positions::map_of(Pair& pair, const std::vector<Structure>& structures,
                              BatchTokens tokens, c10::Device device) {
  const Structure& first = structures.front();
  const bool is_short = first.keys < tokens.keys && first.sides.empty();
  if (structures.size() == 1 && !is_short) return shared_map(pair, first, device);
  if (pair.relation->traits().index_class != IndexClass::pairs) {
    // One map serves all samples; those that are shorter than the batch are padded.
    Structure padded = first;
    if (padded.sides.empty()) {
      TORCH_INTERNAL_ASSERT(tokens.keys - tokens.queries == first.keys - first.queries,
                            "the last query stands at the last key in every sample alike");
      padded.queries = tokens.queries;
      padded.keys = tokens.keys;
    }
    return shared_map(pair, padded, device);
  }
  std::vector<RelationMap> maps;
  maps.reserve(structures.size());
  for (const auto& structure : structures) maps.push_back(pair.relation->map(structure));
  return stack(maps, tokens).to(device);
}

std::vector<RelationMap> Positions::relations(const std::vector<Structure>& structures,
                                              BatchTokens tokens, c10::Device device) {
  std::vector<RelationMap> maps;
  for (auto& pair : pairs_) {
    maps.push_back(map_of(pair, structures, tokens, device));
    note_met(pair, maps.back(), structures);
  }
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
  try {
    for (auto& pair : pairs_) {
      const auto reason = encoding_of(pair, 0).undefined_at(some_map(*pair.relation, sample));
      if (reason) return reason;
    }
  } catch (const InputError& error) {
    return error.what();  // too large for the relation: no reason to lose what was trained
  }
  return std::nullopt;
}

std::vector<std::pair<Tensor, double>> Positions::parameters_and_rates() {
  std::vector<std::pair<Tensor, double>> found;
  for (auto& pair : pairs_) {
    for (auto& encoding : pair.encodings) {
      for (auto& parameter : encoding->parameters())
        found.emplace_back(parameter, encoding->rate());
    }
  }
  return found;
}

std::string Positions::layer_name(const Pair& pair, int64_t layer) const {
  if (pair.encodings.size() == 1) return "shared";
  if (layer < layers_) return std::to_string(layer);
  return layer == layers_ ? "pointer" : fmt::format("pointer {}", layer - layers_ + 1);
}

std::string Positions::names_beside(const Pair& pair) const {
  size_t same_relation = 0, same_names = 0;
  const std::string encoding = pair.encodings.front()->name();
  for (const Pair& other : pairs_) {
    if (other.options.name() != pair.options.name()) continue;
    ++same_relation;
    same_names += other.encodings.front()->name() == encoding;
  }
  if (same_relation == 1) return "";
  return same_names == 1 ? " " + encoding : fmt::format(" {} {}", encoding, &pair - pairs_.data());
}

void Positions::note_met(Pair& pair, const RelationMap& map,
                         const std::vector<Structure>& samples) const {
  const bool by_sample = map.index_class == IndexClass::pairs && map.index.defined();
  if (is_training() || !by_sample || map.rows != pair.trained.rows) return;
  const Tensor all = map.pair_rows();  // [B, Q, K]
  if (!pair.met.defined()) pair.met = at::zeros({map.rows}, all.options().dtype(at::kBool));
  for (size_t b = 0; b < samples.size(); ++b) {
    const int64_t queries = samples[b].queries, keys = samples[b].keys;
    if (keys > pair.trained.keys) continue;
    Tensor rows = all[static_cast<int64_t>(b)].narrow(0, 0, queries).narrow(1, 0, keys);
    if (causal_) rows = rows.masked_select(at::ones_like(rows, at::kBool).tril(keys - queries));
    pair.met.index_fill_(0, rows.flatten(), true);
  }
}

Tensor Positions::attended_rows(const Pair& pair) const {
  const RelationMap& trained = pair.trained;
  if (trained.index_class == IndexClass::pairs) return pair.met;
  const Tensor rows = trained.pair_rows()[0];  // [Q, K]
  Tensor attended = at::zeros({trained.rows}, at::kBool);
  for (const Tensor& groups : groups_.empty() ? std::vector<Tensor>(1) : groups_) {
    const Tensor allowed = allowed_pairs(
        trained.queries, trained.keys, {.causal = causal_, .mask = {}, .groups = groups}, at::kCPU);
    attended.index_fill_(0, allowed.defined() ? rows.masked_select(allowed[0][0]) : rows.flatten(),
                         true);
  }
  return attended;
}

std::vector<LearnedTerm> Positions::learned_terms() {
  const at::NoGradGuard no_gradients;
  std::vector<LearnedTerm> found;
  for (auto& pair : pairs_) {
    for (size_t layer = 0; layer < pair.encodings.size() && !pair.on_tokens; ++layer) {
      Encoding& encoding = *pair.encodings[layer];
      if (encoding.parameters().empty()) continue;
      const RelationMap trained = pair.trained.to(encoding.parameters().front().device());
      const Terms terms = encoding.terms(trained);
      const RelationTraits traits = pair.relation->traits();
      const auto add = [&](std::string name, const Tensor& table, bool by_row) {
        if (!table.defined()) return;
        if (pairs_.size() > 1) name += "@" + pair.options.name();
        name += names_beside(pair);
        const bool indexed = by_row && terms.table_rows.defined();
        found.push_back({layer_name(pair, static_cast<int64_t>(layer)), name, pair.options.label(),
                         indexed ? table.index_select(1, terms.table_rows) : table,
                         trained.offsets.defined() || !trained.distance.defined()
                             ? trained.offsets
                             : trained.distance.unsqueeze(1),
                         trained.special, attended_rows(pair), traits.special_ids, traits.places});
      };
      add("score", terms.score, false);
      add("key", terms.key, true);
      add("query", terms.query, true);
      add("value", terms.value, true);
    }
  }
  return found;
}

}  // namespace relbias::experiments
