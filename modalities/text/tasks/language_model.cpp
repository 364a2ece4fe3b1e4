// SPDX-License-Identifier: Apache-2.0
// modalities/text: task `language-model`, the next byte of real text.
#include <ATen/ATen.h>

#include <algorithm>

#include "modalities/text/text.h"

namespace relbias::modalities {
namespace {

/// Input x_1..x_n, target y_t = x_{t+1}, every target scored. Text "to be", size 4:
///
///   inputs   t  o  _  b
///   targets  o  _  b  e
///
/// Training windows start anywhere in the training text, also across the border of two documents.
///
/// Evaluation scores `tokens` bytes of the held-out split. They lie in stretches of
/// min(stretch, tokens) bytes, the first at the beginning of the split, the last at its end, the
/// others evenly between, so that no single work decides the result. Every stretch is cut into
/// windows of the evaluated size. A stretch is a multiple of every size, hence every size scores
/// exactly the same bytes, and only the context that it gives to them differs.
///
/// Plain windows give the first bytes of each window little context, the more so the shorter the
/// windows are. `stride` = s moves a window by s bytes and scores its last s only, so that every
/// byte has n - s bytes before it or more (but for the first of the split).
///
/// The trivial rule is the bigram of the training bytes, (count(x y) + 1) / (count(x) + 256).
class LanguageModel final : public Task {
 public:
  LanguageModel(const Options& options, const TextDataset& text)
      : text_(text), stretch_(options.integer("stretch")), stride_(options.integer("stride")) {
    count_successors();
  }

  TaskTraits traits() const override {
    return {.vocabulary = 256,
            .questions = {{.outputs = 256}},
            .causal = true,
            .tied_outputs = true,
            .metrics = {"bits-per-byte", "cross-entropy", "perplexity", "accuracy"},
            .chance = 8.0,   // log2 256: all bytes equally likely
            .ceiling = 1.0,  // bits per byte: what readers of English need (Shannon 1951)
            .by_position = true};
  }

  Batch training(const TrainingRequest& request) const override {
    const int64_t places = length(Split::train) - request.size;
    if (places < 1) too_short(Split::train, request.size + 1, "a training window");
    at::Generator generator = stream(request.seed, "data", request.step);
    const Tensor starts = at::randint(0, places, {request.batch}, generator, at::kLong);
    return windows(Split::train, starts, request.size);
  }

  void evaluation(const EvaluationRequest& request,
                  const std::function<void(const Batch&)>& use) const override {
    const Tensor starts = window_starts(request);
    const Tensor blocks = block_starts(starts, request);
    for (int64_t begin = 0; begin < starts.size(0); begin += request.batch) {
      const int64_t end = std::min(begin + request.batch, starts.size(0));
      const Tensor some = starts.slice(0, begin, end);
      Batch batch = stride_ > 0 ? strides(request.split, some, request.size)
                                : windows(request.split, some, request.size);
      for (int64_t window = begin; window < end; ++window) {
        batch.sources.push_back(fmt::format("byte {}", blocks[window].item<int64_t>()));
      }
      use(batch);
    }
  }

  std::string sample_unit(const EvaluationRequest& request) const override {
    return fmt::format("block of {} bytes", std::max(request.block, request.size));
  }

  void check(const std::vector<int64_t>& train_sizes,
             const std::vector<EvaluationRequest>& evaluations) const override {
    for (const int64_t size : train_sizes) {
      check_size(size);
      if (length(Split::train) <= size) too_short(Split::train, size + 1, "a training window");
    }
    for (const EvaluationRequest& request : evaluations) {
      window_starts(request);
      if (request.tokens != evaluations.front().tokens) {
        input_error(
            "language-model: {} tokens at one size, {} at another: sizes compare only on "
            "the same bytes",
            evaluations.front().tokens, request.tokens);
      }
    }
  }

 private:
  int64_t length(Split split) const { return static_cast<int64_t>(text_.bytes(split).size()); }

  static void check_size(int64_t size) {
    if (size < 1) input_error("language-model: size {} found, at least 1 expected", size);
  }

  [[noreturn]] void too_short(Split split, int64_t needed, std::string_view what) const {
    input_error("language-model: {} needs {} bytes, but {} has {}: {}", what, needed,
                split_name(split), length(split), text_.report());
  }

  /// The first bytes of the evaluation's windows, [tokens / size].
  Tensor window_starts(const EvaluationRequest& request) const {
    check_size(request.size);
    const int64_t tokens = request.tokens;
    const int64_t stretch = std::min(stretch_, tokens);
    if (tokens < 1 || request.batch < 1) {
      input_error("language-model: {} tokens in batches of {}, at least 1 of each expected", tokens,
                  request.batch);
    }
    if (tokens % stretch != 0) {
      input_error("language-model: {} evaluation tokens are no multiple of stretch={}", tokens,
                  stretch);
    }
    if (stride_ > request.size || (stride_ > 0 && stretch % stride_ != 0)) {
      input_error(
          "language-model: stride={} found, at most the evaluated size {} and a divisor of a "
          "stretch of {} bytes expected",
          stride_, request.size, stretch);
    }
    if (stride_ == 0 && stretch % request.size != 0) {
      input_error(
          "language-model: evaluation size {} does not divide a stretch of {} bytes, and all sizes "
          "must score the same bytes: change the sizes, the evaluation tokens ({}) or stretch= "
          "({})",
          request.size, stretch, tokens, stretch_);
    }
    // One byte more than is scored: the first of all is only context.
    if (length(request.split) < request.size + 1) {
      too_short(request.split, request.size + 1, "an evaluation window");
    }
    if (length(request.split) < tokens + 1) {
      too_short(request.split, tokens + 1, fmt::format("evaluation on {} tokens", tokens));
    }
    const int64_t stretches = tokens / stretch;
    const int64_t slack = length(request.split) - 1 - stretch;
    const Tensor number = at::arange(stretches, at::kLong);
    const Tensor begin = (number * slack).floor_divide(std::max<int64_t>(stretches - 1, 1));
    const Tensor within = at::arange(0, stretch, stride_ > 0 ? stride_ : request.size, at::kLong);
    return (begin.unsqueeze(1) + within.unsqueeze(0)).flatten();
  }

  /// The first byte of the block that each window lies in, one a window. Blocks start where
  /// their stretch does.
  Tensor block_starts(const Tensor& starts,  // [windows]
                      const EvaluationRequest& request) const {
    const int64_t stretch = std::min(stretch_, request.tokens);
    const int64_t step = stride_ > 0 ? stride_ : request.size;
    const Tensor within = at::arange(starts.size(0), at::kLong).mul(step).remainder(stretch);
    return starts - within.remainder(std::max(request.block, request.size));
  }

  // How often each byte follows each in the training text, and what that says of the next.
  void count_successors() {
    const std::string& bytes = text_.bytes(Split::train);
    successors_ = at::zeros({256, 256}, at::kFloat);
    auto counts = successors_.accessor<float, 2>();
    for (size_t n = 1; n < bytes.size(); ++n) {
      counts[static_cast<unsigned char>(bytes[n - 1])][static_cast<unsigned char>(bytes[n])] += 1;
    }
    likeliest_ = successors_.argmax(1);
    successors_ = -((successors_ + 1) / (successors_.sum(1, true) + 256)).log();
  }

  // Windows that end with the `stride` bytes that they are scored on, from `starts`, [B], on.
  Batch strides(Split split, const Tensor& starts, int64_t size) const {
    const Tensor begin = (starts + stride_ - size).clamp_min(0);
    Batch batch = windows(split, begin, size);
    const Tensor place = at::arange(size, at::kLong).unsqueeze(0) - (starts - begin).unsqueeze(1);
    batch.answers.front().scored = (place >= 0).logical_and(place < stride_);
    return batch;
  }

  /// starts: [B]
  Batch windows(Split split, const Tensor& starts, int64_t size) const {
    const std::string& bytes = text_.bytes(split);
    // Indexing only reads, so the constness of the text may be taken off.
    const Tensor all = at::from_blob(const_cast<char*>(bytes.data()), {length(split)}, at::kByte);
    const Tensor places = starts.unsqueeze(1) + at::arange(size + 1, at::kLong).unsqueeze(0);
    const Tensor tokens = all.index({places}).to(at::kLong);  // [B, N + 1]
    Batch batch;
    batch.inputs = tokens.narrow(1, 0, size).contiguous();
    batch.answers = {{.targets = tokens.narrow(1, 1, size).contiguous(),
                      .scored = at::ones_like(batch.inputs, at::kBool),
                      .guesses = likeliest_.index({batch.inputs}),
                      .guess_nats = successors_.index({batch.inputs, tokens.narrow(1, 1, size)})}};
    batch.structures = {{.queries = size, .keys = size}};
    return batch;
  }

  const TextDataset& text_;
  int64_t stretch_, stride_;
  Tensor successors_;  // [256, 256] nats of the second byte after the first
  Tensor likeliest_;   // [256] the byte that follows most often
};

std::unique_ptr<Task> make(const Options& options, const Dataset* dataset) {
  return std::make_unique<LanguageModel>(
      options, dataset_of<TextDataset>(dataset, "language-model", "text, for example shakespeare"));
}

}  // namespace

TaskEntry task_language_model() {
  return {
      .version = 2,
      .summary =
          "the next byte of real text; whether a model still works on longer text than it "
          "was trained on",
      .relation = "token",
      .trivial = "the bigram of the training bytes, (count + 1) / (count of the first + 256)",
      .needs_dataset = true,
      .options = {{.name = "stretch",
                   .value = int64_t{8192},
                   .meaning = "bytes of connected text from which evaluation windows are cut",
                   .minimum = 1},
                  {.name = "stride",
                   .value = int64_t{0},
                   .meaning = "bytes by which evaluation windows move, each scored on its last so "
                              "many; 0: windows side by side, scored whole",
                   .minimum = 0}},
      .make = make,
  };
}

}  // namespace relbias::modalities
