// SPDX-License-Identifier: Apache-2.0
// tests: suggestions for misspelt words, and the errors that carry them.
#include "modalities/plain/check.h"

#include <gmock/gmock.h>

namespace relbias::plain {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

const std::vector<std::string> encodings = {"alibi", "none", "rope", "shaw", "t5"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("alibbi", encodings), "alibi");  // one letter too many
  EXPECT_EQ(nearest("alib", encodings), "alibi");    // one missing
  EXPECT_EQ(nearest("ropo", encodings), "rope");     // one wrong
  EXPECT_EQ(nearest("t4", encodings), "t5");
  EXPECT_EQ(nearest("shaw", encodings), "shaw");
  EXPECT_EQ(nearest("ALIBI", encodings), "alibi");
}

TEST(Nearest, OffersNothingFarFetched) {
  EXPECT_EQ(nearest("transformer", encodings), "");
  EXPECT_EQ(nearest("xyz", encodings), "");
  EXPECT_EQ(nearest("", {}), "");
}

TEST(Nearest, TakesTheFirstOfEquals) { EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat"); }

TEST(UnknownWord, NamesKindWordSuggestionAndAllValid) {
  EXPECT_THAT([] { unknown_word("encoding", "alibbi", encodings); },
              ThrowsMessage<InputError>("unknown encoding 'alibbi': did you mean 'alibi'? valid: "
                                        "alibi, none, rope, shaw, t5"));
}

TEST(UnknownWord, LeavesOutASuggestionThatWouldMislead) {
  EXPECT_THAT([] { unknown_word("encoding", "xyz", encodings); },
              ThrowsMessage<InputError>(
                  testing::AllOf(Not(HasSubstr("did you mean")), HasSubstr("valid: alibi"))));
}

TEST(UnknownWord, SaysWhenThereIsNothingToChoose) {
  EXPECT_THAT([] { unknown_word("option of none", "k", {}); },
              ThrowsMessage<InputError>(HasSubstr("there is none to choose from")));
}

}  // namespace
}  // namespace relbias::plain
