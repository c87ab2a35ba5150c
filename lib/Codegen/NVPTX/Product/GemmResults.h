// Mapping of a GEMM's results to the iteration domain of the kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_GEMMRESULTS_H
#define LIB_CODEGEN_NVPTX_PRODUCT_GEMMRESULTS_H

#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/Common/IterationSpace.h"
#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

struct ProductResults {
  using Value = mlir::Value;
  target::IterationSpace space;
  int64_t run; // columns that are contiguous along the domain's last dimension
  /// Point of the domain for a row and a column (i32) of a batch entry. Example: convolution row ->
  /// [image, y, x, output].
  std::function<llvm::SmallVector<Value>(DeviceEmitter &e, llvm::ArrayRef<Value> batch, Value line,
                                         Value column)>
      pointOf;

  static ProductResults of(kernel::GemmOp op);
  /// Output pixels of a phase, or of several phases that share code; a batch entry, (group) or
  /// (group, phase), has `outputs` columns.
  static ProductResults of(kernel::ConvOp op, const target::ConvPhase &phase, int64_t outputs);
  static ProductResults of(kernel::ConvFilterOp op, int64_t outputs);
  /// Columns per vector of at most 16 bytes that a thread can load and store, aligned in every row
  /// and batch entry.
  int64_t vectorColumns(FusedKernelOpInterface op) const;
};

} // namespace ampc::nvptx
#endif
