// SPDX-License-Identifier: Apache-2.0
// tests/experiments/config: what `auto` comes to, and that this is what runs.
#include "experiments/config/planned_backend.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "encodings/encoding.h"
#include "experiments/run/experiment.h"
#include "tests/experiments/studies.h"

namespace relbias::experiments {
namespace {

std::string planned(const std::vector<std::string>& set) {
  return planned_backend(tiny_run(set).config.model);
}

TEST(PlannedBackend, FollowsFromTheTerms) {
  EXPECT_EQ(planned({}), "fused");
  EXPECT_EQ(planned({"model.encoding=none"}), "fused");
  EXPECT_EQ(planned({"model.encoding=rope"}), "fused");
  EXPECT_EQ(planned({"model.encoding=shaw"}), "fused");
  EXPECT_EQ(planned({"model.encoding=cope"}), "reference");
  EXPECT_EQ(planned({"model.encoding=fire"}), "reference");
  EXPECT_EQ(planned({"model.dropout=0.1"}), "reference");
  EXPECT_EQ(planned({"model.backend=reference"}), "reference");
  EXPECT_EQ(planned({"model.backend=fused", "model.dropout=0.1"}), "fused");  // which then refuses
  EXPECT_EQ(planned({"model.positions=[{encoding = \"t5\"}, {encoding = \"fire\"}]"}), "reference");
}

// Each encoding: a plan that the model could not keep would end its runs.
TEST(PlannedBackend, IsWhatRuns) {
  int fused = 0;
  for (const EncodingEntry& entry : encoding_entries()) {
    SCOPED_TRACE(entry.name);
    RunConfig config;
    try {
      config = tiny_run({"model.encoding=" + entry.name}).config;
      DatasetCache cache;
      Experiment experiment = build(config, cache);
      const Batch batch = experiment.task->training({.size = 12, .batch = 2, .seed = 0, .step = 0});
      experiment.model->forward(batch);
      EXPECT_EQ(experiment.model->backend(), planned_backend(config.model));
      fused += experiment.model->backend() == "fused";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(entry.name));  // has no meaning on text
    }
  }
  EXPECT_GE(fused, 12);
}

}  // namespace
}  // namespace relbias::experiments
