// Arrays in files: .npy and safetensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_ARRAY_H
#define AMPC_DATA_ARRAY_H

#include "ampc/Runtime/Common.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ampc {
/// A row-major array in a file that is mapped into memory; copies share the mapping.
struct Array {
  ampc_dtype dtype = AMPC_F32;
  std::vector<int64_t> dims;
  const void *data = nullptr;
  std::shared_ptr<void> mapping;

  int64_t count() const;
  int64_t bytes() const;
};

int64_t bytesOf(ampc_dtype dtype);
/// "f32", "i64", ...; what messages call a type.
const char *nameOf(ampc_dtype dtype);

/// Reads versions 1 to 3 of the format, little-endian and in C order; `error` says what was
/// expected. Specification: numpy.lib.format.
std::optional<Array> readNpy(const std::string &path, std::string &error);
/// Writes version 1; false with a message in `error`. `dtype` is not bf16, which NumPy lacks.
bool writeNpy(const std::string &path, ampc_dtype dtype, const std::vector<int64_t> &dims,
              const void *data, std::string &error);

/// Reads the tensor `name` of a safetensors file.
std::optional<Array> readSafetensors(const std::string &path, const std::string &name,
                                     std::string &error);

/// "FILE.npy", or "FILE.safetensors:NAME".
std::optional<Array> readArray(const std::string &source, std::string &error);
} // namespace ampc
#endif
