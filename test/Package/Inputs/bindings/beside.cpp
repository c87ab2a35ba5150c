// Named numbers of beside.mlir next to the loss, in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Sum.hpp"
#include <cstdio>

using namespace ampc::Sum;

static void show(ampc::Status status, const ampc_train_out &out) {
  train_step_numbers numbers(out);
  std::printf("%d %.4f %.4f %.4f %.4f %.4f\n", status.code(), numbers.report_, numbers.Report,
              numbers.class_, numbers.a_term, numbers.train_step_numbers_);
}

int main() {
  Model model;
  const float x[] = {1, 2, -3, 0.5f}, y[] = {2, -1, 0.25f, 4};
  ampc_train_out out = {};
  show(model.train_step({x, {y, 3}}, &out), out); // refused
  show(model.train_step({x, y}, &out), out);
  show(model.train_step({{x, 2}, {y, 2}}, &out), out);
}
