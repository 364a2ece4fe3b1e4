// SPDX-License-Identifier: Apache-2.0
// tests/experiments: `relbias show`: what a loader made of a sample.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/experiments/program.h"

namespace relbias::experiments {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Six grey pictures a class, each of one level of a scale to 100.
ScratchFolder& folder() {
  static ScratchFolder made;
  if (std::filesystem::exists(made.path() / "data")) return made;
  for (int n = 0; n < 12; ++n) {
    const std::string pixels(64, static_cast<char>(10 + n));
    made.write(fmt::format("data/{}/{}.pgm", n % 2 == 0 ? "a" : "b", n), "P5 8 8 100 " + pixels);
  }
  return made;
}

TEST(Show, WritesAPictureAsItWasRead) {
  const ProgramResult result = run_program(
      "show 'image-folder path=data side=8 colours=grey' 0 --split test -o seen.pgm", folder());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, AllOf(HasSubstr("12 of 12 pictures read"),
                                   HasSubstr("shape [1, 8, 8], mean 0."), HasSubstr("label: ")));
  EXPECT_THAT(text_of_file(folder().path() / "seen.pgm"), testing::StartsWith("P5\n8 8\n255\n"));
}

// Methane has one atom and no bond.
TEST(Show, AGraphMayHaveNoEdge) {
  std::string table = "smiles,y\n";
  for (size_t n = 1; n < 30; ++n) table += std::string(n, 'C') + ",1.5\n";
  folder().write("chains.csv", table);
  for (int n = 0; n < 20; ++n) {
    const ProgramResult result =
        run_program(fmt::format("show 'smiles-csv path=chains.csv' {}", n), folder());
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    if (result.output.find(" 1 nodes, 0 edges") == std::string::npos) continue;
    EXPECT_THAT(result.output, HasSubstr("edge features: shape [0, "));
    return;
  }
  ADD_FAILURE() << "methane is not among the first of train";
}

TEST(Show, NamesWhatIsWrong) {
  const std::string data = "show 'image-folder path=data side=8 colours=grey' ";
  EXPECT_THAT(run_program(data + "99", folder()).errors,
              HasSubstr("sample 99 of train found, 0 to "));
  EXPECT_THAT(run_program(data + "0 --split tset", folder()).errors,
              HasSubstr("did you mean 'test'?"));
  EXPECT_THAT(run_program("show digist 0", folder()).errors, HasSubstr("did you mean 'digits'?"));
}

}  // namespace
}  // namespace relbias::experiments
