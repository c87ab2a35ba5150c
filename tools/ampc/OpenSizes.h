// Probes of a file's open sizes for an export.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_OPENSIZES_H
#define TOOLS_AMPC_OPENSIZES_H

#include "ampc/Export/ONNX.h"
#include "ampc/Pipelines/Compiler.h"
#include <memory>

namespace ampc {
/// The model of an ONNX file with other numbers for dimensions that the file names.
class SizeProbes {
public:
  /// Imports the file again for the dimensions `names`, which have numbers in the request; false if
  /// it cannot be imported with other numbers.
  bool open(const CompileRequest &request, std::vector<std::string> names);
  const OpenSizes &get() const { return sizes; }

private:
  bool add(CompileRequest request, std::vector<int64_t> numbers);

  std::vector<std::unique_ptr<Compiler>> compilers; ///< owners of the modules' contexts
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  OpenSizes sizes;
};

/// Dimensions with a number by --dim that stay open in the exported graph. Tries all together,
/// then each alone.
mlir::FailureOr<OnnxFile> exportWithOpenSizes(mlir::ModuleOp module,
                                              llvm::ArrayRef<NamedArray> weights,
                                              const ExportOptions &options,
                                              const CompileRequest &request);
} // namespace ampc
#endif
