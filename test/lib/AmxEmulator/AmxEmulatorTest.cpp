// The emulator's decoder on the assembler's output, and the arithmetic on values known by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using namespace ampc::test;
using Operation = TileOperation;

asm(".pushsection .rodata\n"
    "amx_samples:\n"
    "ldtilecfg (%rax)\n"
    "ldtilecfg -0x68(%rsp)\n"
    "ldtilecfg 0x1234(%r13,%r10,4)\n"
    "ldtilecfg 0x40(%rip)\n"
    "sttilecfg 8(%r12)\n"
    "tilerelease\n"
    "tilezero %tmm0\n"
    "tilezero %tmm7\n"
    "tileloadd (%rsi,%rax), %tmm1\n"
    "tileloadd 0x40(%r12,%r14), %tmm6\n"
    "tileloadd -0x1000(%rbp,%rcx,2), %tmm2\n"
    "tileloadd (%r13,%r8,8), %tmm3\n"
    "tileloadd 0x10(,%rdx), %tmm4\n"
    "tileloadd (%rsp), %tmm5\n"
    "tileloaddt1 (%r9,%r15), %tmm0\n"
    "tilestored %tmm5, 0x7f(%rdi,%rbx)\n"
    "tilestored %tmm7, (%r15,%r12,4)\n"
    "tdpbf16ps %tmm6, %tmm4, %tmm3\n"
    "tdpbf16ps %tmm0, %tmm7, %tmm1\n"
    "tdpfp16ps %tmm5, %tmm2, %tmm7\n"
    "amx_others:\n"
    "tdpbssd %tmm6, %tmm4, %tmm3\n"
    "tcmmrlfp16ps %tmm6, %tmm4, %tmm3\n"
    "vfmadd231ps %xmm1, %xmm2, %xmm3\n"
    "vzeroupper\n"
    "nop\n"
    ".popsection\n");
extern "C" const uint8_t amx_samples[], amx_others[];

namespace {
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, None = -1 };

TileInstruction memory(Operation operation, int tile, int base, int index, int scale,
                       int32_t displacement, bool fromNext = false) {
  TileInstruction code;
  code.operation = operation;
  code.tile = tile;
  code.base = base;
  code.index = index;
  code.scale = scale;
  code.displacement = displacement;
  code.fromNext = fromNext;
  return code;
}
TileInstruction tiles(Operation operation, int tile, int left = -1, int right = -1) {
  TileInstruction code;
  code.operation = operation;
  code.tile = tile;
  code.left = left;
  code.right = right;
  return code;
}

/// A palette with the same shape for all tiles.
struct Config {
  alignas(64) uint8_t bytes[64] = {1};
  Config(int rows, int columnBytes) {
    for (int i = 0; i < 8; ++i) {
      bytes[16 + 2 * i] = columnBytes;
      bytes[48 + i] = rows;
    }
  }
};
uint16_t bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits >> 16;
}
/// Bits of a number representable in f16.
uint16_t f16(float value) {
  auto half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}
uint16_t narrow(Operation product, float value) {
  return product == Operation::ProductF16 ? f16(value) : bf16(value);
}
} // namespace

TEST(AmxDecoder, WhatTheAssemblerWrites) {
  const TileInstruction expected[] = {memory(Operation::LoadConfig, -1, RAX, None, 0, 0),
                                      memory(Operation::LoadConfig, -1, RSP, None, 0, -0x68),
                                      memory(Operation::LoadConfig, -1, R13, R10, 2, 0x1234),
                                      memory(Operation::LoadConfig, -1, None, None, 0, 0x40, true),
                                      memory(Operation::StoreConfig, -1, R12, None, 0, 8),
                                      tiles(Operation::Release, -1),
                                      tiles(Operation::Zero, 0),
                                      tiles(Operation::Zero, 7),
                                      memory(Operation::Load, 1, RSI, RAX, 0, 0),
                                      memory(Operation::Load, 6, R12, R14, 0, 0x40),
                                      memory(Operation::Load, 2, RBP, RCX, 1, -0x1000),
                                      memory(Operation::Load, 3, R13, R8, 3, 0),
                                      memory(Operation::Load, 4, None, RDX, 0, 0x10),
                                      memory(Operation::Load, 5, RSP, None, 0, 0),
                                      memory(Operation::LoadHint, 0, R9, R15, 0, 0),
                                      memory(Operation::Store, 5, RDI, RBX, 0, 0x7f),
                                      memory(Operation::Store, 7, R15, R12, 2, 0),
                                      tiles(Operation::ProductBF16, 3, 4, 6),
                                      tiles(Operation::ProductBF16, 1, 7, 0),
                                      tiles(Operation::ProductF16, 7, 2, 5)};
  const uint8_t *at = amx_samples;
  int number = 0;
  for (const TileInstruction &want : expected) {
    SCOPED_TRACE(number++);
    std::optional<TileInstruction> got = decodeTileInstruction(at);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->operation, want.operation);
    EXPECT_EQ(got->tile, want.tile);
    EXPECT_EQ(got->left, want.left);
    EXPECT_EQ(got->right, want.right);
    EXPECT_EQ(got->base, want.base);
    EXPECT_EQ(got->index, want.index);
    EXPECT_EQ(got->scale, want.scale);
    EXPECT_EQ(got->displacement, want.displacement);
    EXPECT_EQ(got->fromNext, want.fromNext);
    at += got->length;
  }
  EXPECT_EQ(at, amx_others) << "lengths";
}

TEST(AmxDecoder, LeavesOthersAlone) {
  for (int offset : {0, 5, 10, 15, 18})
    EXPECT_FALSE(decodeTileInstruction(amx_others + offset)) << offset;
}

TEST(AmxState, RefusesWhatTheProcessorRefuses) {
  TileState state;
  Config config(16, 64);
  EXPECT_NE(state.zero(0), nullptr) << "not configured";
  config.bytes[1] = 1;
  EXPECT_NE(state.loadConfig(config.bytes), nullptr) << "first row";
  config.bytes[1] = 0;
  config.bytes[40] = 1;
  EXPECT_NE(state.loadConfig(config.bytes), nullptr) << "reserved";
  config.bytes[40] = 0;
  config.bytes[48] = 17;
  EXPECT_NE(state.loadConfig(config.bytes), nullptr) << "rows";
  config.bytes[48] = 8;
  ASSERT_EQ(state.loadConfig(config.bytes), nullptr);
  EXPECT_NE(state.product(Operation::ProductBF16, 0, 1, 2), nullptr)
      << "8 rows of sums for 16 of A";
  EXPECT_NE(state.product(Operation::ProductBF16, 1, 1, 2), nullptr) << "a tile twice";
  EXPECT_EQ(state.product(Operation::ProductBF16, 1, 2, 3), nullptr);
  uint8_t back[64];
  state.storeConfig(back);
  EXPECT_EQ(std::memcmp(back, config.bytes, 64), 0);
  state.release();
  EXPECT_NE(state.product(Operation::ProductBF16, 1, 2, 3), nullptr);
}

TEST(AmxState, LoadsClearWhatIsNotLoaded) {
  TileState state;
  uint8_t ones[16 * 64], got[16 * 64];
  std::memset(ones, 1, sizeof ones);
  ASSERT_EQ(state.loadConfig(Config(16, 64).bytes), nullptr);
  ASSERT_EQ(state.load(0, ones, 64), nullptr);
  Config small(3, 8);
  ASSERT_EQ(state.loadConfig(small.bytes), nullptr); // clears the tiles
  std::memset(got, 7, sizeof got);
  ASSERT_EQ(state.store(0, got, 16), nullptr);
  for (int i = 0; i < 3 * 16; ++i)
    EXPECT_EQ(got[i], i % 16 < 8 ? 0 : 7) << i;
  EXPECT_EQ(got[3 * 16], 7);
}

/// sum + x[0] * y[0] + ... of a single element, over `pairs` pairs.
static float sumOf(std::vector<float> x, std::vector<float> y, float sum,
                   Operation product = Operation::ProductBF16) {
  TileState state;
  int pairs = x.size() / 2;
  Config config(1, 4 * pairs);
  config.bytes[16] = config.bytes[20] = 4; // tiles 0 and 2: a single column
  config.bytes[50] = pairs;                // tile 2: a row per pair
  EXPECT_EQ(state.loadConfig(config.bytes), nullptr);
  uint16_t a[32], b[32];
  for (size_t k = 0; k < x.size(); ++k) {
    a[k] = narrow(product, x[k]);
    b[k] = narrow(product, y[k]);
  }
  auto bytes = [](auto *data) { return reinterpret_cast<uint8_t *>(data); };
  EXPECT_EQ(state.load(0, bytes(&sum), 64), nullptr);
  EXPECT_EQ(state.load(1, bytes(a), 64), nullptr);
  EXPECT_EQ(state.load(2, bytes(b), 4), nullptr);
  EXPECT_EQ(state.product(product, 0, 1, 2), nullptr);
  EXPECT_EQ(state.store(0, bytes(&sum), 64), nullptr);
  return sum;
}

TEST(AmxProduct, RoundsAndFlushesLikeTheInstruction) {
  EXPECT_EQ(sumOf({2, 3}, {5, 7}, 1), 32);
  // Even and odd k have separate sums: 2^24 + 1 would lose the 1 in a single chain.
  EXPECT_EQ(sumOf({0x1p24f, 1, -0x1p24f, 1}, {1, 1, 1, 1}, 0), 2);
  EXPECT_EQ(sumOf({0x1p24f, 1, 1, -0x1p24f}, {1, 1, 1, 1}, 0), 1);
  // The old sum is added last.
  EXPECT_EQ(sumOf({1, -1}, {1, 1}, 0x1p-30f), 0x1p-30f);
  // To nearest even.
  EXPECT_EQ(sumOf({1, 0}, {1, 0}, 0x1p24f), 0x1p24f);
  EXPECT_EQ(sumOf({3, 0}, {1, 0}, 0x1p24f), 0x1p24f + 4);
  // Denormals are zeros, in and out.
  EXPECT_EQ(sumOf({0x1p-130f, 0}, {0x1p100f, 0}, 0), 0);
  EXPECT_EQ(sumOf({0x1p-70f, 0}, {0x1p-70f, 0}, 0), 0);
  EXPECT_EQ(sumOf({0, 0}, {0, 0}, 0x1p-130f), 0);
  EXPECT_TRUE(std::isnan(sumOf({INFINITY, 0}, {0, 0}, 0)));
}

/// Intel SDM, volume 2, TDPFP16PS: denormals are not flushed, and sums have the order of bf16
/// products.
TEST(AmxProduct, OfF16KeepsDenormals) {
  auto sum = [](std::vector<float> x, std::vector<float> y, float before) {
    return sumOf(x, y, before, Operation::ProductF16);
  };
  EXPECT_EQ(sum({2, 3}, {5, 7}, 1), 32);
  EXPECT_EQ(sum({0x1p-24f, 0x1.8p-16f}, {1024, 2}, 0), 0x1p-14f + 0x1.8p-15f);
  EXPECT_EQ(sum({0x1p-24f, 0}, {0x1p-24f, 0}, 0), 0x1p-48f);
  // 11 bits by 11 bits.
  EXPECT_EQ(sum({0x1.ffcp0f, 0}, {0x1.ffcp0f, 0}, 0), 0x1.ffcp0f * 0x1.ffcp0f);
  // Even and odd k are summed apart, and the old sum is added last.
  EXPECT_EQ(sum({0x1p15f, 1, -0x1p15f, 1}, {0x1p15f, 1, 0x1p15f, 1}, 0), 2);
  EXPECT_EQ(sum({0x1p15f, 1, 1, -0x1p15f}, {0x1p15f, 1, 1, 0x1p15f}, 0), 0);
  EXPECT_EQ(sum({1, -1}, {1, 1}, 0x1p-30f), 0x1p-30f);
  EXPECT_EQ(sum({0, 0}, {0, 0}, 0x1p-130f), 0);
  EXPECT_TRUE(std::isnan(sum({INFINITY, 0}, {0, 0}, 0)));
}

/// Product of random 16 x 32 and 32 x 16 by real instructions, native or emulated.
template <Operation product> static void multiply(unsigned seed, bool &agrees) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> small(-8, 8);
  alignas(64) uint16_t a[16][32], b[16][32]; // b: pairs of rows
  alignas(64) float got[16][16];
  int x[16][32], y[32][16];
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 32; ++k) {
      a[i][k] = narrow(product, x[i][k] = small(random));
      b[k / 2][2 * i + k % 2] = narrow(product, y[k][i] = small(random));
    }
  Config config(16, 64);
  for (int repeat = 0; repeat < 20; ++repeat) {
    asm volatile("ldtilecfg (%0)\n"
                 "tileloadd (%1,%4), %%tmm4\n"
                 "tileloaddt1 (%2,%4), %%tmm6\n"
                 "tilezero %%tmm3\n"
                 ".if %c5\n"
                 "tdpfp16ps %%tmm6, %%tmm4, %%tmm3\n"
                 ".else\n"
                 "tdpbf16ps %%tmm6, %%tmm4, %%tmm3\n"
                 ".endif\n"
                 "tilestored %%tmm3, (%3,%4)\n"
                 "tilerelease\n"
                 :
                 : "r"(config.bytes), "r"(a), "r"(b), "r"(got), "r"(int64_t(64)),
                   "i"(product == Operation::ProductF16)
                 : "memory");
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        int sum = 0;
        for (int k = 0; k < 32; ++k)
          sum += x[i][k] * y[k][j];
        agrees &= got[i][j] == sum;
      }
  }
}

template <Operation product> static void multiplyInThreads(bool isNative) {
  uint64_t before = emulatedProducts(product);
  bool agrees[3] = {true, true, true};
  std::thread first([&] { multiply<product>(1, agrees[0]); }),
      second([&] { multiply<product>(2, agrees[1]); });
  multiply<product>(3, agrees[2]);
  first.join();
  second.join();
  EXPECT_TRUE(agrees[0] && agrees[1] && agrees[2]);
  EXPECT_EQ(emulatedProducts(product) - before, isNative ? 0 : 60);
}

TEST(AmxSignal, EveryThreadHasTilesOfItsOwn) {
  ASSERT_TRUE(emulateAmx() || hasNativeAmx());
  multiplyInThreads<Operation::ProductBF16>(hasNativeAmx());
}

TEST(AmxSignal, ProductsOfF16) {
  if (hasNativeAmx() && !hasNativeAmxF16())
    GTEST_SKIP() << "this processor's tiles have no products of f16";
  ASSERT_TRUE(emulateAmx() || hasNativeAmx());
  multiplyInThreads<Operation::ProductF16>(hasNativeAmxF16());
}
