// SPDX-License-Identifier: Apache-2.0
// tests: what attention and encodings allocate.
#include "encodings/attention/memory.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gmock/gmock.h>

#include "tests/encodings/relation_cases.h"
#include "tests/error_of.h"

namespace relbias::encodings {
namespace {

using ::testing::HasSubstr;

Tensor heads_of(int64_t heads, int64_t tokens) {
  return at::empty({1, heads, tokens, 64}, at::TensorOptions(at::kMeta).dtype(at::kFloat));
}

// Seen elsewhere: a bias too large for 32-bit strides. 4096 works, 8192 is one past an int32.
// Nothing is allocated to say so.
TEST(AttentionMemory, CountsBeyondThirtyTwoBits) {
  const Tensor x = heads_of(32, 8192);
  EXPECT_EQ(reference_memory(x, x, {}, {}).pairs, int64_t{2147483648});
  EXPECT_EQ(reference_memory(x, x, {}, {}).bytes, 2 * 4 * int64_t{2147483648});
  Position biased;
  biased.terms.score = at::zeros({32, 2 * 8192 - 1});
  EXPECT_EQ(reference_memory(x, x, {biased}, {}).bytes, 3 * 4 * int64_t{2147483648});
  const Tensor half = x.to(at::kHalf), wide = x.to(at::kDouble);
  EXPECT_EQ(reference_memory(half, half, {}, {}).bytes, 2 * 4 * int64_t{2147483648});
  EXPECT_EQ(reference_memory(wide, wide, {}, {}).bytes, 2 * 8 * int64_t{2147483648});
}

TEST(AttentionMemory, RefusesWhatDoesNotFit) {
  const Tensor x = heads_of(32, 8192);
  const int64_t needed = reference_memory(x, x, {}, {}).bytes;
  EXPECT_NO_THROW(check_memory(x, x, needed, needed));
  EXPECT_THAT(error_of([&] { check_memory(x, x, needed, needed - 1); }),
              HasSubstr("32 heads, 8192 queries and 8192 keys needs 16.0 GiB"));
  const Tensor huge = heads_of(32, int64_t{1} << 31);
  EXPECT_THAT(error_of([&] { reference_memory(huge, huge, {}, {}); }), HasSubstr("beyond 64 bits"));
  EXPECT_GT(main_memory(), int64_t{1} << 28);
}

// A byte a pair, once for all heads; of a sample where padding makes samples differ.
TEST(AttentionMemory, CountsTheMaskThatTheReferenceMakes) {
  const Tensor x = at::empty({3, 2, 8, 4}, at::kMeta);
  const auto more = [&](const AttentionOptions& options) {
    return reference_memory(x, x, {}, options).bytes - reference_memory(x, x, {}, {}).bytes;
  };
  EXPECT_EQ(more({.causal = true}), 64);
  EXPECT_EQ(more({.window = 2}), 64);
  EXPECT_EQ(more({.valid_keys = at::ones({3, 8}, at::kBool)}), 3 * 64);
}

// Sees every allocation of the thread while it is installed.
class AllocationWatch : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t size, size_t, size_t, c10::Device) override {
    largest = std::max(largest, size);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t largest = 0;
};

int64_t largest_allocation(const std::function<void()>& work) {
  const auto watch = std::make_shared<AllocationWatch>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watch);
  work();
  return watch->largest;
}

TEST(AllocationWatch, SeesAnAllocation) {
  EXPECT_GE(largest_allocation([] { at::zeros({1000, 1000}); }), 4000000);
}

// On a line and on a grid terms are tables of what pairs can be, never of all pairs. Only FIRE,
// whose normaliser depends on the row, and CoPE, whose gates depend on content, have a matrix.
TEST(AttentionMemory, TermsAreSmallerThanThePairs) {
  const at::NoGradGuard no_gradients;
  constexpr int64_t tokens = 4096;
  for (const char* name : {"token", "small-grid"}) {
    RelationCase relation = relation_case(name);
    relation.tokens = tokens;
    const RelationMap map = relation.map(tokens, tokens);
    for (const auto& entry : encoding_entries()) {
      const EncodingContext context = context_for(relation, true);
      if (entry.on_tokens || undefined_reason(parse_encoding(entry.name), name, context)) continue;
      const auto encoding =
          make_encoding(parse_encoding(entry.name), name, context, Initialiser(3));
      Terms terms;
      const int64_t largest = largest_allocation([&] { terms = encoding->terms(map); });
      EXPECT_LT(largest, tokens * tokens * 4) << entry.name << " on " << name;
      EXPECT_EQ(terms.dense != nullptr, entry.name == "fire" || entry.name == "cope") << entry.name;
    }
  }
}

}  // namespace
}  // namespace relbias::encodings
