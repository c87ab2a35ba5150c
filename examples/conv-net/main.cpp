// Trains a convolutional network and logistic regression on the same pictures and compares both on
// new pictures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shapes.h"
#include "conv_net.h"
#include "logistic.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

constexpr int batch = 64, pixels = side * side;

struct Options {
  int steps = 600, threads = 0;
  unsigned seed = 1; ///< of first values and training pictures
};

namespace {
// Functions and structs of a model's header, for templates over models.
struct ConvNet {
  using State = conv_net_state;
  using TrainIn = conv_net_train_step_in;
  using PredictIn = conv_net_predict_in;
  using PredictOut = conv_net_predict_out;
  static constexpr const char *name = "conv-net";
  static constexpr auto create = conv_net_create;
  static constexpr auto destroy = conv_net_destroy;
  static constexpr auto trainStep = conv_net_train_step;
  static constexpr auto predict = conv_net_predict;
  static constexpr auto lastError = conv_net_last_error;
};
struct Logistic {
  using State = logistic_state;
  using TrainIn = logistic_train_step_in;
  using PredictIn = logistic_predict_in;
  using PredictOut = logistic_predict_out;
  static constexpr const char *name = "logistic regression";
  static constexpr auto create = logistic_create;
  static constexpr auto destroy = logistic_destroy;
  static constexpr auto trainStep = logistic_train_step;
  static constexpr auto predict = logistic_predict;
  static constexpr auto lastError = logistic_last_error;
};

/// How often each class was taken for each.
struct Confusion {
  int count[classes][classes] = {};
  double accuracy() const {
    double right = 0, all = 0;
    for (int i = 0; i < classes; ++i)
      for (int j = 0; j < classes; ++j) {
        all += count[i][j];
        right += i == j ? count[i][j] : 0;
      }
    return 100 * right / all;
  }
};

/// Trains on the pictures in batches; behind the last batch the first batch follows again.
template <typename Model>
bool train(typename Model::State *state, const Pictures &pictures, int steps) {
  typename Model::TrainIn in = {};
  in.size = sizeof in;
  ampc_train_out out = {};
  out.size = sizeof out;
  size_t batches = pictures.count() / batch;
  for (int step = 1; step <= steps; ++step) {
    size_t first = (step - 1) % batches * batch;
    in.image = &pictures.pixels[first * pixels];
    in.label = &pictures.labels[first];
    if (Model::trainStep(state, &in, &out) < 0)
      return false;
    if (step % 100 == 0 || step == steps)
      std::printf("%s: step %4d  loss %.4f\n", Model::name, step, out.loss);
  }
  return true;
}

template <typename Model>
bool test(typename Model::State *state, const Pictures &pictures, Confusion &confusion) {
  std::vector<float> image(batch * pixels), scores(batch * classes);
  for (size_t first = 0; first < pictures.count(); first += batch) {
    size_t rows = std::min<size_t>(batch, pictures.count() - first);
    std::copy_n(&pictures.pixels[first * pixels], rows * pixels, image.begin());
    typename Model::PredictIn in = {};
    in.size = sizeof in;
    in.image = image.data();
    typename Model::PredictOut out = {};
    out.size = sizeof out;
    out.out = scores.data();
    if (Model::predict(state, &in, &out) < 0)
      return false;
    for (size_t row = 0; row < rows; ++row) {
      const float *score = &scores[row * classes];
      ++confusion
            .count[pictures.labels[first + row]][std::max_element(score, score + classes) - score];
    }
  }
  return true;
}

/// Trains and tests a model; false, with the reason on the standard error, if a call fails.
template <typename Model>
bool run(const Pictures &training, const Pictures &testing, const Options &chosen,
         Confusion &confusion) {
  char message[256] = "";
  ampc_options options = {};
  options.size = sizeof options;
  options.seed = chosen.seed;
  options.threads = chosen.threads;
  options.error = message;
  options.error_bytes = sizeof message;
  typename Model::State *state = nullptr;
  if (Model::create(&options, &state) != AMPC_OK) {
    std::cerr << Model::name << ": " << message << "\n";
    return false;
  }
  bool done = train<Model>(state, training, chosen.steps) && test<Model>(state, testing, confusion);
  if (!done)
    std::cerr << Model::name << ": " << Model::lastError(state) << "\n";
  Model::destroy(state);
  return done;
}
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  if (argc % 2 == 0)
    return false;
  for (int i = 1; i < argc; i += 2) {
    int value = std::atoi(argv[i + 1]);
    if (!std::strcmp(argv[i], "--steps"))
      options.steps = value;
    else if (!std::strcmp(argv[i], "--threads"))
      options.threads = value;
    else if (!std::strcmp(argv[i], "--seed"))
      options.seed = value;
    else
      return false;
  }
  return options.steps >= 1;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::cerr << "usage: conv-net [--steps N] [--threads N] [--seed N]\n";
    return 2;
  }
  // No more pictures than the steps see; the test pictures are the same whatever the seed.
  Pictures training = drawPictures(std::min(options.steps, 200) * batch, 2 * options.seed - 1),
           testing = drawPictures(2000, 2);
  if (!writeSheet(testing, "shapes.pgm"))
    std::cerr << "conv-net: could not write shapes.pgm\n";
  Confusion network, baseline;
  if (!run<ConvNet>(training, testing, options, network) ||
      !run<Logistic>(training, testing, options, baseline))
    return 1;

  std::printf("\nconv-net, %zu test pictures; rows: what they show, columns: what it says\n%10s",
              testing.count(), "");
  for (int j = 0; j < classes; ++j)
    std::printf("%10s", className(j));
  for (int i = 0; i < classes; ++i) {
    std::printf("\n%10s", className(i));
    for (int j = 0; j < classes; ++j)
      std::printf("%10d", network.count[i][j]);
  }
  std::printf("\n\ntest accuracy: conv-net %.1f %%, logistic regression %.1f %%\n",
              network.accuracy(), baseline.accuracy());
  return 0;
}
