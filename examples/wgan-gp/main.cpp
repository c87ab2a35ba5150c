// Trains critic and generator in turn, and measures the distance of generated points from real
// points.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wgan.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

constexpr size_t batch = 128, noise = 4;
constexpr size_t testPoints = 16 * batch;
constexpr double pi = 3.14159265358979323846;
constexpr float spread = 0.1f; // of a heap of points

using Random = std::mt19937;
using Points = std::vector<float>; // x and y in turn

/// Eight heaps on a circle of radius 2.
static Points drawReal(size_t count, Random &random) {
  std::normal_distribution<float> normal(0, spread);
  std::uniform_int_distribution<int> heap(0, 7);
  Points points(2 * count);
  for (size_t i = 0; i < count; ++i) {
    double angle = heap(random) * pi / 4;
    points[2 * i] = float(2 * std::cos(angle)) + normal(random);
    points[2 * i + 1] = float(2 * std::sin(angle)) + normal(random);
  }
  return points;
}

static bool drawMade(wgan_state *state, Points &points, Random &random) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> numbers(batch * noise);
  for (size_t first = 0; first < points.size(); first += 2 * batch) {
    for (float &number : numbers)
      number = normal(random);
    wgan_sample_in in = {};
    in.size = sizeof in;
    in.noise = numbers.data();
    wgan_sample_out out = {};
    out.size = sizeof out;
    out.out = &points[first];
    if (wgan_sample(state, &in, &out) < 0)
      return false;
  }
  return true;
}

/// Sliced Wasserstein distance: mean over 32 directions of the distance in one dimension, which is
/// the mean difference of the sorted coordinates along the direction.
static double slicedDistance(const Points &a, const Points &b) {
  double sum = 0;
  size_t count = a.size() / 2;
  for (int direction = 0; direction < 32; ++direction) {
    double c = std::cos(direction * pi / 32), s = std::sin(direction * pi / 32);
    auto along = [&](const Points &points) {
      std::vector<double> values(count);
      for (size_t i = 0; i < count; ++i)
        values[i] = c * points[2 * i] + s * points[2 * i + 1];
      std::sort(values.begin(), values.end());
      return values;
    };
    std::vector<double> x = along(a), y = along(b);
    for (size_t i = 0; i < count; ++i)
      sum += std::fabs(x[i] - y[i]);
  }
  return sum / (32 * double(count));
}

/// Prints the number of heaps with at least half of a fair share of the points, and the share of
/// points inside of heaps.
static void printHeaps(const Points &points) {
  int counts[8] = {}, inside = 0, found = 0;
  for (size_t i = 0; i < points.size(); i += 2)
    for (int heap = 0; heap < 8; ++heap)
      if (std::hypot(points[i] - 2 * std::cos(heap * pi / 4),
                     points[i + 1] - 2 * std::sin(heap * pi / 4)) < 4 * spread) {
        ++counts[heap];
        ++inside;
      }
  for (int count : counts)
    found += count >= int(points.size() / 2 / 16);
  std::printf("heaps found: %d of 8, points in them: %.1f %%\n", found,
              100.0 * inside / double(points.size() / 2));
}

static bool train(wgan_state *state, int steps, Random &random) {
  for (int step = 1; step <= steps; ++step) {
    ampc_train_out critic = {}, generator = {};
    critic.size = generator.size = sizeof critic;
    for (int i = 0; i < 5; ++i) {
      Points real = drawReal(batch, random);
      wgan_critic_train_step_in in = {};
      in.size = sizeof in;
      in.real = real.data();
      if (wgan_critic_train_step(state, &in, &critic) < 0)
        return false;
    }
    wgan_generator_train_step_in in = {};
    in.size = sizeof in;
    if (wgan_generator_train_step(state, &in, &generator) < 0)
      return false;
    if (step % std::max(1, steps / 10) == 0)
      std::printf("step %5d  critic's loss %.4f\n", step, critic.loss);
  }
  return true;
}

static bool test(wgan_state *state) {
  Random random(2);
  Points real = drawReal(testPoints, random), others = drawReal(testPoints, random);
  Points made(2 * testPoints);
  if (!drawMade(state, made, random))
    return false;
  double estimate = 0;
  for (size_t first = 0; first < made.size(); first += 2 * batch) {
    wgan_gap_in in = {};
    in.size = sizeof in;
    in.real = &real[first];
    in.made = &made[first];
    wgan_gap_out out = {};
    out.size = sizeof out;
    float gap = 0;
    out.out = &gap;
    if (wgan_gap(state, &in, &out) < 0)
      return false;
    estimate += gap * double(2 * batch) / double(made.size());
  }
  std::printf("distance of the critic %.4f\n", estimate);
  std::printf("distance along lines: made points %.4f, other real points %.4f\n",
              slicedDistance(real, made), slicedDistance(real, others));
  printHeaps(made);
  return true;
}

/// For `ampc train`: little-endian reals in the format of NumPy.
static bool writePoints(const char *path, const Points &points) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(points.size() / 2) + ", 2), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  FILE *file = std::fopen(path, "wb");
  if (!file)
    return false;
  unsigned char start[10] = {0x93,
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             1,
                             0,
                             (unsigned char)(header.size()),
                             (unsigned char)(header.size() >> 8)};
  bool done = std::fwrite(start, 1, 10, file) == 10 &&
              std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
              std::fwrite(points.data(), 4, points.size(), file) == points.size();
  return !std::fclose(file) && done;
}

int main(int argc, char **argv) {
  int steps = 2000, threads = 0;
  const char *data = nullptr, *load = nullptr;
  bool isRight = argc % 2 == 1;
  for (int i = 1; isRight && i < argc; i += 2) {
    if (!std::strcmp(argv[i], "--steps"))
      isRight = (steps = std::atoi(argv[i + 1])) >= 0;
    else if (!std::strcmp(argv[i], "--threads"))
      threads = std::atoi(argv[i + 1]);
    else if (!std::strcmp(argv[i], "--write-data"))
      data = argv[i + 1];
    else if (!std::strcmp(argv[i], "--load"))
      load = argv[i + 1];
    else
      isRight = false;
  }
  if (!isRight) {
    std::fprintf(stderr, "usage: wgan-gp [--steps N] [--threads N] [--load FILE.safetensors]\n"
                         "               [--write-data FILE.npy]\n");
    return 2;
  }
  Random random(1);
  if (data)
    return writePoints(data, drawReal(100 * batch, random)) ? 0 : 1;
  char message[256] = "";
  ampc_options options = {};
  options.size = sizeof options;
  options.seed = 1;
  options.threads = threads;
  options.error = message;
  options.error_bytes = sizeof message;
  wgan_state *state = nullptr;
  if (wgan_create(&options, &state) != AMPC_OK) {
    std::fprintf(stderr, "wgan-gp: %s\n", message);
    return 1;
  }
  bool done = (!load || wgan_load(state, load, 0) >= 0) && train(state, load ? 0 : steps, random) &&
              test(state);
  if (!done)
    std::fprintf(stderr, "wgan-gp: %s\n", wgan_last_error(state));
  wgan_destroy(state);
  return done ? 0 : 1;
}
