// libFuzzer target: a tensor of a safetensors file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include "test/Fuzz/Hostile/ReadAll.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  for (const char *name : {"w", "", "__metadata__"}) {
    std::string error;
    readAll(ampc::readSafetensors(file.path(), name, error), size, error);
  }
  return 0;
}
