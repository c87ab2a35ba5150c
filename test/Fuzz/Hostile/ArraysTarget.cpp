// libFuzzer target: .npy and safetensors readers of ampc-ptxsim.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/PTXSim/PTXSim.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include "tools/ampc-ptxsim/Arrays.h"
#include <fstream>

/// An accepted array has as many bytes as shape and type require.
static void read(const std::string &source) {
  try {
    ptxsim::Array array = ptxsim::readArray(source);
    uint64_t bytes = ptxsim::elementSize(array.type);
    for (uint64_t dim : array.shape)
      bytes *= dim;
    if (bytes != array.bytes.size())
      std::abort();
  } catch (const ptxsim::Error &) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  read(file.path());
  const char *const path = "input.safetensors"; // unused except for the name
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(data), long(size));
  read(std::string(path) + ":w");
  return 0;
}
