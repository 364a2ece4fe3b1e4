// SPDX-License-Identifier: Apache-2.0
// experiments/commands: `relbias show`, what a loader made of one sample.
#include <ATen/ATen.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "experiments/commands/commands.h"
#include "modalities/audio/audio.h"
#include "modalities/audio/frames/sound.h"
#include "modalities/code/code.h"
#include "modalities/graph/graph.h"
#include "modalities/graph/graph_structure.h"
#include "modalities/image/image.h"
#include "modalities/text/text.h"

namespace relbias::experiments {
namespace {

struct ShowCommand {
  std::string dataset, split = "train", out;
  int64_t number = 0;
};

Split split_of(const std::string& word) {
  for (const Split split : all_splits) {
    if (word == split_name(split)) return split;
  }
  unknown_word("split", word, {"train", "validation", "test"});
}

void check_number(const ShowCommand& command, int64_t count) {
  if (command.number >= 0 && command.number < count) return;
  input_error("relbias show: sample {} of {} found, 0 to {} expected", command.number,
              command.split, count - 1);
}

std::string numbers_of(const Tensor& values) {
  if (values.numel() == 0) return fmt::format("shape [{}]", fmt::join(values.sizes(), ", "));
  const Tensor real = values.to(at::kDouble);
  return fmt::format("shape [{}], mean {:.6g}, deviation {:.6g}, from {:.6g} to {:.6g}",
                     fmt::join(values.sizes(), ", "), real.mean().item<double>(),
                     real.std(/*unbiased=*/false).item<double>(), real.min().item<double>(),
                     real.max().item<double>());
}

void write(const std::string& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream << bytes;
  stream.close();
  if (!stream) input_error("{} cannot be written", file);
  std::cout << "written: " << file << '\n';
}

// PGM or PPM, which every viewer reads: [C, H, W] from 0 to 1.
std::string netpbm_of(const Tensor& picture) {
  const Tensor bytes =
      (picture.clamp(0, 1) * 255).round().to(at::kByte).permute({1, 2, 0}).contiguous();
  return fmt::format("P{}\n{} {}\n255\n", bytes.size(2) == 3 ? 6 : 5, bytes.size(1),
                     bytes.size(0)) +
         std::string(static_cast<const char*>(bytes.data_ptr()),
                     static_cast<size_t>(bytes.numel()));
}

// A WAV of 32-bit floats.
std::string wav_of(const Tensor& samples, int64_t rate) {
  const auto number = [](int64_t value, size_t size) {
    return std::string(reinterpret_cast<const char*>(&value), size);
  };
  const int64_t bytes = 4 * samples.size(0);
  return "RIFF" + number(36 + bytes, 4) + "WAVEfmt " + number(16, 4) + number(3, 2) + number(1, 2) +
         number(rate, 4) + number(4 * rate, 4) + number(4, 2) + number(32, 2) + "data" +
         number(bytes, 4) +
         std::string(static_cast<const char*>(samples.data_ptr()), static_cast<size_t>(bytes));
}

void show(const ImageDataset& data, const ShowCommand& command, Split split) {
  check_number(command, data.count(split));
  const Tensor which = at::full({1}, command.number, at::kLong);
  const Tensor picture = data.pixels(split, which)[0];
  const auto label = data.labels(split, which).item<int64_t>();
  std::cout << "picture: " << numbers_of(picture) << "\nlabel: " << label << " ("
            << data.classes()[static_cast<size_t>(label)] << ")\n";
  if (!command.out.empty()) write(command.out, netpbm_of(picture));
}

void show(const AudioDataset& data, const ShowCommand& command, Split split) {
  const auto& clips = data.clips(split);
  check_number(command, static_cast<int64_t>(clips.size()));
  const Clip& clip = clips[static_cast<size_t>(command.number)];
  const Tensor frames = data.frames(clip);
  std::cout << "clip: " << clip.name << "\nframes: " << numbers_of(frames) << ", "
            << static_cast<double>(clip.frames) * data.hop_seconds()
            << " s\nlabel: " << clip.category << " ("
            << data.categories()[static_cast<size_t>(clip.category)] << ")\n";
  if (command.out.empty()) return;
  if (command.out.ends_with(".wav")) {
    const auto& entry = find_entry("dataset", option_name(command.dataset), dataset_entries());
    const std::filesystem::path folder =
        parse_options("dataset", command.dataset, entry.options).word("path");
    if (folder.empty()) input_error("relbias show -o *.wav: a dataset with path= expected");
    const Sound sound = read_sound(folder / clip.name);
    std::cout << "sound: " << numbers_of(sound.samples) << ", " << sound.rate << " Hz, "
              << sound.channels << " channels in the file\n";
    return write(command.out, wav_of(sound.samples.contiguous(), sound.rate));
  }
  // Time to the right, low bands below, from the least to the largest value.
  const Tensor bands = frames.t().flip(0);
  const Tensor span = (bands.max() - bands.min()).clamp_min(1e-12);
  write(command.out, netpbm_of(((bands - bands.min()) / span).unsqueeze(0)));
}

void show(const GraphDataset& data, const ShowCommand& command, Split split) {
  const auto& graphs = data.graphs(split);
  check_number(command, static_cast<int64_t>(graphs.size()));
  const Graph& graph = *graphs[static_cast<size_t>(command.number)];
  const Structure& structure = graph.structure;
  std::cout << structure.name << ": " << graph_of(structure).nodes << " nodes, "
            << graph_of(structure).edges.size()
            << (graph_of(structure).both_ways ? " edges, both ways" : " edges") << '\n';
  std::vector<std::string> edges;
  for (const auto& [from, to] : graph_of(structure).edges) {
    edges.push_back(fmt::format("{}-{}", from, to));
    if (edges.size() == 50 && graph_of(structure).edges.size() > 50) edges.emplace_back("...");
    if (edges.size() > 50) break;
  }
  std::cout << "edges: " << fmt::format("{}", fmt::join(edges, " ")) << '\n';
  if (graph_of(structure).edge_features.defined()) {
    std::cout << "edge features: " << numbers_of(graph_of(structure).edge_features) << '\n';
  }
  if (graph.categories.defined()) {
    std::cout << "node categories: " << numbers_of(graph.categories) << '\n';
  }
  if (graph.numbers.defined()) std::cout << "node numbers: " << numbers_of(graph.numbers) << '\n';
  for (size_t n = 0; n < graph.labels.size(); ++n) {
    const Tensor& label = graph.labels[n];
    std::cout << "label " << data.targets()[n].name << ": "
              << (label.numel() == 1 ? fmt::format("{}", label.item<double>()) : numbers_of(label))
              << '\n';
  }
}

void show(const TextDataset& data, const ShowCommand& command, Split split) {
  constexpr int64_t block = 256;  // bytes
  const std::string& bytes = data.bytes(split);
  check_number(command, (static_cast<int64_t>(bytes.size()) + block - 1) / block);
  const std::string text = bytes.substr(static_cast<size_t>(command.number * block), block);
  std::cout << "documents: " << fmt::format("{}", fmt::join(data.documents(split), ", "))
            << "\nbytes " << command.number * block << " to "
            << command.number * block + static_cast<int64_t>(text.size()) - 1 << " of "
            << bytes.size() << ":\n"
            << text << '\n';
  if (!command.out.empty()) write(command.out, text);
}

void show(const CodeDataset& data, const ShowCommand& command, Split split) {
  const auto& snippets = data.snippets(split);
  check_number(command, static_cast<int64_t>(snippets.size()));
  const Snippet& snippet = snippets[static_cast<size_t>(command.number)];
  std::cout << snippet.name << ": " << snippet.tokens.size() << " tokens"
            << (snippet.cut ? ", cut" : "") << "\nlabel: " << snippet.label << '\n';
  std::string text;
  for (const int32_t node : snippet.tokens) {
    text += (text.empty() ? "" : " ") + token_text(snippet, static_cast<size_t>(node));
  }
  std::cout << "tokens: " << text << '\n';
  if (!command.out.empty()) write(command.out, text + '\n');
}

// Whether the dataset is of this kind, and shown.
template <class Kind>
bool shown_as(const Dataset& dataset, const ShowCommand& command, Split split) {
  const auto* data = dynamic_cast<const Kind*>(&dataset);
  if (data != nullptr) show(*data, command, split);
  return data != nullptr;
}

void run_show(const ShowCommand& command) {
  const Split split = split_of(command.split);
  const auto& entry = find_entry("dataset", option_name(command.dataset), dataset_entries());
  const auto dataset = entry.make(parse_options("dataset", command.dataset, entry.options));
  std::cout << "dataset: " << dataset->report() << "\nsplit: " << command.split << '\n';
  const bool shown = shown_as<ImageDataset>(*dataset, command, split) ||
                     shown_as<AudioDataset>(*dataset, command, split) ||
                     shown_as<GraphDataset>(*dataset, command, split) ||
                     shown_as<TextDataset>(*dataset, command, split) ||
                     shown_as<CodeDataset>(*dataset, command, split);
  if (!shown) input_error("dataset {}: its samples cannot be shown", entry.name);
}

}  // namespace

void add_show_command(CLI::App& app, int&) {
  const auto request = std::make_shared<ShowCommand>();
  CLI::App* command = app.add_subcommand("show", "What a loader made of one sample of a dataset");
  command->add_option("DATASET", request->dataset, "`digits`, `image-folder path=photos`")
      ->required();
  command
      ->add_option("N", request->number,
                   "the sample of the split, from 0; of text a block of "
                   "256 bytes")
      ->required();
  command->add_option("--split", request->split, "train, validation or test")
      ->capture_default_str();
  command->add_option("-o,--out", request->out,
                      "where to write it: a picture (PGM, PPM), of sound its bands, or with .wav "
                      "the sound itself; text as text");
  command->callback([request] { run_show(*request); });
}

}  // namespace relbias::experiments
