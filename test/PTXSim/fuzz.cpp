// libFuzzer target: no text may crash, hang or leak the parser, the decoder or the executor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With PTXSIM_FUZZ_RUN=1 every loaded kernel is executed too, on a few threads, with a small
// instruction budget, in race mode; pointers refer to new buffers.
#include "ampc/PTXSim/PTXSim.h"
#include <cstdlib>

using namespace ptxsim;

static Options fuzzOptions(bool run) {
  Options o;
  o.definedness = run; // shadow memory of huge variables is not under test without runs
  o.race = run;
  o.instructionBudget = 20000;
  return o;
}

/// Launches a kernel: 8-byte parameters point to a buffer, all others are small numbers.
static void launch(Device &device, const Program &program, const KernelInfo &kernel) {
  std::vector<Argument> arguments;
  for (const Parameter &p : kernel.parameters) {
    Argument bytes(p.size, 0);
    DeviceAddress buffer = device.allocate(4096, p.name);
    device.fill(buffer, 1, 4096);
    if (p.size == 8)
      bytes = argument(buffer);
    else if (p.size >= 4)
      bytes[0] = 16;
    arguments.push_back(bytes);
  }
  LaunchConfig config{{2, 1, 1}, {64, 1, 1}, 4096};
  if (kernel.requiredBlock.x && kernel.requiredBlock.count() <= 256)
    config.block = kernel.requiredBlock;
  device.launch(program, kernel.name, config, arguments);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const bool run = std::getenv("PTXSIM_FUZZ_RUN") != nullptr;
  try {
    Module module = Module::parse(std::string(reinterpret_cast<const char *>(data), size));
    Device device(fuzzOptions(run));
    Program program = device.load(module);
    if (run)
      for (const KernelInfo &kernel : module.kernels())
        try {
          launch(device, program, kernel);
        } catch (const Error &) {
        }
  } catch (const Error &) {
  }
  return 0;
}
