// SPDX-License-Identifier: Apache-2.0
// modalities/text: validation of UTF-8 and the joining of documents into splits.
#include "modalities/text/text.h"

#include <boost/locale/utf.hpp>

namespace relbias::modalities {

TextDataset::TextDataset(TextSource source)
    : hash_(std::move(source.content_hash)), report_(std::move(source.origin)) {
  for (const Split split : all_splits) {
    Part& part = parts_[static_cast<size_t>(split)];
    for (const File& file : source.splits[static_cast<size_t>(split)]) {
      if (!part.bytes.empty() && part.bytes.back() != '\n') part.bytes += '\n';
      part.bytes += file.bytes;
      part.documents.push_back(file.name);
    }
    if (part.bytes.empty()) {
      input_error("{}: too little text for three splits, nothing is left for {}", report_,
                  split_name(split));
    }
  }
  for (const Split split : all_splits) {
    report_ += fmt::format("; {} {} bytes of {} document{}", split_name(split), bytes(split).size(),
                           documents(split).size(), documents(split).size() == 1 ? "" : "s");
  }
}

std::optional<std::string> not_text(std::string_view bytes) {
  using Utf8 = boost::locale::utf::utf_traits<char>;
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  for (const char* next = begin; next != end;) {
    const char* const character = next;
    const auto code = Utf8::decode(next, end);
    const auto offset = character - begin;
    if (code == 0) return fmt::format("binary: byte 0x00 at offset {}", offset);
    if (code == boost::locale::utf::illegal || code == boost::locale::utf::incomplete) {
      return fmt::format("not UTF-8: byte 0x{:02x} at offset {}",
                         static_cast<unsigned char>(*character), offset);
    }
  }
  return std::nullopt;
}

std::string keep_distinct_texts(std::vector<File>& files) {
  const size_t found = files.size();
  std::unordered_set<std::string> seen;
  std::array<size_t, 3> counts = {};
  std::vector<std::string> firsts;
  std::erase_if(files, [&](const File& file) {
    size_t kind = 0;
    if (file.bytes.empty()) {
      kind = 0;
    } else if (not_text(file.bytes)) {
      kind = 1;
    } else if (!seen.insert(content_hash({{"", file.bytes}})).second) {
      kind = 2;
    } else {
      return false;
    }
    if (counts[kind]++ == 0) firsts.push_back(file.name);
    return true;
  });
  return fmt::format("{} of {} files read ({} empty, {} not UTF-8 text, {} copies{}{})",
                     files.size(), found, counts[0], counts[1], counts[2],
                     firsts.empty() ? "" : "; the first: ", fmt::join(firsts, ", "));
}

}  // namespace relbias::modalities
