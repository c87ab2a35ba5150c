// Members of ZIP archives. Specification: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DATA_ZIP_H
#define LIB_DATA_ZIP_H

#include "ampc/Data/Mapping.h"

namespace ampc {
/// A member as the central directory describes the member. Lengths and offsets are in bytes.
struct ZipMember {
  std::string name;
  uint16_t method = 0; ///< 0: stored, 8: deflated
  bool isEncrypted = false;
  uint32_t crc = 0;    ///< CRC-32 of the unpacked content
  uint64_t packed = 0; ///< length of the content in the archive
  uint64_t bytes = 0;  ///< length of the unpacked content
  uint64_t header = 0; ///< offset of the local header
  uint64_t end = 0;    ///< offset of the next member, or of the directory
};

/// A mapped archive with a checked directory: members lie in front of the directory, apart from
/// each other.
class ZipArchive {
public:
  /// False with a message without a path if the file is no archive or damaged.
  bool open(Mapping file, std::string &error);
  const std::vector<ZipMember> &getMembers() const { return members; }
  /// Content of `member`, stored or deflated: `member.packed` bytes of the file. Null with a
  /// message if the local header contradicts the directory.
  const char *contentOf(const ZipMember &member, std::string &error) const;
  const Mapping &getFile() const { return file; }

private:
  /// Central directory: offset, length, number of entries. Example: 2 members, [300, 400).
  struct Directory {
    uint64_t begin = 0, bytes = 0, count = 0;
  };
  bool findDirectory(Directory &directory, std::string &error) const;
  bool readMember(const char *&cursor, const char *end, std::string &error);
  bool checkPlaces(uint64_t directory, std::string &error);

  Mapping file;
  std::vector<ZipMember> members;
};

/// Unpacks a deflated stream piece by piece.
class Inflater {
public:
  Inflater(const char *data, uint64_t bytes);
  Inflater(const Inflater &) = delete;
  ~Inflater();
  /// Unpacks exactly `count` bytes. False if the stream is damaged or ends before.
  bool read(char *to, uint64_t count);
  /// Whether the stream ends behind the bytes that were read, with the last packed byte.
  bool isAtEnd();
  /// CRC-32 of all bytes that were read.
  uint32_t crc() const;

  /// Upper bound of unpacked bytes per packed byte: a match of 258 bytes takes 2 bits at least.
  static constexpr uint64_t mostRatio = 1032;

private:
  struct State;
  std::unique_ptr<State> state;
};

uint32_t crc32Of(const char *data, uint64_t bytes);
} // namespace ampc
#endif
