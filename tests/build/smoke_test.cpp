// SPDX-License-Identifier: Apache-2.0
// LibTorch, OpenCV, HDF5 and libsndfile work together in one program: one string ABI, one OpenMP
// runtime.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sndfile.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>
#include <stdexcept>
#include <thread>

#include "modalities/parallel.h"

namespace relbias::modalities {
namespace {

TEST(Smoke, OpenCvImageBecomesTensor) {
  const cv::Mat picture = (cv::Mat_<unsigned char>(2, 3) << 1, 2, 3, 4, 5, 250);
  std::vector<unsigned char> png;
  ASSERT_TRUE(cv::imencode(std::string(".png"), picture, png));
  const cv::Mat decoded = cv::imdecode(png, cv::IMREAD_GRAYSCALE);
  ASSERT_EQ(decoded.size(), picture.size());
  const auto pixels = torch::from_blob(decoded.data, {2, 3}, torch::kUInt8);
  EXPECT_EQ(pixels.to(torch::kLong).sum().item<std::int64_t>(), 265);
}

TEST(Smoke, TensorThroughHdf5FileInMemory) {
  const auto written = torch::arange(6, torch::kFloat32).reshape({2, 3});
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  ASSERT_GE(H5Pset_fapl_core(access, 1 << 16, /*backing_store=*/0), 0);
  const hid_t file = H5Fcreate("in memory", H5F_ACC_EXCL, H5P_DEFAULT, access);
  ASSERT_GE(file, 0);
  const std::array<hsize_t, 2> shape{2, 3};
  const hid_t space = H5Screate_simple(2, shape.data(), nullptr);
  const hid_t set =
      H5Dcreate2(file, "tensor", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, written.data_ptr()), 0);
  auto read = torch::zeros({2, 3});
  EXPECT_GE(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data_ptr()), 0);
  EXPECT_TRUE(torch::equal(read, written));
  EXPECT_GE(H5Dclose(set), 0);
  EXPECT_GE(H5Sclose(space), 0);
  EXPECT_GE(H5Fclose(file), 0);
  EXPECT_GE(H5Pclose(access), 0);
}

/// A WAV file in memory, as libsndfile's virtual I/O sees it.
struct MemoryFile {
  std::vector<char> bytes;
  sf_count_t at = 0;

  static SF_VIRTUAL_IO io() {
    SF_VIRTUAL_IO calls{};
    calls.get_filelen = [](void* self) { return sf_count_t(of(self).bytes.size()); };
    calls.tell = [](void* self) { return of(self).at; };
    calls.seek = [](sf_count_t offset, int whence, void* self) {
      const sf_count_t base = whence == SEEK_SET   ? 0
                              : whence == SEEK_CUR ? of(self).at
                                                   : sf_count_t(of(self).bytes.size());
      return of(self).at = base + offset;
    };
    calls.read = [](void* target, sf_count_t count, void* self) {
      count = std::min(count, sf_count_t(of(self).bytes.size()) - of(self).at);
      std::copy_n(of(self).bytes.data() + of(self).at, count, static_cast<char*>(target));
      of(self).at += count;
      return count;
    };
    calls.write = [](const void* source, sf_count_t count, void* self) {
      of(self).bytes.resize(std::max(of(self).bytes.size(), std::size_t(of(self).at + count)));
      std::copy_n(static_cast<const char*>(source), count, of(self).bytes.data() + of(self).at);
      of(self).at += count;
      return count;
    };
    return calls;
  }

 private:
  static MemoryFile& of(void* self) { return *static_cast<MemoryFile*>(self); }
};

TEST(Smoke, TensorThroughWavFileInMemory) {
  const auto written = torch::tensor({0.0F, 0.5F, -0.5F, 0.25F});
  MemoryFile wav;
  SF_VIRTUAL_IO calls = MemoryFile::io();
  SF_INFO info{};
  info.samplerate = 8000;
  info.channels = 1;
  info.format = SF_FORMAT_WAV | SF_FORMAT_FLOAT;
  SNDFILE* file = sf_open_virtual(&calls, SFM_WRITE, &info, &wav);
  ASSERT_NE(file, nullptr) << sf_strerror(nullptr);
  EXPECT_EQ(sf_write_float(file, written.data_ptr<float>(), 4), 4);
  EXPECT_EQ(sf_close(file), 0);

  wav.at = 0;
  info = SF_INFO{};
  file = sf_open_virtual(&calls, SFM_READ, &info, &wav);
  ASSERT_NE(file, nullptr) << sf_strerror(nullptr);
  auto read = torch::zeros({4});
  EXPECT_EQ(sf_read_float(file, read.data_ptr<float>(), 4), 4);
  EXPECT_EQ(sf_close(file), 0);
  EXPECT_EQ(info.samplerate, 8000);
  EXPECT_TRUE(torch::equal(read, written));
}

TEST(Smoke, OneOpenMpRuntimeRunsOurLoops) {
  at::set_num_threads(2);
  std::array<std::thread::id, 2> thread_of_half;
  in_parallel(2, [&](std::int64_t n) {
    thread_of_half.at(n) = std::this_thread::get_id();
    std::this_thread::sleep_for(
        std::chrono::milliseconds(200));  // time for the other to take its half
  });
  EXPECT_NE(thread_of_half[0], thread_of_half[1]) << "one thread did it all";

  std::array<std::atomic<int>, 100> calls{};
  in_parallel(calls.size(), [&](std::int64_t n) { ++calls.at(n); });
  for (const auto& each : calls) EXPECT_EQ(each, 1);
  in_parallel(0, [](std::int64_t) { FAIL() << "there is nothing to do"; });
  EXPECT_THROW(in_parallel(9,
                           [](std::int64_t n) {
                             if (n == 4) throw std::out_of_range("four");
                           }),
               std::out_of_range);

  std::set<std::string> runtimes;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string path = line.substr(std::min(line.find('/'), line.size()));
    for (const char* name : {"/libgomp", "/libomp", "/libiomp"}) {
      if (path.find(name) != std::string::npos) runtimes.insert(path);
    }
  }
  EXPECT_EQ(runtimes.size(), 1U) << testing::PrintToString(runtimes);
}

}  // namespace
}  // namespace relbias::modalities
