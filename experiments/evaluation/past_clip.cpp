// SPDX-License-Identifier: Apache-2.0
// experiments/evaluation: how many targets lie where a clipped relation tells nothing apart.
#include "experiments/evaluation/past_clip.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "experiments/run/record/identity.h"

namespace relbias::experiments {
namespace {

// The smallest clip of the model's relations that have one; 0: none has.
int64_t clip_of(const RunConfig& config, std::string& relation) {
  int64_t smallest = 0;
  for (const RecordedPosition& position : recorded_positions(config)) {
    std::string text = position.relation;
    for (const auto& [option, value] : position.relation_options)
      text += " " + option + "=" + value;
    const Options options = parse_relation(text);
    if (!options.has("clip")) continue;
    const int64_t clip = options.integer("clip");
    if (smallest > 0 && clip >= smallest) continue;
    smallest = clip;
    relation = position.relation;
  }
  return smallest;
}

// Of the scored targets of one size.
double share_past(const Experiment& experiment, const EvaluationRequest& request, int64_t clip) {
  int64_t past = 0, all = 0;
  experiment.task->evaluation(request, [&](const Batch& batch) {
    for (size_t n = 0; n < batch.answers.size(); ++n) {
      if (!experiment.traits.questions[n].steps) continue;
      const Answers& answers = batch.answers[n];
      past += (answers.targets > clip).logical_and(answers.scored).sum().item<int64_t>();
      all += answers.scored.sum().item<int64_t>();
    }
  });
  return all == 0 ? 0 : static_cast<double>(past) / static_cast<double>(all);
}

}  // namespace

std::string past_clip(const RunConfig& config, const Experiment& experiment) {
  const bool counts = std::ranges::any_of(experiment.traits.questions, &Question::steps);
  std::string relation, text;
  const int64_t clip = counts ? clip_of(config, relation) : 0;
  if (clip == 0) return "";
  for (const EvaluationRequest& request : evaluation_requests(config, *experiment.task)) {
    const double share = share_past(experiment, request, clip);
    if (share == 0) continue;
    text += fmt::format("{}{:.2g} % of targets to size {} lie past the clip of {}, {}",
                        text.empty() ? "" : "; ", 100 * share, request.size, relation, clip);
  }
  return text;
}

}  // namespace relbias::experiments
