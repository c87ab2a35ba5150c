// Writes safetensors files: header in JSON, then the bytes of all tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Array.h"
#include <cstring>

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

static int writeTo(OutputFile &file, const std::vector<NamedArray> &tensors) {
  std::string header = headerOf(tensors);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = static_cast<unsigned char>(uint64_t(header.size()) >> (8 * i));
  int failure = file.write(length, 8);
  if (!failure)
    failure = file.write(header.data(), header.size());
  for (const NamedArray &tensor : tensors)
    if (!failure)
      failure = file.write(tensor.array.data, size_t(tensor.array.bytes()));
  return failure ? failure : file.close();
}

bool ampc::writeSafetensors(const std::string &path, const std::vector<NamedArray> &tensors,
                            std::string &error) {
  OutputFile file;
  int failure = file.open(path, /*durable=*/true);
  if (!failure)
    failure = writeTo(file, tensors);
  if (failure)
    error = path + ": " + std::strerror(failure);
  return !failure;
}
