// Reading and writing arrays: .npy and safetensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PTXSIM_ARRAYS_H
#define TOOLS_AMPC_PTXSIM_ARRAYS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ptxsim {

struct Array {
  std::string type; ///< "f32", "f16", "bf16", "i32", "u8", ...
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes; ///< size by type and shape, or empty
};

/// Bytes of an element; throws Error(Argument) for an unknown type.
unsigned elementSize(const std::string &type);
/// Bytes by type and shape. Throws Error(Argument) beyond 2^40 elements.
uint64_t byteCount(const Array &array);
/// Reads a source such as "x.npy" or "weights.safetensors:name". Throws Error(Argument).
Array readArray(const std::string &source);
/// Writes .npy; bf16 is stored as 16-bit integers, because NumPy lacks bf16.
void writeArray(const std::string &path, const Array &array);

} // namespace ptxsim
#endif
