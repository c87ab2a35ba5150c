// Readers and writers of the tools' files. Leaves files in the folder AMPC_TEST_OUTPUT for
// check_files.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include "ampc/Data/Convert.h"
#include "ampc/Data/Log.h"
#include "test/Data/ZipFile.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

using namespace ampc;

namespace {
std::string output(const std::string &name) {
  const char *folder = std::getenv("AMPC_TEST_OUTPUT");
  std::string path = folder ? folder : testing::TempDir() + "/ampc-data";
  mkdir(path.c_str(), 0777);
  return path + "/" + name;
}
void write(const std::string &path, const std::string &data) {
  std::ofstream(path, std::ios::binary) << data;
}
std::string read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
std::string npy(const std::string &header, const std::string &data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += char(version);
  out += '\0';
  auto length = static_cast<uint32_t>(header.size());
  out.append(reinterpret_cast<char *>(&length), version == 1 ? 2 : 4);
  return out + header + data;
}
std::string safetensors(const std::string &header, const std::string &data) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<char *>(&length), 8) + header + data;
}
std::string errorOf(const std::string &file, const std::string &content,
                    const std::string &name = "") {
  std::string error, path = output(file);
  write(path, content);
  auto array = name.empty() ? readNpy(path, error) : readSafetensors(path, name, error);
  EXPECT_FALSE(array.has_value());
  EXPECT_EQ(error.compare(0, path.size() + 2, path + ": "), 0) << error;
  return error.substr(std::min(error.size(), path.size() + 2));
}
} // namespace

TEST(Npy, WritesWhatItReads) {
  const std::pair<ampc_dtype, std::vector<int64_t>> cases[] = {
      {AMPC_F32, {3, 4}}, {AMPC_F64, {12}},   {AMPC_F16, {2, 1, 6}},
      {AMPC_I32, {}},     {AMPC_I64, {0, 5}}, {AMPC_U8, {5}},
      {AMPC_I8, {2}},     {AMPC_I16, {7}},    {AMPC_I1, {3}}};
  unsigned char data[96];
  for (int i = 0; i < 96; ++i)
    data[i] = static_cast<unsigned char>(i % 2);
  for (auto &[dtype, dims] : cases) {
    std::string path = output(std::string(nameOf(dtype)) + ".npy"), error;
    ASSERT_TRUE(writeNpy(path, dtype, dims, data, error)) << error;
    EXPECT_EQ(read(path).size() % 64,
              size_t(bytesOf(dtype) * Array{elementOf(dtype), dims, nullptr, nullptr, 0}.count()) %
                  64);
    auto array = readArray(path, error);
    ASSERT_TRUE(array) << error;
    EXPECT_EQ(array->element, elementOf(dtype));
    EXPECT_EQ(array->dims, dims);
    EXPECT_EQ(0, std::memcmp(array->data, data, size_t(array->bytes())));
  }
  std::string error;
  EXPECT_FALSE(writeNpy(output("bf16.npy"), AMPC_BF16, {1}, data, error));
  EXPECT_FALSE(writeNpy(output("none/x.npy"), AMPC_F32, {1}, data, error));
  EXPECT_NE(error.find("No such file"), std::string::npos);
}

TEST(Npy, ReadsVersionTwoAndOtherSpellings) {
  std::string path = output("v2.npy"), error;
  write(path, npy("{\"shape\":(2,),\"descr\":'<f4','fortran_order':True}\n", "12345678", 2));
  auto array = readNpy(path, error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->dims, std::vector<int64_t>{2});
}

TEST(Npy, RefusesWhatItCannotRead) {
  auto header = [](const char *descr, const char *order, const char *shape) {
    return std::string("{'descr': ") + descr + ", 'fortran_order': " + order +
           ", 'shape': " + shape + ", }\n";
  };
  EXPECT_EQ(errorOf("bad.npy", "hello, world"), "expected a .npy file");
  EXPECT_EQ(errorOf("bad.npy", ""), "expected a .npy file");
  EXPECT_EQ(errorOf("bad.npy", npy(header("'<f4'", "False", "(2,)"), "1234567")),
            "expected 8 bytes of data, but got 7");
  EXPECT_EQ(errorOf("bad.npy", npy(header("'<f4'", "False", "(2,)"), "123456789")),
            "expected 8 bytes of data, but got 9");
  EXPECT_EQ(errorOf("bad.npy", npy(header("'>f4'", "False", "(1,)"), "1234")),
            "expected little-endian data, but got '>f4'; save x.astype(x.dtype.newbyteorder('<'))");
  EXPECT_EQ(errorOf("bad.npy", npy(header("'<c8'", "False", "(1,)"), "12345678")),
            "expected floats of 2 to 8 bytes, integers of 1 to 8 bytes or truth values, but got "
            "'<c8'");
  EXPECT_EQ(errorOf("bad.npy", npy(header("'<f4'", "True", "(1, 1)"), "1234")),
            "expected C order, but got Fortran order; save numpy.ascontiguousarray(x)");
  EXPECT_EQ(errorOf("bad.npy", npy(header("[('a', '<f4')]", "False", "(1,)"), "1234")),
            "expected a header with a plain type, order and shape");
  EXPECT_EQ(errorOf("bad.npy",
                    npy(header("'<f4'", "False", "(99999999999999999,99999999999999999)"), "1234")),
            "expected too many bytes of data, but got 4");
  EXPECT_EQ(errorOf("bad.npy", npy("{}", "", 9)),
            "expected version 1, 2 or 3 of the .npy format, but got 9");
  std::string cut = npy(header("'<f4'", "False", "(1,)"), "");
  EXPECT_EQ(errorOf("bad.npy", cut.substr(0, 30)).substr(0, 17), "expected a header");
  std::string error;
  EXPECT_FALSE(readNpy(output("missing.npy"), error));
  EXPECT_NE(error.find("No such file"), std::string::npos);
  EXPECT_FALSE(readArray("data.txt", error));
  EXPECT_EQ(error, "data.txt: expected FILE.npy, FILE.npz or FILE.npz:ARRAY, FILE.csv or FILE.tsv, "
                   "FILE.csv:COLUMNS, FILE.safetensors:TENSOR or FILE.bin:TYPE[SIZES]");
}

TEST(Safetensors, ReadsOneTensor) {
  std::string path = output("two.safetensors"), error;
  write(path,
        safetensors(R"({"__metadata__":{},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                    R"("b\u0031":{"data_offsets":[2,10],"shape":[2,1],"dtype":"F32"}})",
                    "xyabcdefgh"));
  auto array = readArray(path + ":b1", error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->element, Element::F32);
  EXPECT_EQ(array->dims, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(0, std::memcmp(array->data, "abcdefgh", 8));
  EXPECT_FALSE(readSafetensors(path, "c", error));
  EXPECT_EQ(error, path + ": has no tensor 'c', only 'a', 'b1'");
}

TEST(Safetensors, RefusesDamage) {
  auto entry = [](const char *text) { return safetensors(text, "12345678"); };
  EXPECT_EQ(errorOf("bad.safetensors", "1234", "a"),
            "expected a safetensors file, but got a header beyond the end of the file");
  EXPECT_EQ(errorOf("bad.safetensors", std::string(8, '\xff') + "{}", "a"),
            "expected a safetensors file, but got a header beyond the end of the file");
  EXPECT_EQ(errorOf("bad.safetensors",
                    entry(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})"), "a"),
            "damaged file: tensor 'a' does not fit");
  EXPECT_EQ(errorOf("bad.safetensors",
                    entry(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})"), "a"),
            "damaged file: tensor 'a' does not fit");
  EXPECT_EQ(errorOf("bad.safetensors",
                    entry(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})"), "a"),
            "tensor 'a': type F8_E4M3 is not supported");
  EXPECT_EQ(errorOf("bad.safetensors", entry(R"({"a":{"dtype":"F32","shape":[2])"), "a"),
            "damaged file: expected the end of a tensor");
}

/// A checkpoint of ampc with hashes that a script of Python has computed.
static std::string checkpoint() {
  return safetensors(R"({"__metadata__":{"format":"ampc","version":"2","header_hash":)"
                     R"("0cdaf091240abd3d","data_hash":"0107dad32cec47c4"},)"
                     R"("a":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},)"
                     R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                     "12345678abc");
}

// Checkpoints read by ampc export, predict and --weights pass the same proof as in NAME_load.
TEST(Safetensors, ProvesCheckpoints) {
  std::string path = output("checkpoint.safetensors"), error, good = checkpoint();
  auto reads = [&](const std::string &content) {
    write(path, content);
    std::vector<std::string> skipped;
    error.clear();
    bool all = readSafetensors(path, skipped, error).has_value();
    bool one = readSafetensors(path, "a", error).has_value();
    EXPECT_EQ(all, one);
    return all;
  };
  EXPECT_TRUE(reads(good)) << error;
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(reads(bad)) << "bit " << bit;
  }
  for (size_t keep = 0; keep < good.size(); ++keep)
    EXPECT_FALSE(reads(good.substr(0, keep))) << "length " << keep;
  EXPECT_FALSE(reads(good + "x"));
}

TEST(Safetensors, ReadsAllThatItKnows) {
  std::string path = output("all.safetensors"), error;
  write(path, safetensors(R"({"a":{"dtype":"U16","shape":[1],"data_offsets":[0,2]},)"
                          R"("b":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[2,4]}})",
                          "abcd"));
  std::vector<std::string> skipped;
  auto arrays = readSafetensors(path, skipped, error);
  ASSERT_TRUE(arrays) << error;
  ASSERT_EQ(arrays->size(), 1u);
  EXPECT_EQ(arrays->front().name, "a");
  EXPECT_EQ(arrays->front().array.element, Element::U16);
  EXPECT_EQ(skipped, std::vector<std::string>{"b"});
}

TEST(Csv, GoesOnBehindARow) {
  std::string path = output("run.csv"), error;
  std::vector<std::string> columns = {"step", "loss"};
  CsvWriter csv;
  ASSERT_TRUE(csv.open(path, columns, std::nullopt, error)) << error;
  ASSERT_TRUE(csv.row({1, 0.1f}, error));
  ASSERT_TRUE(csv.row({2, 0.2f}, error));
  ASSERT_TRUE(csv.row({3, std::nullopt}, error));
  EXPECT_EQ(read(path), "step,loss\n1,0.100000001\n2,0.200000003\n3,\n");
  ASSERT_TRUE(csv.open(path, columns, 2, error)) << error;
  ASSERT_TRUE(csv.row({20000000, NAN}, error));
  EXPECT_EQ(read(path), "step,loss\n1,0.100000001\n2,0.200000003\n20000000,nan\n");
  write(path, "step,loss\n1,0.1\n2,0."); // cut by a crash
  ASSERT_TRUE(csv.open(path, columns, 2, error)) << error;
  EXPECT_EQ(read(path), "step,loss\n1,0.1\n");
  write(path, "step,lo"); // the head was cut
  ASSERT_TRUE(csv.open(path, columns, 2, error)) << error;
  EXPECT_EQ(read(path), "step,loss\n");
  std::string other = output("other.csv");
  write(other, "notes of somebody"); // no log, and not to be lost
  EXPECT_FALSE(csv.open(other, columns, 2, error));
  EXPECT_EQ(read(other), "notes of somebody");
  ASSERT_TRUE(csv.open(output("new.csv"), columns, 2, error)) << error;
  EXPECT_EQ(read(output("new.csv")), "step,loss\n");
  EXPECT_FALSE(csv.open(path, {"step", "gain"}, 2, error));
  EXPECT_EQ(error, path + ": expected a log with the columns step,gain, but got step,loss; give "
                          "this run another file");
  EXPECT_FALSE(csv.open(output("none/run.csv"), {"a"}, std::nullopt, error));
}

TEST(TensorBoard, Crc32cKnownAnswers) { // RFC 3720, B.4
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62a8ab43u);
}

TEST(TensorBoard, WritesScalars) {
  std::string error;
  TensorBoardWriter writer;
  ASSERT_TRUE(writer.open(output("events"), error)) << error;
  for (int step = 1; step <= 300; ++step)
    ASSERT_TRUE(writer.scalar("loss", step, 1.0f / float(step), error)) << error;
  ASSERT_TRUE(writer.scalar("rate", int64_t(1) << 40, -2.5f, error)) << error;
  ASSERT_TRUE(writer.restart(250, error)) << error;
  EXPECT_FALSE(writer.open(output("none") + "/deep", error));
}

TEST(LineChart, IsWellFormedAndInsideItsFrame) {
  std::string path = output("loss.svg"), error;
  Series train{"train <a&b>", {}, {}}, flat{"flat", {0, 100}, {2, 2}};
  for (int i = 0; i <= 100; ++i) {
    train.x.push_back(i);
    train.y.push_back(i == 50 ? NAN : 4 * std::exp(-i / 30.0));
  }
  ASSERT_TRUE(writeLineChart(path, "Loss", "step", "nats", {train, flat}, error)) << error;
  ASSERT_TRUE(writeLineChart(output("empty.svg"), "Nothing", "", "", {}, error)) << error;
  ASSERT_TRUE(writeLineChart(output("point.svg"), "One", "x", "y", {{"p", {3}, {7}}}, error))
      << error;
  std::string svg = read(path);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("train &lt;a&amp;b&gt;"), std::string::npos);
  EXPECT_FALSE(writeLineChart(output("none/x.svg"), "", "", "", {}, error));
}

/// Reads a file with every bit flipped and of every length; the number of results that are neither
/// an array, whose elements are all there, nor words.
static int sweep(const std::string &name, const std::string &part, const std::string &good) {
  int wrong = 0;
  auto read = [&](const std::string &content) {
    std::string error, path = output(name);
    write(path, content);
    auto array = readArray(path + part, error);
    if (!array)
      return void(wrong += error.empty());
    uint64_t sum = 0;
    for (int64_t i = 0; i < array->bytes(); ++i)
      sum += uint64_t(static_cast<const unsigned char *>(
          static_cast<const void *>(array->data))[i]); // a fault if the file ends before
    wrong += array->bytes() != array->count() * bytesOf(array->element) || sum > uint64_t(1) << 60;
  };
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << bit % 8));
    read(bad);
  }
  for (size_t keep = 0; keep < good.size(); ++keep)
    read(good.substr(0, keep));
  return wrong;
}

TEST(Sweep, EveryBitAndLengthOfEveryFormat) {
  EXPECT_EQ(0,
            sweep("sweep.npy", "",
                  npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }", "12345678")));
  ZipFileMember stored{"x.npy", npyOf("(2, 1)", "12345678")}, packed = stored;
  packed.isDeflated = true;
  EXPECT_EQ(0, sweep("sweep.npz", "", zipOf({stored})));
  EXPECT_EQ(0, sweep("sweep.npz", ":x", zipOf({packed, {"y", "z"}}, /*isLong=*/true)));
  EXPECT_EQ(0, sweep("sweep.bin", ":f32[?, 2]", "12345678"));
  EXPECT_EQ(0, sweep("sweep.csv", "", "a,b\n1,2.5\n-3e2,0x4\n"));
  EXPECT_EQ(0, sweep("sweep.csv", ":b", "\"a\",b\r\n1,2.5\r\n3,4\r\n"));
  EXPECT_EQ(0, sweep("sweep.tsv", "", "1\t2\n3\t4\n"));
  EXPECT_EQ(0, sweep("sweep.safetensors", ":b",
                     safetensors(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                                 "12345678")));
}
