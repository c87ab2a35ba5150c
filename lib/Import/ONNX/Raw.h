// The bytes of large tensors stay where they are in a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RAW_H
#define LIB_IMPORT_ONNX_RAW_H

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::onnx {
/// A model without the raw data of its graph's initializers, for protobuf, which copies what it
/// reads: of a file of weights a second time in memory.
struct Stripped {
  std::string bytes;
  std::vector<std::optional<std::string_view>> raw; ///< of each initializer, inside the file
};
/// Nothing for bytes that are no message, and for those with groups, which no version of ONNX has.
std::optional<Stripped> withoutRaw(std::string_view file);

/// Of initializers that PyTorch's exporter computed: the names of all values that they were
/// computed from, as it notes them beside each. onnx.proto may be older than these notes.
std::map<std::string, std::vector<std::string>, std::less<>> computedFrom(std::string_view file);
} // namespace ampc::onnx
#endif
