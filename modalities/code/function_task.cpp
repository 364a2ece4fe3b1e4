// SPDX-License-Identifier: Apache-2.0
// modalities/code: choosing functions by length and depth, and making batches of them.
#include "modalities/code/function_task.h"
#include "modalities/code/tree_structure.h"

#include <algorithm>

namespace relbias::modalities {

FunctionTask::FunctionTask(const Options& options, const CodeDataset& code)
    : code_(code),
      name_(options.name()),
      all_nodes_(options.word("tokens") == "nodes"),
      depth_(options.integer("depth")),
      deeper_(options.flag("deeper")) {
  if (deeper_ && depth_ == 0) {
    input_error("task {}: deeper=true needs depth=, the depth of the training", name_);
  }
}

int64_t FunctionTask::length(const Snippet& snippet) const {
  return static_cast<int64_t>(all_nodes_ ? snippet.tree.nodes.size() : snippet.tokens.size());
}

bool FunctionTask::belongs(const Snippet& snippet, Split split) const {
  if (depth_ == 0) return true;
  const std::vector<int32_t> depths = block_depths(snippet);
  const bool shallow = *std::max_element(depths.begin(), depths.end()) <= depth_;
  return shallow != (deeper_ && split != Split::train);
}

void FunctionTask::select() {
  for (const Split split : all_splits) {
    Functions& functions = functions_[static_cast<size_t>(split)];
    for (const Snippet& snippet : code_.snippets(split)) {
      if (belongs(snippet, split) && suits(snippet)) functions.push_back(&snippet);
    }
    std::stable_sort(functions.begin(), functions.end(),
                     [&](auto* a, auto* b) { return length(*a) < length(*b); });
  }
}

size_t FunctionTask::shorter_than(const Functions& functions, int64_t limit) const {
  return static_cast<size_t>(
      std::partition_point(functions.begin(), functions.end(),
                           [&](auto* snippet) { return length(*snippet) < limit; }) -
      functions.begin());
}

Example FunctionTask::example(const Snippet& snippet, QuestionDraw draw) const {
  const FunctionAnswers asked = ask(snippet, draw);
  Example example;
  example.structure = structure_of(snippet, all_nodes_);
  example.source = snippet.source;
  const std::vector<int64_t>& nodes = tree_of(example.structure).token_nodes;
  const auto ids_of = [&](int32_t node) {
    Vocabulary::Ids ids;
    std::copy_n(snippet.ids.begin() + node * static_cast<int64_t>(ids.size()), ids.size(),
                ids.begin());
    return ids;
  };
  std::vector<int64_t> token_of(snippet.tree.nodes.size(), 0);
  for (size_t token = 0; token < nodes.size(); ++token) {
    token_of[nodes[token]] = static_cast<int64_t>(token);
    const auto ids = ids_of(static_cast<int32_t>(nodes[token]));
    example.inputs.insert(example.inputs.end(), ids.begin(), ids.end());
  }
  for (const auto& [node, other] : asked.replaced) {
    const auto ids = other < 0 ? code_.vocabulary().hidden(ids_of(node)) : ids_of(other);
    std::copy(ids.begin(), ids.end(),
              example.inputs.begin() + token_of[node] * static_cast<int64_t>(ids.size()));
  }
  const TaskTraits traits = this->traits();
  for (size_t question = 0; question < asked.answers.size(); ++question) {
    const bool pointer = traits.questions[question].kind == Question::Kind::pointer;
    const ExampleAnswers& by_node = asked.answers[question];
    ExampleAnswers by_token;
    const auto target = [&](int64_t found) { return pointer ? token_of[found] : found; };
    if (traits.questions[question].about == Question::About::sample) {
      by_token.targets = {target(by_node.targets.at(0))};
      by_token.scored = by_node.scored;
      for (const int64_t guess : by_node.guesses) by_token.guesses.push_back(target(guess));
    }
    for (const int64_t node : nodes) {
      if (traits.questions[question].about == Question::About::token) {
        by_token.targets.push_back(target(by_node.targets[node]));
        by_token.scored.push_back(by_node.scored[node]);
        if (!by_node.guesses.empty()) by_token.guesses.push_back(target(by_node.guesses[node]));
      }
      if (!by_node.candidates.empty()) by_token.candidates.push_back(by_node.candidates[node]);
      if (!by_node.pooled.empty()) by_token.pooled.push_back(by_node.pooled[node]);
    }
    example.answers.push_back(std::move(by_token));
  }
  if (!has_tree()) example.structure.payload.reset();
  return example;
}

Batch FunctionTask::training(const TrainingRequest& request) const {
  const Functions& functions = functions_of(Split::train);
  const size_t count = shorter_than(functions, request.size + 1);
  if (count == 0) check({request.size}, {});
  QuestionDraw draw(stream_seed(request.seed, "data", request.step));
  const auto batch = static_cast<size_t>(request.batch);
  const size_t width = std::min(count, 8 * batch), anchor = draw.below(count);
  const size_t first = std::min(anchor - std::min(anchor, width / 2), count - width);
  std::vector<Example> examples;
  for (size_t n = 0; n < batch; ++n) {
    const Snippet& snippet = *functions[n == 0 ? anchor : first + draw.below(width)];
    examples.push_back(example(
        snippet, QuestionDraw(stream_seed(request.seed, "questions", request.step * batch + n))));
  }
  return collate(examples, Vocabulary::features, traits());
}

Structure FunctionTask::trained(int64_t size, uint64_t seed) const {
  Structure sample = Task::trained(size, seed);
  sample.queries = sample.keys = tokens(size);
  // What a tree's ids mean does not depend on its tokens.
  if (has_tree()) {
    edit_tree(sample).token_nodes.resize(static_cast<size_t>(sample.keys),
                                         tree_of(sample).token_nodes.back());
  }
  return sample;
}

namespace {

// Samples are drawn by what they say, so that they do not depend on their order.
uint64_t evaluation_seed(const Snippet& snippet) { return stream_seed(0, token_texts(snippet), 0); }

}  // namespace

FunctionTask::Functions FunctionTask::between(const EvaluationRequest& request) const {
  const Functions& all = functions_of(request.split);
  const size_t first = shorter_than(all, request.above + 1);
  const size_t last = std::max(first, shorter_than(all, request.size + 1));
  Functions bin(all.begin() + static_cast<int64_t>(first),
                all.begin() + static_cast<int64_t>(last));
  // Functions of one file stand together.
  const auto by_file = [](const Snippet* a, const Snippet* b) { return a->source < b->source; };
  if (static_cast<int64_t>(bin.size()) <= request.samples) {
    std::stable_sort(bin.begin(), bin.end(), by_file);
    return bin;
  }
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t n = 0; n < bin.size(); ++n) order.emplace_back(evaluation_seed(*bin[n]), n);
  std::sort(order.begin(), order.end());
  order.resize(static_cast<size_t>(request.samples));
  std::sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.second < b.second; });
  Functions some;
  for (const auto& [hash, n] : order) some.push_back(bin[n]);
  std::stable_sort(some.begin(), some.end(), by_file);
  return some;
}

void FunctionTask::evaluation(const EvaluationRequest& request,
                              const std::function<void(const Batch&)>& use) const {
  check({}, {request});
  const Functions functions = between(request);
  std::vector<Example> examples;
  for (const Snippet* snippet : functions) {
    examples.push_back(example(*snippet, QuestionDraw(evaluation_seed(*snippet))));
    const bool full = static_cast<int64_t>(examples.size()) == request.batch;
    if (!full && snippet != functions.back()) continue;
    use(collate(examples, Vocabulary::features, traits()));
    examples.clear();
  }
}

void FunctionTask::check(const std::vector<int64_t>& train_sizes,
                         const std::vector<EvaluationRequest>& evaluations) const {
  const auto expect_some = [&](Split split, int64_t above, int64_t size, size_t found) {
    if (size < 1) input_error("{}: size {} found, at least 1 expected", name_, size);
    if (found > 0) return;
    const Functions& all = functions_of(split);
    input_error(
        "{}: no function of {} to {} tokens in the {} split; it has {} that suit, of {} to {} "
        "tokens: {}",
        name_, above + 1, size, split_name(split), all.size(),
        all.empty() ? 0 : length(*all.front()), all.empty() ? 0 : length(*all.back()),
        code_.report());
  };
  for (const int64_t size : train_sizes) {
    const Functions& functions = functions_of(Split::train);
    expect_some(Split::train, 0, size, shorter_than(functions, size + 1));
  }
  for (const EvaluationRequest& request : evaluations) {
    check_counts(request, name_);
    expect_some(request.split, request.above, request.size, between(request).size());
  }
}

void FunctionTask::each(
    Split split, const std::function<void(const Snippet&, const FunctionAnswers&)>& use) const {
  for (const Snippet* snippet : functions_of(split)) {
    QuestionDraw draw(evaluation_seed(*snippet));
    use(*snippet, ask(*snippet, draw));
  }
}

ExampleAnswers FunctionTask::unscored(const Snippet& snippet) {
  const size_t nodes = snippet.tree.nodes.size();
  ExampleAnswers answers;
  answers.targets.resize(nodes);
  answers.scored.resize(nodes);
  return answers;
}

ExampleAnswers FunctionTask::about_sample(int64_t target, bool scored,
                                          std::optional<int64_t> guess) {
  ExampleAnswers answers;
  answers.targets = {target};
  answers.scored = {scored};
  if (guess) answers.guesses = {*guess};
  return answers;
}

std::vector<OptionSpec> function_options(std::vector<OptionSpec> own) {
  own.push_back({"tokens",
                 std::string("leaves"),
                 "of a function: the leaves of its tree, or all nodes",
                 {"leaves", "nodes"}});
  own.push_back({"depth",
                 int64_t{0},
                 "only functions whose blocks nest at most so deep; 0: any",
                 {},
                 0,
                 1000});
  own.push_back({"deeper", false, "evaluate on functions whose blocks nest deeper than depth="});
  return own;
}

const CodeDataset& code_dataset(const Dataset* dataset, std::string_view task) {
  return dataset_of<CodeDataset>(dataset, task, "code, for example code-packages");
}

std::vector<int32_t> block_depths(const Snippet& snippet) {
  const std::vector<bool>& block = kinds_of(*snippet.tree.language).block;
  const auto& nodes = snippet.tree.nodes;
  std::vector<int32_t> depths(nodes.size());
  for (size_t node = 1; node < nodes.size(); ++node) {
    const auto parent = static_cast<size_t>(nodes[node].parent);
    depths[node] = depths[parent] + block[nodes[parent].type];
  }
  return depths;
}

}  // namespace relbias::modalities
