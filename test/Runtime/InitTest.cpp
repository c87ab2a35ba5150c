// Random numbers, the underlying functions, and conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>

extern "C" {
void ampc_rt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
double ampc_rt_log(double x);
double ampc_rt_cos_turns(double x);
uint16_t ampc_rt_to_bf16(float x);
uint16_t ampc_rt_to_f16(float x);
double ampc_rt_read_float(const void *data, int32_t dtype);
}

// The known answers that come with Random123.
TEST(Init, PhiloxKnownAnswers) {
  const uint32_t cases[3][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
       0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (auto &c : cases) {
    uint32_t out[4];
    ampc_rt_philox(c, c + 4, out);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[i], c[6 + i]);
  }
}

TEST(Init, LogAgreesWithLibm) {
  for (double x = 1; x > 1e-16; x *= 0.9973) {
    double expected = std::log(x);
    EXPECT_LE(std::fabs(ampc_rt_log(x) - expected), 4e-16 * (1 + std::fabs(expected))) << x;
  }
}

TEST(Init, CosAgreesWithLibm) {
  for (int i = 0; i < 10000; ++i) {
    double x = i / 10000.0;
    EXPECT_LE(std::fabs(ampc_rt_cos_turns(x) - std::cos(2 * M_PI * x)), 1e-15) << x;
  }
}

// Every f16 survives; the middle of two neighbours rounds to even; just above rounds up.
TEST(Init, F16RoundsToNearestEven) {
  const int32_t f16 = 2;
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    double a = ampc_rt_read_float(&low, f16),
           b = bits == 0x7bff ? 65536 : ampc_rt_read_float(&high, f16);
    auto middle = static_cast<float>((a + b) / 2);
    ASSERT_EQ(ampc_rt_to_f16(static_cast<float>(a)), low);
    ASSERT_EQ(ampc_rt_to_f16(static_cast<float>(-a)), low | 0x8000);
    ASSERT_EQ(ampc_rt_to_f16(middle), bits % 2 ? high : low) << bits;
    ASSERT_EQ(ampc_rt_to_f16(std::nextafter(middle, 1e9f)), high) << bits;
  }
  EXPECT_EQ(ampc_rt_to_f16(INFINITY), 0x7c00);
  EXPECT_GT(ampc_rt_to_f16(NAN) & 0x7fff, 0x7c00);
}

TEST(Init, Bf16RoundsToNearestEven) {
  auto bits = [](uint32_t b) {
    float f;
    std::memcpy(&f, &b, 4);
    return f;
  };
  EXPECT_EQ(ampc_rt_to_bf16(bits(0x3f808000)), 0x3f80);
  EXPECT_EQ(ampc_rt_to_bf16(bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(ampc_rt_to_bf16(bits(0x3f808001)), 0x3f81);
  EXPECT_EQ(ampc_rt_to_bf16(bits(0x7f7fffff)), 0x7f80);
  EXPECT_GT(ampc_rt_to_bf16(bits(0x7f800001)) & 0x7fff, 0x7f80);
}
