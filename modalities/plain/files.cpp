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

std::string extension(const fs::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.empty() ? text : text.substr(1);
}

// All that lies below a folder, links followed.
struct Walk {
  const fs::path& top;
  const std::vector<std::string>& extensions;
  std::vector<std::string> names{};
  LeftOut left_out{};

  void below(const fs::path& folder, const std::vector<fs::path>& above) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const fs::path& path = entry.path();
      if (path.filename().string().front() == '.') continue;
      const std::string name = path.lexically_relative(top).generic_string();
      std::error_code error;
      const fs::file_status status = fs::status(path, error);
      if (status.type() == fs::file_type::not_found) {
        left_out.dangling.push_back(name);
      } else if (error == std::errc::too_many_symbolic_link_levels) {
        left_out.loops.push_back(name);
      } else if (fs::is_directory(status)) {
        const fs::path place = fs::canonical(path);
        if (std::count(above.begin(), above.end(), place) != 0) {
          left_out.loops.push_back(name);
          continue;
        }
        std::vector<fs::path> further = above;
        further.push_back(place);
        below(path, further);
      } else if (fs::is_regular_file(status)) {
        const std::string kind = extension(path);
        const bool wanted = std::count(extensions.begin(), extensions.end(), kind) != 0;
        if (wanted) names.push_back(name);
        if (!wanted) ++left_out.others[kind];
      }
    }
  }
};

}  // namespace

std::string sha1(const std::string& bytes) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(bytes.data(), bytes.size());
  decltype(hash)::digest_type digest;  // words, or bytes from Boost 1.86 on
  hash.get_digest(digest);
  const char* format = sizeof(digest[0]) == 1 ? "{:02x}" : "{:08x}";
  return fmt::format(fmt::runtime(format), fmt::join(digest, ""));
}

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

std::string LeftOut::text(bool all) const {
  std::string text;
  if (!dangling.empty()) {
    text += fmt::format(", {} links lead nowhere (first {})", dangling.size(), dangling.front());
  }
  if (!loops.empty()) {
    text += fmt::format(", {} links lead back to where they lie (first {})", loops.size(),
                        loops.front());
  }
  if (!all || others.empty()) return text;
  std::string kinds;
  for (const auto& [kind, count] : others) {
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count,
                         kind.empty() ? "without an extension" : "." + kind);
  }
  return text + ", other files: " + kinds;
}

std::vector<std::string> files_below(const fs::path& folder,
                                     const std::vector<std::string>& extensions,
                                     LeftOut* left_out) {
  Walk walk{folder, extensions};
  try {
    if (!fs::exists(folder)) input_error("{} does not exist", folder.string());
    walk.below(folder, {fs::canonical(folder)});
  } catch (const fs::filesystem_error& failure) {
    input_error("{} cannot be read: {}", failure.path1().string(), failure.code().message());
  }
  std::sort(walk.names.begin(), walk.names.end());
  std::sort(walk.left_out.dangling.begin(), walk.left_out.dangling.end());
  std::sort(walk.left_out.loops.begin(), walk.left_out.loops.end());
  if (left_out != nullptr) *left_out = std::move(walk.left_out);
  return std::move(walk.names);
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
