// Writes safetensors files: a header in JSON, then the bytes of all tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace ampc;

static const char *dtypeOf(Element element) {
  static const char *const names[] = {"F32", "F64", "F16", "BF16", "BOOL", "I8", "I16",
                                      "I32", "I64", "U8",  "U16",  "U32",  "U64"};
  return names[static_cast<int>(element)];
}

static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned char>(c));
    if (c == '"' || c == '\\')
      result += '\\', result += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      result += escaped;
    else
      result += c;
  }
  return result + "\"";
}

static std::string headerOf(const std::vector<NamedArray> &tensors) {
  std::string header = "{";
  int64_t at = 0;
  for (const NamedArray &tensor : tensors) {
    header += (at || header.size() > 1 ? "," : "") + quoted(tensor.name) + ":{\"dtype\":\"" +
              dtypeOf(tensor.array.element) + "\",\"shape\":[";
    for (size_t i = 0; i < tensor.array.dims.size(); ++i)
      header += (i ? "," : "") + std::to_string(tensor.array.dims[i]);
    header += "],\"data_offsets\":[" + std::to_string(at);
    at += tensor.array.bytes();
    header += "," + std::to_string(at) + "]}";
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return header;
}

static bool writeTo(std::FILE *file, const std::vector<NamedArray> &tensors) {
  std::string header = headerOf(tensors);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = static_cast<unsigned char>(uint64_t(header.size()) >> (8 * i));
  if (std::fwrite(length, 1, 8, file) != 8 ||
      std::fwrite(header.data(), 1, header.size(), file) != header.size())
    return false;
  for (const NamedArray &tensor : tensors) {
    size_t bytes = size_t(tensor.array.bytes());
    if (std::fwrite(tensor.array.data, 1, bytes, file) != bytes)
      return false;
  }
  return !std::fflush(file) && !fsync(fileno(file));
}

bool ampc::writeSafetensors(const std::string &path, const std::vector<NamedArray> &tensors,
                            std::string &error) {
  std::string part = path + ".part";
  File file(std::fopen(part.c_str(), "wb"));
  if (file && writeTo(file.get(), tensors) && !std::rename(part.c_str(), path.c_str()))
    return true;
  error = path + ": " + std::strerror(errno);
  if (file)
    std::remove(part.c_str());
  return false;
}
