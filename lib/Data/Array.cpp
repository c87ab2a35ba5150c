// Element types by name, and the format and part that a data source selects, e.g. `x.csv:age`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Formats.h"
#include "ampc/Data/Mapping.h"
#include "ampc/Runtime/Model.h"
#include <cstring>
#include <sys/mman.h>
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

namespace {
/// File format by extension, and whether a part may follow a colon, e.g. `w.safetensors:layer1`.
struct Suffix {
  const char *text;
  FileFormat format;
  bool hasPart; ///< FILE:PART is allowed
  bool needsPart;
};
constexpr Suffix suffixes[] = {{".npy", FileFormat::Npy, false, false},
                               {".npz", FileFormat::Npz, true, false},
                               {".safetensors", FileFormat::Safetensors, true, true},
                               {".csv", FileFormat::Table, true, false},
                               {".tsv", FileFormat::Table, true, false},
                               {".bin", FileFormat::Raw, true, false},
                               {".raw", FileFormat::Raw, true, false},
                               {".dat", FileFormat::Raw, true, false}};

struct SourceName {
  std::string file, part;
  FileFormat format;
};

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// File, part and format of a data source; nothing for an unknown extension.
std::optional<SourceName> split(const std::string &source) {
  for (const Suffix &suffix : suffixes) {
    if (!suffix.needsPart && endsWith(source, suffix.text))
      return SourceName{source, "", suffix.format};
    size_t colon = source.find(std::string(suffix.text) + ":");
    if (!suffix.hasPart || colon == std::string::npos)
      continue;
    colon += std::strlen(suffix.text);
    return SourceName{source.substr(0, colon), source.substr(colon + 1), suffix.format};
  }
  return std::nullopt;
}
} // namespace

std::optional<FileFormat> ampc::formatOf(const std::string &path) {
  for (const Suffix &suffix : suffixes)
    if (endsWith(path, suffix.text))
      return suffix.format;
  return std::nullopt;
}

std::string ampc::fileOf(const std::string &source) {
  std::optional<SourceName> parts = split(source);
  return parts ? parts->file : source;
}

std::optional<Array> ampc::readArray(const std::string &source, std::string &error,
                                     bool fillsEmpty) {
  return readSource(source, /*input=*/"", error, fillsEmpty);
}

std::optional<Array> ampc::readSource(const std::string &source, const std::string &input,
                                      std::string &error, bool fillsEmpty) {
  std::optional<SourceName> parts = split(source);
  if (!parts) {
    error = source + ": expected FILE.npy, FILE.npz or FILE.npz:ARRAY, FILE.csv or FILE.tsv, "
                     "FILE.csv:COLUMNS, FILE.safetensors:TENSOR or FILE.bin:TYPE[SIZES]";
    return std::nullopt;
  }
  switch (parts->format) {
  case FileFormat::Npy:
    return readNpy(source, error);
  case FileFormat::Npz:
    return readNpz(parts->file, parts->part, input, error);
  case FileFormat::Safetensors:
    return readSafetensors(parts->file, parts->part, error);
  case FileFormat::Table:
    return readTable(parts->file, parts->part, fillsEmpty, error);
  case FileFormat::Raw:
    return readRaw(parts->file, parts->part, error);
  }
  return std::nullopt;
}
