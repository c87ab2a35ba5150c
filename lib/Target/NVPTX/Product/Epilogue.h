// From sums in registers to results in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_EPILOGUE_H
#define LIB_TARGET_NVPTX_PRODUCT_EPILOGUE_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// A warp writes its sums to shared memory, some lines at a time, and reads them back with
/// neighbouring columns in a thread, which evaluates the kernel's body and stores whole vectors.
class Epilogue {
public:
  using Value = mlir::Value;
  Epilogue(DeviceEmitter &e, FusedKernelOpInterface op, const TileGemm &gemm,
           const KernelPointers &pointers, llvm::ArrayRef<Value> batch);
  /// Bytes of all warps.
  static int64_t sharedBytes(const TileGemm &gemm);

  /// `sums`: of lines 16 i and columns 8 j of the warp at [i * warpN / 8 + j], as mma leaves them.
  /// `line`, `column`: where the warp's part of the result begins; `shared`: memory that no other
  /// warp uses.
  void store(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared);

private:
  void stage(llvm::ArrayRef<std::array<Value, 4>> sums, Value shared);
  void finish(Value shared, Value line, Value column);
  void evaluate(Value place, Value line, Value column);

  DeviceEmitter &e;
  FusedKernelOpInterface op;
  const TileGemm &gemm;
  const KernelPointers &pointers;
  llvm::SmallVector<Value> batch;
  target::IterationSpace space;
  int64_t columns; // of a thread
};

} // namespace ampc::nvptx
#endif
