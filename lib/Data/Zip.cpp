// Directories of ZIP archives, checked as a whole, and deflated streams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define ZLIB_CONST
#include "lib/Data/Zip.h"
#include <algorithm>
#include <cstring>
#include <zlib.h>

using namespace ampc;

/// Signatures and lengths of records without their variable parts.
static constexpr uint32_t localSignature = 0x04034b50, entrySignature = 0x02014b50,
                          endSignature = 0x06054b50, end64Signature = 0x06064b50,
                          locatorSignature = 0x07064b50;
static constexpr uint64_t localBytes = 30, entryBytes = 46, endBytes = 22, end64Bytes = 56,
                          locatorBytes = 20;
/// A 32-bit field whose number is in a ZIP64 record.
static constexpr uint32_t elsewhere = 0xffffffff;

/// Little-endian number at any address.
template <typename T> static T numberAt(const char *data) {
  T number;
  std::memcpy(&number, data, sizeof number);
  return number;
}

static bool fail(std::string &error, const std::string &message) {
  error = message;
  return false;
}
static bool damaged(std::string &error, const std::string &expectation) {
  return fail(error, "damaged file: expected " + expectation);
}

/// Offset of the end record, behind which is only the archive's comment; -1: none.
static int64_t findEnd(const Mapping &file) {
  int64_t last = file.bytes - int64_t(endBytes);
  for (int64_t place = last; place >= 0 && place >= last - 0xffff; --place)
    if (numberAt<uint32_t>(file.data + place) == endSignature &&
        numberAt<uint16_t>(file.data + place + 20) == last - place)
      return place;
  return -1;
}

bool ZipArchive::findDirectory(Directory &directory, std::string &error) const {
  int64_t end = findEnd(file);
  if (end < 0)
    return fail(error, "expected a .npz file, an archive of .npy files");
  const char *record = file.data + end;
  directory.count = numberAt<uint16_t>(record + 10);
  directory.bytes = numberAt<uint32_t>(record + 12);
  directory.begin = numberAt<uint32_t>(record + 16);
  auto limit = uint64_t(end);
  // Writers add ZIP64 records early: Python from 2 GiB on, while all numbers fit 32 bits.
  if (limit >= locatorBytes && numberAt<uint32_t>(record - locatorBytes) == locatorSignature) {
    auto place = numberAt<uint64_t>(record - locatorBytes + 8);
    limit -= locatorBytes;
    if (limit < end64Bytes || place > limit - end64Bytes ||
        numberAt<uint32_t>(file.data + place) != end64Signature)
      return damaged(error, "a ZIP64 record in front of the end of the archive");
    directory.count = numberAt<uint64_t>(file.data + place + 32);
    directory.bytes = numberAt<uint64_t>(file.data + place + 40);
    directory.begin = numberAt<uint64_t>(file.data + place + 48);
    limit = place;
  }
  if (directory.begin > limit || directory.bytes != limit - directory.begin ||
      directory.count > directory.bytes / entryBytes)
    return damaged(error, "a directory between the members and the end of the archive");
  return true;
}

/// Takes numbers that do not fit 32 bits from the ZIP64 field among the extra fields, in the order
/// of the specification.
static bool takeLongNumbers(const char *extra, const char *end,
                            std::initializer_list<uint64_t *> numbers) {
  for (uint16_t size; end - extra >= 4; extra += size) {
    auto id = numberAt<uint16_t>(extra);
    size = numberAt<uint16_t>(extra + 2);
    extra += 4;
    if (end - extra < size)
      return false;
    if (id != 1)
      continue;
    const char *place = extra;
    for (uint64_t *number : numbers) {
      if (*number != elsewhere)
        continue;
      if (extra + size - place < 8)
        return false;
      *number = numberAt<uint64_t>(place);
      place += 8;
    }
  }
  return true;
}

bool ZipArchive::readMember(const char *&cursor, const char *end, std::string &error) {
  if (end - cursor < int64_t(entryBytes) || numberAt<uint32_t>(cursor) != entrySignature)
    return damaged(error, "an entry of the directory for every member");
  auto nameBytes = numberAt<uint16_t>(cursor + 28), extraBytes = numberAt<uint16_t>(cursor + 30),
       commentBytes = numberAt<uint16_t>(cursor + 32);
  if (end - cursor - int64_t(entryBytes) < int64_t(nameBytes) + extraBytes + commentBytes)
    return damaged(error, "an entry of the directory for every member");
  ZipMember member;
  member.name.assign(cursor + entryBytes, nameBytes);
  member.isEncrypted = numberAt<uint16_t>(cursor + 8) & 1;
  member.method = numberAt<uint16_t>(cursor + 10);
  member.crc = numberAt<uint32_t>(cursor + 16);
  member.packed = numberAt<uint32_t>(cursor + 20);
  member.bytes = numberAt<uint32_t>(cursor + 24);
  member.header = numberAt<uint32_t>(cursor + 42);
  const char *extra = cursor + entryBytes + nameBytes;
  if (!takeLongNumbers(extra, extra + extraBytes, {&member.bytes, &member.packed, &member.header}))
    return damaged(error, "the extra fields of member '" + member.name + "' to be complete");
  cursor = extra + extraBytes + commentBytes;
  members.push_back(std::move(member));
  return true;
}

/// Members in the order of the file: each ends in front of the next one, and the last in front of
/// the directory. An archive with overlaps could unpack one stretch many times.
bool ZipArchive::checkPlaces(uint64_t directory, std::string &error) {
  std::vector<ZipMember *> order;
  for (ZipMember &member : members)
    order.push_back(&member);
  std::sort(order.begin(), order.end(), [](const ZipMember *one, const ZipMember *other) {
    return one->header != other->header ? one->header < other->header : one < other;
  });
  for (size_t i = 0; i < order.size(); ++i) {
    ZipMember &member = *order[i];
    member.end = i + 1 < order.size() ? order[i + 1]->header : directory;
    std::string next =
        i + 1 < order.size() ? "member '" + order[i + 1]->name + "'" : std::string("the directory");
    uint64_t least = localBytes + member.name.size();
    if (member.header > directory || member.end - member.header < least ||
        member.packed > member.end - member.header - least)
      return damaged(error, "member '" + member.name + "' to end in front of " + next);
  }
  return true;
}

bool ZipArchive::open(Mapping mapped, std::string &error) {
  file = std::move(mapped);
  Directory directory;
  if (!findDirectory(directory, error))
    return false;
  const char *cursor = file.data + directory.begin, *end = cursor + directory.bytes;
  for (uint64_t i = 0; i < directory.count; ++i)
    if (!readMember(cursor, end, error))
      return false;
  if (cursor != end)
    return damaged(error, "an entry of the directory for every member");
  return checkPlaces(directory.begin, error);
}

const char *ZipArchive::contentOf(const ZipMember &member, std::string &error) const {
  const char *header = file.data + member.header;
  // checkPlaces left room for the header and the name.
  uint64_t nameBytes = numberAt<uint16_t>(header + 26),
           extraBytes = numberAt<uint16_t>(header + 28);
  bool agrees = numberAt<uint32_t>(header) == localSignature &&
                numberAt<uint16_t>(header + 8) == member.method &&
                nameBytes == member.name.size() &&
                !std::memcmp(header + localBytes, member.name.data(), nameBytes);
  uint64_t rest = member.end - member.header - localBytes - nameBytes;
  if (agrees && extraBytes <= rest && member.packed <= rest - extraBytes)
    return header + localBytes + nameBytes + extraBytes;
  damaged(error, "the header of member '" + member.name + "' to agree with the directory");
  return nullptr;
}

/// `packed` is the part of the input that `stream` has not got: zlib counts in 32 bits.
struct Inflater::State {
  z_stream stream = {};
  const char *packed;
  uint64_t left;
  uint32_t crc = 0;
  bool isOpen, isEnded = false;

  /// A call of inflate with room for `room` bytes. False if the stream is damaged or cut.
  bool step(char *to, uInt room) {
    constexpr uint64_t most = 1 << 30;
    if (!stream.avail_in) {
      stream.next_in = reinterpret_cast<const Bytef *>(packed);
      stream.avail_in = uInt(std::min(left, most));
      packed += stream.avail_in;
      left -= stream.avail_in;
    }
    stream.next_out = reinterpret_cast<Bytef *>(to);
    stream.avail_out = room;
    int status = inflate(&stream, Z_NO_FLUSH);
    isEnded = status == Z_STREAM_END;
    return isEnded || status == Z_OK;
  }
};

Inflater::Inflater(const char *data, uint64_t bytes) : state(std::make_unique<State>()) {
  state->packed = data;
  state->left = bytes;
  // Negative: a stream without the header and the checksum of zlib.
  state->isOpen = inflateInit2(&state->stream, -MAX_WBITS) == Z_OK;
}

Inflater::~Inflater() {
  if (state->isOpen)
    inflateEnd(&state->stream);
}

bool Inflater::read(char *to, uint64_t count) {
  constexpr uint64_t most = 1 << 30;
  while (count > 0) {
    auto room = uInt(std::min(count, most));
    if (!state->isOpen || state->isEnded || !state->step(to, room))
      return false;
    uint64_t got = room - state->stream.avail_out;
    state->crc = uint32_t(crc32_z(state->crc, reinterpret_cast<const Bytef *>(to), got));
    to += got;
    count -= got;
  }
  return true;
}

bool Inflater::isAtEnd() {
  char more;
  while (!state->isEnded)
    if (!state->isOpen || !state->step(&more, 1) || !state->stream.avail_out)
      return false;
  return !state->left && !state->stream.avail_in;
}

uint32_t Inflater::crc() const { return state->crc; }

uint32_t ampc::crc32Of(const char *data, uint64_t bytes) {
  return uint32_t(crc32_z(0, reinterpret_cast<const Bytef *>(data), bytes));
}
