// SPDX-License-Identifier: Apache-2.0
// modalities/audio/frames: reading and writing of the features on disk.
#include "modalities/audio/frames/feature_store.h"

#include <ATen/ATen.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace relbias::modalities {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json json_of(const Tallies& tallies) {
  json all = json::object();
  for (const auto& [what, tally] : tallies) all[what] = {tally.files, tally.first};
  return all;
}

Tallies tallies_of(const json& all) {
  Tallies tallies;
  for (const auto& [what, tally] : all.items()) {
    tallies[what] = {tally.at(0).get<int64_t>(), tally.at(1).get<std::string>()};
  }
  return tallies;
}

std::optional<Features> read(std::ifstream& file, uint64_t bytes, int64_t mels) {
  uint64_t length = 0;
  if (bytes < sizeof length) return std::nullopt;
  file.seekg(static_cast<std::streamoff>(bytes - sizeof length));
  file.read(reinterpret_cast<char*>(&length), sizeof length);
  if (!file || length > bytes - sizeof length) return std::nullopt;
  std::string text(length, '\0');
  file.seekg(static_cast<std::streamoff>(bytes - sizeof length - length));
  file.read(text.data(), static_cast<std::streamsize>(length));
  const json description = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!file || description.is_discarded()) return std::nullopt;

  Features features;
  features.counts = description.at("counts").get<std::vector<int64_t>>();
  features.left_out = tallies_of(description.at("left_out"));
  features.used_although = tallies_of(description.at("used_although"));
  int64_t frames = 0;
  for (const int64_t count : features.counts) {
    if (count < 0 || count > static_cast<int64_t>(bytes)) return std::nullopt;
    frames += count;
  }
  if (frames > static_cast<int64_t>(bytes)) return std::nullopt;
  const uint64_t expected = static_cast<uint64_t>(frames * mels) * sizeof(float);
  if (expected != bytes - sizeof length - length) return std::nullopt;
  features.frames = at::empty({frames, mels}, at::kFloat);
  file.seekg(0);
  file.read(static_cast<char*>(features.frames.data_ptr()), static_cast<std::streamsize>(expected));
  if (!file) return std::nullopt;
  features.from_cache = true;
  return features;
}

}  // namespace

std::optional<Features> load_features(const fs::path& path, int64_t mels) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const uint64_t bytes = fs::file_size(path, error);
  if (!file || error) return std::nullopt;
  try {
    return read(file, bytes, mels);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string store_features(const fs::path& path, const Features& features) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  fs::path temporary = path;
  temporary += fmt::format(".{}", getpid());
  std::ofstream file(temporary, std::ios::binary);
  const std::string text = json{{"counts", features.counts},
                                {"left_out", json_of(features.left_out)},
                                {"used_although", json_of(features.used_although)}}
                               .dump(-1, ' ', false, json::error_handler_t::replace);
  const uint64_t length = text.size();
  const Tensor frames = features.frames.contiguous();
  file.write(static_cast<const char*>(frames.data_ptr()),
             static_cast<std::streamsize>(frames.nbytes()));
  file << text;
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file.close();
  if (file) fs::rename(temporary, path, error);
  if (file && !error) return {};
  fs::remove(temporary, error);
  return fmt::format("features could not be kept in {}", path.parent_path().string());
}

}  // namespace relbias::modalities
