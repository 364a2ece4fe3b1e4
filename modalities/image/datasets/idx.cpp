// SPDX-License-Identifier: Apache-2.0
// modalities/image: dataset `idx`, the files of MNIST, Fashion-MNIST and their relatives.
#include <ATen/ATen.h>

#include <limits>
#include <memory>

#include "modalities/image/image.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t bytes_of_dimensions = 0x0800;  // magic number: type 08 (uint8), then dimensions

/// `train-images-idx3-ubyte` as it is, with .gz behind, or spelt `train-images.idx3-ubyte`.
fs::path find_file(const fs::path& folder, const std::string& stem, int dimensions) {
  for (const char* joint : {"-", "."}) {
    for (const char* ending : {"", ".gz"}) {
      fs::path path = folder / fmt::format("{}{}idx{}-ubyte{}", stem, joint, dimensions, ending);
      if (fs::exists(path)) return path;
    }
  }
  input_error("dataset idx: neither {0}-idx{1}-ubyte nor {0}-idx{1}-ubyte.gz in {2}", stem,
              dimensions, folder.string());
}

/// The content of a file, unpacked where it is packed by gzip.
std::string unpacked(const fs::path& path) {
  std::string bytes = read_file(path);
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  Unpacked content = gunzip(bytes);
  if (!content.fault.empty()) {
    input_error("{} is damaged after {} unpacked bytes: {}", path.string(), content.bytes.size(),
                content.fault);
  }
  return std::move(content.bytes);
}

uint32_t big_endian(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Header: magic number, one 32-bit size a dimension, big-endian; then the bytes.
Tensor read_idx(const fs::path& path, const std::string& bytes, uint32_t dimensions) {
  const size_t header = 4 + 4 * size_t{dimensions};
  const uint32_t expected = bytes_of_dimensions + dimensions;
  if (bytes.size() < header) {
    input_error("{}: {} bytes found, a header of {} expected", path.string(), bytes.size(), header);
  }
  if (big_endian(bytes, 0) != expected) {
    input_error("{}: magic number 0x{:08x} found, 0x{:08x} expected", path.string(),
                big_endian(bytes, 0), expected);
  }
  std::vector<int64_t> sizes;
  double promised = 1;  // exact below 2^53; beyond that no file holds it
  for (uint32_t i = 0; i < dimensions; ++i) {
    sizes.push_back(big_endian(bytes, 4 + 4 * size_t{i}));
    promised *= static_cast<double>(sizes.back());
  }
  if (sizes[0] == 0) input_error("{}: nothing found, at least one picture expected", path.string());
  const size_t there = bytes.size() - header;
  if (promised != static_cast<double>(there)) {
    input_error("{}: {} bytes of data found, {:.0f} expected by its header", path.string(), there,
                promised);
  }
  return at::from_blob(const_cast<char*>(bytes.data() + header), sizes, at::kByte).clone();
}

void check_labels(const fs::path& path, const Tensor& labels, int64_t classes) {
  const Tensor wrong = (labels.to(at::kLong) >= classes).nonzero();
  if (wrong.size(0) == 0) return;
  const auto first = wrong[0][0].item<int64_t>();
  input_error("{}: label {} of picture {} found, at most {} expected (option classes)",
              path.string(), labels[first].item<int64_t>(), first, classes - 1);
}

class Reader {
 public:
  Reader(fs::path folder, int64_t classes) : folder_(std::move(folder)), classes_(classes) {}

  Pictures read(const std::string& name) {
    const fs::path pixel_path = find_file(folder_, name + "-images", 3);
    const fs::path label_path = find_file(folder_, name + "-labels", 1);
    const Tensor pixels = read_idx(pixel_path, keep(name + "-images", unpacked(pixel_path)), 3);
    const Tensor labels = read_idx(label_path, keep(name + "-labels", unpacked(label_path)), 1);
    if (pixels.size(0) != labels.size(0)) {
      input_error("{}: {} labels found, {} expected: as many as pictures", label_path.string(),
                  labels.size(0), pixels.size(0));
    }
    if (pixels.size(1) != pixels.size(2)) {
      input_error("{}: pictures of {}x{} pixels found, square ones expected", pixel_path.string(),
                  pixels.size(1), pixels.size(2));
    }
    if (pixels.numel() == 0) {
      input_error("{}: {} pictures of 0x0 pixels found, at least 1x1 expected", pixel_path.string(),
                  pixels.size(0));
    }
    check_labels(label_path, labels, classes_);
    return {pixels.unsqueeze(1), labels.to(at::kLong)};
  }

  std::string hash() const { return content_hash(files_); }

 private:
  const std::string& keep(const std::string& name, std::string bytes) {
    files_.push_back({name, std::move(bytes)});
    return files_.back().bytes;
  }

  fs::path folder_;
  int64_t classes_;
  std::vector<File> files_;  // unpacked, so that packing does not change the hash
};

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path folder = options.word("path");
  if (folder.empty()) input_error("dataset idx: path= is missing, the folder of the four files");
  Reader reader(folder, options.integer("classes"));
  ImageSource source;
  const Pictures all = reader.read("train");
  auto training = divided_by_class(all, {.validation = 0.1, .test = 0});
  source.splits = {std::move(training[0]), std::move(training[1]), reader.read("t10k")};
  if (source.splits[2].pixels.size(2) != source.splits[0].pixels.size(2)) {
    input_error("{}: test pictures of {} pixels a side found, {} expected as in training",
                folder.string(), source.splits[2].pixels.size(2), source.splits[0].pixels.size(2));
  }
  for (int64_t label = 0; label < options.integer("classes"); ++label) {
    source.classes.push_back(std::to_string(label));
  }
  source.content_hash = reader.hash();
  source.origin = fmt::format("idx {}: validation cut from train", folder.string());
  return std::make_unique<ImageDataset>(std::move(source));
}

}  // namespace

/// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
/// t10k-labels-idx1-ubyte, each with or without .gz. Nothing is repaired: a wrong magic number,
/// more or fewer bytes than the header promises, or a label out of range is an error that names the
/// file.
DatasetEntry dataset_idx() {
  return {
      .version = 2,
      .summary = "grey pictures in IDX files, as MNIST and Fashion-MNIST are published",
      .options = {{"path", std::string(), "folder of the four files, packed by gzip or not"},
                  {"classes", int64_t{10}, "labels are 0 to this less one", {}, 2, 256}},
      .make = make,
  };
}

}  // namespace relbias::modalities
