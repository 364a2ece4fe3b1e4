// SPDX-License-Identifier: Apache-2.0
// tests: results/schema.md names every field, and what it shows of h5py and pandas works.
#include "results/schema.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "results/store/run_contents.h"
#include "tests/python.h"
#include "tests/results/example_run.h"
#include "tests/results/table_runs.h"
#include "tests/source_folder.h"

namespace relbias::results {
namespace {

using testing::HasSubstr;

std::string text_of(const std::filesystem::path& file) {
  const std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string schema_text() {
  return text_of(std::filesystem::path(source_folder()) / "results" / "schema.md");
}

struct Example {
  std::string code;
  std::string output;
};

std::vector<Example> examples_in(const std::string& markdown) {
  const std::string opening = "```python\n";
  const std::string middle = "```\n```text\n";
  std::vector<Example> examples;
  for (size_t at = 0; (at = markdown.find(opening, at)) != std::string::npos;) {
    const size_t code = at + opening.size();
    const size_t end_of_code = markdown.find("```\n", code);
    EXPECT_EQ(markdown.substr(end_of_code, middle.size()), middle) << "a block without its output";
    const size_t output = end_of_code + middle.size();
    at = markdown.find("```\n", output);
    examples.push_back(
        {markdown.substr(code, end_of_code - code), markdown.substr(output, at - output)});
  }
  return examples;
}

TEST(Schema, NamesEveryField) {
  const std::string text = schema_text();
  const auto is_named = [&](const char* name, auto) {
    EXPECT_THAT(text, HasSubstr("\n| `" + std::string(name) + "` | "));
  };
  visit_attributes(is_named);
  visit_columns<TrainRow>(is_named);
  visit_columns<EvaluationRow>(is_named);
  for (const std::string_view status : status_names) {
    EXPECT_THAT(text, HasSubstr("`" + std::string(status) + "`"));
  }
  EXPECT_THAT(text, HasSubstr("schema version " + std::to_string(current_schema) + "."));
}

TEST(Schema, ItsPythonRunsWithoutOurCode) {
  const ScratchFolder folder;
  write_run(folder.path() / "run.h5", example_run());
  const std::vector<Example> examples = examples_in(schema_text());
  ASSERT_GE(examples.size(), 4);
  const std::string command =
      "cd " + folder.path().string() + " && PYTHONIOENCODING=utf-8 " + python() + " block.py";
  for (const Example& example : examples) {
    std::ofstream(folder.path() / "block.py") << example.code;
    const auto [output, status] = run_command(command);
    EXPECT_EQ(status, 0) << example.code;
    EXPECT_EQ(output, example.output) << example.code;
  }
}

// graph-gates sweeps length_scale: its values were once averaged.
TEST(Schema, ItsRecipeKeepsSweptKeysApart) {
  const ScratchFolder folder;
  for (const auto& [scale, value] : std::map<std::string, double>{{"none", 0.5}, {"log", 0.9}}) {
    for (const int64_t seed : {0, 1}) {
      RunRecord run = table_run("alibi", seed, {{1, value + 0.01 * static_cast<double>(seed)}});
      run.run_id += scale;
      run.settings = {{"model.length_scale", scale}, {"train.steps", "30"}};
      write_run(folder.path() / (run.run_id + ".h5"), run);
    }
  }
  std::ofstream(folder.path() / "block.py") << examples_in(schema_text()).back().code;
  const auto [output, status] =
      run_command("cd " + folder.path().string() + " && " + python() + " block.py");
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, testing::ContainsRegex("alibi +log +32 +0 +0\\.905\n"));
  EXPECT_THAT(output, testing::ContainsRegex("alibi +none +32 +0 +0\\.505\n"));
  EXPECT_THAT(output, testing::Not(HasSubstr("train.steps")));  // the same in all
}

// h5py reads every value that was written, and the file is the plain HDF5 that other tools expect.
TEST(Schema, H5pyFindsWhatWasWritten) {
  const ScratchFolder folder;
  write_run(folder.path() / "run.h5", example_run());
  std::ofstream(folder.path() / "check.py") << R"(
import h5py, math
with h5py.File("run.h5") as run:
    assert set(run) == {"train", "evaluation", "encoding", "attention", "checkpoint", "samples",
                        "model"}, list(run)
    assert list(run["samples"]) == ["128", "256 ≤15"]
    assert run["samples/128"].compression == "gzip" and run["samples/128"].attrs["hash"] == "ab12"
    assert run["samples/128"]["source"].tolist() == [b"byte 0", b"byte 256"]
    assert run["samples/128"]["bits-per-byte.guess.bits"].tolist() == [8, 8]
    assert run["model/head.weight"].dtype == "float32"
    assert run["model/head.weight"][:].tolist() == [[1, 2], [3, 4.5]]
    assert run.attrs["message"] == "stopped at step 20 – weiter: Größe 𝄞"
    assert run.attrs["wall_seconds"] == 90.25 and math.isnan(run.attrs["ceiling"])
    assert run["train"]["loss"].tolist() == [3.5, 2.5]
    assert run["evaluation"]["defined"].dtype == bool
    assert run["evaluation"]["condition"].dtype.char == "S"
    assert run["encoding/10/key@grid.rows"]["dx"][0] == 1
    assert run["encoding/10/key@grid.rows"]["label"][1].decode() == "cls→patch"
    assert run["encoding/shared/u"].dtype == "float32" and "u.rows" not in run["encoding/shared"]
    assert run["attention/entropy"].attrs["dimensions"] == "layer,head"
    assert run["attention/largest"][()] == 0.75
    assert run["checkpoint"].attrs["checksum"] == "00000000deadbeef"
    assert run["checkpoint"].attrs["step"] == 20
)";
  const auto [output, status] =
      run_command("cd " + folder.path().string() + " && " + python() + " check.py");
  EXPECT_EQ(status, 0) << output;
}

TEST(Schema, EarlierProgramsWroteFewerAttributes) {
  StoredContents contents = contents_of(example_run());
  for (const std::string_view name : later_attributes) contents.attributes.erase(std::string(name));
  EXPECT_THAT(store_error([&] { (void)record_of(contents); }), HasSubstr("is missing"));
  contents.attributes["schema_version"] = int64_t{1};
  for (StoredDataset& dataset : contents.datasets) {
    if (dataset.path != "evaluation") continue;
    std::erase_if(std::get<StoredTable>(dataset.data), [](const StoredColumn& column) {
      return column.name == "step" || column.name == "commit";
    });
  }
  const RunRecord first = record_of(contents);
  EXPECT_EQ(first.schema_version, 1);
  EXPECT_EQ(first.dataset_report, "");
  ASSERT_EQ(first.positions.size(), 1);
  EXPECT_EQ(first.positions[0].encoding, "t5 num_buckets=8");
  EXPECT_EQ(first.settings.at("data.task"), "language-model");
  contents.attributes.erase("dataset_hash");
  EXPECT_THAT(store_error([&] { (void)record_of(contents); }), HasSubstr("'dataset_hash'"));
}

// Columns are kept by their factor as a whole number of millionths, which others would overflow.
TEST(Schema, AFactorIsAboveZeroAndNoLargerThanAnySize) {
  RunRecord run = example_run();
  for (const double factor : {1e300, double{INFINITY}, 0.0, -1.0}) {
    run.evaluation[0].factor = factor;
    const std::string problem = problem_with(run);
    EXPECT_THAT(problem, HasSubstr("evaluation: metric 'bits-per-byte' at size 128: factor "));
    EXPECT_THAT(problem, HasSubstr(" found, above 0 and at most 1e+09 expected")) << factor;
  }
  for (const double factor : {not_given, 0.001, 1e9}) {
    run.evaluation[0].factor = factor;
    EXPECT_EQ(problem_with(run), "") << factor;
  }
}

// What a user may do to a file, and what is then said of it; nothing: it still reads as written.
struct Change {
  std::string code;
  std::string error;
};

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      {"run.attrs['note'] = 'mine'; run.attrs['list'] = [1, 2]; run['mine'] = 'text'", ""},
      {"run['train'].attrs['note'] = 1", ""},
      {"rows = run['evaluation'][:]; del run['evaluation']; run['evaluation'] = numpy.array("
       "rows.tolist(), [(name, rows.dtype[name].str) for name in rows.dtype.names])",
       ""},
      {"run.attrs['schema_version'] = 7", "schema version 7, this program reads versions 1 and 2"},
      {"run.attrs['schema_version'] = 'one'", "attribute 'schema_version' is of another type"},
      {"del run.attrs['schema_version']", "not a run file"},
      {"run.clear(); [run.attrs.pop(name) for name in list(run.attrs)]", "not a run file"},
      {"del run.attrs['seed']", "attribute 'seed' is missing"},
      {"run.attrs['study'] = numpy.bytes_('quickstart')", ""},
      {"run.attrs['seed'] = '3'", "attribute 'seed' is of another type"},
      {"run.attrs['status'] = 'won'",
       "attribute 'status': it is 'won', expected running, done, failed, diverged"},
      {"run.attrs['versions'] = '[1'", "attribute 'versions': it is no JSON object"},
      {"run.attrs['positions'] = '[{}]'", "attribute 'positions': it is no JSON array"},
      {"del run['train']", "dataset 'train' is missing"},
      {"del run['train']; run['train'] = [1, 2]", "dataset 'train': it "},
      {"del run['train']; run['train'] = numpy.zeros(2, [('step', 'i4')])",
       "dataset 'train': column 'loss' is missing"},
      {"del run['train']; run['train'] = numpy.zeros((2, 2), [('step', 'i4')])",
       "dataset 'train': expected a list of rows"},
      {"rows = run['train'][:]; rows['step'] = 1; run['train'][:] = rows",
       "train: step 1 follows step 1"},
      {"rows = run['evaluation'][:]; rows['factor'] = -1; run['evaluation'][:] = rows",
       "evaluation: metric 'bits-per-byte' at size 128: factor -1 found"},
      {"run['encoding/0/x'] = ['a']; run['samples/mine'] = 1; run['model/mine'] = [1]", ""},
      {"run['encoding/0/x'] = ['a']; run['encoding/0/x'].attrs['dimensions'] = 'head'",
       "dataset 'encoding/0/x': it holds neither"},
      {"rows = run['samples/128'][:]; attributes = dict(run['samples/128'].attrs); "
       "del run['samples/128']; run['samples/128'] = rows[['source']]; "
       "run['samples/128'].attrs.update(attributes)",
       "dataset 'samples/128': column 'bits-per-byte.bits' is missing"},
      {"huge = run.create_dataset('attention/huge', (2**40, 2**20), chunks=(1, 2)); "
       "huge.attrs['dimensions'] = 'query,key'",
       "dataset 'attention/huge': it claims more data than the file can hold"},
  };
  return all;
}

TEST(Schema, FilesThatH5pyChanged) {
  const ScratchFolder folder;
  std::ofstream script(folder.path() / "change.py");
  script << "import h5py, numpy\n";
  for (size_t i = 0; i < changes().size(); ++i) {
    write_run(folder.path() / (std::to_string(i) + ".h5"), example_run());
    script << "run = h5py.File('" << i << ".h5', 'r+')\n" << changes()[i].code << "\nrun.close()\n";
  }
  script.close();
  const auto [output, status] =
      run_command("cd " + folder.path().string() + " && " + python() + " change.py");
  ASSERT_EQ(status, 0) << output;
  for (size_t i = 0; i < changes().size(); ++i) {
    SCOPED_TRACE(changes()[i].code);
    const auto file = folder.path() / (std::to_string(i) + ".h5");
    if (changes()[i].error.empty()) {
      expect_same(read_run(file), example_run());
    } else {
      EXPECT_THAT(store_error([&] { (void)read_run(file); }),
                  HasSubstr(file.string() + ": " + changes()[i].error));
    }
  }
}

}  // namespace
}  // namespace relbias::results
