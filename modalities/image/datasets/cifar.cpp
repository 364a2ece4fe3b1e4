// SPDX-License-Identifier: Apache-2.0
// modalities/image: dataset `cifar`, CIFAR-10 and CIFAR-100 in their binary version.
#include <ATen/ATen.h>

#include <algorithm>
#include <sstream>

#include "modalities/image/image.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

constexpr int64_t side = 32, pixels_a_picture = 3 * side * side;

/// How the files of one of the two are named and laid out.
struct Layout {
  std::vector<std::string> train;
  std::string test, names;
  int64_t label_bytes, label_at, classes;
};

Layout layout_of(const fs::path& folder, bool coarse) {
  if (fs::exists(folder / "train.bin")) {
    if (coarse) return {{"train.bin"}, "test.bin", "coarse_label_names.txt", 2, 0, 20};
    return {{"train.bin"}, "test.bin", "fine_label_names.txt", 2, 1, 100};
  }
  if (!fs::exists(folder / "data_batch_1.bin")) {
    input_error(
        "dataset cifar: neither data_batch_1.bin (CIFAR-10) nor train.bin (CIFAR-100) in {}: the "
        "folder of the binary version expected",
        folder.string());
  }
  if (coarse) input_error("dataset cifar: CIFAR-10 in {} has no coarse labels", folder.string());
  Layout ten{{}, "test_batch.bin", "batches.meta.txt", 1, 0, 10};
  for (int batch = 1; batch <= 5; ++batch) {
    ten.train.push_back(fmt::format("data_batch_{}.bin", batch));
  }
  return ten;
}

/// Records of label bytes and 3072 bytes of pixels, planes red, green, blue in raster order.
Pictures read_records(const fs::path& path, const std::string& bytes, const Layout& layout) {
  const int64_t record = layout.label_bytes + pixels_a_picture;
  const auto size = static_cast<int64_t>(bytes.size());
  if (size == 0 || size % record != 0) {
    input_error("{}: {} bytes found, a multiple of {} expected", path.string(), size, record);
  }
  const Tensor all =
      at::from_blob(const_cast<char*>(bytes.data()), {size / record, record}, at::kByte);
  const Tensor labels = all.select(1, layout.label_at).to(at::kLong);
  const Tensor wrong = (labels >= layout.classes).nonzero();
  if (wrong.size(0) > 0) {
    const auto first = wrong[0][0].item<int64_t>();
    input_error("{}: label {} of picture {} found, at most {} expected", path.string(),
                labels[first].item<int64_t>(), first, layout.classes - 1);
  }
  return {all.narrow(1, layout.label_bytes, pixels_a_picture)
              .reshape({size / record, 3, side, side})
              .clone(),
          labels};
}

std::vector<std::string> class_names(const fs::path& path, int64_t classes) {
  std::vector<std::string> names;
  if (fs::exists(path)) {
    std::istringstream lines(read_file(path));
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) names.push_back(line);
    }
    if (static_cast<int64_t>(names.size()) != classes) {
      input_error("{}: {} names found, {} expected", path.string(), names.size(), classes);
    }
  }
  for (auto label = static_cast<int64_t>(names.size()); label < classes; ++label) {
    names.push_back(std::to_string(label));
  }
  return names;
}

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path folder = options.word("path");
  if (folder.empty()) input_error("dataset cifar: path= is missing, a folder of *.bin files");
  const Layout layout = layout_of(folder, options.word("labels") == "coarse");
  std::string listing;
  const auto read = [&](const std::string& name) {
    const std::string bytes = read_file(folder / name);
    listing += content_hash({{name, bytes}}) + "\n";
    return read_records(folder / name, bytes, layout);
  };
  std::vector<Tensor> pixels, labels;
  for (const std::string& name : layout.train) {
    const Pictures part = read(name);
    pixels.push_back(part.pixels);
    labels.push_back(part.labels);
  }
  ImageSource source;
  auto training =
      divided_by_class({at::cat(pixels), at::cat(labels)}, {.validation = 0.1, .test = 0});
  source.splits = {std::move(training[0]), std::move(training[1]), read(layout.test)};
  source.classes = class_names(folder / layout.names, layout.classes);
  source.content_hash = content_hash({{"listing", listing}});
  source.origin =
      fmt::format("cifar {}: CIFAR-{}, {} labels, validation cut from train", folder.string(),
                  layout.label_bytes == 1 ? 10 : 100, options.word("labels"));
  return std::make_unique<ImageDataset>(std::move(source));
}

}  // namespace

/// CIFAR-10: data_batch_1.bin to data_batch_5.bin and test_batch.bin; CIFAR-100: train.bin and
/// test.bin. A file that is no whole number of records, or a label out of range, is an error that
/// names the file.
DatasetEntry dataset_cifar() {
  return {
      .version = 2,
      .summary = "60000 colour pictures of 32x32 pixels in 10 or 100 classes, binary version",
      .options = {{"path", std::string(), "folder of the *.bin files"},
                  {"labels", "fine", "of CIFAR-100: 100 classes or 20", {"fine", "coarse"}}},
      .make = make,
  };
}

}  // namespace relbias::modalities
