// SPDX-License-Identifier: Apache-2.0
// tests: run records survive the file unchanged, and damaged files are named errors.
#include "results/store/store.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "results/store/hdf5/handles.h"
#include "tests/python.h"
#include "tests/results/example_run.h"

namespace relbias::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string bytes_of(const std::filesystem::path& file) {
  const std::vector<char> bytes = file_bytes(file);
  return {bytes.begin(), bytes.end()};
}

// A file of another tool with unsigned bytes in `given`; of none, HDF5's dataset without a value.
void write_given(const std::filesystem::path& file, const std::vector<uint8_t>& bytes) {
  const hdf5::Session session;
  const hsize_t count = bytes.size();
  const hdf5::Handle space(
      bytes.empty() ? H5Screate(H5S_NULL) : H5Screate_simple(1, &count, nullptr), H5Sclose,
      "shape");
  const hdf5::Handle created(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                             H5Fclose, "file");
  const hdf5::Handle given(
      H5Dcreate2(created, "given", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose, "dataset");
  if (bytes.empty()) return;
  hdf5::checked(H5Dwrite(given, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
                "values");
}

TEST(Store, EveryFieldSurvives) {
  const ScratchFolder folder;
  write_run(folder.path() / "run.h5", example_run());
  expect_same(read_run(folder.path() / "run.h5"), example_run());
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"run.h5"});
}

TEST(Store, EmptyRecordSurvives) {
  const ScratchFolder folder;
  RunRecord run;
  run.run_id = "a";
  write_run(folder.path() / "run.h5", run);
  expect_same(read_run(folder.path() / "run.h5"), run);
}

TEST(Store, EmptyArraysSurvive) {
  const ScratchFolder folder;
  RunRecord run = example_run();
  run.tables = {{"0", "score", "hops", {"head", "relation"}, {2, 0}, {}, {"hops"}, {}, {}}};
  run.attention = {{"entropy", {"layer"}, {0}, {}}};
  write_run(folder.path() / "run.h5", run);
  expect_same(read_run(folder.path() / "run.h5"), run);
}

TEST(Store, ArraysKeepTheirOrder) {
  const ScratchFolder folder;
  RunRecord run = example_run();
  std::ranges::reverse(run.tables);  // no longer by name
  write_run(folder.path() / "run.h5", run);
  expect_same(read_run(folder.path() / "run.h5"), run);
}

TEST(Store, LargeConfigSurvives) {  // attributes of fixed length end at 64 kB
  const ScratchFolder folder;
  RunRecord run = example_run();
  run.config = std::string(1000000, 'x');
  write_run(folder.path() / "run.h5", run);
  EXPECT_EQ(read_run(folder.path() / "run.h5").config, run.config);
}

TEST(Store, BrokenTextIsMarkedAndTheRunKept) {
  const ScratchFolder folder;
  RunRecord run = example_run();
  run.message = std::string("caf\xE9 \0 \xC3\xA9 \xED\xA0\x80", 13);
  run.evaluation[1].reason = "\xFF";
  write_run(folder.path() / "run.h5", run);
  const RunRecord read = read_run(folder.path() / "run.h5");
  EXPECT_EQ(read.message, "caf\uFFFD \uFFFD é \uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(read.evaluation[1].reason, "\uFFFD");
}

TEST(Store, CheckpointGoesWhenTheRunIsFinished) {
  const ScratchFolder folder;
  for (const RunStatus status : {RunStatus::done, RunStatus::diverged}) {
    RunRecord run = example_run();
    run.status = status;
    write_run(folder.path() / "run.h5", run);
    EXPECT_FALSE(read_run(folder.path() / "run.h5").checkpoint.has_value());
  }
}

// As after its process was killed: hours of training would be lost with it.
TEST(Store, AFailedRunKeepsItsCheckpoint) {
  const ScratchFolder folder;
  RunRecord run = example_run();
  run.status = RunStatus::failed;
  write_run(folder.path() / "run.h5", run);
  const RunRecord read = read_run(folder.path() / "run.h5");
  EXPECT_TRUE(read.checkpoint.has_value());
  expect_same(read, run);
}

TEST(Store, ARecordKnowsItsFileAndDoesNotStoreIt) {
  const ScratchFolder folder;
  write_run(folder.path() / "1.h5", example_run());
  const RunRecord run = read_run(folder.path() / "1.h5");
  EXPECT_EQ(run.file, (folder.path() / "1.h5").string());
  write_run(folder.path() / "2.h5", run);
  EXPECT_EQ(bytes_of(folder.path() / "1.h5"), bytes_of(folder.path() / "2.h5"));
  const RunsRead read = read_runs(folder.path());
  ASSERT_EQ(read.runs.size(), 2);
  EXPECT_EQ(read.runs[1].file, (folder.path() / "2.h5").string());
}

TEST(Store, NumbersCanBeReadWithoutTheRest) {
  const ScratchFolder folder;
  write_run(folder.path() / "run.h5", example_run());
  RunRecord expected = example_run();
  expected.tables.clear();
  expected.attention.clear();
  expected.checkpoint.reset();
  expected.weights.clear();
  for (SampleSet& set : expected.samples) set.sources.clear();
  expected.samples[1].scores[0].columns = {{1, 0}, {4, 6}};  // without the one without a target
  expect_same(read_run(folder.path() / "run.h5", RunParts::numbers), expected);
}

TEST(Store, SamplesByPositionAreNoNumbersOfTables) {
  const ScratchFolder folder;
  RunRecord run = example_run();
  run.samples[1].condition = "position 17-32";
  write_run(folder.path() / "run.h5", run);
  EXPECT_EQ(read_run(folder.path() / "run.h5", RunParts::numbers).samples.size(), 1);
  EXPECT_EQ(read_run(folder.path() / "run.h5").samples.size(), 2);
}

TEST(Store, EarlierEvaluationsHaveTheirSamplesBesideTheLast) {
  const ScratchFolder folder;
  RunRecord run = example_run();
  run.samples[1] = run.samples[0];
  run.samples[1].step = 10;
  write_run(folder.path() / "run.h5", run);
  expect_same(read_run(folder.path() / "run.h5"), run);
}

// Attributes and objects of others, of types that no run has, at every place; and links.
TEST(Store, WhatOthersAddedStays) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  write_run(file, example_run());
  std::ofstream(folder.path() / "add.py") << R"(
import h5py, numpy
with h5py.File("run.h5", "r+") as run:
    run.attrs["note"] = "mine: Größe"
    run.attrs["list"] = ["a", "bc"]
    run["train"].attrs["seen"] = numpy.array([1.5, 2.5])
    run["encoding"].attrs["colour"] = "red"
    run["mine/deep"] = numpy.zeros(2, [("name", "S3"), ("place", "f4", (2,))])
    run["mine/texts"] = ["x", "yz"]
    run["mine"].attrs["why"] = 1 + 2j
    run["mine/circle"] = run["mine"]
    run.create_group("empty/er")
    run["encoding/0/mine"] = [1, 2, 3]
    run["samples/mine"] = 7
    run["link"] = h5py.SoftLink("/mine/deep")
    run["far"] = h5py.ExternalLink("other.h5", "/there")
)";
  std::ofstream(folder.path() / "find.py") << R"(
import h5py, numpy
with h5py.File("run.h5") as run:
    assert run.attrs["note"] == "mine: Größe" and list(run.attrs["list"]) == ["a", "bc"]
    assert run["train"].attrs["seen"].tolist() == [1.5, 2.5]
    assert run["mine/deep"].dtype["place"].shape == (2,) and run["mine/deep"].shape == (2,)
    assert run["mine/texts"].asstr()[:].tolist() == ["x", "yz"]
    assert run["mine"].attrs["why"] == 1 + 2j and "er" in run["empty"]
    assert run["encoding/0/mine"][:].tolist() == [1, 2, 3] and run["samples/mine"][()] == 7
    assert run.get("link", getlink=True).path == "/mine/deep" and len(run["link"]) == 2
    assert run.get("far", getlink=True).filename == "other.h5"
    print("colour" in run["encoding"].attrs, "checkpoint" in run)
)";
  const std::string go = "cd " + folder.path().string() + " && " + python() + " ";
  ASSERT_EQ(run_command(go + "add.py"), (std::pair<std::string, int>("", 0)));
  write_run(file, example_run());
  EXPECT_EQ(run_command(go + "find.py"), (std::pair<std::string, int>("True True\n", 0)));
  RunRecord finished = example_run();
  finished.status = RunStatus::done;
  finished.checkpoint.reset();
  finished.tables.clear();
  write_run(file, finished);
  write_run(file, finished);
  EXPECT_EQ(run_command(go + "find.py"), (std::pair<std::string, int>("True False\n", 0)));
  EXPECT_TRUE(read_run(file).tables.empty());
}

TEST(Store, SameRecordGivesSameBytes) {
  const ScratchFolder folder;
  write_run(folder.path() / "1.h5", example_run());
  std::this_thread::sleep_for(std::chrono::milliseconds(1001));  // HDF5 would note the second
  write_run(folder.path() / "2.h5", example_run());
  EXPECT_TRUE(bytes_of(folder.path() / "1.h5") == bytes_of(folder.path() / "2.h5"));
}

TEST(Store, ARerunReplacesTheRows) {
  const ScratchFolder folder;
  write_run(folder.path() / "run.h5", example_run());
  RunRecord rerun = read_run(folder.path() / "run.h5");
  write_run(folder.path() / "run.h5", rerun);
  EXPECT_EQ(read_run(folder.path() / "run.h5").train.size(), 2);

  rerun.train.push_back(rerun.train.front());  // what appending after a resume would do
  EXPECT_THAT(store_error([&] { write_run(folder.path() / "run.h5", rerun); }),
              HasSubstr("train: step 10 follows step 20"));
  rerun = example_run();
  rerun.evaluation.push_back(rerun.evaluation.front());
  EXPECT_THAT(store_error([&] { write_run(folder.path() / "run.h5", rerun); }),
              HasSubstr("metric 'bits-per-byte' at size 128 stands twice"));
  expect_same(read_run(folder.path() / "run.h5"), example_run());
}

TEST(Store, RecordsThatContradictThemselvesAreRefused) {
  const ScratchFolder folder;
  const auto refusal = [&](auto change) {
    RunRecord run = example_run();
    change(run);
    const std::string error = store_error([&] { write_run(folder.path() / "run.h5", run); });
    EXPECT_THAT(error, HasSubstr((folder.path() / "run.h5").string()));
    return error;
  };
  using Run = RunRecord&;
  EXPECT_THAT(refusal([](Run run) { run.run_id = "a/b"; }), HasSubstr("run_id 'a/b'"));
  EXPECT_THAT(refusal([](Run run) { run.better = "more"; }), HasSubstr("better is 'more'"));
  EXPECT_THAT(refusal([](Run run) { run.evaluation[0].metric = ""; }), HasSubstr("has no name"));
  EXPECT_THAT(refusal([](Run run) { run.evaluation[1].reason = ""; }),
              HasSubstr("undefined without a reason"));
  EXPECT_THAT(refusal([](Run run) {
                run.tables[0].shape = {2, 2};
              }),
              HasSubstr("encoding/0/score: 6 values for shape (2, 2)"));
  EXPECT_THAT(refusal([](Run run) { run.tables[0].shape = {-2, -3}; }), HasSubstr("impossible"));
  EXPECT_THAT(refusal([](Run run) { run.tables[0].labels = {"a"}; }),
              HasSubstr("1 labels for 3 rows"));
  EXPECT_THAT(refusal([](Run run) { run.tables[0].coordinates.pop_back(); }),
              HasSubstr("2 coordinates for 3 rows and 1 axes"));
  EXPECT_THAT(refusal([](Run run) { run.tables[2].axes = {"dy", "dy"}; }), HasSubstr("'dy'"));
  EXPECT_THAT(refusal([](Run run) { run.tables[1].layer = "0"; }), HasSubstr("stands twice"));
  EXPECT_THAT(refusal([](Run run) { run.tables[1].term = "a/b"; }), HasSubstr("without '/'"));
  EXPECT_THAT(refusal([](Run run) {
                run.attention[0].dimensions = {"a,b", "c"};
              }),
              HasSubstr("'a,b'"));
  EXPECT_THAT(refusal([](Run run) { run.attention[1].name = "entropy"; }),
              HasSubstr("stands twice"));
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(Store, FilesThatAreNoRunsAreNamed) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  const auto refusal = [&](const std::string& bytes) {
    write_bytes(file, bytes);
    const std::string error = store_error([&] { (void)read_run(file); });
    EXPECT_TRUE(error.starts_with(file.string() + ": ")) << error;
    return error;
  };
  EXPECT_THAT(store_error([&] { (void)read_run(file); }), HasSubstr("No such file"));
  EXPECT_THAT(store_error([&] { (void)read_run(folder.path()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal("step,loss\n0,1\n"), HasSubstr("not an HDF5 file"));
  EXPECT_THAT(refusal("\x89HDF\r\n\x1a\n"), HasSubstr("damaged HDF5 file"));
}

TEST(Store, FilesCutShortAreNamed) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  write_run(file, example_run());
  const std::string whole = bytes_of(file);
  for (size_t tenth = 1; tenth < 10; ++tenth) {
    write_bytes(file, whole.substr(0, whole.size() * tenth / 10));
    EXPECT_THAT(store_error([&] { (void)read_run(file); }), HasSubstr("truncated file")) << tenth;
  }
}

// HDF5 alone takes damaged data for data, and crashes on some damaged headers.
TEST(Store, DamagedBytesAreNamed) {
  const ScratchFolder folder;
  const auto file = folder.path() / "run.h5";
  write_run(file, example_run());
  const std::string whole = bytes_of(file);
  const size_t end_of_data = whole.rfind("relbias:");
  for (size_t at = 8; at < end_of_data; at += 31) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    write_bytes(file, damaged);
    EXPECT_THAT(store_error([&] { (void)read_run(file); }), HasSubstr(file.string() + ": damaged"))
        << at;
  }
  write_bytes(file, whole.substr(0, whole.size() - 10));
  EXPECT_THAT(store_error([&] { (void)read_run(file); }), HasSubstr("checksum at its end is cut"));
  write_bytes(file, whole.substr(0, end_of_data));  // as after a tool that knows of no checksum
  expect_same(read_run(file), example_run());
}

// HDF5 clamps what does not fit: as signed bytes 128 and 255 would both be 127.
TEST(Store, UnsignedBytesAreReadAsTheNumbersThatTheyAre) {
  const ScratchFolder folder;
  write_given(folder.path() / "bytes.h5", {0, 127, 128, 255});
  const StoredContents contents = read_contents(folder.path() / "bytes.h5");
  ASSERT_EQ(contents.datasets.size(), 1);
  const auto& array = held<const StoredArray>(contents.datasets[0].data, "it");
  EXPECT_THAT(array.shape, ElementsAre(4));
  EXPECT_THAT(held<const std::vector<double>>(array.values, "it"), ElementsAre(0, 127, 128, 255));
}

// It has no dimensions either, and would pass for a single number.
TEST(Store, ADatasetWithoutAValueIsRefused) {
  const ScratchFolder folder;
  const auto file = folder.path() / "empty.h5";
  write_given(file, {});
  EXPECT_EQ(store_error([&] { (void)read_contents(file); }),
            file.string() + ": dataset 'given': it holds no value");
}

TEST(Store, ReadsWhatItCanOfAFolder) {
  const ScratchFolder folder;
  write_run(folder.path() / "study" / "1.h5", example_run());
  write_bytes(folder.path() / "study" / "2.h5", "no");
  const RunsRead read = read_runs(folder.path());
  EXPECT_EQ(read.runs.size(), 1);
  ASSERT_EQ(read.problems.size(), 1);
  EXPECT_THAT(read.problems[0], HasSubstr("2.h5: not an HDF5 file"));

  std::filesystem::remove(folder.path() / "study" / "1.h5");
  EXPECT_THAT(store_error([&] { (void)read_runs(folder.path()); }),
              HasSubstr("none of its 1 files is a readable run"));
}

TEST(Store, ThreadsWriteAndRead) {
  const ScratchFolder folder;
  const auto write_fifty = [&](int64_t thread, bool one_file) {
    for (int64_t i = 0; i < 50; ++i) {
      RunRecord run = example_run();
      run.seed = thread * 1000 + i;
      const auto file = folder.path() / (one_file ? "one.h5" : std::to_string(run.seed) + ".h5");
      write_run(file, run);
      if (!one_file) {
        EXPECT_EQ(read_run(file).seed, run.seed);
      }
    }
  };
  for (const bool one_file : {false, true}) {
    std::thread other(write_fifty, 1, one_file);
    write_fifty(2, one_file);
    other.join();
  }
  EXPECT_EQ(find_runs(folder.path()).size(), 101);
  EXPECT_EQ(names_in(folder.path()).size(), 101);
  for (const auto& file : find_runs(folder.path())) {
    RunRecord expected = example_run();
    const RunRecord run = read_run(file);
    expected.seed = run.seed;
    expect_same(run, expected);
  }
}

TEST(Store, NamesTheVersionOfHdf5) {
  EXPECT_THAT(hdf5_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST(Store, AThousandRuns) {
  const ScratchFolder folder;
  write_run(folder.path() / "0.h5", example_run());
  for (int i = 1; i < 1000; ++i) {
    std::filesystem::copy_file(folder.path() / "0.h5", folder.path() / (std::to_string(i) + ".h5"));
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read_runs(folder.path()).runs.size(), 1000);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(seconds.count()));
}

}  // namespace
}  // namespace relbias::results
