// Effects of the instructions on the tile registers of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include <algorithm>
#include <cstring>
#include <immintrin.h>

using namespace ampc::test;

TileState &TileState::current() {
  static thread_local TileState state;
  return state;
}

// Byte 0: palette; 1: first row; 16..31: bytes of a row, 16 bits each; 48..55: rows; else zero.
const char *TileState::loadConfig(const uint8_t *memory) {
  if (memory[0] == 0) {
    release();
    return nullptr;
  }
  if (memory[0] != 1 || memory[1] != 0)
    return "expected palette 1 and first row 0";
  auto isZero = [&](int from, int to) {
    return std::all_of(memory + from, memory + to, [](uint8_t byte) { return byte == 0; });
  };
  if (!isZero(2, 16) || !isZero(32, 48) || !isZero(56, 64))
    return "expected zeros in the reserved bytes of a configuration";
  Tile fresh[8] = {};
  for (int i = 0; i < 8; ++i) {
    std::memcpy(&fresh[i].columnBytes, memory + 16 + 2 * i, 2);
    fresh[i].rows = memory[48 + i];
    if (fresh[i].rows > 16 || fresh[i].columnBytes > 64 || !fresh[i].rows != !fresh[i].columnBytes)
      return "expected at most 16 rows of 64 bytes, and both or neither";
  }
  std::memcpy(tiles, fresh, sizeof tiles);
  palette = 1;
  return nullptr;
}
void TileState::storeConfig(uint8_t *memory) const {
  std::memset(memory, 0, 64);
  memory[0] = palette;
  for (int i = 0; i < 8; ++i) {
    std::memcpy(memory + 16 + 2 * i, &tiles[i].columnBytes, 2);
    memory[48 + i] = tiles[i].rows;
  }
}
void TileState::release() {
  std::memset(tiles, 0, sizeof tiles);
  palette = 0;
}

const char *TileState::check(int tile) const {
  return palette && tiles[tile].rows ? nullptr : "expected a configured tile";
}

const char *TileState::zero(int tile) {
  if (const char *error = check(tile))
    return error;
  std::memset(tiles[tile].bytes, 0, sizeof tiles[tile].bytes);
  return nullptr;
}
const char *TileState::load(int tile, const uint8_t *memory, int64_t stride) {
  if (const char *error = check(tile))
    return error;
  Tile &to = tiles[tile];
  std::memset(to.bytes, 0, sizeof to.bytes);
  for (int row = 0; row < to.rows; ++row)
    std::memcpy(to.bytes[row], memory + row * stride, to.columnBytes);
  return nullptr;
}
const char *TileState::store(int tile, uint8_t *memory, int64_t stride) const {
  if (const char *error = check(tile))
    return error;
  for (int row = 0; row < tiles[tile].rows; ++row)
    std::memcpy(memory + row * stride, tiles[tile].bytes[row], tiles[tile].columnBytes);
  return nullptr;
}

/// 32 numbers of 16 bits.
struct Numbers {
  float values[32];
};
static Numbers widenBF16(const void *row) {
  uint16_t numbers[32];
  std::memcpy(numbers, row, 64);
  Numbers wide;
  for (int i = 0; i < 32; ++i) {
    uint32_t bits = uint32_t(numbers[i]) << 16;
    std::memcpy(&wide.values[i], &bits, 4);
  }
  return wide;
}
/// f16 denormals are normal numbers of f32; the conversion does not flush denormals.
__attribute__((target("f16c,avx2"))) static Numbers widenF16(const void *row) {
  Numbers wide;
  for (int i = 0; i < 32; i += 8) {
    auto *from = static_cast<const char *>(row) + 2 * i;
    __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from));
    _mm256_storeu_ps(wide.values + i, _mm256_cvtph_ps(numbers));
  }
  return wide;
}

/// A row of sums: even and odd k separately by fused multiply-adds, then the sum of both, then that
/// plus the old sum.
__attribute__((target("fma,avx2"))) static void
addRow(float *sums, const Numbers &left, const Numbers *right, int pairs, int columns) {
  float even[16] = {}, odd[16] = {};
  for (int k = 0; k < pairs; ++k) {
    float x0 = left.values[2 * k], x1 = left.values[2 * k + 1];
    for (int n = 0; n < 16; ++n) {
      even[n] = __builtin_fmaf(x0, right[k].values[2 * n], even[n]);
      odd[n] = __builtin_fmaf(x1, right[k].values[2 * n + 1], odd[n]);
    }
  }
  for (int n = 0; n < columns; ++n)
    sums[n] += even[n] + odd[n];
}

const char *TileState::product(TileOperation operation, int sums, int left, int right) {
  if (sums == left || sums == right || left == right)
    return "expected three different tiles";
  for (int tile : {sums, left, right}) {
    if (const char *error = check(tile))
      return error;
    if (tiles[tile].columnBytes % 4)
      return "expected rows of whole pairs";
  }
  Tile &to = tiles[sums], &a = tiles[left], &b = tiles[right];
  if (to.rows != a.rows || a.columnBytes / 4 != b.rows || to.columnBytes != b.columnBytes)
    return "expected shapes that fit together";
  unsigned control = _mm_getcsr();
  _mm_setcsr(0x9fc0); // exceptions masked, to nearest even, denormals are zeros in and out
  auto *widen = operation == TileOperation::ProductF16 ? widenF16 : widenBF16;
  Numbers lines[16];
  for (int k = 0; k < b.rows; ++k)
    lines[k] = widen(b.bytes[k]);
  for (int m = 0; m < to.rows; ++m) {
    float row[16];
    std::memcpy(row, to.bytes[m], 64);
    addRow(row, widen(a.bytes[m]), lines, b.rows, to.columnBytes / 4);
    std::memcpy(to.bytes[m], row, 64);
  }
  _mm_setcsr(control);
  return nullptr;
}
