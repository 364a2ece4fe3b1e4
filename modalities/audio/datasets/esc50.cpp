// SPDX-License-Identifier: Apache-2.0
// modalities/audio: dataset `esc50`, the layout of ESC-50 (Piczak 2015).
#include <algorithm>
#include <map>

#include "modalities/audio/audio.h"
#include "modalities/plain/csv.h"

namespace relbias::modalities {
namespace {

/// 44.1 kHz sounds, read at 16 kHz as spectrogram transformers do.
const AudioOptions defaults = {.features = {.mel = {.rate = 16000, .mels = 64, .floor = 1e-6}}};

constexpr int64_t folds = 5;

int64_t number_in(const std::string& cell, const std::string& where, int64_t low, int64_t high) {
  size_t end = 0;
  int64_t number = low - 1;
  try {
    number = std::stoll(cell, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  if (end != cell.size() || cell.empty() || number < low || number > high) {
    input_error("{}: '{}' found, a number of {} to {} expected", where, cell, low, high);
  }
  return number;
}

struct Table {
  std::vector<AudioSource::File> files;
  std::map<int64_t, std::string> categories;  // by target
};

/// filename,fold,target,category,...: in one order or another, named by the first line. The fold
/// asked for tests, the next one validates, the others train.
Table read_table(const std::filesystem::path& path, int64_t fold) {
  const std::vector<CsvRow> rows = parse_csv(path.string(), read_file(path));
  const std::vector<std::string> header = rows.empty() ? std::vector<std::string>{} : rows[0].cells;
  std::array<size_t, 4> column{};
  constexpr std::array names = {"filename", "fold", "target", "category"};
  for (size_t n = 0; n < names.size(); ++n) {
    const auto found = std::find(header.begin(), header.end(), names[n]);
    if (found == header.end()) input_error("{}: no column {}", path.string(), names[n]);
    column[n] = static_cast<size_t>(found - header.begin());
  }
  Table table;
  for (size_t row = 1; row < rows.size(); ++row) {
    const auto& cells = rows[row].cells;
    const std::string where = fmt::format("{} line {}", path.string(), rows[row].line);
    if (cells.size() != header.size()) {
      input_error("{}: {} cells found, {} expected", where, cells.size(), header.size());
    }
    const int64_t its = number_in(cells[column[1]], where + ", fold", 1, folds);
    const int64_t target = number_in(cells[column[2]], where + ", target", 0, 9999);
    const Split split = its == fold               ? Split::test
                        : its == fold % folds + 1 ? Split::validation
                                                  : Split::train;
    table.files.push_back({"audio/" + cells[column[0]], target, split});
    const auto category = table.categories.emplace(target, cells[column[3]]).first;
    if (category->second != cells[column[3]]) {
      input_error("{}, category: '{}' found, '{}' expected, as target {} is before", where,
                  cells[column[3]], category->second, target);
    }
  }
  return table;
}

std::unique_ptr<Dataset> make(const Options& options) {
  AudioSource source;
  source.folder = options.word("path");
  if (source.folder.empty()) input_error("dataset esc50: path= is missing, a folder");
  const int64_t fold = options.integer("fold");
  Table table = read_table(source.folder / "meta" / "esc50.csv", fold);
  if (table.files.empty()) {
    input_error("dataset esc50: {} names no clip", (source.folder / "meta/esc50.csv").string());
  }
  std::map<int64_t, int64_t> index;  // targets may have gaps, as in ESC-10
  for (const auto& [target, category] : table.categories) {
    index[target] = static_cast<int64_t>(source.categories.size());
    source.categories.push_back(category);
  }
  for (auto& file : table.files) file.category = index.at(file.category);
  source.files = std::move(table.files);
  source.origin = fmt::format("esc50 {}, fold {} tests, fold {} validates", source.folder.string(),
                              fold, fold % folds + 1);
  return std::make_unique<AudioDataset>(source, audio_from(options));
}

}  // namespace

DatasetEntry dataset_esc50() {
  std::vector<OptionSpec> specs = {
      {"path", std::string(), "folder with audio/ and meta/esc50.csv"},
      {"fold", int64_t{1}, "the fold that tests; the next one validates", {}, 1, folds}};
  for (auto& spec : audio_specs(defaults)) specs.push_back(std::move(spec));
  return {
      .summary =
          "environmental sounds of 5 s in the layout of ESC-50, one of its 5 folds held out; yours "
          "to bring",
      .options = specs,
      .make = make,
  };
}

}  // namespace relbias::modalities
