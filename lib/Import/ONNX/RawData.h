// Access to large tensors in an ONNX file without copying the bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RAWDATA_H
#define LIB_IMPORT_ONNX_RAWDATA_H

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::onnx {
/// A model without the raw data of its graph's initializers, for protobuf, which copies all bytes
/// it parses: weights would be in memory twice.
struct Stripped {
  std::string bytes;
  /// raw data of each initializer, inside the file
  std::vector<std::optional<std::string_view>> raw;
};
/// Strips raw data; nothing for malformed bytes, and for protobuf groups, which no version of ONNX
/// has.
std::optional<Stripped> withoutRaw(std::string_view file);

/// Notes of PyTorch's exporter on initializers and nodes. Read by hand, because onnx.proto may be
/// older than the fields.
struct ExporterNotes {
  /// Computed initializers -> names of all values that entered the computation.
  std::map<std::string, std::vector<std::string>, std::less<>> computedFrom;
  /// Names of the module's parameters, and of the buffers and constants; empty without notes.
  std::set<std::string, std::less<>> parameters, others;
  /// Per node: the op of the module, such as torch.ops.aten.linear.default, and the module's values
  /// that the op read, in order.
  struct Source {
    std::string op;
    std::vector<std::string> reads;
  };
  std::vector<Source> sources;
};
ExporterNotes exporterNotes(std::string_view file);
} // namespace ampc::onnx
#endif
