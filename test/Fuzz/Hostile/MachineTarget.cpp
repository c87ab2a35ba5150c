// libFuzzer target: machines as files, which predictions of `ampc report` and of the planner take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Cost.h"
#include "test/Fuzz/Hostile/TextMutator.h"
#include <cstdlib>

using namespace ampc;

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> words = {
      "1e308", "1e-308", "0",    "-1", "4503599627370497", "1e15", "plain", "avx2",
      "amx",   "f32",    "bf16", "f16"};
  return words;
}

/// A product of matrices of 1024 x 1024 elements whose operands come from memory.
static cost::Launch product() {
  cost::Launch launch;
  launch.name = "product";
  launch.work.products = {{"bf16", 1024. * 1024 * 1024, 2. * 1024 * 1024}};
  launch.work.vectorOps = 1024. * 1024;
  launch.work.functions = 1024;
  launch.work.touches = {{0, false, 2 << 20, 1 << 15, 1 << 9},
                         {0, true, 4 << 20, 1 << 16, 1 << 10}};
  launch.distances = {8 << 20, 8 << 20};
  return launch;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<cost::Machine> machine = cost::Machine::parse(text);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return 0;
  }
  // A machine that is taken is written as a file that is taken.
  std::string written;
  llvm::raw_string_ostream(written) << machine->toJson();
  llvm::Expected<cost::Machine> again = cost::Machine::parse(written);
  if (!again)
    std::abort();
  cost::Launch launch = product();
  for (auto &[tier, rates] : machine->tiers)
    for (int64_t threads : {1, 2, 1024})
      predict(launch, 64, *machine, rates, threads);
  return 0;
}
