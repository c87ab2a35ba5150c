// From an exported function of a model, with weights, to a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_EXPORT_ONNX_H
#define AMPC_EXPORT_ONNX_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace ampc {
struct ExportOptions {
  std::string function;        ///< name of the export; empty: the only one
  std::string weightsFile;     ///< for messages
  int64_t opset = 17;          ///< from 17 to 21
  std::string producerVersion; ///< of ampc
  std::string dataFile;        ///< beside the model, for weights that do not fit into it
  bool external = false;       ///< all weights go there
};

/// The bytes of a model, and what lies in the file beside it: one array after the other, each from
/// a multiple of 64 bytes on.
struct OnnxFile {
  std::string model;
  std::vector<Array> data;
  /// Of the batch, where the graph has that of the model; else nothing, and it takes any number.
  std::optional<int64_t> rows;
  /// What keeps it from any number: an op that mixes rows, and where it is; empty if nothing says
  /// which dimension is the batch.
  std::pair<std::string, mlir::LocationAttr> mixesRows;
};

/// The function in inference mode. The module has been through the phase `import`. One error names
/// every op without a counterpart, and one each tensor that `weights` lacks.
mlir::FailureOr<OnnxFile> exportOnnx(mlir::ModuleOp module, llvm::ArrayRef<NamedArray> weights,
                                     const ExportOptions &options);
/// Replaces the file beside a model; false with a message in `error`.
bool writeOnnxData(const std::string &path, const std::vector<Array> &data, std::string &error);
} // namespace ampc
#endif
