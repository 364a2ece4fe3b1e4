// SPDX-License-Identifier: Apache-2.0
// results/store/disk: the checksum at the end of a file.
#include "results/store/disk/checksum.h"

#include <fmt/format.h>

#include <string_view>

#include "results/record.h"

namespace relbias::results {
namespace {

constexpr std::string_view mark = "relbias:";
constexpr size_t ending_size = mark.size() + 16;

std::string ending_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return fmt::format("{}{}", mark, checksum.text());
}

}  // namespace

std::string Checksum::text() const { return fmt::format("{:016x}", hash_); }

void append_checksum(std::vector<char>& bytes) {
  const std::string end = ending_of({bytes.data(), bytes.size()});
  bytes.insert(bytes.end(), end.begin(), end.end());
}

void verify_checksum(const std::vector<char>& bytes) {
  if (bytes.size() < ending_size) return;
  const std::string_view all(bytes.data(), bytes.size());
  const std::string_view found = all.substr(all.size() - ending_size);
  if (found.find(mark, 1) != found.npos) {
    throw StoreError("damaged: the checksum at its end is cut short");
  }
  if (!found.starts_with(mark)) return;
  if (found != ending_of(all.substr(0, all.size() - ending_size))) {
    throw StoreError("damaged: its bytes don't match the checksum at its end");
  }
}

}  // namespace relbias::results
