// Trains a click model on made-up visits, and tests the model on further visits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Visits.h"
#include "clicks.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

constexpr int batch = 128;

namespace {
struct Options {
  int steps = 2000, every = 200, threads = 0;
  unsigned seed = 1; ///< of first values and of the visits to learn from
  std::string device;
};

/// Compiled model. `error` has the reason of a failure.
class Model {
public:
  explicit Model(const Options &given) {
    char message[256] = "";
    ampc_options options = {};
    options.size = sizeof options;
    options.seed = given.seed;
    options.threads = given.threads;
    options.device = given.device.empty() ? nullptr : given.device.c_str();
    options.error = message;
    options.error_bytes = sizeof message;
    if (clicks_create(&options, &state) != AMPC_OK) {
      state = nullptr;
      error = message;
    }
  }
  ~Model() { clicks_destroy(state); }
  Model(const Model &) = delete;
  bool isThere() const { return state; }
  const char *tier() const { return clicks_tier(state); }

  std::optional<float> step(const Visits &visits, size_t first) {
    clicks_train_step_in in = {};
    in.size = sizeof in;
    in.user = &visits.user[first];
    in.history = &visits.history[first * historyLength];
    in.item = &visits.item[first];
    in.clicked = &visits.clicked[first];
    ampc_train_out out = {};
    out.size = sizeof out;
    if (clicks_train_step(state, &in, &out) >= 0)
      return out.loss;
    error = clicks_last_error(state);
    return std::nullopt;
  }

  /// Scores of `rows` visits; the chance of a click is the logistic function of a score.
  bool predict(const Visits &visits, size_t first, size_t rows, float *scores) {
    clicks_predict_in in = {};
    in.size = sizeof in;
    in.valid = uint32_t(rows);
    in.user = &visits.user[first];
    in.history = &visits.history[first * historyLength];
    in.item = &visits.item[first];
    clicks_predict_out out = {};
    out.size = sizeof out;
    out.out = scores;
    if (clicks_predict(state, &in, &out) >= 0)
      return true;
    error = clicks_last_error(state);
    return false;
  }

  std::string error;

private:
  clicks_state *state = nullptr;
};
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  if (argc % 2 == 0)
    return false;
  for (int i = 1; i < argc; i += 2) {
    std::string name = argv[i];
    const char *value = argv[i + 1];
    if (name == "--steps")
      options.steps = std::atoi(value);
    else if (name == "--every")
      options.every = std::atoi(value);
    else if (name == "--threads")
      options.threads = std::atoi(value);
    else if (name == "--seed")
      options.seed = unsigned(std::atoi(value));
    else if (name == "--device")
      options.device = value;
    else
      return false;
  }
  return options.steps >= 1 && options.every >= 1;
}

/// Every visit is seen once.
static bool train(Model &model, const Options &options) {
  Visits visits = drawVisits(size_t(options.steps) * batch, 2 * uint64_t(options.seed) - 1);
  double sum = 0;
  for (int step = 1; step <= options.steps; ++step) {
    std::optional<float> loss = model.step(visits, size_t(step - 1) * batch);
    if (!loss)
      return false;
    sum += *loss;
    if (step % options.every == 0) {
      std::printf("step %5d  loss %.9g\n", step, sum / options.every);
      sum = 0;
    }
  }
  return true;
}

static bool test(Model &model, const Visits &visits) {
  double loss = 0;
  size_t right = 0;
  float scores[batch];
  for (size_t first = 0; first < visits.count(); first += batch) {
    size_t rows = std::min<size_t>(batch, visits.count() - first);
    if (!model.predict(visits, first, rows, scores))
      return false;
    for (size_t row = 0; row < rows; ++row) {
      bool clicked = visits.clicked[first + row] != 0;
      loss += std::log1p(std::exp(clicked ? -scores[row] : scores[row]));
      right += (scores[row] > 0) == clicked;
    }
  }
  std::printf("new visits: loss %.4f, %.1f %% right\n", loss / double(visits.count()),
              100.0 * double(right) / double(visits.count()));
  return true;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::cerr << "usage: clicks [--steps N] [--every N] [--seed N] [--threads N]\n"
                 "              [--device cpu|cuda|cuda:N]\n";
    return 2;
  }
  Model model(options);
  bool done = model.isThere();
  if (done)
    std::cerr << "clicks: running on " << model.tier() << "\n";
  done = done && train(model, options) && test(model, drawVisits(5000, 2));
  if (!done) {
    std::cerr << "clicks: " << model.error << "\n";
    return 1;
  }
  std::printf("who knows the topics: loss %.4f; who knows how many are clicked on: %.4f\n",
              leastLoss(), constantLoss());
  return 0;
}
