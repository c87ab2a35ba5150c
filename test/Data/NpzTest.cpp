// NumPy's archives: choice of arrays, ZIP64, and damaged or hostile archives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Formats.h"
#include "test/Data/ZipFile.h"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace ampc;

namespace {
std::string written(const std::string &content, const char *name = "a.npz") {
  std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}
/// Bytes of the array that a source gives; the message instead of an array.
std::string read(const std::string &source, const std::string &input = "") {
  std::string error;
  auto array = readSource(source, input, error);
  if (array)
    return std::string(static_cast<const char *>(array->data), size_t(array->bytes()));
  std::string prefix = fileOf(source) + ": ";
  EXPECT_EQ(error.compare(0, prefix.size(), prefix), 0) << error;
  return error.substr(std::min(error.size(), prefix.size()));
}
std::string errorOf(const std::vector<ZipFileMember> &members, bool isLong = false) {
  return read(written(zipOf(members, isLong)), "x");
}
ZipFileMember deflatedMember(const std::string &name, const std::string &content) {
  ZipFileMember member{name, content};
  member.isDeflated = true;
  return member;
}
} // namespace

TEST(Npz, ReadsStoredAndDeflated) {
  std::string zeros(1 << 20, '\0'), parts = zeros + "12345678" + zeros;
  for (bool isLong : {false, true})
    for (const char *comment : {"", "PK\5\6: a comment that looks like an end record"}) {
      std::string path = written(zipOf({{"x.npy", npyOf("(2,)", "12345678")},
                                        deflatedMember("y.npy", npyOf("(1, 1)", "abcd")),
                                        deflatedMember("z.npy", npyOf("(524290,)", parts)),
                                        {"e.npy", npyOf("(0, 3)", "")},
                                        deflatedMember("d.npy", npyOf("(0, 3)", "")),
                                        {"notes.txt", "no array"}},
                                       isLong, comment));
      EXPECT_EQ(read(path + ":x"), "12345678");
      EXPECT_EQ(read(path + ":y"), "abcd");
      EXPECT_EQ(read(path + ":z"), parts);
      EXPECT_EQ(read(path + ":e"), "");
      EXPECT_EQ(read(path + ":d"), "");
    }
}

TEST(Npz, ChoosesArrays) {
  std::string path =
      written(zipOf({{"x.npy", npyOf("(1,)", "1234")}, {"a:b.npy", npyOf("(1,)", "abcd")}}));
  EXPECT_EQ(read(path, "x"), "1234");
  EXPECT_EQ(read(path + ":", "x"), "1234");
  EXPECT_EQ(read(path + ":a:b", "x"), "abcd");
  EXPECT_EQ(read(path + ":c", "x"), "expected an array, one of 'x', 'a:b', but got 'c'");
  EXPECT_EQ(read(path + ":notes", "x"), "expected an array, one of 'x', 'a:b', but got 'notes'");
  EXPECT_EQ(read(path, "y"), "expected an array 'y' or a single array, but got 'x', 'a:b'; "
                             "FILE.npz:NAME names one");
  EXPECT_EQ(read(path), "expected a single array, but got 'x', 'a:b'; FILE.npz:NAME names one");
  path = written(zipOf({{"arr_0.npy", npyOf("(1,)", "1234")}, {"notes.txt", "no array"}}));
  EXPECT_EQ(read(path, "y"), "1234");
  EXPECT_EQ(read(path + ":y"), "expected an array, one of 'arr_0', but got 'y'");
  EXPECT_EQ(read(written(zipOf({{"notes.txt", "no array"}})), "x"),
            "expected arrays, but the archive has none");
  EXPECT_EQ(read(written(zipOf({})), "x"), "expected arrays, but the archive has none");
  path = written(zipOf({{"x.npy", npyOf("(1,)", "1234")}, {"x.npy", npyOf("(1,)", "abcd")}}));
  EXPECT_EQ(read(path, "x"), "expected one array 'x', but got several");
}

TEST(Npz, RefusesDamagedMembers) {
  std::string good = npyOf("(2,)", "12345678");
  const std::string size = std::to_string(good.size());
  for (bool isDeflated : {false, true}) {
    ZipFileMember member{"x.npy", good};
    member.isDeflated = isDeflated;
    ZipFileMember bad = member;
    bad.crc = 1;
    EXPECT_EQ(errorOf({bad}), "array 'x': damaged file: expected content that agrees with its CRC");
    bad = member;
    bad.flags = 1;
    EXPECT_EQ(errorOf({bad}), "array 'x': expected a member without encryption");
    bad = member;
    bad.method = 12;
    EXPECT_EQ(errorOf({bad}),
              "array 'x': expected a stored or deflated member, but got compression method 12");
    bad = member;
    bad.content = npyOf("(1,)", "12345678");
    EXPECT_EQ(errorOf({bad}), "array 'x': expected 4 bytes of data, but got 8");
    bad.content = "hello, world";
    EXPECT_EQ(errorOf({bad}), "array 'x': expected a .npy file");
  }
  ZipFileMember bad{"x.npy", good};
  bad.bytes = 7;
  EXPECT_EQ(errorOf({bad}), "array 'x': damaged file: expected 7 stored bytes, but got " + size);
  bad = deflatedMember("x.npy", good);
  for (int64_t more : {-1, 1}) { // the shape in the head says the same as the directory
    bad.content = npyOf("(2,)", std::string(size_t(8 - more), 'a'));
    bad.bytes = good.size();
    EXPECT_EQ(errorOf({bad}),
              "array 'x': damaged file: expected a deflated stream of " + size + " bytes");
  }
  bad = deflatedMember("x.npy", good);
  bad.packed = deflated(good).size() - 1;
  EXPECT_EQ(errorOf({bad}),
            "array 'x': damaged file: expected a deflated stream of " + size + " bytes");
  bad.packed = deflated(good).size() + 1;
  EXPECT_EQ(errorOf({bad}), "array 'x': damaged file: expected the header of member 'x.npy' to "
                            "agree with the directory");
  bad.packed = deflated(good).size() + 5;
  EXPECT_EQ(errorOf({bad}),
            "damaged file: expected member 'x.npy' to end in front of the directory");
  ZipFileMember more{"x.npy", deflated(good) + "x"}; // a byte behind the stream
  more.method = 8;
  more.bytes = good.size();
  more.crc = uint32_t(crc32(0, reinterpret_cast<const Bytef *>(good.data()), uInt(good.size())));
  EXPECT_EQ(errorOf({more}),
            "array 'x': damaged file: expected a deflated stream of " + size + " bytes");
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
              wide = "\x93NUMPY\2";
  wide += '\0';
  append(wide, uint32_t(200000));
  wide += header + std::string(200000 - header.size(), ' ') + "1234";
  EXPECT_EQ(errorOf({{"x.npy", wide}}), "1234");
  EXPECT_EQ(errorOf({deflatedMember("x.npy", wide)}),
            "array 'x': expected a header of at most 131060 bytes, but got 200000");
  std::string cut = zipOf({{"x.npy", good}});
  cut[30] = 'y'; // the name in the local header
  EXPECT_EQ(read(written(cut), "x"), "array 'x': damaged file: expected the header of member "
                                     "'x.npy' to agree with the directory");
}

// Lengths that a hostile file states cost no memory: the sizes here are 4 TiB and more.
TEST(Npz, RefusesBombs) {
  uint64_t huge = uint64_t(1) << 42;
  std::string zeros(1 << 20, '\0');
  ZipFileMember bomb = deflatedMember("x.npy", npyOf("(1099511627776,)", zeros));
  bomb.bytes = huge + bomb.content.size() - zeros.size();
  EXPECT_EQ(errorOf({bomb}, true).substr(0, 41), "array 'x': damaged file: expected at most");
  // An array of 4 bytes, and a megabyte behind: refused in front of the megabyte.
  bomb = deflatedMember("x.npy", npyOf("(1,)", zeros));
  EXPECT_EQ(errorOf({bomb}), "array 'x': expected 4 bytes of data, but got 1048576");
  ZipFileMember one{"x.npy", npyOf("(2,)", "12345678")}, other{"y.npy", one.content};
  other.header = 0;
  EXPECT_EQ(errorOf({one, other}),
            "damaged file: expected member 'x.npy' to end in front of member 'y.npy'");
  other.header = 40;
  EXPECT_EQ(errorOf({one, other}),
            "damaged file: expected member 'x.npy' to end in front of member 'y.npy'");
  for (uint64_t header : {uint64_t(1) << 20, huge, ~uint64_t(0)}) {
    other.header = header;
    EXPECT_EQ(errorOf({one, other}, true),
              "damaged file: expected member 'y.npy' to end in front of the directory");
  }
  other.header = {};
  other.packed = ~uint64_t(0);
  EXPECT_EQ(errorOf({one, other}, true),
            "damaged file: expected member 'y.npy' to end in front of the directory");
}

TEST(Npz, RefusesDamagedDirectories) {
  std::string good = zipOf({{"x.npy", npyOf("(1,)", "1234")}}),
              longer = zipOf({{"x.npy", npyOf("(1,)", "1234")}}, true);
  EXPECT_EQ(read(written("")), "expected a .npz file, an archive of .npy files");
  EXPECT_EQ(read(written("hello, world")), "expected a .npz file, an archive of .npy files");
  EXPECT_EQ(read(written(good.substr(0, good.size() - 1))),
            "expected a .npz file, an archive of .npy files");
  EXPECT_EQ(read(written(good.substr(1))),
            "damaged file: expected a directory between the members and the end of the archive");
  std::string bad = good;
  bad[good.size() - 12] = 2; // number of members
  EXPECT_EQ(read(written(bad)),
            "damaged file: expected a directory between the members and the end of the archive");
  bad[good.size() - 12] = 0;
  EXPECT_EQ(read(written(bad)),
            "damaged file: expected an entry of the directory for every member");
  bad = longer;
  bad[longer.size() - 22 - 12] ^= 1; // place of the ZIP64 record
  EXPECT_EQ(read(written(bad)),
            "damaged file: expected a ZIP64 record in front of the end of the archive");
  bad = longer;
  bad[longer.size() - 22 - 20 - 56 - 26] = 8; // length of the ZIP64 field
  EXPECT_EQ(read(written(bad)),
            "damaged file: expected the extra fields of member 'x.npy' to be complete");
}
