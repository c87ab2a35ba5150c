// Raw elements with type and shape in the data source.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace ampc;

namespace {
std::string written(const std::string &content, const char *name = "x.bin") {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}
void expectArray(const std::string &source, Element element, std::vector<int64_t> dims) {
  std::string error;
  auto array = readArray(source, error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->element, element);
  EXPECT_EQ(array->dims, dims);
  EXPECT_EQ(std::string(static_cast<const char *>(array->data), size_t(array->bytes())),
            std::string("0123456789ab").substr(0, size_t(array->bytes())));
}
std::string errorOf(const std::string &source) {
  std::string error;
  EXPECT_FALSE(readArray(source, error));
  std::string prefix = fileOf(source) + ": ";
  EXPECT_EQ(error.compare(0, prefix.size(), prefix), 0) << error;
  return error.substr(std::min(error.size(), prefix.size()));
}
} // namespace

TEST(Raw, ReadsEveryType) {
  const std::pair<const char *, Element> types[] = {
      {"f16", Element::F16}, {"bf16", Element::BF16}, {"i16", Element::I16}, {"ui16", Element::U16},
      {"u16", Element::U16}, {"f32", Element::F32},   {"i32", Element::I32}, {"ui32", Element::U32},
      {"i1", Element::I1},   {"i8", Element::I8},     {"ui8", Element::U8},  {"u8", Element::U8}};
  std::string path = written("0123456789ab");
  for (auto &[name, element] : types) {
    int64_t count = 12 / bytesOf(element);
    expectArray(path + ":" + name + "[" + std::to_string(count) + "]", element, {count});
    expectArray(path + ":" + name + "[?]", element, {count});
  }
  path = written("01234567");
  expectArray(path + ":f64[1, 1]", Element::F64, {1, 1});
  expectArray(path + ":i64[?,1]", Element::I64, {1, 1});
  expectArray(path + ":ui64[]", Element::U64, {});
}

TEST(Raw, TakesRowsFromTheSize) {
  for (const char *name : {"x.bin", "x.raw", "x.dat"}) {
    std::string path = written("0123456789ab", name);
    expectArray(path + ":ui8[?, 2, 3]", Element::U8, {2, 2, 3});
    expectArray(path + ": ui8 [ 2 , 2 , 3 ]", Element::U8, {2, 2, 3});
  }
  expectArray(written("") + ":ui8[?, 2]", Element::U8, {0, 2});
  expectArray(written("") + ":ui8[0, 2]", Element::U8, {0, 2});
}

TEST(Raw, RefusesOtherSizes) {
  std::string path = written("0123456789ab");
  EXPECT_EQ(errorOf(path + ":f32[2, 2]"), "expected 16 bytes, f32[2, 2], but got 12");
  EXPECT_EQ(errorOf(path + ":ui8[11]"), "expected 11 bytes, ui8[11], but got 12");
  EXPECT_EQ(errorOf(path + ":f32[?, 2]"), "expected rows of 8 bytes, f32[2], but got 12 bytes");
  EXPECT_EQ(errorOf(path + ":f32[?, 0]"), "expected rows of at least one byte, but got f32[0]");
  EXPECT_EQ(errorOf(path + ":f32[4294967296, 4294967296]"),
            "expected fewer bytes, but got f32[4294967296, 4294967296]");
}

TEST(Raw, RefusesOtherWords) {
  std::string path = written("0123456789ab");
  for (const char *type :
       {"", "f32", "f32[", "f32]", "f32[3", "[3]", "float[3]", "f32[3]x", "f32[-3]", "f32[3,]",
        "f32[3,?]", "f32[?,?]", "f32[3;1]", "f32[99999999999999999999]", "uf32[3]", "uii8[12]"})
    EXPECT_EQ(errorOf(path + ":" + type),
              "expected type and shape of raw elements, as in " + path +
                  ":ui8[?, 28, 28], with f16, bf16, f32, f64, i1, i8 to i64 or ui8 to ui64, but "
                  "got " +
                  (*type ? "'" + std::string(type) + "'" : "none"));
  EXPECT_EQ(errorOf(path), errorOf(path + ":"));
}
