// SPDX-License-Identifier: Apache-2.0
// modalities/image: dataset `letters`, the capitals of free fonts, divided by font family.
#include <ATen/ATen.h>

#include <set>

#include "modalities/image/glyphs.h"
#include "modalities/image/image.h"
#include "modalities/parallel.h"
#include "modalities/plain/files.h"

namespace relbias::modalities {
namespace {

constexpr std::string_view published_hash = "9d72397dce1e37e76cffb72d8403bcbff1bbc3ef";

/// Fonts whose capitals are no letters, or drawings around them.
const std::set<std::string> left_out = {"D050000L.otf", "StandardSymbolsPS.otf",
                                        "LinBiolinum_K.otf", "LinLibertine_I.otf"};

std::vector<File> read_fonts(const std::filesystem::path& folder) {
  std::vector<File> fonts;
  for (const std::string& name : files_below(folder, {"ttf", "otf"})) {
    if (left_out.contains(name.substr(name.rfind('/') + 1))) continue;
    fonts.push_back({name, read_file(folder / name)});
  }
  if (fonts.empty()) input_error("dataset letters: {} holds no font", folder.string());
  return fonts;
}

std::unique_ptr<Dataset> make(const Options& options) {
  std::filesystem::path folder = options.word("path");
  if (folder.empty()) folder = data_folder() / "fonts-1";
  const std::vector<File> fonts = read_fonts(folder);
  std::vector<Capitals> drawn(fonts.size());
  in_parallel(static_cast<int64_t>(fonts.size()), [&](int64_t n) {
    const auto place = static_cast<size_t>(n);
    drawn[place] = capitals_of_font(fonts[place].name, fonts[place].bytes, options.integer("side"));
  });
  ImageSource source;
  std::set<std::string> families;
  std::vector<Tensor> pixels;
  std::vector<std::string> sources;
  for (const Capitals& capitals : drawn) {
    if (!capitals.pixels.defined()) continue;
    families.insert(capitals.family);
    pixels.push_back(capitals.pixels);
    for (int64_t n = 0; n < capitals.pixels.size(0); ++n) sources.push_back(capitals.family);
  }
  if (pixels.empty()) input_error("dataset letters: no font of {} has A to Z", folder.string());
  for (char letter = 'A'; letter <= 'Z'; ++letter) source.classes.emplace_back(1, letter);
  source.content_hash = content_hash(fonts);
  source.origin = fmt::format(
      "letters: {} of {} fonts, {}, divided by their {} families", pixels.size(), fonts.size(),
      source.content_hash == published_hash ? "as in Debian 12" : "content differs from Debian 12",
      families.size());
  const Tensor labels = at::arange(26).repeat({static_cast<int64_t>(pixels.size())});
  source.splits =
      divided_by_class({at::cat(pixels), labels}, {.validation = 0.15, .test = 0.25}, sources);
  return std::make_unique<ImageDataset>(std::move(source));
}

}  // namespace

/// Regular, bold, italic and condensed fonts of one family stay together. Pictures are drawn with
/// `side` pixels and shrunk to the size that is asked for, so that larger ones hold more detail, as
/// enlarged digits do not.
DatasetEntry dataset_letters() {
  return {
      .summary =
          "the capitals A to Z of some 130 free fonts, white on black, divided by font family; "
          "from "
          "Debian's font packages (OFL, Apache-2.0, GPL with font exception)",
      .options = {{"path", std::string(),
                   "folder of fonts; empty: the one that experiments/setup unpacked"},
                  {"side", int64_t{128}, "pixels of a side, as drawn", {}, 8, 1024}},
      .make = make,
  };
}

}  // namespace relbias::modalities
