// Bytes that readers open by a path.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_HOSTILE_MEMORYFILE_H
#define TEST_FUZZ_HOSTILE_MEMORYFILE_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

/// A file in memory: readers take their usual way, by `open`, and nothing is left on a disk.
class MemoryFile {
public:
  MemoryFile(const void *data, size_t size) : file(memfd_create("input", MFD_CLOEXEC)) {
    if (file < 0 || write(file, data, size) != ssize_t(size))
      std::abort();
  }
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() { close(file); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  int file;
};

#endif
