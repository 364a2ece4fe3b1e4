// SPDX-License-Identifier: Apache-2.0
// modalities/image: dataset `image-folder`, one folder a class, any pictures that OpenCV reads.
#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "modalities/image/image.h"
#include "modalities/image/picture_file.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> extensions = {"png",  "jpg", "jpeg", "bmp", "tif", "pbm",
                                             "tiff", "pgm", "ppm",  "pnm", "webp"};
const std::map<std::string, Split> split_folders = {
    {"train", Split::train},      {"training", Split::train},        {"val", Split::validation},
    {"valid", Split::validation}, {"validation", Split::validation}, {"test", Split::test},
    {"testing", Split::test}};

/// A file as its path places it: [split/]class/.../name.
struct Place {
  std::string name, class_name;
  std::optional<Split> split;
};

std::optional<Place> place_of(const std::string& name, bool by_split) {
  const fs::path path(name);
  Place place{.name = name};
  if (!path.has_parent_path()) return std::nullopt;
  auto part = path.begin();
  if (by_split) place.split = split_folders.at(part++->string());
  place.class_name = part->string();
  // A picture that lies beside the class folders belongs to none.
  if (++part == path.end()) return std::nullopt;
  return place;
}

// Whether the folders at the top are those of splits: all are, train and test among them, or they
// are classes.
bool is_divided(const fs::path& folder, const std::vector<std::string>& names) {
  std::set<Split> found;
  std::set<std::string> others;
  for (const auto& name : names) {
    const size_t slash = name.find('/');
    if (slash == std::string::npos) continue;
    const auto known = split_folders.find(name.substr(0, slash));
    if (known == split_folders.end()) {
      others.insert(name.substr(0, slash));
    } else {
      found.insert(known->second);
    }
  }
  const bool whole = found.contains(Split::train) && found.contains(Split::test);
  if (whole && others.empty()) return true;
  if (whole) {
    input_error("{}: folders of splits and beside them {}: no one can tell classes from splits",
                folder.string(), *others.begin());
  }
  if (others.empty() && found.size() > 1) {
    input_error("{}: folders of splits, train and test expected among them", folder.string());
  }
  return false;
}

class Reader {
 public:
  Reader(fs::path folder, const PictureShape& shape) : folder_(std::move(folder)), shape_(shape) {}

  ImageSource read() {
    const std::vector<std::string> names = files_below(folder_, extensions, &left_out_);
    const bool by_split = is_divided(folder_, names);
    std::vector<Place> places;
    for (const auto& name : names) {
      if (const auto place = place_of(name, by_split)) {
        places.push_back(*place);
      } else {
        ++skipped_["in no class folder"].count;
      }
    }
    ImageSource source;
    std::set<std::string> classes;
    for (const auto& place : places) classes.insert(place.class_name);
    if (!by_split) add_empty_folders(classes);
    source.classes.assign(classes.begin(), classes.end());
    for (const auto& place : places) add(place, source.classes);
    source.content_hash = relbias::plain::content_hash({{"listing", listing_}});
    source.origin = report(names.size(), by_split);
    refuse_empty(source);
    divide(source, by_split);
    return source;
  }

 private:
  struct Skipped {
    int64_t count = 0;
    std::string first;
  };
  struct Part {
    std::vector<Tensor> pixels;
    std::vector<int64_t> labels;
  };

  // A class folder without pictures is refused like one whose pictures cannot be read.
  void add_empty_folders(std::set<std::string>& classes) const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && !name.starts_with('.')) classes.insert(name);
    }
  }

  void add(const Place& place, const std::vector<std::string>& classes) {
    const std::string bytes = read_file(folder_ / place.name);
    const std::string hash = relbias::plain::content_hash({{"", bytes}});
    listing_ += hash + "  " + place.name + "\n";
    PictureFile file = read_picture(bytes, shape_);
    // A copy in another split would be a leak; in another class, a contradiction.
    if (file.fault.empty() && !seen_.insert(hash).second) file.fault = "a copy";
    if (!file.fault.empty()) {
      Skipped& skipped = skipped_[file.fault];
      if (skipped.count++ == 0) skipped.first = place.name;
      return;
    }
    deep_ = deep_ || file.deep;
    for (const std::string& note : file.notes) ++notes_[note];
    const auto label = std::lower_bound(classes.begin(), classes.end(), place.class_name);
    Part& part = parts_[static_cast<size_t>(place.split.value_or(Split::train))];
    part.pixels.push_back(file.deep ? file.pixels : (file.pixels * 255).round().to(at::kByte));
    part.labels.push_back(label - classes.begin());
  }

  std::string report(size_t files, bool by_split) const {
    size_t read = 0;
    for (const Part& part : parts_) read += part.labels.size();
    std::string text =
        fmt::format("image-folder {}: {} of {} pictures read", folder_.string(), read, files);
    for (const auto& [reason, skipped] : skipped_) {
      text += fmt::format(", {} skipped: {}{}", skipped.count, reason,
                          skipped.first.empty() ? "" : fmt::format(" ({})", skipped.first));
    }
    text += left_out_.text(/*all=*/true);
    for (const auto& [note, count] : notes_) text += fmt::format(", {} {}", count, note);
    return text +
           fmt::format("; orientation as EXIF says, transparency over black, not square: {}; {}",
                       shape_.fit,
                       by_split ? "split as its folders" : "divided by content within each class");
  }

  void refuse_empty(const ImageSource& source) const {
    std::set<int64_t> present;
    for (const Part& part : parts_) present.insert(part.labels.begin(), part.labels.end());
    for (size_t label = 0; label < source.classes.size(); ++label) {
      if (!present.contains(static_cast<int64_t>(label))) {
        input_error("{}: class {} is left without pictures", source.origin, source.classes[label]);
      }
    }
    if (source.classes.empty()) {
      input_error("{}: class folders with pictures expected", source.origin);
    }
  }

  Pictures pictures_of(Split split) {
    Part& part = parts_[static_cast<size_t>(split)];
    if (part.labels.empty()) return {};
    if (deep_) {
      for (Tensor& picture : part.pixels) {
        if (picture.scalar_type() == at::kByte) picture = picture.to(at::kFloat) / 255;
      }
    }
    return {at::stack(part.pixels), at::tensor(part.labels, at::kLong)};
  }

  void divide(ImageSource& source, bool by_split) {
    if (!by_split) {
      source.splits = divided_by_class(pictures_of(Split::train), {.validation = 0.1, .test = 0.2});
      return;
    }
    for (const Split split : all_splits) {
      source.splits[static_cast<size_t>(split)] = pictures_of(split);
    }
    if (source.splits[1].count() > 0) return;
    auto parts = divided_by_class(source.splits[0], {.validation = 0.1, .test = 0});
    source.splits[0] = std::move(parts[0]);
    source.splits[1] = std::move(parts[1]);
    source.origin += ", validation cut from train";
  }

  fs::path folder_;
  PictureShape shape_;
  std::array<Part, 3> parts_;
  std::map<std::string, Skipped> skipped_;
  std::unordered_set<std::string> seen_;
  std::string listing_;
  LeftOut left_out_;
  std::map<std::string, int64_t> notes_;
  bool deep_ = false;  // some picture is: all are kept as real numbers
};

std::unique_ptr<Dataset> make(const Options& options) {
  const fs::path folder = options.word("path");
  if (folder.empty()) input_error("dataset image-folder: path= is missing, a folder of folders");
  Reader reader(folder, {.side = options.integer("side"),
                         .colour = options.word("colours") == "rgb",
                         .fit = options.word("fit"),
                         .least = options.integer("least")});
  return std::make_unique<ImageDataset>(reader.read());
}

}  // namespace

/// path/class/.../picture, or path/train/class/... with test and, if it is there, val beside it.
/// Labels follow the byte order of the class folders' names. Pictures that cannot be read, are cut
/// short, too small or copies of others are skipped and counted in the report, with the first of
/// each kind named (modalities/image/picture_file.h has all policies).
DatasetEntry dataset_image_folder() {
  return {
      .version = 2,
      .summary =
          "class folders of pictures (PNG, JPEG, BMP, TIFF, WebP, PNM; 8 and 16 bits; grey, "
          "colour, transparent)",
      .options = {{"path", std::string(), "the folder that holds the class folders"},
                  {"side", int64_t{32}, "pixels of a side, to which all are brought", {}, 1, 4096},
                  {"colours", "rgb", "three channels or one", {"rgb", "grey"}},
                  {"fit", "crop", "of pictures that are not square", {"crop", "pad", "stretch"}},
                  {"least", int64_t{8}, "pictures with a shorter side are skipped", {}, 1, 4096}},
      .make = make,
  };
}

}  // namespace relbias::modalities
