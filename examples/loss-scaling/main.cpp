// Two experiments of Micikevicius et al. 2018: f16 without loss scaling, and without f32 weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plot.h"
#include "scaling_f16.h"
#include "scaling_f16_none.h"
#include "scaling_f32.h"
#include "weights_f16.h"
#include "weights_f16_none.h"
#include "weights_f32.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>

constexpr int rows = 64, features = 16;

/// Batches of a task that never ends: a smooth function of the features, of size 1.
struct Batch {
  float x[rows * features], y[rows];
  void draw(std::mt19937 &random) {
    // Not std::normal_distribution, whose numbers differ between standard libraries.
    for (float &value : x)
      value = float(random()) / 2147483648.0f - 1.0f;
    for (int row = 0; row < rows; ++row) {
      const float *at = x + row * features;
      y[row] = std::sin(2.0f * at[0] + at[1]) + at[2] * at[3] - 0.5f * at[4];
    }
  }
};

struct Run {
  std::vector<double> losses; ///< means over `every` steps
  int skipped = 0;
  std::string error;
};

/// Trains a network; `weight`: factor of the loss in the text of the network.
#define TRAINER(NAME)                                                                              \
  static Run train_##NAME(int steps, int every, double weight) {                                   \
    Run run;                                                                                       \
    ampc_options options = {};                                                                     \
    options.size = sizeof options;                                                                 \
    options.threads = 1;                                                                           \
    options.seed = 1;                                                                              \
    NAME##_state *state = nullptr;                                                                 \
    if (NAME##_create(&options, &state) != AMPC_OK) {                                              \
      run.error = "could not create " #NAME;                                                       \
      return run;                                                                                  \
    }                                                                                              \
    std::mt19937 random(1);                                                                        \
    Batch batch;                                                                                   \
    double sum = 0;                                                                                \
    for (int step = 1; step <= steps && run.error.empty(); ++step) {                               \
      batch.draw(random);                                                                          \
      NAME##_train_step_in in = {};                                                                \
      in.size = sizeof in;                                                                         \
      in.x = batch.x;                                                                              \
      in.y = batch.y;                                                                              \
      ampc_train_out out = {};                                                                     \
      out.size = sizeof out;                                                                       \
      if (NAME##_train_step(state, &in, &out) < 0)                                                 \
        run.error = NAME##_last_error(state);                                                      \
      run.skipped += out.skipped != 0;                                                             \
      sum += out.loss / weight;                                                                    \
      if (step % every == 0) {                                                                     \
        run.losses.push_back(sum / every);                                                         \
        sum = 0;                                                                                   \
      }                                                                                            \
    }                                                                                              \
    NAME##_destroy(state);                                                                         \
    return run;                                                                                    \
  }
TRAINER(scaling_f32)
TRAINER(scaling_f16_none)
TRAINER(scaling_f16)
TRAINER(weights_f32)
TRAINER(weights_f16_none)
TRAINER(weights_f16)
#undef TRAINER

namespace {
struct Network {
  const char *name;
  Run (*train)(int steps, int every, double weight);
};
struct Experiment {
  const char *title, *file;
  double weight;
  std::vector<Network> networks;
};
} // namespace

static bool carryOut(const Experiment &experiment, const std::string &folder, int steps) {
  int every = std::max(1, steps / 100);
  std::printf("%s\n", experiment.title);
  Plot plot(experiment.title, every);
  for (const Network &network : experiment.networks) {
    Run run = network.train(steps, every, experiment.weight);
    if (!run.error.empty() || run.losses.empty()) {
      std::cerr << "loss-scaling: " << network.name << ": " << run.error << "\n";
      return false;
    }
    std::printf("  %-22s loss %.4f at the start, %.4f at the end, %d steps skipped\n", network.name,
                run.losses.front(), run.losses.back(), run.skipped);
    plot.add(network.name, run.losses);
  }
  std::string path = folder + "/" + experiment.file;
  if (plot.write(path))
    return true;
  std::cerr << "loss-scaling: could not write " << path << "\n";
  return false;
}

int main(int argc, char **argv) {
  int steps = LOSS_SCALING_STEPS;
  std::string folder = ".";
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && !std::strcmp(argv[i], "--steps")) {
      steps = std::atoi(argv[i + 1]);
    } else if (i + 1 < argc && !std::strcmp(argv[i], "--out")) {
      folder = argv[i + 1];
    } else {
      steps = 0;
      break;
    }
  }
  if (steps < 1) {
    std::cerr << "usage: loss-scaling [--steps N] [--out FOLDER]\n";
    return 2;
  }
  const Experiment experiments[] = {{"Gradients below 2^-24",
                                     "scaling.svg",
                                     LOSS_SCALING_WEIGHT,
                                     {{"f32", train_scaling_f32},
                                      {"f16, no loss scaling", train_scaling_f16_none},
                                      {"f16, loss scaling", train_scaling_f16}}},
                                    {"Updates below half a unit in the last place",
                                     "weights.svg",
                                     1.0,
                                     {{"f32", train_weights_f32},
                                      {"f16, f16 weights", train_weights_f16_none},
                                      {"f16, f32 weights", train_weights_f16}}}};
  for (const Experiment &experiment : experiments)
    if (!carryOut(experiment, folder, steps))
      return 1;
  return 0;
}
