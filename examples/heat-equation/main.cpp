// Solves the heat equation by a network, and compares the network with the exact solution.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

constexpr size_t batch = 256;
constexpr double pi = 3.14159265358979323846, diffusivity = 0.2;

namespace {
/// Points (x, t), and the network's u and derivatives at each.
struct Points {
  explicit Points(size_t count)
      : x(count), t(count), u(count), u_t(count), u_x(count), u_xx(count) {}
  std::vector<float> x, t, u, u_t, u_x, u_xx;
};
} // namespace

static heat_state *create(int threads) {
  char message[256] = "";
  ampc_options options = {};
  options.size = sizeof options;
  options.seed = 1;
  options.threads = threads;
  options.error = message;
  options.error_bytes = sizeof message;
  heat_state *state = nullptr;
  if (heat_create(&options, &state) == AMPC_OK)
    return state;
  std::fprintf(stderr, "heat-equation: %s\n", message);
  return nullptr;
}

/// New places in every step: the equation holds everywhere.
static bool train(heat_state *state, int steps) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  Points points(batch);
  for (int step = 1; step <= steps; ++step) {
    for (size_t i = 0; i < batch; ++i) {
      points.x[i] = uniform(random);
      points.t[i] = uniform(random);
    }
    heat_train_step_in in = {};
    in.size = sizeof in;
    in.x = points.x.data();
    in.t = points.t.data();
    ampc_train_out out = {};
    out.size = sizeof out;
    if (heat_train_step(state, &in, &out) < 0)
      return false;
    if (step % std::max(1, steps / 10) == 0)
      std::printf("step %5d  residual %.6f\n", step, std::sqrt(out.loss));
  }
  return true;
}

/// Evaluates u and derivatives in batches, of which the last may be short.
static bool evaluate(heat_state *state, Points &points) {
  for (size_t first = 0; first < points.x.size(); first += batch) {
    auto rows = uint32_t(std::min(batch, points.x.size() - first));
    heat_temperature_in in = {};
    in.size = sizeof in;
    in.valid = rows;
    in.x = &points.x[first];
    in.t = &points.t[first];
    heat_temperature_out out = {};
    out.size = sizeof out;
    out.out = &points.u[first];
    heat_derivatives_in at = {};
    at.size = sizeof at;
    at.valid = rows;
    at.x = in.x;
    at.t = in.t;
    heat_derivatives_out slopes = {};
    slopes.size = sizeof slopes;
    slopes.out0 = &points.u_t[first];
    slopes.out1 = &points.u_x[first];
    slopes.out2 = &points.u_xx[first];
    if (heat_temperature(state, &in, &out) < 0 || heat_derivatives(state, &at, &slopes) < 0)
      return false;
  }
  return true;
}

/// The error on a grid of 101 by 101 places.
static bool compareWithExact(heat_state *state) {
  Points points(101 * 101);
  for (size_t i = 0; i < points.x.size(); ++i) {
    points.x[i] = float(i % 101) / 100;
    points.t[i] = float(i / 101) / 100;
  }
  if (!evaluate(state, points))
    return false;
  double worst = 0, sum = 0;
  for (size_t i = 0; i < points.x.size(); ++i) {
    double exact = std::exp(-diffusivity * pi * pi * points.t[i]) * std::sin(pi * points.x[i]);
    double error = std::fabs(points.u[i] - exact);
    worst = std::max(worst, error);
    sum += error * error;
  }
  std::printf("error: largest %.6f, root mean square %.6f\n", worst,
              std::sqrt(sum / double(points.x.size())));
  return true;
}

/// The derivatives that the compiler made against central differences of the temperature.
static bool compareWithDifferences(heat_state *state) {
  constexpr float step = 1.0f / 64;
  Points here(100), left(100), right(100), before(100), after(100);
  for (size_t i = 0; i < 100; ++i) {
    float x = 0.05f + 0.1f * float(i % 10), t = 0.05f + 0.1f * float(i / 10);
    here.x[i] = before.x[i] = after.x[i] = x;
    here.t[i] = left.t[i] = right.t[i] = t;
    left.x[i] = x - step;
    right.x[i] = x + step;
    before.t[i] = t - step;
    after.t[i] = t + step;
  }
  for (Points *points : {&here, &left, &right, &before, &after})
    if (!evaluate(state, *points))
      return false;
  double worst[3] = {};
  for (size_t i = 0; i < 100; ++i) {
    double u_t = (after.u[i] - before.u[i]) / (2 * step),
           u_x = (right.u[i] - left.u[i]) / (2 * step),
           u_xx = (right.u[i] - 2.0 * here.u[i] + left.u[i]) / (step * step);
    worst[0] = std::max(worst[0], std::fabs(here.u_t[i] - u_t));
    worst[1] = std::max(worst[1], std::fabs(here.u_x[i] - u_x));
    worst[2] = std::max(worst[2], std::fabs(here.u_xx[i] - u_xx));
  }
  std::printf("derivatives off differences by at most: u_t %.4f, u_x %.4f, u_xx %.4f\n", worst[0],
              worst[1], worst[2]);
  return true;
}

int main(int argc, char **argv) {
  int steps = 2000, threads = 0;
  bool isRight = argc % 2 == 1;
  for (int i = 1; isRight && i < argc; i += 2) {
    if (!std::strcmp(argv[i], "--steps"))
      isRight = (steps = std::atoi(argv[i + 1])) >= 1;
    else if (!std::strcmp(argv[i], "--threads"))
      threads = std::atoi(argv[i + 1]);
    else
      isRight = false;
  }
  if (!isRight) {
    std::fprintf(stderr, "usage: heat-equation [--steps N] [--threads N]\n");
    return 2;
  }
  heat_state *state = create(threads);
  if (!state)
    return 1;
  bool done = train(state, steps) && compareWithExact(state) && compareWithDifferences(state);
  if (!done)
    std::fprintf(stderr, "heat-equation: %s\n", heat_last_error(state));
  heat_destroy(state);
  return done ? 0 : 1;
}
