// SPDX-License-Identifier: Apache-2.0
// tests: reading and printing of `NAME key=value` strings.
#include "modalities/plain/options.h"

#include <gmock/gmock.h>

#include "tests/error_of.h"

namespace relbias::plain {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<OptionSpec> specs = {
    {.name = "num_buckets", .value = int64_t{32}, .meaning = "", .minimum = 2, .maximum = 512},
    {.name = "base", .value = 10000.0, .meaning = "", .minimum = 1},
    {.name = "offset", .value = 0.0, .meaning = ""},
    {.name = "shared", .value = false, .meaning = ""},
    {.name = "layout",
     .value = std::string("half"),
     .meaning = "",
     .choices = {"half", "interleaved"}},
    {.name = "path", .value = std::string(), .meaning = ""}};

Options parse(std::string_view text) { return parse_options("encoding", text, specs); }

std::string error_in(std::string_view text) {
  return error_of([text] { parse(text); });
}

TEST(Options, FillInDefaults) {
  const Options options = parse("t5");
  EXPECT_EQ(options.name(), "t5");
  EXPECT_EQ(options.integer("num_buckets"), 32);
  EXPECT_EQ(options.real("base"), 10000.0);
  EXPECT_FALSE(options.flag("shared"));
  EXPECT_EQ(options.word("layout"), "half");
  EXPECT_FALSE(options.given("num_buckets"));
}

TEST(Options, TakeTheTypeOfTheDefault) {
  const Options options = parse("t5  num_buckets=8\tbase=500 shared=true layout=interleaved");
  EXPECT_EQ(options.integer("num_buckets"), 8);
  EXPECT_EQ(options.real("base"), 500.0);
  EXPECT_TRUE(options.flag("shared"));
  EXPECT_EQ(options.word("layout"), "interleaved");
  EXPECT_TRUE(options.given("num_buckets"));
  EXPECT_FALSE(options.given("offset"));
}

TEST(Options, QuotesKeepBlanks) {
  EXPECT_EQ(parse("t5 path=\"my texts/war and peace.txt\"").word("path"),
            "my texts/war and peace.txt");
  EXPECT_EQ(parse("t5 \"path=a b\"").word("path"), "a b");
  EXPECT_EQ(parse("t5 path=\"\"").word("path"), "");
  EXPECT_EQ(parse("t5 path=a=b").word("path"), "a=b");
}

TEST(Options, LabelShowsWhatDiffersAndCanonicalAll) {
  const Options options = parse("t5 shared=1 num_buckets=32 base=1e2");
  EXPECT_EQ(options.label(), "t5 base=100 shared=true");
  EXPECT_EQ(options.canonical(),
            "t5 num_buckets=32 base=100 offset=0 shared=true layout=half path=\"\"");
}

TEST(Options, PrintedFormsAreReadBack) {
  for (const std::string text :
       {"t5", "t5 base=0.1e5 offset=-3.25", "t5 path=\"a  b\" shared=true", "t5 offset=0.1"}) {
    const Options options = parse(text);
    EXPECT_EQ(parse(options.canonical()).canonical(), options.canonical());
    EXPECT_EQ(parse(options.label()).canonical(), options.canonical());
    EXPECT_EQ(parse(options.label()).real("offset"), options.real("offset"));
  }
}

TEST(Options, UnknownKeyIsSuggestedItsNearest) {
  EXPECT_THAT(
      [] { parse("t5 num_bucket=8"); },
      ThrowsMessage<InputError>(AllOf(HasSubstr("option of encoding t5"), HasSubstr("'num_bucket'"),
                                      HasSubstr("did you mean 'num_buckets'?"),
                                      HasSubstr("valid: num_buckets, base, offset"))));
  EXPECT_THAT([] { parse("t5 layout=halff"); },
              ThrowsMessage<InputError>(
                  AllOf(HasSubstr("did you mean 'half'?"), HasSubstr("valid: half, interleaved"))));
}

TEST(Options, WrongValuesNamePlaceFoundAndExpected) {
  EXPECT_THAT(error_in("t5 num_buckets=many"),
              HasSubstr("encoding t5, option num_buckets: 'many' found, a whole"));
  EXPECT_THAT(error_in("t5 num_buckets=8.0"), HasSubstr("'8.0' found, a whole number expected"));
  EXPECT_THAT(error_in("t5 num_buckets="), HasSubstr("'' found, a whole number expected"));
  EXPECT_THAT(error_in("t5 num_buckets=99999999999999999999"),
              HasSubstr("a whole number expected"));
  EXPECT_THAT(error_in("t5 num_buckets=1"), HasSubstr("1 found, 2 to 512 expected"));
  EXPECT_THAT(error_in("t5 num_buckets=513"), HasSubstr("513 found, 2 to 512 expected"));
  EXPECT_THAT(error_in("t5 base=0.5"), HasSubstr("0.5 found, at least 1 expected"));
  EXPECT_THAT(error_in("t5 base=1e"), HasSubstr("'1e' found, a number expected"));
  EXPECT_THAT(error_in("t5 offset=nan"), HasSubstr("nan found, a finite number expected"));
  EXPECT_THAT(error_in("t5 offset=inf"), HasSubstr("inf found, a finite number expected"));
  EXPECT_THAT(error_in("t5 shared=yes"), HasSubstr("'yes' found, true or false expected"));
}

TEST(Options, RangeEndsAreInside) {
  EXPECT_EQ(parse("t5 num_buckets=2").integer("num_buckets"), 2);
  EXPECT_EQ(parse("t5 num_buckets=512").integer("num_buckets"), 512);
}

TEST(Options, MalformedStringsAreErrors) {
  EXPECT_THAT(error_in(""), HasSubstr("encoding is empty"));
  EXPECT_THAT(error_in("  "), HasSubstr("encoding is empty"));
  EXPECT_THAT(error_in("t5 shared"), HasSubstr("'shared' found, key=value expected"));
  EXPECT_THAT(error_in("t5 num_buckets=8 num_buckets=8"), HasSubstr("given twice"));
  EXPECT_THAT(error_in("t5 path=\"open"), HasSubstr("a double quote is not closed"));
}

TEST(Options, AskingForWhatIsNotDeclaredIsOurFault) {
  EXPECT_THROW(parse("t5").integer("nothing"), std::logic_error);
  EXPECT_TRUE(parse("t5").has("base"));
  EXPECT_FALSE(parse("t5").has("nothing"));
}

TEST(OptionName, IsTheFirstWord) {
  EXPECT_EQ(option_name("rope layout=half"), "rope");
  EXPECT_EQ(option_name("  rope"), "rope");
  EXPECT_EQ(option_name(""), "");
}

struct Entry {
  std::string name;
};

TEST(FindEntry, KnowsItsEntriesAndListsThemOtherwise) {
  const std::vector<Entry> entries = {{"grid"}, {"token"}};
  EXPECT_EQ(&find_entry("relation", "token", entries), &entries[1]);
  EXPECT_THAT([&] { find_entry("relation", "tokens", entries); },
              ThrowsMessage<InputError>(
                  "unknown relation 'tokens': did you mean 'token'? valid: grid, token"));
}

}  // namespace
}  // namespace relbias::plain
