// Probes of a file's open sizes for an export.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_OPENSIZES_H
#define TOOLS_AMPC_OPENSIZES_H

#include "ampc/Export/ONNX.h"
#include "ampc/Pipelines/Compiler.h"
#include <memory>

namespace ampc {
/// A dimension of an ONNX file with a number by --dim, as the file names the dimension, or by
/// --shape: axis 2 of the input x is x_2.
struct NumberedSize {
  std::string name;
  std::string input; ///< of --shape; empty: --dim
  size_t axis = 0;
  int64_t number = 0;
  int64_t step = 1; ///< to the next number that the file can be imported with, e.g. 32

  void set(ImportOptions &options, int64_t other) const;
};

/// The model of an ONNX file with other numbers for dimensions.
class SizeProbes {
public:
  /// Imports the file again for the dimensions `open`; false if the file cannot be imported with
  /// other numbers.
  bool open(const CompileRequest &request, llvm::ArrayRef<NumberedSize> open);
  const OpenSizes &get() const { return sizes; }

private:
  bool add(CompileRequest request, llvm::ArrayRef<NumberedSize> open, std::vector<int64_t> numbers);

  std::vector<std::unique_ptr<Compiler>> compilers; ///< owners of the modules' contexts
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  OpenSizes sizes;
};

/// Dimensions with a number by --dim or --shape that stay open in the exported graph. Tries all
/// together, then each alone.
mlir::FailureOr<OnnxFile> exportWithOpenSizes(mlir::ModuleOp module,
                                              llvm::ArrayRef<NamedArray> weights,
                                              const ExportOptions &options,
                                              const CompileRequest &request);
} // namespace ampc
#endif
