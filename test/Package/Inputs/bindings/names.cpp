// Calls the C++ interface of names.mlir, rightly and wrongly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "_Hard.hpp"
#include <array>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

using namespace ampc::_Hard;

static void tell(const char *what, ampc::Status status, const char *message) {
  std::printf("%s: %d %s\n", what, status.code(), message);
}

int main() {
  Model made;
  Model model = std::move(made);
  if (!model.ok() || made.ok())
    return 1;
  std::printf("tier: %s.\n", made.tier());
  std::array<float, 20> x;
  x.fill(0.25f);
  const float bias[] = {1, 2, 3}, factor[] = {2};
  std::vector<std::uint16_t> status(15, 0x3f80), bits(15);
  std::vector<float> scores(15);
  // Five of eight rows; concurrently, the same in another thread.
  ampc::Status first = model.Model_({x, bias, factor, status}, {bits, scores});
  std::vector<float> others(15);
  std::vector<std::uint16_t> otherBits(15);
  Workspace workspace;
  const Model &shared = model;
  std::thread([&] {
    first = first.ok() ? shared.Model_({x, bias, factor, status}, {otherBits, others}, workspace)
                       : first;
  }).join();
  std::printf("%d %g %g %g %04x, %s\n", first.code(), scores[12], scores[13], scores[14], bits[14],
              scores == others && bits == otherBits ? "equal" : "different");

  tell("rows",
       model.Model_({ampc::Span<const float>(x.data(), 19), bias, factor, status}, {bits, scores}),
       model.error());
  tell("others", model.Model_({x, bias, factor, {status.data(), 12}}, {bits, scores}),
       model.error());
  tell("room", shared.Model_({x, bias, factor, status}, {bits, {scores.data(), 14}}, workspace),
       workspace.error());
  Workspace taken = std::move(workspace);
  tell("moved", shared.Model_({x, bias, factor, status}, {bits, scores}, workspace),
       workspace.error());
  workspace = std::move(taken);
  tell("back", shared.Model_({x, bias, factor, status}, {bits, scores}, workspace),
       workspace.error());
  std::vector<float> weights(12);
  tell("inputless", model.Options_({}, {weights}), model.error());
  tell("dunder", shared.__init__({}, {weights}, workspace), workspace.error());
  std::vector<float> image(64);
  std::vector<std::int32_t> label(16, 3);
  tell("label", model.train_step({image, label}), model.error());
  std::vector<std::int32_t> good(16);
  tell("rate", model.train_step({image, good, 0}), model.error());
  tell("rate", model.train_step({image, good, -NAN}), model.error());
  tell("evaluation", model.eval({image, label}, {scores}), model.error());
  tell("tensor", model.get("c", scores), model.error());
  tell("type", model.get("narrow", scores), model.error());
  tell("size", model.set("a.b", scores), model.error());
  tell("file", model.load("none"), model.error());
}
