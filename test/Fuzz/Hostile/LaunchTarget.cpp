// libFuzzer target: launch files of ampc-ptxsim.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Hostile/MemoryFile.h"
#include "test/Fuzz/Hostile/TextMutator.h"
#include "tools/ampc-ptxsim/LaunchFile.h"

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> words = {
      "kernel", "grid", "block", "shared", "cluster", "arg",  "in",  "out",
      "inout",  "zero", "map",   "none",   "32B",     "128B", "@0",  "box",
      "f16",    "bf16", "f32",   "f64",    "i8",      "i32",  "u64", "bool"};
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  try {
    ptxsim::readLaunchFile(file.path());
  } catch (const ptxsim::Error &) {
  }
  return 0;
}
