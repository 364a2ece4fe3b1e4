// SPDX-License-Identifier: Apache-2.0
// modalities/plain: files, folders and content hashes.
#include "modalities/plain/files.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/uuid/detail/sha1.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "modalities/plain/check.h"

namespace relbias::plain {
namespace fs = std::filesystem;
namespace {

std::string sha1(const std::string& bytes) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(bytes.data(), bytes.size());
  decltype(hash)::digest_type digest;  // words, or bytes from Boost 1.86 on
  hash.get_digest(digest);
  const char* format = sizeof(digest[0]) == 1 ? "{:02x}" : "{:08x}";
  return fmt::format(fmt::runtime(format), fmt::join(digest, ""));
}

std::string extension(const fs::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.empty() ? text : text.substr(1);
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) input_error("{} does not exist", path.string());
  if (error) input_error("{} cannot be read: {}", path.string(), error.message());
  if (!fs::is_regular_file(status)) {
    input_error("{} is {}, a file expected", path.string(),
                fs::is_directory(status) ? "a folder" : "neither file nor folder");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) input_error("{} cannot be read: {}", path.string(), std::strerror(errno));
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    bytes.append(buffer.data(), count);
  }
  if (std::ferror(file.get()) != 0) {
    input_error("{} cannot be read past byte {}: {}", path.string(), bytes.size(),
                std::strerror(errno));
  }
  return bytes;
}

Unpacked gunzip(const std::string& packed) {
  z_stream stream{};
  constexpr int gzip = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, &inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  // zlib counts in 32 bits: what is longer comes in pieces.
  size_t left = packed.size();
  const auto refill = [&] {
    const auto more =
        static_cast<uInt>(std::min<size_t>(left, (size_t{1} << 30) - stream.avail_in));
    stream.avail_in += more;
    left -= more;
  };
  Unpacked content;
  std::array<char, 1 << 16> buffer;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    refill();
    status = inflate(&stream, Z_NO_FLUSH);
    content.bytes.append(buffer.data(), buffer.size() - stream.avail_out);
    refill();
    // Another member may follow; what else follows is left alone, as gzip does.
    const bool more =
        stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
    if (status == Z_STREAM_END && more) status = inflateReset(&stream);
  }
  if (status != Z_STREAM_END) {
    content.fault = stream.msg != nullptr ? stream.msg : "unexpected end of file";
  }
  return content;
}

std::vector<std::string> files_below(const fs::path& folder,
                                     const std::vector<std::string>& extensions) {
  std::vector<std::string> names;
  try {
    if (!fs::exists(folder)) input_error("{} does not exist", folder.string());
    for (auto entry = fs::recursive_directory_iterator(folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
      const fs::path& path = entry->path();
      if (path.filename().string().front() == '.') {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file() &&
                 std::count(extensions.begin(), extensions.end(), extension(path)) != 0) {
        names.push_back(path.lexically_relative(folder).generic_string());
      }
    }
  } catch (const fs::filesystem_error& failure) {
    input_error("{} cannot be read: {}", failure.path1().string(), failure.code().message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string content_hash(const std::vector<File>& files) {
  std::string listing;
  for (const File& file : files) listing += sha1(file.bytes) + "  " + file.name + "\n";
  return sha1(listing);
}

fs::path data_folder() {
  for (const auto& [variable, below] :
       {std::pair{"RELBIAS_CACHE", "data"}, std::pair{"HOME", ".cache/relbias/data"}}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return fs::path(value) / below;
  }
  input_error("neither RELBIAS_CACHE nor HOME is set: where the data lies is unknown");
}

}  // namespace relbias::plain
