// libFuzzer target: no text may crash, hang or leak the parser and the decoder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/PTXSim/PTXSim.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ptxsim::Options options = [] {
    ptxsim::Options o;
    o.definedness = false; // shadow memory of huge variables is not what is tested here
    return o;
  }();
  try {
    ptxsim::Module module =
        ptxsim::Module::parse(std::string(reinterpret_cast<const char *>(data), size));
    ptxsim::Device device(options);
    device.load(module);
  } catch (const ptxsim::Error &) {
  }
  return 0;
}
