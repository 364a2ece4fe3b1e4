// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: the test samples of one size as a record keeps them.
#include "experiments/evaluation/sample_sets.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>

#include "modalities/plain/files.h"

namespace relbias::experiments {
namespace {

// Of the places that `meant` marks, all where it is undefined: padding depends on the batch.
std::string bytes_of(const Tensor& tensor,   // [N, ...]
                     const Tensor& meant) {  // [N] bool
  const Tensor values = (meant.defined() ? tensor.index({meant}) : tensor).contiguous();
  std::string bytes = fmt::format("{}:", fmt::join(values.sizes().vec(), " "));
  bytes.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  return bytes;
}

}  // namespace

void SampleHash::add(const Batch& batch) {
  for (int64_t b = 0; b < batch.inputs.size(0); ++b) {
    std::string bytes = text_;
    if (!batch.sources.empty()) bytes += batch.sources.at(static_cast<size_t>(b)) + "\n";
    if (!batch.inputs.is_floating_point()) {
      bytes += bytes_of(batch.inputs[b], batch.valid.defined() ? batch.valid[b] : Tensor());
    }
    for (const Answers& answers : batch.answers) {
      bytes += bytes_of(answers.targets[b], answers.scored[b]);
    }
    text_ = sha1(bytes);
  }
}

std::string sample_name(const std::string& modality, bool has_dataset) {
  static const std::map<std::string, std::string> names = {
      {"text", "sequence"}, {"image", "picture"}, {"audio", "clip"}, {"graph", "graph"}};
  const auto found = names.find(modality);
  if (found != names.end()) return found->second;
  return has_dataset ? "file" : "sequence";
}

SampleSet kept_samples(const TaskTraits& traits, const Scores& scores, SampleSet set) {
  set.sources = scores.sources();
  const size_t samples = set.sources.size();
  for (const std::string& metric : traits.metrics) {
    if (scores.samples(metric) == 0) continue;
    SampleScores& one = set.scores.emplace_back();
    one.metric = metric;
    one.names = scores.kept(metric).names();
    one.columns = scores.kept(metric).rows(samples);
    if (std::isnan(scores.guessing(metric))) continue;
    one.guesses = scores.guessed(metric).rows(samples);
  }
  return set;
}

SampleSet kept_samples(const std::string& metric, const KeptSamples& kept,
                       const std::vector<std::string>& sources, SampleSet set) {
  const Columns rows = kept.rows(sources.size());
  for (size_t row = 0; row < sources.size(); ++row) {
    if (!std::isnan(rows.back()[row])) set.sources.push_back(sources[row]);
  }
  set.scores = {
      {.metric = metric, .columns = kept.columns(), .guesses = {}, .names = kept.names()}};
  return set;
}

}  // namespace relbias::experiments
