// SPDX-License-Identifier: Apache-2.0
// tests: `relbias attend` against attention called directly, its errors, and the example of the
// README.
#include "tests/encodings/worked.h"
#include "tests/experiments/attend/attend_cases.h"
#include "tests/experiments/program.h"
#include "tests/source_folder.h"

namespace relbias::experiments {
namespace {

TEST_F(Attend, GivesWhatAttentionGivesWithAllGradients) {
  const NamedArrays output = run();
  Worked worked =
      work("t5 num_buckets=8 max_distance=20", 5, 5, {.heads = 2, .head_width = 4, .causal = true});
  worked.encoding->to(at::kDouble);
  Tensor table = worked.encoding->named_parameters()["table"];
  {
    const at::NoGradGuard no_gradients;
    table.copy_(tensor_of(input.arrays["parameters/table"]));
  }
  const auto leaf = [&](const char* name) {
    return tensor_of(input.arrays[name]).requires_grad_();
  };
  const Tensor q = leaf("q"), k = leaf("k"), v = leaf("v");
  AttentionOptions options{.return_weights = true};
  options.causal = true;
  const auto result = attention(
      q, k, v, {{worked.position.relation, worked.encoding->terms(worked.position.relation)}},
      options);
  result.out.backward(tensor_of(input.arrays["grad_out"]));
  const auto expect = [&](const std::string& name, const Tensor& expected) {
    EXPECT_CLOSE(tensor_of(output.arrays.at(name)), expected, 1e-12) << name;
  };
  expect("out", result.out);
  expect("weights", result.weights);
  expect("grad/q", q.grad());
  expect("grad/k", k.grad());
  expect("grad/v", v.grad());
  expect("grad/parameters/table", table.grad());
  EXPECT_EQ(output.texts.at("backend"), "reference");
}

Tensor softmax_of(const NamedArrays& input, double scale, const Tensor& bias) {
  const auto of = [&](const char* name) { return tensor_of(input.arrays.at(name)); };
  return (of("q").matmul(of("k").transpose(2, 3)) * scale + bias).softmax(-1);
}

TEST_F(Attend, ScaleBiasAndLengthScale) {
  input.texts["encoding"] = "none";
  input.numbers["causal"] = 0;
  input.arrays.erase("parameters/table");
  const Tensor bias = random({1, 2, 5, 5}, 4);
  input.arrays["bias"] = array_of(bias);
  const auto weights = [&] { return tensor_of(run().arrays.at("weights")); };
  EXPECT_CLOSE(weights(), softmax_of(input, 0.5, bias), 1e-12);  // 1/sqrt(4)
  EXPECT_EQ(run().arrays.at("grad/bias").shape, (std::vector<int64_t>{1, 2, 5, 5}));
  input.texts["scale"] = "none";
  EXPECT_CLOSE(weights(), softmax_of(input, 1, bias), 1e-12);
  input.texts.erase("scale");
  input.numbers["scale"] = 0.25;
  EXPECT_CLOSE(weights(), softmax_of(input, 0.25, bias), 1e-12);
  input.numbers.erase("scale");
  input.arrays.erase("bias");
  input.texts["length_scale"] = "log";
  input.numbers["trained"] = 3;
  const double factor = std::log(5.0) / std::log(3.0);
  EXPECT_CLOSE(weights(), softmax_of(input, 0.5 * factor, at::zeros({1}, at::kDouble)), 1e-12);
  input.texts["length_scale"] = "linear";
  EXPECT_NE(message().find("unknown length_scale 'linear'"), std::string::npos) << message();
}

// What no query may attend may be anything; where one may, it has to be a number.
TEST_F(Attend, NaNBehindTheMaskIsOrdinary) {
  input.numbers["causal"] = 0;
  const NamedArrays all = run();
  Array& mask = input.arrays["mask"];
  mask = {{1, 1, 5, 5}, std::vector<double>(25, 1)};
  for (size_t query = 0; query < 5; ++query) mask.values[5 * query + 4] = 0;
  const NamedArrays clean = run();
  for (const char* name : {"k", "v"}) {
    Array& array = input.arrays[name];
    for (size_t row = 4; row < 20; row += 5) array.values[4 * row + 1] = std::nan("");
  }
  const NamedArrays masked = run();
  EXPECT_EQ(masked.arrays.at("out").values, clean.arrays.at("out").values);
  EXPECT_EQ(masked.arrays.at("grad/q").values, clean.arrays.at("grad/q").values);
  mask.values[4] = 1;
  EXPECT_NE(message().find("where a query attends"), std::string::npos) << message();
}

TEST_F(Attend, EncodingsOnTokens) {
  input = {};
  input.texts = {{"encoding", "sinusoidal"}, {"relation", "token"}, {"type", "float64"}};
  const Tensor tokens = random({2, 5, 8}, 3);
  input.arrays["tokens"] = array_of(tokens);
  input.arrays["grad_out"] = array_of(at::ones({2, 5, 8}, at::kDouble));
  const NamedArrays output = run();
  const Tensor added = tensor_of(output.arrays.at("tokens")) - tokens;
  EXPECT_CLOSE(added[0], added[1], 1e-6);
  EXPECT_GT(added.abs().max().item<double>(), 0.5);
  EXPECT_CLOSE(tensor_of(output.arrays.at("grad/tokens")), at::ones({2, 5, 8}, at::kDouble), 1e-9);
}

TEST_F(Attend, ManyCasesInOneCall) {
  const auto in = folder.path() / "case.h5", twin = folder.path() / "twin.h5";
  write_arrays(in, input);
  write_arrays(twin, input);
  attend_all({in, twin}, folder.path() / "outs");
  EXPECT_EQ(read_arrays(folder.path() / "outs/case.h5").arrays.at("out").values,
            read_arrays(folder.path() / "outs/twin.h5").arrays.at("out").values);
  std::filesystem::remove_all(folder.path() / "outs");
  input.texts["encoding"] = "t55";
  write_arrays(in, input);
  EXPECT_THROW(attend_all({in, twin}, folder.path() / "outs"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "outs/case.h5"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "outs/twin.h5"));
}

TEST_F(Attend, TakesTheFusedKernelWhereAsked) {
  const NamedArrays reference = run();
  input.texts["type"] = "float32";
  input.texts["backend"] = "fused";
  const NamedArrays fused = run();
  EXPECT_EQ(fused.texts.at("backend"), "fused");
  EXPECT_EQ(fused.arrays.count("weights"), 0);
  for (const auto& [name, array] : fused.arrays) {
    EXPECT_CLOSE(tensor_of(array), tensor_of(reference.arrays.at(name)), 1e-5) << name;
  }
}

TEST_F(Attend, NamesWhatIsWrong) {
  const NamedArrays good = input;
  const auto with = [&](auto&& change) {
    input = good;
    change();
    return message();
  };
  EXPECT_NE(with([&] { input.arrays.erase("k"); }).find("dataset 'k' is missing"),
            std::string::npos);
  EXPECT_NE(with([&] {
              input.arrays["extra"] = {{1}, {0}};
            }).find("unknown dataset 'extra'"),
            std::string::npos);
  EXPECT_NE(with([&] {
              input.arrays["parameters/tables"] = {{1}, {0}};
            }).find("but: table"),
            std::string::npos);
  EXPECT_NE(with([&] {
              input.arrays["parameters/table"] = {{2}, {0, 0}};
            }).find("parameters/table has shape [2], [2, 1, 8] expected"),
            std::string::npos);
  EXPECT_NE(
      with([&] { input.arrays["parameters/table"].values[3] = std::nan(""); }).find("not finite"),
      std::string::npos);
  EXPECT_NE(with([&] { input.texts["type"] = "float16"; }).find("unknown type 'float16'"),
            std::string::npos);
  EXPECT_NE(with([&] { input.texts["backend"] = "fused"; }).find("it computes float32"),
            std::string::npos);
  EXPECT_NE(with([&] { input.texts["encoding"] = "learned"; }).find("changes token embeddings"),
            std::string::npos);
}

// What h5py makes of a good case, and what is said of it; nothing: it is taken.
TEST_F(Attend, AttributesAndDatasetsAreReadStrictly) {
  const std::string whole = " found, a whole number from ";
  const std::vector<std::pair<std::string, std::string>> changes{
      {"case.attrs['causal'] = True", ""},
      {"case.attrs['causal'] = numpy.bool_(False)", ""},
      {"case.attrs['causal'] = 1.0", ""},
      {"case.attrs['encoding'] = numpy.bytes_('t5 num_buckets=8 max_distance=20')", ""},
      {"case.attrs['causal'] = 'yes'", "attribute 'causal': 'yes' found, 0 or 1 expected"},
      {"case.attrs['causal'] = '1'", "attribute 'causal': '1' found, 0 or 1 expected"},
      {"case.attrs['causal'] = numpy.array([1])",
       "attribute 'causal': a list or another type found"},
      {"case.attrs['causal'] = 2", "attribute 'causal': 2 found, 0 or 1 expected"},
      {"case.attrs['causal'] = -1", "attribute 'causal': -1 found"},
      {"case.attrs['causal'] = 0.5", "attribute 'causal': 0.5 found"},
      {"case.attrs['type'] = 64", "attribute 'type': 64 found, a string expected"},
      {"case.attrs['relation'] = 3", "attribute 'relation': 3 found, a string expected"},
      {"case.attrs['backend'] = 1", "attribute 'backend': 1 found, a string expected"},
      {"case.attrs['seed'] = 'abc'", "attribute 'seed': 'abc'" + whole + "0"},
      {"case.attrs['seed'] = -1", "attribute 'seed': -1" + whole + "0"},
      {"case.attrs['trained'] = 'x'",
       "trained: 'x' found, tokens from 1 to 1073741824 or the relation token"},
      {"case.attrs['trained'] = 0", "attribute 'trained': 0" + whole + "1"},
      {"case.attrs['trained'] = 1.5", "attribute 'trained': 1.5" + whole + "1"},
      {"case.attrs['mine'] = [1, 2]", "unknown attribute 'mine'"},
      {"del case['parameters/table']; case.create_group('parameters/table')",
       "unknown group 'parameters/table'"},
      {"case.create_group('mask')", "'mask' is a group, a dataset expected"},
      {"del case['q']; case['q'] = h5py.ExternalLink('other.h5', '/q')", "'q' is a link"},
      {"case['mask'] = h5py.SoftLink('/q')", "'mask' is a link"},
      {"case['mask'] = numpy.ones((1, 1, 5, 5), bool)", ""},
      {"case['mask'] = numpy.full((1, 1, 5, 5), 0.5)", "mask: numbers other than 0 and 1"},
      {"case['mask'] = numpy.full((1, 1, 5, 5), 2)", "mask: numbers other than 0 and 1"},
      {"case['mask'] = numpy.full((1, 1, 5, 5), numpy.nan)", "'mask' has numbers that are not"},
      {"case['mask'] = numpy.ones((5, 5))",
       "mask has shape [5, 5], [2, 2, 5, 5] expected; the first two may be 1"},
      {"case['grad_out'][0, 0, 0, 0] = numpy.nan", "dataset 'grad_out' has numbers that are not"},
      {"case['relation/edges'] = [[0, 1]]", "relation/edges: relation token does not read it"},
      {"case.attrs['type'] = 'float32'; case['q'][...] = 1e300",
       "dataset 'q' has numbers that are too large for Float"},
      {"case.attrs['type'] = 'float32'; case['q'][...] = 1e30; case['k'][...] = 1e30",
       "is not finite: numbers become too large for Float"},
      {"del case['q']; case['q'] = numpy.ones((2, 2, 5, 4), complex)", "(not complex)"},
      {"del case['q']; case['q'] = numpy.ones((2, 2, 0, 4))", "none of them 0, [2, 2, 0, 4] found"},
      {"del case['k']; case['k'] = numpy.ones((2, 2, 6, 4))",
       "value tokens 5 differs from key tokens 6"},
  };
  for (const auto& [code, expected] : changes) {
    const auto file = folder.path() / "changed.h5";
    std::filesystem::remove(file);
    write_arrays(file, input);
    std::ofstream(folder.path() / "change.py")
        << "import h5py, numpy\nwith h5py.File('changed.h5', 'r+') as case:\n    " << code << '\n';
    const std::string command = "cd '" + folder.path().string() + "' && /usr/bin/python3 change.py";
    ASSERT_EQ(std::system(command.c_str()), 0) << code;
    std::string found;
    try {
      attend(file, folder.path() / "out.h5");
    } catch (const std::exception& error) {
      found = error.what();
    }
    if (expected.empty()) {
      EXPECT_EQ(found, "") << code;
    } else {
      EXPECT_NE(found.find(expected), std::string::npos) << code << ": " << found;
      EXPECT_TRUE(found.starts_with(file.string() + ": ")) << code << ": " << found;
    }
  }
}

TEST_F(Attend, LeavesItsInputAlone) {
  const auto file = folder.path() / "case.h5", link = folder.path() / "link.h5";
  write_arrays(file, input);
  std::filesystem::create_symlink(file, link);
  for (const auto& out : {file, link}) {
    EXPECT_THROW(attend(file, out), InputError) << out;
  }
  EXPECT_EQ(read_arrays(file).arrays.at("q").values, input.arrays.at("q").values);
}

TEST(AttendExample, OfTheReadmeRuns) {
  const ScratchFolder folder;
  std::ifstream readme(source_folder() + "/README.md");
  std::ofstream script(folder.path() / "example.py");
  int lines = 0;
  bool inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (inside && line == "```") break;
    if (inside && ++lines > 0) script << line << '\n';
    if (line == "```python") inside = true;
  }
  script.close();
  EXPECT_GT(lines, 10);
  EXPECT_LE(lines, 30);
  const auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("relbias");
  const std::string command = "cd '" + folder.path().string() +
                              "' && mkdir -p build/release && ln -s '" + program.string() +
                              "' build/release/relbias && /usr/bin/python3 example.py";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace relbias::experiments
