// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: copies a learned term out of the model, from whatever device.
#include "experiments/run/record/learned_table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace relbias::experiments {

LearnedTable learned_table(const LearnedTerm& learned) {
  LearnedTable table;
  table.layer = learned.layer;
  table.term = learned.term;
  table.relation = learned.relation;
  table.dimensions = {"head", "relation"};
  if (learned.values.dim() == 3) table.dimensions.emplace_back("width");
  const auto values = learned.values.to(at::kFloat).cpu().contiguous();
  table.shape = values.sizes().vec();
  table.values.assign(values.data_ptr<float>(), values.data_ptr<float>() + values.numel());
  if (!learned.offsets.defined()) return table;
  auto places = learned.offsets.to(at::kDouble).cpu().contiguous();
  if (learned.special.defined()) {
    const auto special = learned.special.cpu().unsqueeze(1) >= 0;
    places = places.masked_fill(special, not_given);
    for (int64_t row = 0; row < places.size(0); ++row) {
      const auto id = learned.special[row].item<int64_t>();
      table.labels.push_back(id < 0 ? "" : learned.special_ids.at(static_cast<size_t>(id)));
    }
  }
  if (learned.attended.defined()) {
    const Tensor attended = learned.attended.cpu();
    for (int64_t row = 0; row < attended.size(0); ++row) {
      table.attended.push_back(attended[row].item<bool>());
    }
  }
  table.axes = learned.places.empty() ? std::vector<std::string>{"offset"} : learned.places;
  TORCH_INTERNAL_ASSERT(static_cast<int64_t>(table.axes.size()) == places.size(1), table.relation);
  table.coordinates.assign(places.data_ptr<double>(), places.data_ptr<double>() + places.numel());
  return table;
}

}  // namespace relbias::experiments
