// SPDX-License-Identifier: Apache-2.0
// modalities/code: what a sample knows of its syntax tree.
#pragma once

#include <vector>

#include "modalities/relation.h"

namespace relbias::modalities {

struct TreeStructure final : Payload {
  std::vector<int64_t> parents;      // of every node; the root's is -1, siblings by their index
  std::vector<int64_t> token_nodes;  // the node of every token
};

/// The tree of a sample, one without nodes where it has none. Lives as long as the sample.
inline const TreeStructure& tree_of(const Structure& sample) {
  return payload_of<TreeStructure>(sample);
}
/// The same to be filled in; other samples that shared it keep theirs.
inline TreeStructure& edit_tree(Structure& sample) { return edit_payload<TreeStructure>(sample); }

}  // namespace relbias::modalities
