// SPDX-License-Identifier: Apache-2.0
// tests/benchmarks: does loading and augmenting pictures keep ahead of training on them?
//
//   ninja -C build/release benchmark_image_loader && build/release/benchmark_image_loader
//
// Pictures a second of the loader stand beside those of the training step, both on one thread, with
// the model and the augmentation of studies/image-resolution.toml. What is timed is verified first.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <cstdio>
#include <opencv2/imgcodecs.hpp>

#include "experiments/run/trainer.h"
#include "experiments/study/study.h"
#include "modalities/image/picture_file.h"

namespace relbias::experiments {
namespace {

RunConfig config(const std::string& task) {
  const std::string study = R"(question = "how fast?"
[data]
dataset = "digits"
task = ")" + task + R"("
[model]
layers = 3
width = 64
heads = 4
encoding = "table"
[train]
size = 20
steps = 100000
batch = 32
[evaluate]
sizes = [20]
)";
  return expand(parse_study(study, "benchmark.toml"), {.smoke = false, .set = {}, .only = {}})
      .at(0)
      .config;
}

constexpr const char* every_augmentation = "classification shift=2 flip=true crop=0.8";

void load(benchmark::State& state, const std::string& task) {
  DatasetCache cache;
  const Experiment experiment = build(config(task), cache);
  uint64_t step = 0;
  for (auto _ : state) {
    const Batch batch =
        experiment.task->training({.size = 20, .batch = 32, .seed = 0, .step = step++});
    benchmark::DoNotOptimize(batch.inputs.data_ptr());
  }
  state.SetItemsProcessed(32 * state.iterations());
}

// A step draws its own batch: this is what a run does, loading included.
void train(benchmark::State& state, const std::string& task) {
  const RunConfig run = config(task);
  DatasetCache cache;
  Experiment experiment = build(run, cache);
  Trainer trainer(run, experiment);
  for (auto _ : state) trainer.advance();
  state.SetItemsProcessed(32 * state.iterations());
}

std::string encoded(const char* extension) {
  cv::Mat picture(64, 64, CV_8UC3);
  cv::randu(picture, 0, 256);
  std::vector<unsigned char> bytes;
  cv::imencode(extension, picture, bytes);
  return {bytes.begin(), bytes.end()};
}

void decode(benchmark::State& state, const char* extension) {
  const std::string bytes = encoded(extension);
  for (auto _ : state)
    benchmark::DoNotOptimize(read_picture(bytes, {.side = 32}).pixels.data_ptr());
  state.SetItemsProcessed(state.iterations());
}

// Nothing is timed that does not do its work.
bool verified() {
  DatasetCache cache;
  const Experiment experiment = build(config(every_augmentation), cache);
  const auto batch = [&](uint64_t step) {
    return experiment.task->training({.size = 20, .batch = 32, .seed = 0, .step = step}).inputs;
  };
  const bool loads = batch(0).sizes() == at::IntArrayRef({32, 25, 16}) &&
                     at::equal(batch(3), batch(3)) && !at::equal(batch(3), batch(4)) &&
                     at::isfinite(batch(0)).all().item<bool>();
  const bool decodes = read_picture(encoded(".jpg"), {.side = 32}).fault.empty() &&
                       read_picture(encoded(".png"), {.side = 32}).fault.empty();
  return loads && decodes;
}

}  // namespace
}  // namespace relbias::experiments

int main(int argc, char** argv) {
  using namespace relbias::experiments;
  at::set_num_threads(1);
  if (!verified()) {
    std::fprintf(stderr, "image_loader: what should be timed is wrong\n");
    return 1;
  }
  benchmark::RegisterBenchmark("load/shift", load, "classification");
  benchmark::RegisterBenchmark("load/shift_flip_crop", load, every_augmentation);
  benchmark::RegisterBenchmark("train/shift", train, "classification");
  benchmark::RegisterBenchmark("decode/png_64", decode, ".png");
  benchmark::RegisterBenchmark("decode/jpeg_64", decode, ".jpg");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
