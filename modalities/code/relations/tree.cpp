// SPDX-License-Identifier: Apache-2.0
// modalities/code: relation `tree`, steps up and down between two tokens of a syntax tree.
#include <ATen/ATen.h>

#include <numeric>

#include "modalities/code/syntax/tree_order.h"
#include "modalities/code/tree_structure.h"
#include "modalities/relation.h"

namespace relbias::modalities {
namespace {

constexpr int64_t most_tokens = 16'384;  // half a gigabyte of ids

const std::vector<std::string> class_ids = {"class->token", "token->class", "class->class"};

/// r(i,j) = up * (c + 1) + down: steps from token i up to the lowest common ancestor and down from
/// it to token j, each at most `clip` c. Parent (1,0), child (0,1), ancestor (n,0), descendant
/// (0,n), sibling (1,1) where it stands before; a sibling that stands after has the id (c + 1)^2.
/// The axes are (-up, down), the distance is up + down. With `class_token` a token of no place
/// stands first; its three ids follow: class->token, token->class, class->class.
///
/// clip 2, root with leaves a b:   a->a 0   a->b 9        clip 2, tokens=nodes, root with child a:
///                                 b->a 4   b->b 0        root->a 1   a->root 3
///
/// Tokens are the leaves, or all nodes in preorder (`tokens=nodes`); a task says which of them it
/// has, the option tells what is read from `file`. Linear in the nodes, then one step a pair.
class TreeRelation final : public Relation {
 public:
  explicit TreeRelation(const Options& options)
      : clip_(options.integer("clip")),
        class_token_(options.flag("class_token")),
        nodes_(options.word("tokens") == "nodes"),
        file_(options.word("file")) {}

  RelationTraits traits() const override {
    return {.index_class = IndexClass::pairs,
            .axes = 2,
            .distance = true,
            .ids = rows(),
            .special_ids = class_token_ ? class_ids : std::vector<std::string>(),
            .places = {"up", "down"}};
  }

  RelationMap map(const Structure& sample) const override {
    check(sample);
    RelationMap map;
    map.index_class = IndexClass::pairs;
    map.queries = sample.queries;
    map.keys = sample.keys;
    map.rows = rows();
    map.index = ids(sample).narrow(0, sample.keys - sample.queries, sample.queries).unsqueeze(0);
    describe_rows(map);
    return map;
  }

  Structure structure(std::optional<int64_t> queries, std::optional<int64_t> keys) const override {
    Structure sample = file_.empty() ? example_tree(nodes_) : tree_of_file(file_, nodes_);
    sample.class_token = class_token_;
    sample.keys = static_cast<int64_t>(tree_of(sample).token_nodes.size()) + class_token_;
    sample.queries = queries.value_or(sample.keys);
    if (keys.value_or(sample.keys) != sample.keys || sample.queries > sample.keys) {
      input_error("relation tree: {} queries and {} keys found, but {} has {} tokens",
                  sample.queries, keys.value_or(sample.keys), file_.empty() ? "the example" : file_,
                  sample.keys);
    }
    return sample;
  }

 private:
  int64_t after() const { return (clip_ + 1) * (clip_ + 1); }
  int64_t rows() const { return after() + 1 + (class_token_ ? 3 : 0); }

  void check(const Structure& sample) const {
    if (tree_of(sample).parents.empty()) {
      input_error("relation tree: the sample has no syntax tree; this task's relation is another");
    }
    if (sample.class_token != class_token_) {
      input_error("relation tree: the sample has {} class token, the relation has class_token={}",
                  sample.class_token ? "a" : "no", class_token_);
    }
    if (sample.queries > sample.keys) {
      input_error("relation tree: {} queries and {} keys found, at most as many expected",
                  sample.queries, sample.keys);
    }
    if (sample.keys > most_tokens) {
      input_error("relation tree: {} tokens found, at most {} expected: each pair has an id",
                  sample.keys, most_tokens);
    }
    const auto tokens = static_cast<int64_t>(tree_of(sample).token_nodes.size());
    TORCH_INTERNAL_ASSERT(tokens + class_token_ == sample.keys, tokens, " tokens of the tree, ",
                          sample.keys, " keys");
  }

  Tensor ids(const Structure& sample) const {  // [K, K]
    const TreeOrder order = tree_order(tree_of(sample).parents, tree_of(sample).token_nodes);
    const int64_t tokens = static_cast<int64_t>(tree_of(sample).token_nodes.size());
    const auto type = rows() <= 256 ? at::kByte : at::kShort;
    Tensor ids = at::zeros({tokens, tokens}, type);
    if (type == at::kByte) {
      fill(order, ids.data_ptr<uint8_t>());
    } else {
      fill(order, ids.data_ptr<int16_t>());
    }
    if (!class_token_) return ids;
    Tensor whole = at::full({sample.keys, sample.keys}, after() + 2, type);
    whole.select(0, 0).fill_(after() + 1);
    whole.select(0, 0).select(0, 0).fill_(after() + 3);
    whole.narrow(0, 1, tokens).narrow(1, 1, tokens).copy_(ids);
    return whole;
  }

  // The common ancestor of two tokens lies as deep as the shallowest gap between them.
  template <class Id>
  void fill(const TreeOrder& order, Id* ids) const {
    const int64_t tokens = static_cast<int64_t>(order.token.size());
    const auto clip = static_cast<int32_t>(clip_), wide = clip + 1;
    const auto sibling_after = static_cast<Id>(after());
    for (int64_t a = 0; a < tokens; ++a) {
      const int32_t depth = order.depth[a];
      Id* const row = ids + order.token[a] * tokens;  // written whole: columns would miss the cache
      const auto id = [&](int64_t b, int32_t common) {
        return std::min(depth - common, clip) * wide + std::min(order.depth[b] - common, clip);
      };
      int32_t common = depth;
      for (int64_t b = a - 1; b >= 0; --b) {
        common = std::min(common, order.gap[b + 1]);
        row[order.token[b]] = static_cast<Id>(id(b, common));
      }
      common = depth;
      for (int64_t b = a + 1; b < tokens; ++b) {
        common = std::min(common, order.gap[b]);
        const bool sibling = depth - common == 1 && order.depth[b] - common == 1;
        row[order.token[b]] = sibling ? sibling_after : static_cast<Id>(id(b, common));
      }
    }
  }

  void describe_rows(RelationMap& map) const {
    const Tensor row = at::arange(after(), at::kFloat);
    Tensor up = row.div(clip_ + 1, "floor"), down = row.remainder(clip_ + 1);
    const int64_t more = map.rows - after();
    const Tensor behind = at::zeros({more});
    behind.narrow(0, 0, 1).fill_(1);  // the sibling
    up = at::cat({up, behind});
    down = at::cat({down, behind});
    map.offsets = at::stack({-up, down}, 1);
    map.distance = up + down;
    if (!class_token_) return;
    map.special = at::full({map.rows}, -1, at::kLong);
    map.special.narrow(0, after() + 1, 3).copy_(at::arange(3, at::kLong));
  }

  int64_t clip_;
  bool class_token_;
  bool nodes_;
  std::string file_;
};

}  // namespace

RelationEntry relation_tree() {
  return {
      .summary =
          "steps up and down through the lowest common ancestor of two tokens in a syntax tree",
      .example =
          "clip 2, root with leaves a b: a->a 0, a->b 9 (a sibling after), b->a 4 (one before)",
      .options = {{.name = "clip",
                   .value = int64_t{8},
                   .meaning = "steps up or down beyond this many count as this many",
                   .minimum = 1,
                   .maximum = 127},
                  {.name = "tokens",
                   .value = std::string("leaves"),
                   .meaning = "of a tree that comes without tokens: its leaves, or all its nodes",
                   .choices = {"leaves", "nodes"},
                   .of_example = true},
                  {"class_token", false, "a token without a place in the tree stands first"},
                  {.name = "file",
                   .value = std::string(),
                   .meaning = "source file whose tree is the example",
                   .of_example = true}},
      .make = [](const Options& options) { return std::make_unique<TreeRelation>(options); },
  };
}

}  // namespace relbias::modalities
