// Types of elements, and files mapped into memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "ampc/Runtime/Model.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

int64_t Array::count() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}
int64_t Array::bytes() const { return count() * bytesOf(element); }

void Array::prefetch(int64_t begin, int64_t bytes) const {
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t start = reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(begin);
  uintptr_t first = start / page * page;
  madvise(reinterpret_cast<void *>(first), start + static_cast<uintptr_t>(bytes) - first,
          MADV_WILLNEED);
}

int64_t ampc::bytesOf(Element element) {
  switch (element) {
  case Element::U16:
    return 2;
  case Element::U32:
    return 4;
  case Element::U64:
    return 8;
  default:
    return ampc_rt_dtype_bytes(static_cast<int32_t>(element));
  }
}

const char *ampc::nameOf(Element element) {
  const char *const names[] = {"f32", "f64", "f16", "bf16", "i1",  "i8", "i16",
                               "i32", "i64", "u8",  "u16",  "u32", "u64"};
  return names[static_cast<size_t>(element)];
}

std::optional<int64_t> ampc::countElements(const std::vector<int64_t> &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count) || count > (int64_t(1) << 56))
      return std::nullopt;
  return count;
}

std::optional<Mapping> ampc::mapFile(int file, std::string &error) {
  struct stat status;
  if (fstat(file, &status)) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    error = "expected a regular file";
    return std::nullopt;
  }
  Mapping result;
  result.bytes = status.st_size;
  if (!result.bytes)
    return result;
  void *data = mmap(nullptr, size_t(result.bytes), PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  result.data = static_cast<const char *>(data);
  result.owner =
      std::shared_ptr<void>(data, [bytes = size_t(result.bytes)](void *p) { munmap(p, bytes); });
  return result;
}

std::optional<Mapping> ampc::mapFile(const std::string &path, std::string &error) {
  // A pipe that nobody writes to is refused like one that somebody does.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    error = path + ": " + std::strerror(errno);
    return std::nullopt;
  }
  std::optional<Mapping> result = mapFile(file, error);
  ::close(file);
  if (!result)
    error = path + ": " + error;
  return result;
}

namespace {
/// A kind of file, and what may stand behind a colon.
struct Suffix {
  const char *text;
  bool hasPart; ///< FILE:PART
  bool needsPart;
};
constexpr Suffix suffixes[] = {{".npy", false, false},
                               {".safetensors", true, true},
                               {".csv", true, false},
                               {".tsv", true, false}};

struct Parts {
  std::string file, part, suffix;
};

/// Nothing if the file is of none of the kinds.
std::optional<Parts> split(const std::string &source) {
  auto endsWith = [](const std::string &text, const std::string &end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  for (const Suffix &suffix : suffixes) {
    if (!suffix.needsPart && endsWith(source, suffix.text))
      return Parts{source, "", suffix.text};
    size_t colon = source.find(std::string(suffix.text) + ":");
    if (!suffix.hasPart || colon == std::string::npos)
      continue;
    colon += std::strlen(suffix.text);
    return Parts{source.substr(0, colon), source.substr(colon + 1), suffix.text};
  }
  return std::nullopt;
}
} // namespace

std::string ampc::fileOf(const std::string &source) {
  std::optional<Parts> parts = split(source);
  return parts ? parts->file : source;
}

std::optional<Array> ampc::readArray(const std::string &source, std::string &error,
                                     bool fillsEmpty) {
  std::optional<Parts> parts = split(source);
  if (!parts) {
    error =
        source +
        ": expected FILE.npy, FILE.csv or FILE.tsv, FILE.csv:COLUMNS or FILE.safetensors:TENSOR";
    return std::nullopt;
  }
  if (parts->suffix == ".npy")
    return readNpy(source, error);
  if (parts->suffix == ".safetensors")
    return readSafetensors(parts->file, parts->part, error);
  return readTable(parts->file, parts->part, fillsEmpty, error);
}
