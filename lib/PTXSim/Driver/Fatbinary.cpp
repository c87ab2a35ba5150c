// Extraction of PTX from an image passed to cuModuleLoadData.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <cstring>

namespace ptxsim {
namespace driver {

namespace {
constexpr uint32_t wrapperMagic = 0x466243b1, fatbinaryMagic = 0xba55ed50;

template <class T> T readAt(const uint8_t *p, size_t offset) {
  T value;
  std::memcpy(&value, p + offset, sizeof value);
  return value;
}

// Layout written by nvcc 13. Header: magic, version (16 bits), header size (16 bits), size of all
// entries. Entry: kind (16 bits; 1 is PTX), version, header size, padded size (64 bits); at offset
// 56 the size before compression, 0 if not compressed.
std::string ptxOfFatbinary(const uint8_t *p) {
  size_t header = readAt<uint16_t>(p, 6), total = readAt<uint64_t>(p, 8);
  size_t at = header, end = header + total;
  bool compressed = false;
  while (at + 64 <= end) {
    const uint8_t *entry = p + at;
    uint16_t kind = readAt<uint16_t>(entry, 0);
    uint32_t entryHeader = readAt<uint32_t>(entry, 4);
    uint64_t size = readAt<uint64_t>(entry, 8);
    if (entryHeader < 64 || size > end - at || entryHeader > end - at - size)
      fail(CUDA_ERROR_NO_BINARY_FOR_GPU, "the fatbinary is damaged");
    if (kind == 1) {
      if (readAt<uint64_t>(entry, 56) == 0) {
        const char *text = reinterpret_cast<const char *>(entry + entryHeader);
        return std::string(text, strnlen(text, size));
      }
      compressed = true;
    }
    at += entryHeader + size;
  }
  if (compressed)
    fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
         "the PTX in this fatbinary is compressed; build with nvcc -Xfatbin -compress=false");
  fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
       "this fatbinary holds no PTX; build with nvcc -gencode arch=compute_XX,code=compute_XX");
}
} // namespace

std::string ptxOfImage(const void *image) {
  require(image, "expected an image, but got a null pointer");
  const uint8_t *p = static_cast<const uint8_t *>(image);
  uint32_t magic = readAt<uint32_t>(p, 0);
  if (magic == wrapperMagic)
    return ptxOfImage(readAt<const void *>(p, 8));
  if (magic == fatbinaryMagic)
    return ptxOfFatbinary(p);
  constexpr uint16_t cuda = 190;                              // EM_CUDA
  if (magic == 0x464c457f && readAt<uint16_t>(p, 18) != cuda) // "\x7fELF", e_machine
    fail(CUDA_ERROR_INVALID_IMAGE, "expected PTX, but got an ELF file that is no cubin");
  if (magic == 0x464c457f)
    fail(CUDA_ERROR_NO_BINARY_FOR_GPU, "expected PTX, but got machine code (a cubin)");
  return std::string(static_cast<const char *>(image));
}

} // namespace driver
} // namespace ptxsim
