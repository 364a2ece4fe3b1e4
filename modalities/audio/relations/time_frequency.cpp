// SPDX-License-Identifier: Apache-2.0
// modalities/audio: relation `time-frequency`, how far apart two patches of a spectrogram are.
#include <ATen/ATen.h>

#include <bit>

#include "modalities/maps/grid_map.h"

namespace relbias::modalities {
namespace {

/// r(i,j) = (dt, df), key - query, in patches; tokens in the order of time, all bands of a moment
/// together. Ids as on grids of pictures: (T-1-dt) (2F-1) + F-1-df, so offsets fall as ids rise.
///
/// 2 moments x 2 bands, tokens (0,0) (0,1) (1,0) (1,1), index:
///
///     4 3 1 0
///     5 4 2 1      row 0: 4 = (0,0), 3 = (0,+1), 1 = (+1,0), 0 = (+1,+1)
///     7 6 4 3
///     8 7 5 4
///
/// With `class_token=true` a class token stands first and has three ids behind the others: 9
/// class->patch, 10 patch->class, 11 class->class. The hop of axis 0 travels as with `time`.
class TimeFrequencyRelation final : public Relation {
 public:
  explicit TimeFrequencyRelation(const Options& options)
      : times_(options.integer("times")),
        bands_(options.integer("bands")),
        class_token_(options.flag("class_token")),
        in_seconds_(options.word("unit") == "seconds") {}

  RelationTraits traits() const override {
    RelationTraits traits{
        .index_class = IndexClass::grid, .axes = 2, .distance = true, .coordinates = 2};
    traits.places = {"dt", "df"};
    if (class_token_) traits.special_ids = class_token_ids;
    return traits;
  }

  RelationMap map(const Structure& sample) const override {
    if (sample.class_token != class_token_) {
      input_error("relation time-frequency class_token={}: a sample {} a class token found",
                  class_token_, sample.class_token ? "with" : "without");
    }
    RelationMap map = grid_map(sides_of(sample), class_token_, sample.queries);
    map.unit_seconds = in_seconds_ ? sample.hop_seconds : 0;
    return map;
  }

  std::optional<std::vector<int64_t>> map_key(const Structure& sample) const override {
    std::vector<int64_t> key = grid_key(sample.sides, sample);
    key.push_back(std::bit_cast<int64_t>(in_seconds_ ? sample.hop_seconds : 0.0));
    return key;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    const int64_t tokens = times_ * bands_ + (class_token_ ? 1 : 0);
    for (const auto& given : {queries, keys}) {
      if (given && *given != tokens) {
        input_error("relation time-frequency: {} tokens found, {} x {}{} = {} expected", *given,
                    times_, bands_, class_token_ ? " and a class token" : "", tokens);
      }
    }
    return {.queries = tokens,
            .keys = tokens,
            .sides = {times_, bands_},
            .class_token = class_token_,
            .hop_seconds = 0.01};
  }

 private:
  // {moments, bands}; frames without bands are a spectrogram of one band.
  static std::vector<int64_t> sides_of(const Structure& sample) {
    const int64_t patches = sample.keys - (sample.class_token ? 1 : 0);
    if (sample.sides.empty()) return {patches, 1};
    TORCH_INTERNAL_ASSERT(sample.sides.size() == 2 && sample.sides[0] * sample.sides[1] == patches,
                          patches, " patches of a spectrogram, sides ", sample.sides);
    return {sample.sides[0], sample.sides[1]};
  }

  int64_t times_, bands_;  // of the example
  bool class_token_;
  bool in_seconds_;
};

}  // namespace

RelationEntry relation_time_frequency() {
  return {
      .summary = "(time, frequency) from patch i to patch j of a spectrogram, key - query",
      .example = "2 x 2 patches: index rows 4 3 1 0 / 5 4 2 1 / 7 6 4 3 / 8 7 5 4",
      .options = {{.name = "times",
                   .value = int64_t{2},
                   .meaning = "moments, of the example that `terms` shows",
                   .minimum = 1,
                   .maximum = 4096,
                   .of_example = true},
                  {.name = "bands",
                   .value = int64_t{2},
                   .meaning = "bands, of the example",
                   .minimum = 1,
                   .maximum = 4096,
                   .of_example = true},
                  {"class_token", false, "a class token stands first"},
                  {"unit",
                   std::string("seconds"),
                   "evaluated at another hop: seconds keep their meaning, or patches do",
                   {"seconds", "frames"}}},
      .make =
          [](const Options& options) { return std::make_unique<TimeFrequencyRelation>(options); },
  };
}

}  // namespace relbias::modalities
