// Emulates the instructions of AMX-TILE, AMX-BF16 and AMX-FP16 on processors without AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A SIGILL handler decodes the instruction, executes the operation on thread-local tile registers,
// and continues behind the instruction. Source: Intel SDM, volumes 1 (chapter 18) and 2.
#ifndef TEST_LIB_AMXEMULATOR_AMXEMULATOR_H
#define TEST_LIB_AMXEMULATOR_AMXEMULATOR_H

#include <cstdint>
#include <optional>

namespace ampc::test {

enum class TileOperation {
  LoadConfig,
  StoreConfig,
  Release,
  Zero,
  Load,
  LoadHint, // TILELOADDT1
  Store,
  ProductBF16,
  ProductF16
};

/// General registers are numbered as in the encoding: rax rcx rdx rbx rsp rbp rsi rdi r8 ...
struct TileInstruction {
  TileOperation operation;
  int length = 0;                       // bytes
  int tile = -1, left = -1, right = -1; // destination or source; operands of a product
  int base = -1, index = -1, scale = 0; // memory; -1: none; index is multiplied by 2^scale
  bool fromNext = false;                // relative to the next instruction
  int32_t displacement = 0;
};

/// Nullopt if `code` does not start with an AMX instruction.
std::optional<TileInstruction> decodeTileInstruction(const uint8_t *code);

/// The tile registers of a thread.
class TileState {
public:
  /// The calling thread's.
  static TileState &current();
  /// Null, or why the processor would raise an exception; then nothing has changed.
  const char *loadConfig(const uint8_t *memory);
  void storeConfig(uint8_t *memory) const;
  void release();
  const char *zero(int tile);
  const char *load(int tile, const uint8_t *memory, int64_t stride);
  const char *store(int tile, uint8_t *memory, int64_t stride) const;
  /// `operation`: a product.
  const char *product(TileOperation operation, int sums, int left, int right);

private:
  struct Tile {
    uint8_t rows, bytes[16][64];
    uint16_t columnBytes;
  };
  const char *check(int tile) const;
  Tile tiles[8] = {};
  uint8_t palette = 0;
};

/// Whether this processor and Linux run AMX for this process; asks for the permission.
bool hasNativeAmx();
/// Whether native AMX also multiplies f16. Native AMX without f16 products is not extended by
/// emulation: the handler has no access to the processor's tiles.
bool hasNativeAmxF16();
/// Installs the handler, unless AMX is native. Returns whether tile instructions are emulated.
bool emulateAmx();
/// Products emulated so far in all threads.
uint64_t emulatedProducts(TileOperation operation = TileOperation::ProductBF16);

} // namespace ampc::test
#endif
