// Trains, saves, loads and predicts, in C++17.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "regression.hpp"
#include <cstdio>
#include <random>
#include <vector>

using namespace ampc::regression;

/// Points of y = 3 x0 - 2 x1 + 0.5, off by at most 0.05.
static void draw(std::mt19937 &random, std::vector<float> &x, std::vector<float> &y) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::size_t row = 0; row < y.size(); ++row) {
    x[2 * row] = uniform(random);
    x[2 * row + 1] = uniform(random);
    y[row] = 3 * x[2 * row] - 2 * x[2 * row + 1] + 0.5f + 0.05f * uniform(random);
  }
}

static int fail(const Model &model) {
  std::fprintf(stderr, "fit: %s\n", model.error());
  return 1;
}

int main(int, char **arguments) {
  Model model;
  if (!model.ok())
    return fail(model);
  std::mt19937 random(1);
  std::vector<float> x(64), y(32);
  ampc_train_out report = {};
  for (int step = 0; step < 200; ++step) {
    draw(random, x, y);
    if (!model.train_step({x, y}, &report))
      return fail(model);
  }
  std::printf("step %d  loss %.4f\n", static_cast<int>(report.step), report.loss);

  // A second state continues from the saved state.
  Model other;
  if (!model.save(arguments[1]) || !other.load(arguments[1]))
    return fail(model.error()[0] ? model : other);
  const float probe[] = {0, 0, 1, 0, 0, 1}; // three rows of the batch
  float plane[3];
  if (!other.predict({probe}, {plane}))
    return fail(other);
  std::printf("y = %.2f x0 + %.2f x1 + %.2f\n", plane[1] - plane[0], plane[2] - plane[0], plane[0]);
  float b[1];
  if (!other.get("b", b))
    return fail(other);
  std::printf("b = %.2f\n", b[0]);
  return 0;
}
