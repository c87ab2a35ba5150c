// Decodes VEX.128.0F38.W0 49, 4B and 5C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include <cstring>

using namespace ampc::test;

namespace {
enum Prefix { None, P66, PF3, PF2 }; // the field pp
struct Vex {
  bool r, x, b;
  int vvvv;
  Prefix prefix;
};
} // namespace

/// ModRM, SIB and displacement of a memory operand. Returns the length in bytes.
static int decodeMemory(const uint8_t *code, const Vex &vex, TileInstruction &result) {
  const uint8_t *at = code;
  int mod = *at >> 6, rm = *at & 7;
  ++at;
  if (rm == 4) {
    int base = *at & 7, index = (*at >> 3 & 7) | vex.x << 3;
    result.scale = *at >> 6;
    result.index = index == 4 ? -1 : index;
    ++at;
    result.base = base == 5 && mod == 0 ? -1 : base | vex.b << 3;
    if (base == 5 && mod == 0)
      mod = 2;
  } else if (rm == 5 && mod == 0) {
    result.fromNext = true;
    mod = 2;
  } else {
    result.base = rm | vex.b << 3;
  }
  if (mod == 1)
    result.displacement = static_cast<int8_t>(*at++);
  if (mod == 2) {
    std::memcpy(&result.displacement, at, 4);
    at += 4;
  }
  return at - code;
}

static std::optional<TileOperation> operationOf(uint8_t opcode, Prefix prefix, bool isMemory) {
  using Operation = TileOperation;
  const std::optional<Operation> none;
  const std::optional<Operation> withMemory49[] = {Operation::LoadConfig, Operation::StoreConfig,
                                                   none, none},
                                 withMemory4B[] = {none, Operation::LoadHint, Operation::Store,
                                                   Operation::Load},
                                 registers49[] = {Operation::Release, none, none, Operation::Zero},
                                 registers5C[] = {none, none, Operation::ProductBF16,
                                                  Operation::ProductF16};
  if (opcode == 0x49)
    return isMemory ? withMemory49[prefix] : registers49[prefix];
  if (opcode == 0x4b)
    return isMemory ? withMemory4B[prefix] : none;
  return opcode == 0x5c && !isMemory ? registers5C[prefix] : none;
}

std::optional<TileInstruction> ampc::test::decodeTileInstruction(const uint8_t *code) {
  if (code[0] != 0xc4 || (code[1] & 0x1f) != 2)
    return std::nullopt;
  // R, X, B and vvvv are stored inverted.
  Vex vex = {!(code[1] & 0x80), !(code[1] & 0x40), !(code[1] & 0x20), ~code[2] >> 3 & 15,
             Prefix(code[2] & 3)};
  bool isWide = code[2] & 0x80, is256 = code[2] & 4;
  uint8_t modrm = code[4];
  bool isMemory = modrm >> 6 != 3;
  std::optional<TileOperation> operation = operationOf(code[3], vex.prefix, isMemory);
  if (!operation || isWide || is256)
    return std::nullopt;
  TileInstruction result;
  result.operation = *operation;
  int reg = (modrm >> 3 & 7) | vex.r << 3, rm = (modrm & 7) | vex.b << 3;
  bool isProduct = code[3] == 0x5c;
  bool isConfig = code[3] == 0x49 && *operation != TileOperation::Zero;
  if (!isProduct && vex.vvvv)
    return std::nullopt;
  if (isConfig ? reg != 0 : reg > 7)
    return std::nullopt;
  if (!isConfig)
    result.tile = reg;
  if (isProduct) {
    if (rm > 7 || vex.vvvv > 7)
      return std::nullopt;
    result.left = rm;
    result.right = vex.vvvv;
  } else if (!isMemory && rm != 0) {
    return std::nullopt;
  }
  result.length = 5;
  if (isMemory) {
    bool needsSib = code[3] == 0x4b;
    if (needsSib && (modrm & 7) != 4)
      return std::nullopt;
    result.length = 4 + decodeMemory(code + 4, vex, result);
  }
  return result;
}
