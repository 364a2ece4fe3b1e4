// SPDX-License-Identifier: Apache-2.0
// modalities/audio: several clips of different categories, one after the other.
#pragma once

#include "modalities/audio/clip_task.h"

namespace relbias::modalities {

/// `segments` clips, D of every category that occurs, D the largest divisor of `segments` that the
/// categories allow, in random order: 2 clips of 2 languages, 4 of 4, 8 clips of 4 languages, each
/// twice. All orders are equally likely, so the set of clips says nothing of which came first.
///
/// Each clip is cut into whole tokens before they are joined: a token across a junction would
/// hold the order inside itself. With `strict` each clip is also played backwards or not, by a
/// coin: attack and decay inside a token give away the direction of time.
class JoinedTask : public ClipTask {
 public:
  int64_t tokens(int64_t size) const override { return segments_ * ClipTask::tokens(size); }

 protected:
  JoinedTask(const Options& options, const AudioDataset& audio);

  struct Joined {
    Tensor tokens;                     // [n, F]
    std::vector<int64_t> categories;   // of every clip
    std::vector<int64_t> clip_tokens;  // of every clip
    std::string source;                // their names
  };
  Joined joined(const Pool& pool, at::Generator& generator) const;
  void check_pool(const Pool& pool) const override;
  int64_t distinct() const { return distinct_; }

 private:
  int64_t segments_;
  int64_t distinct_;  // categories in a sample
  bool strict_;
};

std::vector<OptionSpec> joined_specs();

}  // namespace relbias::modalities
