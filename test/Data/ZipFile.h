// ZIP archives for tests, right or wrong in any field.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_DATA_ZIPFILE_H
#define TEST_DATA_ZIPFILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <zlib.h>

/// A member: content, and the numbers of the directory entry that differ from the truth.
struct ZipFileMember {
  std::string name, content;
  bool isDeflated = false;
  uint16_t flags = 0;
  std::optional<uint16_t> method = {};
  std::optional<uint32_t> crc = {};
  std::optional<uint64_t> bytes = {}, packed = {}, header = {};
};

template <typename T> void append(std::string &to, T number) {
  to.append(reinterpret_cast<const char *>(&number), sizeof number);
}

inline std::string deflated(const std::string &content) {
  std::string result(compressBound(content.size()) + 16, '\0');
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
  stream.avail_in = uInt(content.size());
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = uInt(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// `isLong`: every length and offset of the directory is in a ZIP64 field, and so is the
/// directory's own place.
inline std::string zipOf(const std::vector<ZipFileMember> &members, bool isLong = false,
                         const std::string &comment = "") {
  std::string file, directory;
  for (const ZipFileMember &member : members) {
    std::string content = member.isDeflated ? deflated(member.content) : member.content;
    uint16_t method = member.method.value_or(member.isDeflated ? 8 : 0);
    auto crc = uint32_t(crc32(0, reinterpret_cast<const Bytef *>(member.content.data()),
                              uInt(member.content.size())));
    crc = member.crc.value_or(crc);
    uint64_t bytes = member.bytes.value_or(member.content.size()),
             packed = member.packed.value_or(content.size()),
             header = member.header.value_or(file.size());
    file += "PK\3\4";
    for (uint16_t number : {uint16_t(20), member.flags, method, uint16_t(0), uint16_t(0)})
      append(file, number);
    append(file, crc);
    append(file, uint32_t(packed));
    append(file, uint32_t(bytes));
    append(file, uint16_t(member.name.size()));
    append(file, uint16_t(4)); // an empty extra field
    file += member.name + std::string("\xfe\xca\0\0", 4) + content;
    directory += "PK\1\2";
    for (uint16_t number :
         {uint16_t(45), uint16_t(20), member.flags, method, uint16_t(0), uint16_t(0)})
      append(directory, number);
    append(directory, crc);
    append(directory, isLong ? ~uint32_t(0) : uint32_t(packed));
    append(directory, isLong ? ~uint32_t(0) : uint32_t(bytes));
    append(directory, uint16_t(member.name.size()));
    append(directory, uint16_t(isLong ? 28 : 0));
    directory += std::string(10, '\0'); // comment, disk, attributes
    append(directory, isLong ? ~uint32_t(0) : uint32_t(header));
    directory += member.name;
    if (isLong) {
      append(directory, uint16_t(1));
      append(directory, uint16_t(24));
      for (uint64_t number : {bytes, packed, header})
        append(directory, number);
    }
  }
  uint64_t begin = file.size();
  file += directory;
  uint64_t count = members.size(), end = file.size();
  if (isLong) {
    file += "PK\6\6";
    append(file, uint64_t(44));
    append(file, uint32_t(45 << 16 | 45));
    append(file, uint64_t(0)); // disks
    for (uint64_t number : {count, count, uint64_t(directory.size()), begin})
      append(file, number);
    file += "PK\6\7";
    append(file, uint32_t(0));
    append(file, end);
    append(file, uint32_t(1));
  }
  file += std::string("PK\5\6\0\0\0\0", 8);
  append(file, isLong ? uint16_t(~0) : uint16_t(count));
  append(file, isLong ? uint16_t(~0) : uint16_t(count));
  append(file, isLong ? ~uint32_t(0) : uint32_t(directory.size()));
  append(file, isLong ? ~uint32_t(0) : uint32_t(begin));
  append(file, uint16_t(comment.size()));
  return file + comment;
}

/// Content of a .npy file of f32.
inline std::string npyOf(const std::string &shape, const std::string &data) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY\1";
  file += '\0';
  append(file, uint16_t(header.size()));
  return file + header + data;
}

#endif
