// libFuzzer target: NumPy's archives. Half of the changes come with fitting CRCs, so that the
// reader gets past the CRCs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Formats.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include "test/Fuzz/Hostile/ReadAll.h"
#include <cstring>
#include <vector>
#include <zlib.h>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

namespace {
template <typename T> T numberAt(const uint8_t *data) {
  T number;
  std::memcpy(&number, data, sizeof number);
  return number;
}

/// Unpacked bytes of a deflated stream, as far as the stream is good, at most 16 KiB.
std::vector<uint8_t> unpack(uint8_t *data, size_t size) {
  std::vector<uint8_t> result(1 << 14);
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    std::abort();
  stream.next_in = data;
  stream.avail_in = uInt(size);
  stream.next_out = result.data();
  stream.avail_out = uInt(result.size());
  inflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  inflateEnd(&stream);
  return result;
}

/// Gives an entry of the directory the CRC and the length that the content of the member has.
void mend(uint8_t *data, size_t size, uint8_t *entry) {
  size_t header = numberAt<uint32_t>(entry + 42), packed = numberAt<uint32_t>(entry + 20);
  if (header > size || size - header < 30)
    return;
  size_t begin =
      header + 30 + numberAt<uint16_t>(data + header + 26) + numberAt<uint16_t>(data + header + 28);
  if (begin > size || packed > size - begin)
    return;
  std::vector<uint8_t> content(data + begin, data + begin + packed);
  if (numberAt<uint16_t>(entry + 10) == 8)
    content = unpack(data + begin, packed);
  auto crc = uint32_t(crc32_z(0, content.data(), content.size())), bytes = uint32_t(content.size());
  std::memcpy(entry + 16, &crc, sizeof crc);
  std::memcpy(entry + 24, &bytes, sizeof bytes);
}
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  size = LLVMFuzzerMutate(data, size, capacity);
  for (size_t place = 0; seed % 2 && place + 46 <= size; ++place)
    if (!std::memcmp(data + place, "PK\1\2", 4))
      mend(data, size, data + place);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  for (const char *name : {"w", ""}) {
    std::string error;
    // A deflated byte becomes 1032 bytes at most.
    readAll(ampc::readNpz(file.path(), name, "x", error), 1033 * size, error);
  }
  return 0;
}
