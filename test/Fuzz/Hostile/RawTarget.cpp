// libFuzzer target: raw elements; the first line of the input is their type and shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Formats.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include "test/Fuzz/Hostile/ReadAll.h"
#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = data + size, *line = std::find(data, end, '\n');
  const uint8_t *content = line == end ? end : line + 1;
  MemoryFile file(content, size_t(end - content));
  std::string error;
  readAll(ampc::readRaw(file.path(), std::string(data, line), error), size, error);
  return 0;
}
