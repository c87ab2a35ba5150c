// Tables of numbers in text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

using namespace ampc;

namespace {
std::string written(const std::string &content, const char *name = "table.csv") {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}
std::vector<double> numbers(const std::string &source, std::vector<int64_t> dims) {
  std::string error;
  auto array = readArray(source, error);
  if (!array) {
    ADD_FAILURE() << error;
    return {};
  }
  EXPECT_EQ(array->dims, dims);
  EXPECT_EQ(array->element, Element::F64);
  auto *data = static_cast<const double *>(array->data);
  return std::vector<double>(data, data + array->count());
}
std::string errorOf(const std::string &source) {
  std::string error;
  EXPECT_FALSE(readArray(source, error));
  std::string prefix = fileOf(source) + ": ";
  EXPECT_EQ(error.compare(0, prefix.size(), prefix), 0) << error;
  return error.substr(std::min(error.size(), prefix.size()));
}
using Numbers = std::vector<double>;
} // namespace

TEST(Table, ReadsNumbersWithAndWithoutNames) {
  EXPECT_EQ(numbers(written("1,2\n3,-4.5e1"), {2, 2}), (Numbers{1, 2, 3, -45}));
  EXPECT_EQ(numbers(written("\xef\xbb\xbf"
                            "a,\"b,c\"\r\n+1, 2 \r\n\"3\",4\r\n\r\n"),
                    {2, 2}),
            (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(written("a;b\n1;2\n"), {1, 2}), (Numbers{1, 2}));
  EXPECT_EQ(numbers(written("a\tb\n1\t2\n", "t.tsv"), {1, 2}), (Numbers{1, 2}));
  EXPECT_EQ(numbers(written("id,0,1\n7,8,9\n"), {1, 3}), (Numbers{7, 8, 9})); // names like numbers
  EXPECT_TRUE(std::isnan(numbers(written("nan\n1\n"), {2, 1})[0]));
  EXPECT_EQ(numbers(written("a,b\n"), {0, 2}), Numbers());
}

TEST(Table, SelectsColumns) {
  std::string path = written("a,b,label\n1,2,0\n3,4,1\n");
  EXPECT_EQ(numbers(path + ":label", {2, 1}), (Numbers{0, 1}));
  EXPECT_EQ(numbers(path + ":b,a", {2, 2}), (Numbers{2, 1, 4, 3}));
  EXPECT_EQ(numbers(path + ":1-2", {2, 2}), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers(path + ":3,1-2", {2, 3}), (Numbers{0, 1, 2, 1, 3, 4}));
  EXPECT_EQ(errorOf(path + ":labels"),
            "expected a column of 1 to 3 or one of 'a', 'b', 'label', but got 'labels'");
  EXPECT_EQ(errorOf(path + ":0").substr(0, 29), "expected a column of 1 to 3 o");
  EXPECT_EQ(errorOf(written("1,2\n") + ":2-"), "expected a column of 1 to 2, but got '2-'");
  EXPECT_EQ(errorOf(written("1,2\n") + ":1,"), "expected a column of 1 to 2, but got ''");
}

TEST(Table, FillsEmptyCells) {
  std::string error;
  auto array = readArray(written("a,b\n1,\n\"\", 3\n"), error, /*fillsEmpty=*/true);
  ASSERT_TRUE(array) << error;
  auto *data = static_cast<const double *>(array->data);
  EXPECT_EQ(data[0], 1);
  EXPECT_TRUE(std::isnan(data[1]) && std::isnan(data[2]));
  EXPECT_EQ(data[3], 3);
  EXPECT_FALSE(readArray(written("a,b\n1,x\n"), error, /*fillsEmpty=*/true));
}

TEST(Table, NamesLineAndColumn) {
  EXPECT_EQ(errorOf(written("a,b\n1,2\n3,x\n")),
            "expected a number, but got 'x' in line 3, column 'b'");
  EXPECT_EQ(errorOf(written("1,setosa\n2,setosa\n")),
            "expected a number, but got 'setosa' in line 1, column 2");
  // A number beyond f64 is no name of a column, whose row would be lost.
  EXPECT_EQ(errorOf(written("1e-400,2\n3,4\n")),
            "expected a number that f64 holds, but got '1e-400' in line 1, column 1");
  EXPECT_EQ(errorOf(written("a\n-1e400\n")),
            "expected a number that f64 holds, but got '-1e400' in line 2, column 'a'");
  EXPECT_EQ(errorOf(written("a\n+5\n+-5\n")),
            "expected a number, but got '+-5' in line 3, column 'a'");
  EXPECT_EQ(errorOf(written("a,b\n1,\n3,4\n")),
            "expected a number, but got an empty cell in line 2, column 'b'");
  EXPECT_EQ(errorOf(written("a,b\n1,2\n3\n")), "expected 2 cells, but got 1 in line 3");
  EXPECT_EQ(errorOf(written("1\n\n2\n")), "expected a row, but got an empty line: line 2");
  EXPECT_EQ(errorOf(written("")), "expected rows of numbers, but the file is empty");
  EXPECT_EQ(errorOf("none.csv"), "No such file or directory");
}
