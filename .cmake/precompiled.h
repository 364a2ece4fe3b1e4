// SPDX-License-Identifier: Apache-2.0
// Precompiled for every target that uses LibTorch. Kept lean on purpose: each file compiled pays about a second for every
// further module header listed here, so a file that needs torch::nn::Linear or an optimiser includes that header itself.
#pragma once

#include <ATen/Parallel.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
