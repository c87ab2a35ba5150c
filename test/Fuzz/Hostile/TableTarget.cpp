// libFuzzer target: tables of numbers in text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include "test/Fuzz/Hostile/ReadAll.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  for (const char *columns : {"", "1", "a,2-3"}) {
    std::string error;
    // A cell of one character and a separator become eight bytes, and columns may be repeated.
    readAll(ampc::readTable(file.path(), columns, size % 2, error), 8 * size + 8, error);
  }
  return 0;
}
