// SPDX-License-Identifier: Apache-2.0
// modalities/audio: relation `time`, frames apart, and how long a frame is.
#include <bit>

#include "modalities/maps/line_map.h"

namespace relbias::modalities {
namespace {

/// r(i,j) = j - i in tokens of `hop` seconds, the last query at the last key.
///
/// Q = K = 3, offsets:   0  1  2
///                      -1  0  1
///                      -2 -1  0      tokens 0.04 s apart: token 2 is 0.08 s after token 0
///
/// The hop travels in RelationMap::unit_seconds. An encoding built for tokens of one hop and met
/// with another works in the seconds of its training: trained at 0.04 s, evaluated at 0.08 s, the
/// offsets are 0 2 4. `unit=frames` leaves the hop out: offsets are tokens, whatever they last.
///
/// A class token is the first token of the line, so that an encoding without direction sees which
/// end is the beginning.
class TimeRelation final : public Relation {
 public:
  explicit TimeRelation(bool in_seconds) : in_seconds_(in_seconds) {}

  RelationTraits traits() const override {
    return {.index_class = IndexClass::line, .axes = 1, .distance = true, .coordinates = 1};
  }

  RelationMap map(const Structure& sample) const override {
    if (!sample.sides.empty() && sample.sides.back() != 1) {
      input_error(
          "relation time: tokens are {} x {} patches, one token a frame expected; use relation "
          "time-frequency, or grid where they are pictures",
          sample.sides.front(), sample.sides.back());
    }
    RelationMap map = line_map(sample.queries, sample.keys);
    map.unit_seconds = in_seconds_ ? sample.hop_seconds : 0;
    return map;
  }

  std::optional<std::vector<int64_t>> map_key(const Structure& sample) const override {
    if (!sample.sides.empty() && sample.sides.back() != 1) return std::nullopt;  // map says why
    std::vector<int64_t> key = line_key(sample);
    key.push_back(std::bit_cast<int64_t>(in_seconds_ ? sample.hop_seconds : 0.0));
    return key;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    Structure line{.hop_seconds = 0.01};
    line.keys = keys.value_or(queries.value_or(4));
    line.queries = queries.value_or(line.keys);
    return line;
  }

 private:
  bool in_seconds_;
};

}  // namespace

RelationEntry relation_time() {
  return {
      .summary =
          "frames from query i to key j, r = j - i; the seconds between two frames come along",
      .example = "3 frames: row 0 = 0 1 2, row 1 = -1 0 1, row 2 = -2 -1 0",
      .options = {{"unit",
                   std::string("seconds"),
                   "evaluated at another hop: seconds keep their meaning, or frames do",
                   {"seconds", "frames"}}},
      .make =
          [](const Options& options) {
            return std::make_unique<TimeRelation>(options.word("unit") == "seconds");
          },
  };
}

}  // namespace relbias::modalities
