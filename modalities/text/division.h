// SPDX-License-Identifier: Apache-2.0
// modalities/text: how text without a split of its own is divided into train, validation and test.
#pragma once

#include "modalities/text/text.h"

namespace relbias::modalities {

/// One stretch of text: its first 80 % train, the next 10 % validate, the last 10 % test, no
/// character cut in two. A file of exactly 1e8 bytes is enwik8 or text8 and cut where all
/// cut those: after 90 and 95 million bytes. Fills `splits`, returns a few words on what was done.
std::string cut_by_bytes(File file, TextSplits& splits);

/// Three or more files: each goes where a hash of its own content puts it (modalities/division.h),
/// 80, 10 and 10 % of the files in the long run, no split empty. One more file moves no other.
std::string divide_by_file(std::vector<File> files, TextSplits& splits);

}  // namespace relbias::modalities
