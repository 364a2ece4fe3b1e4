// SPDX-License-Identifier: Apache-2.0
// experiments/run/record: snapshots, as archives that LibTorch writes and reads piece by piece.
#include "experiments/run/record/snapshot.h"

#include <ATen/ATen.h>
#include <ATen/core/Dict.h>
#include <caffe2/serialize/file_adapter.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <array>
#include <exception>
#include <fstream>
#include <memory>
#include <span>

#include "results/store/disk/checksum.h"
#include "results/store/disk/run_file.h"

namespace relbias::experiments {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;
using SavedState = c10::Dict<std::string, Tensor>;

std::vector<char> pickled(const SavedState& saved, std::vector<Tensor>& tensors) {
  std::vector<char> bytes;
  torch::jit::Pickler pickler(
      [&](const char* data, size_t size) { bytes.insert(bytes.end(), data, data + size); });
  pickler.protocol();
  pickler.pushIValue(saved);
  pickler.stop();
  tensors = pickler.tensorData();
  return bytes;
}

std::string checksum_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw StoreError(fmt::format("{}: cannot be read", file.string()));
  results::Checksum checksum;
  std::array<char, 65536> piece{};
  while (stream.read(piece.data(), piece.size()), stream.gcount() > 0) {
    checksum.add({piece.data(), static_cast<size_t>(stream.gcount())});
  }
  return checksum.text();
}

SavedState state_in(const fs::path& file) {
  caffe2::serialize::PyTorchStreamReader reader(
      std::make_shared<caffe2::serialize::FileAdapter>(file.string()));
  const c10::IValue value = torch::jit::readArchiveAndTensors("data", "", "", {}, {}, {}, reader);
  TORCH_CHECK(value.isGenericDict(), "not a snapshot");
  return c10::impl::toTypedDict<std::string, Tensor>(value.toGenericDict());
}

std::string prefix_of(const fs::path& run_file) { return run_file.stem().string() + ".step-"; }

}  // namespace

fs::path snapshot_file(const fs::path& run_file, int64_t step) {
  return run_file.parent_path() / fmt::format("{}{}.snapshot", prefix_of(run_file), step);
}

std::string write_snapshot(const fs::path& file, const NamedTensors& tensors) {
  SavedState saved;
  for (const auto& [name, tensor] : tensors) saved.insert(name, tensor.detach());
  std::vector<Tensor> data;
  const std::vector<char> pickle = pickled(saved, data);
  results::Checksum checksum;
  results::replace_file(file, [&](const results::ByteSink& sink) {
    // Nothing may be thrown through the library that packs the archive, and a writer that fails at
    // its end ends the process: it is told that all went well, and the failure comes behind it.
    std::exception_ptr failure;
    const auto write = [&](const void* bytes, size_t count) {
      const std::span piece(static_cast<const char*>(bytes), count);
      try {
        if (!failure) sink(piece);
      } catch (...) {
        failure = std::current_exception();
      }
      checksum.add(piece);
      return count;
    };
    {
      caffe2::serialize::PyTorchStreamWriter writer(write);
      torch::jit::writeArchiveAndTensors("data", pickle.data(), pickle.size(), data, writer);
      writer.writeEndOfFile();
    }
    if (failure) std::rethrow_exception(failure);
  });
  return checksum.text();
}

void read_snapshot(const fs::path& file, const std::string& checksum, const NamedTensors& tensors) {
  if (const std::string found = checksum_of(file); found != checksum) {
    throw StoreError(fmt::format("{}: damaged: its checksum is {}, {} expected", file.string(),
                                 found, checksum));
  }
  try {
    const SavedState saved = state_in(file);
    for (const auto& [name, tensor] : tensors) {
      TORCH_CHECK(saved.contains(name), "'", name, "' is missing");
      TORCH_CHECK(saved.at(name).sizes() == tensor.sizes(), "'", name,
                  "': ", saved.at(name).sizes(), " found, ", tensor.sizes(), " expected");
    }
    const at::NoGradGuard no_gradients;
    for (const auto& [name, tensor] : tensors) Tensor(tensor).copy_(saved.at(name));
  } catch (const c10::Error& error) {
    throw StoreError(fmt::format("{}: {}", file.string(), error.what_without_backtrace()));
  }
}

void remove_snapshots(const fs::path& run_file, int64_t but_of) {
  const fs::path kept = snapshot_file(run_file, but_of);
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run_file.parent_path(), ignored)) {
    const bool own = entry.path().filename().string().starts_with(prefix_of(run_file)) &&
                     entry.path().extension() == ".snapshot";
    if (own && entry.path().filename() != kept.filename()) found.push_back(entry.path());
  }
  for (const fs::path& file : found) fs::remove(file, ignored);
}

}  // namespace relbias::experiments
