// Where results of a product are in the space of its kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_RESULTS_H
#define LIB_TARGET_NVPTX_PRODUCT_RESULTS_H

#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/Common/IterationSpace.h"
#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

struct ProductResults {
  using Value = mlir::Value;
  target::IterationSpace space;
  int64_t run; // columns that are neighbours along the space's last dimension
  /// The point of a line and a column (i32) of an entry of the batch.
  std::function<llvm::SmallVector<Value>(DeviceEmitter &e, llvm::ArrayRef<Value> batch, Value line,
                                         Value column)>
      pointOf;

  static ProductResults of(kernel::GemmOp op);
  /// Of the output pixels of a phase, or of several that share their code; an entry of the batch,
  /// (group) or (group, phase), are so many `outputs`.
  static ProductResults of(kernel::ConvOp op, const target::ConvPhase &phase, int64_t outputs);
  static ProductResults of(kernel::ConvFilterOp op, int64_t outputs);
  /// Neighbouring columns that a thread can load and store as vectors of at most 16 bytes, whatever
  /// line and entry of the batch they are in.
  int64_t vectorColumns(FusedKernelOpInterface op) const;
};

} // namespace ampc::nvptx
#endif
