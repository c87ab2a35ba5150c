// Export of a model function with weights to an ONNX file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_EXPORT_ONNX_H
#define AMPC_EXPORT_ONNX_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace ampc {
/// The model with other numbers for open sizes.
struct SizeProbe {
  mlir::ModuleOp module;
  std::vector<int64_t> sizes;
};
/// Sizes beside the number of rows that stay open in the graph if the model is the same for all
/// numbers. Probe i has another number for size i alone, the last probe for all sizes.
struct OpenSizes {
  std::vector<std::string> names;
  std::vector<int64_t> sizes; ///< in the model
  std::vector<SizeProbe> probes;
};

struct ExportOptions {
  std::string function;    ///< name of the exported function; empty: the only export of the model
  std::string weightsFile; ///< for messages
  int64_t opset = 17;      ///< from 17 to 21
  std::string producerVersion; ///< version of ampc
  std::string dataFile;  ///< external data file beside the model, for weights beyond the size limit
                         ///< of ONNX files
  bool external = false; ///< all weights go to the external data file
  OpenSizes openSizes;
};

/// Serialized model, and the arrays of the external data file in order, each aligned to 64 bytes.
struct OnnxFile {
  std::string model;
  std::vector<Array> data;
  /// Batch size, if the graph is fixed to the model's batch; nothing if the graph accepts any
  /// number of rows.
  std::optional<int64_t> rows;
  bool hasRows = true; ///< false: the first dimension of inputs is an open size of the options
  /// Reason for a fixed batch: an op that mixes rows, and its location; empty if no input declares
  /// a batch dimension.
  std::pair<std::string, mlir::LocationAttr> mixesRows;
  /// Reason why sizes of the options are numbers in the graph; empty if all are open.
  std::string whyFixed;
  std::vector<std::string> openSizes; ///< names of open sizes
};

/// Exports the function in inference mode. Precondition: the module has been through the phase
/// `import`. A single error names every op without an ONNX counterpart; each tensor missing from
/// `weights` is an error of its own.
mlir::FailureOr<OnnxFile> exportOnnx(mlir::ModuleOp module, llvm::ArrayRef<NamedArray> weights,
                                     const ExportOptions &options);
/// Replaces the external data file atomically; false with a message in `error`.
bool writeOnnxData(const std::string &path, const std::vector<Array> &data, std::string &error);
} // namespace ampc
#endif
