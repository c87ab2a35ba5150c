// The bytes of large tensors stay where they are in a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RAW_H
#define LIB_IMPORT_ONNX_RAW_H

#include <map>
#include <optional>
#include <set>
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

/// What PyTorch's exporter says of initializers beside the graph. onnx.proto may be older than the
/// fields that have it.
struct ExporterNotes {
  /// Of those that it computed: the names of all values that they were computed from.
  std::map<std::string, std::vector<std::string>, std::less<>> computedFrom;
  /// Names of the module's parameters, and of its buffers and constants. Empty if it does not say.
  std::set<std::string, std::less<>> parameters, others;
  /// Of every node: the op of the module that it is made from, such as
  /// torch.ops.aten.linear.default, and which of them that read, in its order.
  struct Source {
    std::string op;
    std::vector<std::string> reads;
  };
  std::vector<Source> sources;
};
ExporterNotes exporterNotes(std::string_view file);
} // namespace ampc::onnx
#endif
