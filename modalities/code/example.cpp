// SPDX-License-Identifier: Apache-2.0
// modalities/code: padding examples to a batch.
#include "modalities/code/example.h"

#include <ATen/ATen.h>

namespace relbias::modalities {
namespace {

using Flags = std::vector<uint8_t>;

// Rows of unlike length, one after the other -> [B, width], 0 behind.
template <class Number, class RowOf>
Tensor padded(const std::vector<Example>& examples, int64_t width, at::ScalarType type,
              const RowOf& row_of) {
  Tensor batch = at::zeros({static_cast<int64_t>(examples.size()), width}, type);
  Number* place = batch.data_ptr<Number>();
  for (const Example& example : examples) {
    const std::vector<Number>& row = row_of(example);
    TORCH_INTERNAL_ASSERT(static_cast<int64_t>(row.size()) <= width, row.size(), " of ", width);
    std::copy(row.begin(), row.end(), place);
    place += width;
  }
  return batch;
}

Tensor flags(const std::vector<Example>& examples, int64_t width, size_t question,
             Flags ExampleAnswers::*member) {
  if ((examples.front().answers[question].*member).empty()) return {};
  return padded<uint8_t>(examples, width, at::kByte,
                         [&](const Example& example) -> const Flags& {
                           return example.answers[question].*member;
                         })
      .to(at::kBool);
}

}  // namespace

Batch collate(const std::vector<Example>& examples, int64_t features, const TaskTraits& traits) {
  int64_t tokens = 0;
  for (const Example& example : examples) tokens = std::max(tokens, example.structure.keys);
  const auto count = static_cast<int64_t>(examples.size());
  Batch batch;
  batch.inputs = padded<int64_t>(
      examples, tokens * features, at::kLong,
      [](const Example& example) -> const std::vector<int64_t>& { return example.inputs; });
  if (features > 1) batch.inputs = batch.inputs.view({count, tokens, features});
  std::vector<Tensor> valid;
  for (const Example& example : examples) {
    valid.push_back(at::arange(tokens) < example.structure.keys);
    batch.structures.push_back(example.structure);
    if (!example.source.empty()) batch.sources.push_back(example.source);
  }
  batch.valid = at::stack(valid);
  for (size_t question = 0; question < traits.questions.size(); ++question) {
    const bool about_token = traits.questions[question].about == Question::About::token;
    const int64_t width = about_token ? tokens : 1;
    Answers answers;
    answers.targets = padded<int64_t>(examples, width, at::kLong,
                                      [&](const Example& example) -> const std::vector<int64_t>& {
                                        return example.answers[question].targets;
                                      });
    answers.scored = flags(examples, width, question, &ExampleAnswers::scored);
    answers.candidates = flags(examples, tokens, question, &ExampleAnswers::candidates);
    answers.pooled = flags(examples, tokens, question, &ExampleAnswers::pooled);
    if (!examples.front().answers[question].guesses.empty()) {
      answers.guesses = padded<int64_t>(examples, width, at::kLong,
                                        [&](const Example& example) -> const std::vector<int64_t>& {
                                          return example.answers[question].guesses;
                                        });
    }
    batch.answers.push_back(std::move(answers));
  }
  return batch;
}

}  // namespace relbias::modalities
