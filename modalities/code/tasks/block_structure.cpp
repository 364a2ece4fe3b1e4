// SPDX-License-Identifier: Apache-2.0
// modalities/code: task `block-structure`: how deep a token stands, and what opened its block.
#include <algorithm>

#include "modalities/code/function_task.h"

namespace relbias::modalities {
namespace {

constexpr int64_t categories = 10;  // depth 0 to 8, and deeper
constexpr int64_t commonest = 1;    // depth

// The first token at or below a node; -1 where the snippet was cut before it.
int32_t first_token(const Snippet& snippet, int32_t node) {
  const auto found = std::lower_bound(snippet.tokens.begin(), snippet.tokens.end(), node);
  return found == snippet.tokens.end() ? -1 : *found;
}

// The latest opener stands before most of what it opens, and its block ends unseen.
void guess(ExampleAnswers& depth, ExampleAnswers& opener) {
  depth.guesses.resize(depth.targets.size(), commonest);
  int64_t latest = 0;
  for (size_t node = 0; node < opener.targets.size(); ++node) {
    opener.guesses.push_back(latest);
    if (opener.candidates[node] != 0) latest = static_cast<int64_t>(node);
  }
}

/// Two questions about every token: `depth`, in how many blocks it stands (9: in 9 or more), and
/// `opener`, the first token of the statement whose block it stands in, among the openers of all
/// blocks; not asked of tokens outside all blocks.
///
///   def f ( a ) : if a : return a
///    0  0 0 0 0 0  1 1 1   2    2     depth
///                  d d d   i    i     opener: d the def, i the if
///
/// It asks for nothing that the syntax tree does not say: whether the relation reaches the model.
class BlockStructure final : public FunctionTask {
 public:
  BlockStructure(const Options& options, const CodeDataset& code) : FunctionTask(options, code) {
    select();
  }

  TaskTraits traits() const override {
    return {.vocabulary = code_.vocabulary().rows(),
            .questions = {{.name = "depth", .outputs = categories},
                          {.name = "opener", .kind = Question::Kind::pointer}},
            .metrics = {"depth accuracy", "opener accuracy", "joint accuracy"},
            .ceiling = 1.0,
            .binned = true};
  }

 protected:
  bool suits(const Snippet& snippet) override {
    const auto depths = block_depths(snippet);
    return std::any_of(snippet.tokens.begin(), snippet.tokens.end(),
                       [&](int32_t token) { return depths[static_cast<size_t>(token)] > 0; });
  }

  FunctionAnswers ask(const Snippet& snippet, QuestionDraw&) const override {
    const auto& nodes = snippet.tree.nodes;
    const std::vector<bool>& block = kinds_of(*snippet.tree.language).block;
    const std::vector<int32_t> depths = block_depths(snippet);
    ExampleAnswers depth = unscored(snippet), opener = unscored(snippet);
    opener.candidates.resize(nodes.size());
    std::vector<int32_t> opened_by(nodes.size(), -1);
    for (size_t node = 1; node < nodes.size(); ++node) {
      const auto parent = static_cast<size_t>(nodes[node].parent);
      opened_by[node] = opened_by[parent];
      if (block[nodes[parent].type]) {
        opened_by[node] = first_token(snippet, std::max(nodes[parent].parent, 0));
      }
      if (!nodes[node].leaf) continue;
      depth.targets[node] = std::min<int64_t>(depths[node], categories - 1);
      depth.scored[node] = 1;
      if (opened_by[node] < 0) continue;
      opener.targets[node] = opened_by[node];
      opener.scored[node] = 1;
      opener.candidates[static_cast<size_t>(opened_by[node])] = 1;
    }
    guess(depth, opener);
    FunctionAnswers result;
    result.answers = {std::move(depth), std::move(opener)};
    return result;
  }
};

}  // namespace

TaskEntry task_block_structure() {
  return {
      .version = 2,
      .summary = "of every token the depth of its block, and the token that opens it",
      .relation = "tree",
      .trivial = "depth 1, the commonest; the latest opener before the token",
      .kind = TaskKind::gate,
      .ability = "structure: what the syntax tree says, read off the relation",
      .needs_dataset = true,
      .options = function_options(),
      .make =
          [](const Options& options, const Dataset* dataset) {
            return std::make_unique<BlockStructure>(options,
                                                    code_dataset(dataset, "block-structure"));
          },
  };
}

}  // namespace relbias::modalities
