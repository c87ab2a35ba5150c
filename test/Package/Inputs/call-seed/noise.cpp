// Seeds of calls in C++, of concurrent calls, and of programs without seeds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "noise.hpp"
#include <cstdio>
#include <vector>

int main() {
  ampc::noise::Model model;
  std::vector<float> a(8), b(8), c(8), x(12, 1.0f);
  ampc::Status status = model.sample({7}, {a});
  std::printf("%d %.6f %.6f\n", status.code(), a[0], a[1]);
  ampc::noise::Workspace room;
  static_cast<void>(model.sample({7}, {b}, room));
  ampc::noise::sample_in other;
  other.seed = 8;
  static_cast<void>(model.sample(other, {c}, room));
  std::printf("equal: %d, other: %d\n", a == b, a != c);
  // A program that was compiled before there were seeds has a shorter struct.
  noise_sample_in in = {};
  in.seed = 7;
  in.size = sizeof in - sizeof in.seed;
  noise_sample_out out = {};
  out.size = sizeof out;
  out.out = c.data();
  int code = noise_sample(model.handle(), &in, &out);
  static_cast<void>(model.sample({}, {b}));
  std::printf("%d without a seed: %d\n", code, b == c && a != c);
}
