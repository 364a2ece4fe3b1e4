// SPDX-License-Identifier: Apache-2.0
// tests: several encodings of one model: padding of their relations, names of their terms.
#include "experiments/model/positions.h"

#include <gmock/gmock.h>

#include "tests/experiments/model/star.h"

namespace relbias::experiments {
namespace {

using testing::ElementsAre;

Positions positions_of(const std::vector<PositionConfig>& configs, bool causal = false,
                       const std::vector<Tensor>& groups = {}) {
  const PositionContext context{.layers = 1,
                                .pointers = 0,
                                .heads = 2,
                                .width = 8,
                                .causal = causal,
                                .default_relation = "token",
                                .trained = star(5),
                                .groups = groups};
  return Positions(configs, context, Initialiser(1));
}

TEST(Positions, PadSamplesToTheBatchAlsoASingleOne) {
  Positions both = positions_of({{"t5", "token"}, {"table", "tree"}});
  for (const std::vector<Structure>& samples :
       {std::vector{star(3)}, std::vector{star(3), star(4)}}) {
    for (const RelationMap& map : both.relations(samples, 6, at::kCPU)) {
      EXPECT_EQ(map.keys, 6);
      EXPECT_EQ(map.queries, 6);
      EXPECT_EQ(map.pair_rows().size(2), 6);
    }
  }
}

TEST(Positions, TermsOfSeveralRelationsHaveNamesOfTheirOwn) {
  const auto names = [](const std::vector<PositionConfig>& configs) {
    std::vector<std::string> found;
    for (const LearnedTerm& term : positions_of(configs).learned_terms()) {
      found.push_back(term.term);
    }
    return found;
  };
  EXPECT_THAT(names({{"t5", "token"}}), ElementsAre("score"));
  EXPECT_THAT(names({{"t5", "token"}, {"table", "tree"}}),
              ElementsAre("score@token", "score@tree"));
  EXPECT_THAT(names({{"t5", "token"}, {"clipped", "token"}}),
              ElementsAre("score@token t5", "score@token clipped"));
  EXPECT_THAT(names({{"t5", "token"}, {"t5 num_buckets=8", "token"}}),
              ElementsAre("score@token t5 0", "score@token t5 1"));
}

TEST(Positions, TermsNameWhereTheirRowsStand) {
  EXPECT_THAT(positions_of({{"table", "tree"}}).learned_terms()[0].places,
              ElementsAre("up", "down"));
  EXPECT_THAT(positions_of({{"t5", "token"}}).learned_terms()[0].places, testing::IsEmpty());
}

// The rows of a term's table that some query attends by.
std::vector<int64_t> attended_in(Positions& positions) {
  const Tensor rows = positions.learned_terms()[0].attended;
  if (!rows.defined()) return {-1};
  const Tensor found = rows.nonzero().flatten();
  return {found.data_ptr<int64_t>(), found.data_ptr<int64_t>() + found.numel()};
}

TEST(Positions, KnowWhatNobodyAttendsBy) {
  Positions plain = positions_of({{"table", "token"}});
  EXPECT_THAT(attended_in(plain), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  Positions causal = positions_of({{"table", "token"}}, true);
  EXPECT_THAT(attended_in(causal), ElementsAre(0, 1, 2, 3, 4));
  Positions windows = positions_of({{"table", "token"}}, false, {at::tensor({0, 0, 1, 1, 1})});
  EXPECT_THAT(attended_in(windows), ElementsAre(2, 3, 4, 5, 6));
}

// Ids of trees: a leaf itself 0, a sibling before 4, one after 9, with clip 2.
TEST(Positions, KnowWhatNoEvaluatedSampleAttendsBy) {
  for (const bool causal : {false, true}) {
    Positions tree = positions_of({{"table", "tree clip=2"}}, causal);
    tree.relations({star(3)}, 6, at::kCPU);
    EXPECT_THAT(attended_in(tree), ElementsAre(-1)) << "training says nothing";
    tree.eval();
    tree.relations({star(6)}, 6, at::kCPU);
    EXPECT_THAT(attended_in(tree), testing::IsEmpty()) << "longer than trained";
    tree.relations({star(1), star(3)}, 6, at::kCPU);
    if (causal) {
      EXPECT_THAT(attended_in(tree), ElementsAre(0, 4));
    } else {
      EXPECT_THAT(attended_in(tree), ElementsAre(0, 4, 9));
    }
  }
}

// field note of rope on rings: said before the run, for rotations by eigenvectors only.
TEST(Positions, WarnOfRotationsByEigenvectors) {
  EXPECT_THAT(position_caveats({{"rope", "hops"}}, "token"),
              ElementsAre(testing::HasSubstr("rope on hops: where a graph's eigenvalues repeat")));
  EXPECT_THAT(position_caveats({{"rope", ""}}, "hops coordinates=3"), testing::SizeIs(1));
  EXPECT_THAT(position_caveats({{"rope", "token"}, {"table", "hops"}, {"rope", "grid"}}, "token"),
              testing::IsEmpty());
}

// The names are those of the axes, or of the distance where there are none.
TEST(Positions, EveryRelationNamesItsPlaces) {
  for (const auto& entry : relation_entries()) {
    const auto relation = make_relation(entry.name);
    const RelationTraits traits = relation->traits();
    const auto places = static_cast<int64_t>(traits.places.size());
    if (traits.axes > 1) {
      EXPECT_EQ(places, traits.axes) << entry.name;
    } else {
      EXPECT_LE(places, traits.axes == 1 || traits.distance ? 1 : 0) << entry.name;
    }
  }
}

}  // namespace
}  // namespace relbias::experiments
