// NumPy's .npz files: archives of .npy files, stored (numpy.savez) or deflated
// (numpy.savez_compressed).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Formats.h"
#include "lib/Data/NpyHead.h"
#include "lib/Data/Text.h"
#include "lib/Data/Zip.h"
#include <algorithm>
#include <cstring>
#include <new>

using namespace ampc;

/// Name of the array of a member: "fc1.npy" -> "fc1". Nothing for other members.
static std::optional<std::string> arrayNameOf(const ZipMember &member) {
  constexpr size_t suffix = 4;
  if (member.name.size() < suffix ||
      member.name.compare(member.name.size() - suffix, suffix, ".npy"))
    return std::nullopt;
  return member.name.substr(0, member.name.size() - suffix);
}

/// Member of the array `name`, or for an empty name of `input` or the only array. Null with a
/// message without a path.
static const ZipMember *choose(const ZipArchive &archive, const std::string &name,
                               const std::string &input, std::string &error) {
  const std::string &wanted = name.empty() ? input : name;
  std::vector<std::string> names;
  const ZipMember *found = nullptr, *last = nullptr;
  for (const ZipMember &member : archive.getMembers()) {
    std::optional<std::string> array = arrayNameOf(member);
    if (!array)
      continue;
    names.push_back(*array);
    last = &member;
    if (*array != wanted)
      continue;
    if (found) {
      error = "expected one array '" + wanted + "', but got several";
      return nullptr;
    }
    found = &member;
  }
  if (found || (name.empty() && names.size() == 1))
    return found ? found : last;
  std::string known = nameList(names, /*most=*/12);
  if (names.empty())
    error = "expected arrays, but the archive has none";
  else if (!name.empty())
    error = "expected an array, one of " + known + ", but got '" + name + "'";
  else
    error = "expected " + (input.empty() ? "" : "an array '" + input + "' or ") +
            "a single array, but got " + known + "; FILE.npz:NAME names one";
  return nullptr;
}

static std::string wrongCrc() { return "damaged file: expected content that agrees with its CRC"; }

/// An array on the bytes of the file.
static std::optional<Array> readStored(const ZipArchive &archive, const ZipMember &member,
                                       const char *content, std::string &error) {
  auto bytes = int64_t(member.packed);
  if (member.bytes != member.packed)
    error = "damaged file: expected " + std::to_string(member.bytes) + " stored bytes, but got " +
            std::to_string(member.packed);
  else if (crc32Of(content, member.packed) != member.crc)
    error = wrongCrc();
  else if (std::optional<NpyHead> head = parseNpyHead(content, bytes, bytes, error))
    return Array{head->element, head->dims, content + head->begin, archive.getFile().owner, 0};
  return std::nullopt;
}

/// Memory for `bytes` bytes; null if there is none.
static std::shared_ptr<void> allocate(int64_t bytes) {
  return std::shared_ptr<void>(new (std::nothrow) char[size_t(bytes)],
                               [](void *data) { delete[] static_cast<char *>(data); });
}

/// An array in memory of its own. The head is unpacked first: memory is allocated for the elements
/// of the shape in the head, only if the directory states the same length, and only if the packed
/// bytes can hold that many.
static std::optional<Array> readDeflated(const ZipMember &member, const char *content,
                                         std::string &error) {
  constexpr uint64_t mostHead = 1 << 17; // numpy.savez writes 128 bytes for a plain type
  auto fail = [&](const std::string &message) {
    error = message;
    return std::nullopt;
  };
  if (member.bytes / Inflater::mostRatio > member.packed)
    return fail("damaged file: expected at most " +
                std::to_string(member.packed * Inflater::mostRatio) + " bytes from " +
                std::to_string(member.packed) + " packed ones, but got " +
                std::to_string(member.bytes));
  const std::string wrongStream =
      "damaged file: expected a deflated stream of " + std::to_string(member.bytes) + " bytes";
  std::vector<char> start(std::min(member.bytes, mostHead));
  Inflater inflater(content, member.packed);
  if (!inflater.read(start.data(), start.size()))
    return fail(wrongStream);
  std::optional<NpyHead> head =
      parseNpyHead(start.data(), int64_t(start.size()), int64_t(member.bytes), error);
  if (!head)
    return std::nullopt;
  int64_t bytes = int64_t(member.bytes) - head->begin, known = int64_t(start.size()) - head->begin;
  std::shared_ptr<void> memory = allocate(bytes);
  auto *data = static_cast<char *>(memory.get());
  if (!data)
    return fail("no memory for " + std::to_string(bytes) + " bytes");
  std::memcpy(data, start.data() + head->begin, size_t(known));
  if (!inflater.read(data + known, uint64_t(bytes - known)) || !inflater.isAtEnd())
    return fail(wrongStream);
  if (inflater.crc() != member.crc)
    return fail(wrongCrc());
  return Array{head->element, head->dims, data, std::move(memory), 0};
}

static std::optional<Array> readMember(const ZipArchive &archive, const ZipMember &member,
                                       std::string &error) {
  constexpr uint16_t stored = 0, deflated = 8;
  if (member.isEncrypted) {
    error = "expected a member without encryption";
    return std::nullopt;
  }
  if (member.method != stored && member.method != deflated) {
    error = "expected a stored or deflated member, but got compression method " +
            std::to_string(member.method);
    return std::nullopt;
  }
  const char *content = archive.contentOf(member, error);
  if (!content)
    return std::nullopt;
  return member.method == stored ? readStored(archive, member, content, error)
                                 : readDeflated(member, content, error);
}

std::optional<Array> ampc::readNpz(const std::string &path, const std::string &name,
                                   const std::string &input, std::string &error) {
  std::optional<Mapping> file = mapFile(path, error);
  if (!file)
    return std::nullopt;
  ZipArchive archive;
  const ZipMember *member =
      archive.open(std::move(*file), error) ? choose(archive, name, input, error) : nullptr;
  std::optional<Array> array;
  if (member) {
    array = readMember(archive, *member, error);
    if (!array)
      error = "array '" + arrayNameOf(*member).value_or("") + "': " + error;
  }
  if (!array)
    error = path + ": " + error;
  return array;
}
