// SPDX-License-Identifier: Apache-2.0
// modalities/image: what all tasks share that ask for the class of a picture.
#include "modalities/image/picture_task.h"

#include <ATen/ATen.h>

namespace relbias::modalities {

TaskTraits PictureTask::traits() const {
  TaskTraits traits = token_traits();
  traits.questions = {{.about = Question::About::sample,
                       .outputs = static_cast<int64_t>(images().classes().size())}};
  traits.metrics = {"accuracy", "cross-entropy"};
  traits.chance = 1.0 / static_cast<double>(images().classes().size());
  traits.ceiling = 1.0;
  return traits;
}

Batch PictureTask::batch_of(const Views::Shown& shown) const {
  const int64_t cells = shown.pixels.size(2) / patch();
  Batch batch;
  batch.inputs = tokens_of(shown.pixels);
  batch.answers = {
      {.targets = shown.labels.unsqueeze(1),
       .scored = at::ones({shown.labels.size(0), 1}, at::kBool),
       .guesses = at::full({shown.labels.size(0), 1}, images().commonest(), at::kLong)}};
  batch.structures = {{.queries = cells * cells, .keys = cells * cells, .sides = {cells, cells}}};
  return batch;
}

Batch PictureTask::training(const TrainingRequest& request) const {
  views_.check(request.size, name_);
  return batch_of(views_.training(request));
}

void PictureTask::evaluation(const EvaluationRequest& request,
                             const std::function<void(const Batch&)>& use) const {
  views_.check(request, name_);
  views_.evaluation(request, [&](const Views::Shown& shown) { use(batch_of(shown)); });
}

void PictureTask::check(const std::vector<int64_t>& train_sizes,
                        const std::vector<EvaluationRequest>& evaluations) const {
  for (const int64_t size : train_sizes) views_.check(size, name_);
  for (const EvaluationRequest& request : evaluations) views_.check(request, name_);
}

}  // namespace relbias::modalities
