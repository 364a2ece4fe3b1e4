// SPDX-License-Identifier: Apache-2.0
// modalities/audio: joining clips so that their order is independent of what they are.
#include "modalities/audio/joined.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace relbias::modalities {
namespace {

int64_t largest_divisor(int64_t number, int64_t limit) {
  for (int64_t divisor = std::min(number, limit); divisor > 1; --divisor) {
    if (number % divisor == 0) return divisor;
  }
  return 1;
}

int64_t below(int64_t limit, at::Generator& generator) {
  return at::randint(limit, {1}, generator, at::kLong).item<int64_t>();
}

// The categories that have a clip in the pool.
std::vector<int64_t> present(const Pool& pool) {
  std::vector<int64_t> categories;
  for (size_t category = 0; category < pool.by_category.size(); ++category) {
    if (!pool.by_category[category].empty()) categories.push_back(static_cast<int64_t>(category));
  }
  return categories;
}

std::vector<int64_t> shuffled(const std::vector<int64_t>& numbers, at::Generator& generator) {
  const Tensor order =
      at::randperm(static_cast<int64_t>(numbers.size()), generator, at::TensorOptions(at::kLong));
  const auto* place = order.data_ptr<int64_t>();
  std::vector<int64_t> result;
  for (size_t n = 0; n < numbers.size(); ++n) {
    result.push_back(numbers[static_cast<size_t>(place[n])]);
  }
  return result;
}

}  // namespace

std::vector<OptionSpec> joined_specs() {
  std::vector<OptionSpec> specs = {
      {"segments", int64_t{2}, "clips of a sample", {}, 2, 64},
      {"strict", false, "each clip forwards or backwards, so that no token tells direction"}};
  for (auto& spec : clip_task_specs({})) specs.push_back(std::move(spec));
  return specs;
}

JoinedTask::JoinedTask(const Options& options, const AudioDataset& audio)
    : ClipTask(options, audio),
      segments_(options.integer("segments")),
      distinct_(largest_divisor(segments_, categories())),
      strict_(options.flag("strict")) {
  check_categories();
  if (distinct_ < 2) {
    input_error(
        "task {}: segments={} of {} categories found, a number expected that 2 or more of them "
        "share evenly",
        options.name(), segments_, categories());
  }
}

JoinedTask::Joined JoinedTask::joined(const Pool& pool, at::Generator& generator) const {
  std::vector<int64_t> chosen = shuffled(present(pool), generator);
  chosen.resize(static_cast<size_t>(distinct_));
  std::vector<int64_t> all;
  for (int64_t n = 0; n < segments_; ++n) all.push_back(chosen[static_cast<size_t>(n % distinct_)]);
  Joined sample{.categories = shuffled(all, generator)};
  std::vector<Tensor> parts;
  for (const int64_t category : sample.categories) {
    const auto& clips = pool.by_category[static_cast<size_t>(category)];
    const Clip& clip =
        *clips[static_cast<size_t>(below(static_cast<int64_t>(clips.size()), generator))];
    const bool backwards = strict_ && below(2, generator) == 1;
    sample.source += (sample.source.empty() ? "" : " + ") + clip.name;
    parts.push_back(tokens_of(audio().frames(clip), backwards));
    sample.clip_tokens.push_back(parts.back().size(0));
  }
  sample.tokens = at::cat(parts, 0);
  return sample;
}

void JoinedTask::check_pool(const Pool& pool) const {
  ClipTask::check_pool(pool);
  const auto found = static_cast<int64_t>(present(pool).size());
  if (found >= distinct_) return;
  input_error("{} categories found among the {}s, {} expected: {}", found, pool.where, distinct_,
              audio().report());
}

}  // namespace relbias::modalities
