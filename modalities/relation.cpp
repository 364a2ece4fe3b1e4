// SPDX-License-Identifier: Apache-2.0
// modalities: what all evaluated relations share: devices, pair ids, batches.
#include "modalities/relation.h"

#include <ATen/ATen.h>

#include <charconv>

namespace relbias::modalities {

RelationMap RelationMap::to(c10::Device device) const {
  RelationMap moved = *this;
  for (Tensor* tensor :
       {&moved.index, &moved.offsets, &moved.distance, &moved.special, &moved.features,
        &moved.query_coordinates, &moved.key_coordinates, &moved.unplaced}) {
    if (tensor->defined()) *tensor = tensor->to(device);
  }
  return moved;
}

Tensor RelationMap::pair_rows() const {
  if (index_class != IndexClass::line) {
    const Tensor ids = index.to(at::kLong);
    return index_class == IndexClass::grid ? ids.unsqueeze(0) : ids;
  }
  const auto options = at::TensorOptions().dtype(at::kLong).device(
      offsets.defined() ? offsets.device() : c10::Device(at::kCPU));
  const Tensor query = at::arange(queries, options).unsqueeze(1);
  const Tensor key = at::arange(keys, options).unsqueeze(0);
  return (key - query + (queries - 1)).unsqueeze(0);
}

namespace {

// [1, n(, m), ...] -> [1, sizes..., ...] padded with zeros behind.
Tensor pad_tokens(const Tensor& tensor, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> shape = tensor.sizes().vec();
  std::copy(sizes.begin(), sizes.end(), shape.begin() + 1);
  Tensor padded = at::zeros(shape, tensor.options());
  Tensor place = padded;
  for (int64_t dim = 1; dim <= static_cast<int64_t>(sizes.size()); ++dim) {
    place = place.narrow(dim, 0, tensor.size(dim));
  }
  place.copy_(tensor);
  return padded;
}

// One member of all samples, its first dimensions after that of the batch padded to these sizes.
Tensor join(const std::vector<RelationMap>& samples, const std::vector<int64_t>& sizes,
            Tensor RelationMap::*member) {
  if (!(samples.front().*member).defined()) return {};
  std::vector<Tensor> padded;
  padded.reserve(samples.size());
  for (const auto& sample : samples) padded.push_back(pad_tokens(sample.*member, sizes));
  return at::cat(padded, 0);
}

}  // namespace

RelationMap stack(const std::vector<RelationMap>& samples, BatchTokens tokens) {
  TORCH_INTERNAL_ASSERT(!samples.empty(), "a batch of no samples has no relation");
  RelationMap batch = samples.front();
  if (batch.index_class != IndexClass::pairs) return batch;
  const auto [queries, keys] = tokens;
  for (const auto& sample : samples) {
    TORCH_INTERNAL_ASSERT(
        sample.rows == batch.rows && sample.queries <= queries && sample.keys <= keys,
        "samples of one relation: rows ", sample.rows, " against ", batch.rows, ", queries ",
        sample.queries, " of at most ", queries, ", keys ", sample.keys, " of at most ", keys);
  }
  batch.queries = queries;
  batch.keys = keys;
  batch.index = join(samples, {queries, keys}, &RelationMap::index);
  batch.features = join(samples, {queries, keys}, &RelationMap::features);
  batch.query_coordinates = join(samples, {queries}, &RelationMap::query_coordinates);
  batch.key_coordinates = join(samples, {keys}, &RelationMap::key_coordinates);
  if (batch.unplaced.defined()) {  // the same token in every sample
    batch.unplaced = at::constant_pad_nd(batch.unplaced, {0, keys - batch.unplaced.size(0)});
  }
  return batch;
}

RelationMap counted_from_first(const RelationMap& map, const Tensor& valid) {
  if (map.index_class != IndexClass::line || map.queries != map.keys) return map;
  RelationMap counted = map;
  const Tensor skipped = valid.to(at::kLong).argmax(1, /*keepdim=*/true).unsqueeze(2);  // [B, 1, 1]
  counted.key_coordinates = (map.key_coordinates - skipped).clamp_min(0);
  counted.query_coordinates = counted.key_coordinates;
  return counted;
}

Options parse_relation(const std::string& text) {
  const auto& entry = find_entry("relation", option_name(text), relation_entries());
  return parse_options("relation", text, entry.options);
}

std::unique_ptr<Relation> make_relation(const Options& relation) {
  return find_entry("relation", relation.name(), relation_entries()).make(relation);
}

std::unique_ptr<Relation> make_relation(const std::string& text) {
  return make_relation(parse_relation(text));
}

TrainedAt trained_at(const std::string& relation, const std::string& trained) {
  constexpr int64_t most = int64_t{1} << 30;
  int64_t tokens = 0;
  const char* const end = trained.data() + trained.size();
  const auto [rest, error] = std::from_chars(trained.data(), end, tokens);
  if (error == std::errc{} && rest == end && tokens >= 1 && tokens <= most) {
    auto same = make_relation(relation);
    Structure structure = same->structure(tokens, tokens);
    return {std::move(same), std::move(structure)};
  }
  const std::string name = option_name(relation);
  if (trained.empty() || option_name(trained) != name) {
    input_error(
        "trained: '{}' found, tokens from 1 to {} or the relation {} at the trained size expected",
        trained, most, name);
  }
  auto given = make_relation(trained);
  Structure structure = given->structure(std::nullopt, std::nullopt);
  return {std::move(given), std::move(structure)};
}

}  // namespace relbias::modalities
