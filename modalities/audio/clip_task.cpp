// SPDX-License-Identifier: Apache-2.0
// modalities/audio: samples and batches of clips.
#include "modalities/audio/clip_task.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "modalities/sampling/trained_classes.h"

namespace relbias::modalities {

std::vector<OptionSpec> clip_task_specs(const Patches& defaults) {
  return Patches::specs(defaults);
}

ClipTask::ClipTask(const Options& options, const AudioDataset& audio)
    : audio_(audio), name_(options.name()), patches_(Patches::from(options, audio.mels())) {}

void ClipTask::check_categories() const {
  std::vector<ClassCount> classes;
  for (const std::string& name : audio_.categories()) classes.push_back({.name = name});
  for (const Split split : all_splits) {
    for (const Clip& clip : audio_.clips(split)) {
      ClassCount& count = classes[static_cast<size_t>(clip.category)];
      ++(split == Split::train ? count.trained : count.held_out);
    }
  }
  check_trained(fmt::format("{}: {}", name_, audio_.report()), classes);
}

int64_t ClipTask::commonest() const {
  std::vector<int64_t> counts(static_cast<size_t>(categories()));
  for (const Clip& clip : audio_.clips(Split::train)) ++counts[static_cast<size_t>(clip.category)];
  return std::ranges::max_element(counts) - counts.begin();
}

namespace {

// The n-th of `count` numbers, ordered by the clip that they stand for, number modulo `clips`: what
// comes from one clip stands together. 5 numbers of 2 clips: 0 2 4 1 3.
int64_t grouped(int64_t n, int64_t clips, int64_t count) {
  for (int64_t clip = 0; clip < clips; ++clip) {
    const int64_t of_clip = (count - clip + clips - 1) / clips;
    if (n < of_clip) return clip + n * clips;
    n -= of_clip;
  }
  TORCH_INTERNAL_ASSERT(false, n, " of ", count, " numbers of ", clips, " clips");
}

}  // namespace

Batch ClipTask::training(const TrainingRequest& request) const {
  const Pool pool = pool_of(Split::train, request.size, 0);
  check_pool(pool);
  at::Generator generator = stream(request.seed, "data", request.step);
  const auto count = static_cast<int64_t>(pool.clips.size());
  std::vector<ClipSample> samples;
  for (int64_t b = 0; b < request.batch; ++b) {
    const int64_t number = at::randint(count, {1}, generator, at::kLong).item<int64_t>();
    samples.push_back(sample(pool, number, request.size, generator));
  }
  return batch_of(samples);
}

Structure ClipTask::trained(int64_t size, uint64_t seed) const {
  if (!traits().binned) return Task::trained(size, seed);
  return patches_.structure(tokens(size), audio_.mels(), audio_.hop_seconds());
}

void ClipTask::evaluation(const EvaluationRequest& request,
                          const std::function<void(const Batch&)>& use) const {
  check({}, {request});
  const Pool pool = held_out(request);
  const int64_t count = samples_of(pool, request.samples);
  const uint64_t seed =
      stream_seed(0, evaluation_stream(request.split), static_cast<uint64_t>(request.size));
  std::vector<ClipSample> samples;
  for (int64_t n = 0; n < count; ++n) {
    const int64_t number = grouped(n, static_cast<int64_t>(pool.clips.size()), count);
    at::Generator generator = stream(seed, "sample", static_cast<uint64_t>(number));
    samples.push_back(sample(pool, number, request.size, generator));
    if (static_cast<int64_t>(samples.size()) < request.batch && n + 1 < count) continue;
    use(batch_of(samples));
    samples.clear();
  }
}

void ClipTask::check(const std::vector<int64_t>& train_sizes,
                     const std::vector<EvaluationRequest>& evaluations) const {
  const auto check_size = [&](int64_t size) {
    if (size >= shortest()) return;
    input_error("{}: size {} found, at least {} frames expected", name_, size, shortest());
  };
  for (const int64_t size : train_sizes) {
    check_size(size);
    check_pool(pool_of(Split::train, size, 0));
  }
  for (const EvaluationRequest& request : evaluations) {
    check_size(request.size);
    check_counts(request, name_);
    check_pool(held_out(request));
  }
}

bool ClipTask::fits(const Clip& clip, int64_t size, int64_t above) const {
  return clip.frames > above && clip.frames <= size;
}

void ClipTask::check_pool(const Pool& pool) const {
  if (pool.clips.empty()) input_error("{}: no {}: {}", name_, pool.where, audio_.report());
}

Tensor ClipTask::tokens_of(const Tensor& frames, bool backwards) const {
  return patches_.cut(backwards ? frames.flip(0) : frames);
}

Pool ClipTask::pool_of(Split split, int64_t size, int64_t above) const {
  Pool pool;
  pool.by_category.resize(audio_.categories().size());
  for (const Clip& clip : audio_.clips(split)) {
    if (clip.frames < patches_.shortest() || !fits(clip, size, above)) continue;
    pool.clips.push_back(&clip);
    pool.by_category[static_cast<size_t>(clip.category)].push_back(&clip);
  }
  pool.where = fmt::format("{} clip for size {}", split_name(split), size);
  return pool;
}

// In an order of their own: the first few of a folder are no sample of it.
Pool ClipTask::held_out(const EvaluationRequest& request) const {
  Pool pool = pool_of(request.split, request.size, request.above);
  at::Generator generator = stream(0, "order of the clips", 0);
  const auto count = static_cast<int64_t>(pool.clips.size());
  const Tensor order = at::randperm(count, generator, at::TensorOptions(at::kLong));
  std::vector<const Clip*> shuffled;
  for (int64_t n = 0; n < count; ++n) {
    shuffled.push_back(pool.clips[static_cast<size_t>(order[n].item<int64_t>())]);
  }
  pool.clips = std::move(shuffled);
  return pool;
}

Batch ClipTask::batch_of(const std::vector<ClipSample>& samples) const {
  int64_t longest = 0;
  for (const ClipSample& sample : samples) longest = std::max(longest, sample.tokens.size(0));
  const auto count = static_cast<int64_t>(samples.size());
  const bool each_token = traits().questions.front().about == Question::About::token;
  const int64_t answers = each_token ? longest : 1;
  Batch batch;
  batch.inputs = at::zeros({count, longest, features()}, at::kFloat);
  batch.valid = at::zeros({count, longest}, at::kBool);
  Answers answer{.targets = at::zeros({count, answers}, at::kLong),
                 .scored = at::zeros({count, answers}, at::kBool)};
  for (int64_t b = 0; b < count; ++b) {
    const ClipSample& sample = samples[static_cast<size_t>(b)];
    const int64_t size = sample.tokens.size(0), answered = sample.targets.size(0);
    batch.inputs[b].narrow(0, 0, size).copy_(sample.tokens);
    batch.valid[b].narrow(0, 0, size).fill_(true);
    batch.sources.push_back(sample.source);
    answer.targets[b].narrow(0, 0, answered).copy_(sample.targets);
    answer.scored[b].narrow(0, 0, answered).fill_(true);
    if (!sample.guesses.defined()) continue;
    if (!answer.guesses.defined()) answer.guesses = at::zeros_like(answer.targets);
    answer.guesses[b].narrow(0, 0, answered).copy_(sample.guesses);
  }
  if (batch.valid.all().item<bool>()) batch.valid = Tensor();
  batch.answers = {answer};
  batch.structures = {patches_.structure(longest, audio_.mels(), audio_.hop_seconds())};
  return batch;
}

}  // namespace relbias::modalities
