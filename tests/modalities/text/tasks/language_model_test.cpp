// SPDX-License-Identifier: Apache-2.0
// tests: task `language-model`: windows, and the same scored bytes at every size.
#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <map>

#include "modalities/text/text.h"
#include "tests/error_of.h"

namespace relbias::modalities {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Four consecutive bytes of this text tell where they stand: every byte pair is a number.
std::string ramp(size_t bytes, char first) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) {
    text += first;
    text += static_cast<char>(i / 250 % 250 + 1);
    text += static_cast<char>(i % 250 + 1);
  }
  return text.substr(0, bytes);
}

const std::string train_text = ramp(3000, 'a'), test_text = ramp(4097, 'b');

TextDataset dataset(const std::string& train, const std::string& test) {
  const std::vector<File> first = {{"train", train}}, second = {{"validation", ramp(500, 'c')}},
                          third = {{"test", test}};
  return TextDataset({.origin = "ramp", .content_hash = "", .splits = {first, second, third}});
}

TextDataset dataset() { return dataset(train_text, test_text); }

std::unique_ptr<Task> make(const Dataset* text, const std::string& options = "") {
  const auto& entry = find_entry("task", "language-model", task_entries());
  return entry.make(parse_options("task", "language-model " + options, entry.options), text);
}

std::string text_of(const at::Tensor& row) {
  std::string text;
  const at::Tensor whole = row.contiguous();
  for (int64_t i = 0; i < whole.numel(); ++i)
    text += static_cast<char>(whole.data_ptr<int64_t>()[i]);
  return text;
}

TEST(LanguageModel, TrainsOnWindowsOfTheTrainingText) {
  const TextDataset text = dataset();
  const Batch batch = make(&text)->training({.size = 50, .batch = 300, .seed = 0, .step = 0});
  ASSERT_EQ(batch.inputs.sizes(), at::IntArrayRef({300, 50}));
  EXPECT_TRUE(batch.answers[0].scored.all().item<bool>());
  std::vector<size_t> starts;
  for (int64_t b = 0; b < 300; ++b) {
    const std::string input = text_of(batch.inputs[b]),
                      target = text_of(batch.answers[0].targets[b]);
    const size_t start = train_text.find(input);
    ASSERT_NE(start, std::string::npos);
    EXPECT_EQ(target, train_text.substr(start + 1, 50)) << "the target is the next byte";
    starts.push_back(start);
  }
  // 300 of 2950 places: the extremes lie within a twentieth of the ends, or something is cut off.
  EXPECT_LT(*std::min_element(starts.begin(), starts.end()), 150u);
  EXPECT_GT(*std::max_element(starts.begin(), starts.end()), 2800u);
}

TEST(LanguageModel, EveryPlaceOfTheTrainingTextIsUsed) {
  const TextDataset text = dataset();
  const Batch batch = make(&text)->training({.size = 2997, .batch = 200, .seed = 0, .step = 0});
  std::map<std::string, int> seen;
  for (int64_t b = 0; b < 200; ++b) ++seen[text_of(batch.inputs[b].slice(0, 0, 6))];
  EXPECT_EQ(seen.size(), 3u);  // 3000 - 2997 places, the last target being the last byte
}

TEST(LanguageModel, NonASCIIBytesStayPositive) {
  const TextDataset text = dataset(std::string(20, '\xff'), "test");
  const Batch batch = make(&text)->training({.size = 4, .batch = 2, .seed = 0, .step = 0});
  EXPECT_TRUE((batch.inputs == 255).all().item<bool>());
}

struct Evaluated {
  std::string targets;
  std::vector<std::string> windows;
};

Evaluated evaluate(const Task& task, int64_t size, int64_t tokens, Split split = Split::test) {
  Evaluated all;
  task.evaluation({.size = size, .samples = 0, .tokens = tokens, .batch = 3, .split = split},
                  [&](const Batch& batch) {
                    EXPECT_LE(batch.inputs.size(0), 3);
                    EXPECT_EQ(batch.inputs.size(1), size);
                    for (int64_t b = 0; b < batch.inputs.size(0); ++b) {
                      all.windows.push_back(text_of(batch.inputs[b]));
                      all.targets += text_of(batch.answers[0].targets[b]);
                    }
                  });
  return all;
}

TEST(LanguageModel, EverySizeScoresTheSameBytes) {
  const TextDataset text = dataset();
  for (const std::string options : {"", "stretch=256", "stretch=512"}) {
    const auto task = make(&text, options);
    const std::string targets = evaluate(*task, 256, 2048).targets;
    EXPECT_EQ(targets.size(), 2048u);
    for (const int64_t size : {1, 32, 64, 128}) {
      EXPECT_EQ(evaluate(*task, size, 2048).targets, targets) << options << " size " << size;
    }
  }
}

TEST(LanguageModel, OneStretchIsTheBeginningOfTheTestText) {
  const TextDataset text = dataset();
  const Evaluated all = evaluate(*make(&text), 128, 1024);
  EXPECT_EQ(all.targets, test_text.substr(1, 1024));
  ASSERT_EQ(all.windows.size(), 8u);
  for (size_t w = 0; w < 8; ++w) EXPECT_EQ(all.windows[w], test_text.substr(128 * w, 128));
}

TEST(LanguageModel, StretchesReachFromTheBeginningToTheEnd) {
  const TextDataset text = dataset();
  const std::string targets = evaluate(*make(&text, "stretch=256"), 128, 1024).targets;
  // 4097 bytes: stretches of 256 begin at 0, 1280, 2560 and 3840.
  for (size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(targets.substr(256 * s, 256), test_text.substr(1280 * s + 1, 256));
  }
}

TEST(LanguageModel, TheWholeSplitCanBeScored) {
  const TextDataset text = dataset();
  EXPECT_EQ(evaluate(*make(&text, "stretch=512"), 64, 4096).targets, test_text.substr(1));
}

TEST(LanguageModel, ValidationCanBeChosen) {
  const TextDataset text = dataset();
  EXPECT_EQ(evaluate(*make(&text), 16, 32, Split::validation).targets.front(), '\1');
  EXPECT_EQ(evaluate(*make(&text), 16, 32, Split::validation).windows.front().front(), 'c');
  EXPECT_EQ(evaluate(*make(&text), 16, 32).windows.front().front(), 'b');
  EXPECT_EQ(evaluate(*make(&text), 16, 32, Split::train).windows.front().front(), 'a');
}

// With a stride every size scores the same bytes as plain windows do, each with all the context
// that its window has room for.
TEST(LanguageModel, AStrideScoresTheEndOfWindows) {
  const TextDataset text = dataset();
  const auto task = make(&text, "stride=32 stretch=512");
  for (const int64_t size : {32, 64, 256, 512}) {
    std::string scored;
    task->evaluation({.size = size, .samples = 0, .tokens = 1024, .batch = 3},
                     [&](const Batch& batch) {
                       const Answers& answers = batch.answers[0];
                       for (int64_t b = 0; b < batch.inputs.size(0); ++b) {
                         EXPECT_EQ(answers.scored[b].sum().item<int64_t>(), 32);
                         const std::string window = text_of(batch.inputs[b]);
                         const std::string targets = text_of(answers.targets[b]);
                         EXPECT_NE(test_text.find(window), std::string::npos);
                         EXPECT_EQ(window.substr(1), targets.substr(0, window.size() - 1));
                         const auto first = answers.scored[b].to(at::kInt).argmax().item<int64_t>();
                         const bool first_of_all = window == test_text.substr(0, window.size());
                         EXPECT_TRUE(first == size - 32 || first_of_all) << size << " " << first;
                         scored += targets.substr(static_cast<size_t>(first), 32);
                       }
                     });
    EXPECT_EQ(scored, evaluate(*make(&text, "stretch=512"), 64, 1024).targets) << size;
  }
  EXPECT_THAT(error_of([&] {
                task->check({64}, {{.size = 16, .samples = 0, .tokens = 1024, .batch = 3}});
              }),
              HasSubstr("stride=32 found, at most the evaluated size 16"));
}

// aab aab ...: after a comes a or b, after b always a; 5 bytes: a-a 2, a-b 2 ... of `aabaab`.
TEST(LanguageModel, TheTrivialRuleIsABigram) {
  const TextDataset text = dataset("aabaab", std::string("aabaabaab"));
  const auto task = make(&text, "stretch=4");
  task->evaluation({.size = 4, .samples = 0, .tokens = 4, .batch = 1}, [&](const Batch& batch) {
    const Answers& answers = batch.answers[0];  // inputs a a b a, targets a b a a
    EXPECT_EQ(answers.guesses[0][2].item<int64_t>(), 'a');
    const at::Tensor expected =
        -at::tensor({3.0 / 260, 3.0 / 260, 2.0 / 257, 3.0 / 260}, at::kFloat).log();
    EXPECT_TRUE(at::allclose(answers.guess_nats[0], expected)) << answers.guess_nats;
  });
}

// What check() says before the training, which evaluation() must say as well.
std::string refusal(const Task& task, const EvaluationRequest& request) {
  const std::string message = error_of([&] { task.check({64}, {request}); });
  EXPECT_EQ(error_of([&] { task.evaluation(request, [](const Batch&) {}); }), message);
  return message;
}

TEST(LanguageModel, AskingForMoreThanThereIsIsAnErrorBeforeTheTraining) {
  const TextDataset text = dataset();
  const auto task = make(&text, "stretch=1024");
  task->check({128, 2999}, {{.size = 1024, .samples = 1, .tokens = 4096, .batch = 1}});
  EXPECT_THAT(refusal(*task, {.size = 128, .samples = 1, .tokens = 8192, .batch = 1}),
              HasSubstr("evaluation on 8192 tokens needs 8193 bytes, but test has 4097"));
  const TextDataset one_less = dataset(train_text, ramp(4096, 'b'));
  EXPECT_THAT(refusal(*make(&one_less, "stretch=1024"),
                      {.size = 128, .samples = 1, .tokens = 4096, .batch = 1}),
              HasSubstr("needs 4097 bytes, but test has 4096"));
  EXPECT_THAT(
      [&] { task->check({3000}, {}); },
      ThrowsMessage<InputError>(AllOf(
          HasSubstr("a training window needs 3001 bytes, but train has 3000"), HasSubstr("ramp"))));
  EXPECT_THROW(task->training({.size = 3000, .batch = 1, .seed = 0, .step = 0}), InputError);
}

TEST(LanguageModel, SizesThatWouldScoreOtherBytesAreErrors) {
  const TextDataset text = dataset();
  const auto task = make(&text, "stretch=512");
  EXPECT_THAT(refusal(*task, {.size = 100, .samples = 1, .tokens = 1024, .batch = 1}),
              HasSubstr("size 100 does not divide a stretch of 512 bytes"));
  EXPECT_THAT(refusal(*task, {.size = 1024, .samples = 1, .tokens = 1024, .batch = 1}),
              HasSubstr("size 1024 does not divide a stretch of 512 bytes"));
  EXPECT_THAT(refusal(*task, {.size = 128, .samples = 1, .tokens = 1000, .batch = 1}),
              HasSubstr("1000 evaluation tokens are no multiple of stretch=512"));
  EXPECT_THAT(refusal(*task, {.size = 0, .samples = 1, .tokens = 1024, .batch = 1}),
              HasSubstr("size 0 found"));
  EXPECT_THAT(refusal(*task, {.size = 64, .samples = 1, .tokens = 0, .batch = 1}),
              HasSubstr("0 tokens"));
  EXPECT_THAT(refusal(*task, {.size = 64, .samples = 1, .tokens = 512, .batch = 0}),
              HasSubstr("batches of 0"));
  EXPECT_THAT(
      [&] {
        task->check({64}, {{.size = 64, .samples = 1, .tokens = 512, .batch = 1},
                           {.size = 128, .samples = 1, .tokens = 1024, .batch = 1}});
      },
      ThrowsMessage<InputError>(HasSubstr("512 tokens at one size, 1024 at another")));
}

class NoText final : public Dataset {
 public:
  std::string content_hash() const override { return ""; }
  std::string report() const override { return ""; }
};

TEST(LanguageModel, NeedsText) {
  const NoText other;
  EXPECT_THAT([] { make(nullptr); },
              ThrowsMessage<InputError>(HasSubstr("needs a dataset of text")));
  EXPECT_THAT([&] { make(&other); },
              ThrowsMessage<InputError>(HasSubstr("needs a dataset of text")));
}

TEST(LanguageModel, PromisesItsTraits) {
  const TextDataset text = dataset();
  const TaskTraits traits = make(&text)->traits();
  EXPECT_EQ(traits.vocabulary, 256);
  EXPECT_EQ(traits.questions[0].outputs, 256);
  EXPECT_TRUE(traits.causal);
  EXPECT_TRUE(traits.tied_outputs);
  EXPECT_TRUE(traits.by_position);
  EXPECT_EQ(traits.metrics.front(), "bits-per-byte");
  EXPECT_EQ(traits.chance, 8.0);
}

}  // namespace
}  // namespace relbias::modalities
