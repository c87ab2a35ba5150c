// Elements of files as elements of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Convert.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace ampc;

namespace {
template <typename To, typename From>
std::vector<To> convert(Element element, ampc_dtype dtype, std::vector<From> from,
                        Affine affine = {}) {
  std::vector<To> to(from.size());
  Converter(element, dtype, std::move(affine))
      .convert(from.data(), to.data(), int64_t(from.size()));
  return to;
}
template <typename From>
int64_t misfit(Element element, ampc_dtype dtype, std::vector<From> from, Limits limits = {}) {
  return Converter(element, dtype).findMisfit(from.data(), int64_t(from.size()), limits);
}
template <typename T> std::vector<T> edges() {
  return {std::numeric_limits<T>::min(), 0, 1, std::numeric_limits<T>::max()};
}
template <typename T> void checkWhole(Element element) {
  std::vector<T> all = edges<T>();
  std::vector<double> reals = convert<double>(element, AMPC_F64, all);
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(reals[i], double(all[i])) << nameOf(element);
  EXPECT_EQ(misfit(element, AMPC_F32, all), -1);
  EXPECT_EQ(Converter(element, AMPC_I64).text(all.data(), 3), std::to_string(all[3]));
  // Into types of fewer values, the first that does not fit; a block is 1024 elements.
  std::vector<T> many(3000, 1);
  many[2500] = std::numeric_limits<T>::max();
  EXPECT_EQ(misfit(element, AMPC_I1, many), 2500) << nameOf(element);
  EXPECT_EQ(misfit(element, AMPC_I8, many), element == Element::I8 ? -1 : 2500) << nameOf(element);
  EXPECT_EQ(misfit(element, AMPC_I64, many), element == Element::U64 ? 2500 : -1)
      << nameOf(element);
  EXPECT_EQ(misfit(element, AMPC_I32, many, {true, 2, -100}), 2500) << nameOf(element);
}
} // namespace

TEST(Convert, IntegersOfEveryWidth) {
  checkWhole<int8_t>(Element::I8);
  checkWhole<int16_t>(Element::I16);
  checkWhole<int32_t>(Element::I32);
  checkWhole<int64_t>(Element::I64);
  checkWhole<uint8_t>(Element::U8);
  checkWhole<uint16_t>(Element::U16);
  checkWhole<uint32_t>(Element::U32);
  checkWhole<uint64_t>(Element::U64);
  // A truth value of a file is a byte.
  EXPECT_EQ(misfit(Element::I1, AMPC_I1, std::vector<uint8_t>{0, 1, 7}), 2);
  // Beyond the 53 bits of f64 nothing is lost either.
  int64_t large = (int64_t(1) << 60) + 1;
  EXPECT_EQ(convert<int64_t>(Element::U64, AMPC_I64, std::vector<uint64_t>{uint64_t(large)})[0],
            large);
  EXPECT_EQ(convert<int32_t>(Element::I64, AMPC_I32, std::vector<int64_t>{-7, 1 << 30}),
            (std::vector<int32_t>{-7, 1 << 30}));
}

TEST(Convert, HalvesBothWays) {
  for (auto [element, dtype] : {std::pair(Element::F16, AMPC_F16), {Element::BF16, AMPC_BF16}}) {
    std::vector<uint16_t> all(65536);
    for (int i = 0; i < 65536; ++i)
      all[i] = uint16_t(i);
    std::vector<double> wide = convert<double>(element, AMPC_F64, all);
    std::vector<uint16_t> back = convert<uint16_t>(Element::F64, dtype, wide);
    for (int i = 0; i < 65536; ++i)
      if (!std::isnan(wide[i]))
        ASSERT_EQ(back[i], i) << nameOf(element);
  }
  std::vector<uint16_t> f16 = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00};
  EXPECT_EQ(convert<float>(Element::F16, AMPC_F32, f16),
            (std::vector<float>{1, -2, 65504, 0x1p-24f, INFINITY}));
  EXPECT_EQ(misfit(Element::F16, AMPC_F32, f16), 4);
  // Ties go to even, and f64 is rounded once: by way of f32 the second would be a tie.
  EXPECT_EQ(
      convert<uint16_t>(Element::F64, AMPC_F16,
                        std::vector<double>{1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40, 65519, 65520}),
      (std::vector<uint16_t>{0x3c00, 0x3c01, 0x7bff, 0x7c00}));
}

TEST(Convert, ScaleAndOffset) {
  std::vector<uint8_t> pixels = {0, 255, 51, 0, 255, 102};
  EXPECT_EQ(convert<float>(Element::U8, AMPC_F32, pixels, {{1 / 255.0}, {-0.5}}),
            (std::vector<float>{-0.5f, 0.5f, -0.3f, -0.5f, 0.5f, -0.1f}));
  EXPECT_EQ(convert<float>(Element::U8, AMPC_F32, pixels, {{1, 2, 10}, {0, 0, 5}}),
            (std::vector<float>{0, 510, 515, 0, 510, 1025}));
  Converter scaled(Element::F64, AMPC_F32, {{1e30}, {}});
  double far[] = {1, 1e9};
  EXPECT_EQ(scaled.findMisfit(far, 2, {}), 1);
  EXPECT_EQ(scaled.text(far, 1), "1e+39");
}

TEST(Convert, FindsWhatDoesNotFit) {
  EXPECT_EQ(misfit(Element::F64, AMPC_F32, std::vector<double>{0, -3e38, 1e39}), 2);
  EXPECT_EQ(misfit(Element::F32, AMPC_F32, std::vector<float>{0, NAN, INFINITY}), 1);
  EXPECT_EQ(misfit(Element::F32, AMPC_F32, std::vector<float>{0, NAN}, {false, 0, 0}), -1);
  EXPECT_EQ(misfit(Element::F32, AMPC_I32, std::vector<float>{3, -4, 2.5f}), 2);
  EXPECT_EQ(misfit(Element::F32, AMPC_I64, std::vector<float>{3, 0x1p63f}), 1);
  EXPECT_EQ(misfit(Element::F64, AMPC_I32, std::vector<double>{3, NAN}), 1);
  EXPECT_EQ(misfit(Element::F64, AMPC_I32, std::vector<double>{-1, 2, 3}, {true, 3, -1}), 2);
  EXPECT_EQ(misfit(Element::I32, AMPC_I32, std::vector<int32_t>{-1, 2, 3}, {true, 3, -1}), 2);
  EXPECT_EQ(misfit(Element::I32, AMPC_I32, std::vector<int32_t>{-1, 2}), -1);
  EXPECT_EQ(describe(AMPC_I32, {true, 3, -1}), "whole numbers in [0, 3) or -1");
  EXPECT_EQ(describe(AMPC_I8, {}), "whole numbers that fit into i8");
}
