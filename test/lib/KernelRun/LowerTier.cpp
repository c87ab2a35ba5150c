// Code of a tier on a processor that lacks it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/LowerTier.h"
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <cstring>

using namespace ampc;
using namespace ampc::test;

static constexpr llvm::StringLiteral prefix = "tile_in_memory_";
static constexpr int64_t lineBytes = 64, tileBytes = 16 * lineBytes;

/// Tiles are in use until their loop has gone round, so the oldest of many is free again.
static uint8_t *newTile() {
  static constexpr size_t count = 1024;
  static thread_local uint8_t tiles[count][tileBytes];
  static thread_local size_t next = 0;
  return tiles[next++ % count];
}

static void check(const char *error) {
  if (error)
    llvm::report_fatal_error(error);
}

/// A state whose tiles 0, 1, ... have these rows, and bytes in each.
static TileState &configure(std::initializer_list<std::pair<int, int>> shapes) {
  uint8_t config[64] = {1};
  int number = 0;
  for (auto [rows, bytes] : shapes) {
    uint16_t columnBytes = bytes;
    std::memcpy(config + 16 + 2 * number, &columnBytes, 2);
    config[48 + number++] = rows;
  }
  TileState &state = TileState::current();
  check(state.loadConfig(config));
  return state;
}

static uint8_t *zeroTile(int16_t, int16_t) {
  uint8_t *tile = newTile();
  std::memset(tile, 0, tileBytes);
  return tile;
}
static uint8_t *loadTile(int16_t rows, int16_t bytes, const uint8_t *memory, int64_t stride) {
  uint8_t *tile = zeroTile(rows, bytes);
  for (int row = 0; row < rows; ++row)
    std::memcpy(tile + row * lineBytes, memory + row * stride, bytes);
  return tile;
}
static void storeTile(int16_t rows, int16_t bytes, uint8_t *memory, int64_t stride,
                      const uint8_t *tile) {
  for (int row = 0; row < rows; ++row)
    std::memcpy(memory + row * stride, tile + row * lineBytes, bytes);
}
static uint8_t *multiplyTiles(int16_t rows, int16_t columnBytes, int16_t depthBytes,
                              const uint8_t *sums, const uint8_t *left, const uint8_t *right) {
  TileState &state =
      configure({{rows, columnBytes}, {rows, depthBytes}, {depthBytes / 4, columnBytes}});
  const uint8_t *tiles[] = {sums, left, right};
  for (int i = 0; i < 3; ++i)
    check(state.load(i, tiles[i], lineBytes));
  check(state.product(0, 1, 2));
  uint8_t *tile = zeroTile(rows, columnBytes);
  check(state.store(0, tile, lineBytes));
  return tile;
}

static const std::pair<llvm::StringLiteral, void *> functions[] = {
    {"tilezero", reinterpret_cast<void *>(zeroTile)},
    {"tileloadd64", reinterpret_cast<void *>(loadTile)},
    {"tilestored64", reinterpret_cast<void *>(storeTile)},
    {"tdpbf16ps", reinterpret_cast<void *>(multiplyTiles)}};

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

llvm::Expected<std::unique_ptr<llvm::Module>> test::lowerTier(const llvm::Module &module,
                                                              const cpu::Tier &tier) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  replaceAll(text, "x86_amx", "ptr");
  for (auto [name, function] : functions)
    replaceAll(text, ("@llvm.x86." + name + ".internal").str(), ("@" + prefix + name).str());
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> lowered =
      llvm::parseAssemblyString(text, error, module.getContext());
  if (!lowered)
    return llvm::createStringError(error.getMessage());
  for (llvm::Function &function : *lowered) {
    if (function.getName().starts_with("llvm.x86."))
      return llvm::createStringError("calls " + function.getName());
    if (isTileFunction(function.getName())) // what holds for intrinsics does not for these
      function.setAttributes({});
    else if (!function.isDeclaration())
      function.addFnAttr("target-features", tier.features);
  }
  return lowered;
}

bool test::isTileFunction(llvm::StringRef name) { return name.starts_with(prefix); }

llvm::Error test::defineTileFunctions(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  for (auto [name, function] : functions)
    symbols[jit.mangleAndIntern((prefix + name).str())] = {
        llvm::orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}
