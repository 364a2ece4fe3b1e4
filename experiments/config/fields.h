// SPDX-License-Identifier: Apache-2.0
// experiments/config: every setting of a run, listed once. Reader, canonical text and documentation
// walk this list, so that there is no second one to forget.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "experiments/config/config.h"

namespace relbias::experiments {

/// What is to be known about a setting beside its type and its default.
struct Field {
  std::string key;
  std::string meaning{};
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices{};  // of a word
  bool number_allowed = false;         // a word that may be a number instead
  std::string derived{};               // how the default follows from other settings
  bool decides = true;                 // false: changes no number, and is no part of an identity
};

/// Of steps, of samples a step, of evaluated samples, of evaluated tokens.
inline constexpr double most_steps = 1e9, most_batch = 1e6, most_samples = 1e9, most_tokens = 1e15;

/// Of a training sample; the square of the largest evaluated size is still an int64.
inline constexpr double most_size = 1 << 28;

/// Of learning rates, as encodings allow it.
inline constexpr double most_rate = 1e6;

/// Calls visit(field, member) for every setting. Config is RunConfig or const RunConfig.
template <class Config, class Visit>
void visit_settings(Config& config, Visit&& visit) {
  auto& [data, model, train, evaluate, keep, seed] = config;
  visit(Field{"seed", "of all random streams", 0}, seed);

  visit(Field{.key = "data.dataset",
              .meaning = "real data, `NAME option=value`; empty where the task makes its own"},
        data.dataset);
  visit(Field{.key = "data.task", .meaning = "what is asked of the model", .derived = "required"},
        data.task);

  visit(Field{"model.layers",
              "transformer blocks; model.preset = mini, tiny, small or base sets layers, width and "
              "heads where they are not set",
              1},
        model.layers);
  visit(Field{"model.width", "channels of a token", 1}, model.width);
  visit(Field{"model.heads", "attention heads; they divide the width", 1}, model.heads);
  visit(Field{"model.mlp_ratio", "hidden channels of a block's MLP, as a factor of the width", 1},
        model.mlp_ratio);
  visit(Field{"model.dropout", "share of activations dropped in training", 0, 0.99}, model.dropout);
  visit(
      Field{.key = "model.positions",
            .meaning = "[{encoding = ..., relation = ...}, ...]; short for one: model.encoding and "
                       "model.relation",
            .derived = "encoding none, on the task's own relation"},
      model.positions);
  visit(Field{.key = "model.scale",
              .meaning = "of the scores: 1/sqrt(head width), 1, or a number",
              .choices = {"rsqrt", "none"},
              .number_allowed = true},
        model.scale);
  visit(Field{.key = "model.length_scale",
              .meaning = "scores times ln(keys)/ln(trained keys), against dilution over more keys",
              .choices = {"none", "log"}},
        model.length_scale);
  visit(Field{.key = "model.pattern",
              .meaning = "pairs that may attend: full, or on grids `window size=4 shift=true`"},
        model.pattern);
  visit(Field{.key = "model.readout",
              .meaning = "what answers for a whole sample: the mean or maximum of its tokens, or a "
                         "learned class token before them",
              .choices = {"mean", "max", "class"}},
        model.readout);
  visit(Field{.key = "model.backend",
              .meaning = "implementation of attention; auto: fused where it can compute the terms",
              .choices = {"auto", "reference", "fused"}},
        model.backend);

  visit(Field{.key = "train.size",
              .meaning = "of the largest training sample, N: tokens, image side, frames, nodes",
              .minimum = 1,
              .maximum = most_size,
              .derived = "the largest of train.sizes"},
        train.size);
  visit(Field{.key = "train.sizes",
              .meaning = "one is drawn for each batch; the largest is N",
              .minimum = 1,
              .maximum = most_size,
              .derived = "[N]"},
        train.sizes);
  visit(Field{"train.steps", "optimiser steps", 1, most_steps}, train.steps);
  visit(Field{"train.batch", "samples a step", 1, most_batch}, train.batch);
  visit(Field{.key = "train.optimiser", .meaning = "`NAME option=value`, relbias list optimisers"},
        train.optimiser);
  visit(Field{"train.learning_rate", "at its peak", 0}, train.learning_rate);
  visit(Field{.key = "train.schedule",
              .meaning = "how the learning rate goes on from its peak, relbias list schedules"},
        train.schedule);
  visit(Field{.key = "train.warmup",
              .meaning = "steps in which the learning rate grows linearly to its peak",
              .minimum = 0,
              .derived = "100, at most steps / 5"},
        train.warmup);
  visit(Field{"train.weight_decay",
              "of matrices; norms and position parameters have none (decoupled)", 0},
        train.weight_decay);
  visit(Field{"train.betas", "of adamw, two", 0, 0.999999}, train.betas);
  visit(Field{"train.clip", "largest norm of the whole gradient; 0: no clipping", 0}, train.clip);
  visit(
      Field{"train.encoding_rate",
            "learning rate of position parameters, as a factor, unless the encoding names its own",
            0, most_rate},
      train.encoding_rate);
  visit(Field{.key = "train.log_every",
              .meaning = "steps between two rows of the training log",
              .minimum = 1,
              .decides = false},
        train.log_every);

  visit(Field{.key = "evaluate.sizes",
              .meaning = "of the evaluation samples; upper bounds where a task bins its data",
              .minimum = 1,
              .maximum = 8 * most_size,
              .derived = "[N, 2N, 4N, 8N]"},
        evaluate.sizes);
  visit(Field{.key = "evaluate.variants",
              .meaning = "options of the task changed for further evaluations, `segments=4`"},
        evaluate.variants);
  visit(Field{.key = "evaluate.metrics",
              .meaning = "beside the task's own, `auroc`, `depth balanced accuracy`"},
        evaluate.metrics);
  visit(Field{.key = "evaluate.split",
              .meaning = "held-out data; validation is for choosing settings",
              .choices = {"test", "validation"}},
        evaluate.split);
  visit(Field{.key = "evaluate.at",
              .meaning = "shares of train.steps at which to evaluate, ascending, the last 1",
              .minimum = 1e-9,
              .maximum = 1},
        evaluate.at);
  visit(Field{"evaluate.samples",
              "evaluation samples a size: drawn, or at most where the data is finite", 1,
              most_samples},
        evaluate.samples);
  visit(Field{"evaluate.tokens", "held-out tokens a size, where a stream of text is cut", 1,
              most_tokens},
        evaluate.tokens);
  visit(Field{.key = "evaluate.batch_tokens",
              .meaning = "tokens evaluated at once, at most (one sample at least)",
              .minimum = 1,
              .maximum = most_tokens,
              .decides = false},
        evaluate.batch_tokens);

  visit(Field{.key = "keep.weights",
              .meaning = "store the trained weights, which relbias evaluate needs",
              .decides = false},
        keep.weights);
}

}  // namespace relbias::experiments
