// kernel.reduce for GPUs: columns, rows, and the tree over chunks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_REDUCE_REDUCEKERNEL_H
#define LIB_CODEGEN_NVPTX_REDUCE_REDUCEKERNEL_H

#include "lib/Codegen/Common/SumOrder.h"
#include "lib/Codegen/NVPTX/PointVectors.h"

namespace ampc::nvptx {

/// Emitter of kernel.reduce. Partial sums of result k over chunks are in the workspace as [chunks,
/// outer, inner], result after result.
class ReduceKernel {
public:
  explicit ReduceKernel(kernel::ReduceOp op) : op(op), order(op) {}
  void emit(DeviceCode &code);
  int64_t workspaceBytes() const;
  /// Number of warps in the launch that adds chunks; 0 for a single chunk.
  int64_t finalWarps() const {
    return order.chunks == 1 ? 0 : LaunchShape::perPoint(order.outer * order.inner).warps();
  }

private:
  using Value = mlir::Value;
  using Sums = llvm::SmallVector<Value>;     // a sum per result
  using Points = llvm::SmallVector<Sums>;    // sums per point of a vector
  static constexpr unsigned inner = 2;       // dimension of the columns
  static constexpr int64_t levelChunks = 64; // chunks that a launch adds
  /// Most points per vector: terms or sums of neighbouring points fill 16 bytes.
  int64_t mostPoints() {
    int64_t widest = 0;
    for (unsigned k = 0; k < count(); ++k)
      widest = std::max(widest, target::elementBytes(elementOf(k)));
    return 16 / widest;
  }
  unsigned count() { return op->getNumResults(); }
  mlir::Type elementOf(unsigned k) { return mlir::getElementTypeOrSelf(op->getResult(k)); }
  Points start(target::LoopEmitter &e, int64_t points);
  Points add(target::LoopEmitter &e, const Points &x, const Points &y);
  Sums addSums(target::LoopEmitter &e, mlir::ValueRange x, mlir::ValueRange y);
  Points terms(DeviceEmitter &e, const KernelPointers &pointers, const PointVectors &runs,
               target::Body &body, llvm::ArrayRef<Value> dims, Value exists);
  /// Flattens sums of lists of points into a single list, and back: values that loops carry.
  static Sums flat(llvm::ArrayRef<Points> lists);
  llvm::SmallVector<Points> listsOf(mlir::ValueRange numbers, int64_t points);

  void storeOne(target::LoopEmitter &e, const KernelPointers &pointers, target::Body &body,
                llvm::ArrayRef<Value> place, unsigned k, Value sum);
  void storePoints(DeviceEmitter &e, const KernelPointers &pointers, target::Body &body,
                   llvm::ArrayRef<Value> place, const Points &sums);
  Value partialBase(target::LoopEmitter &e, const KernelPointers &pointers, unsigned k);
  Points blockOfRows(DeviceEmitter &e, const KernelPointers &pointers, const PointVectors &runs,
                     target::Body &body, llvm::ArrayRef<Value> place, Value block);
  void emitFewRows(DeviceCode &code);
  void emitColumns(DeviceCode &code);
  llvm::SmallVector<Points> sumRuns(DeviceEmitter &e, const KernelPointers &pointers,
                                    const PointVectors &runs, target::Body &body,
                                    llvm::ArrayRef<Value> place, Value lane, int64_t stride,
                                    int64_t width);
  Sums addLanes(DeviceEmitter &e, Points sums, llvm::function_ref<Value(Value)> addLanes);
  int64_t widthOf(int64_t least) const {
    return std::max<int64_t>(least,
                             llvm::PowerOf2Ceil(std::min(order.reduced, target::order::rowWidth)));
  }
  PointVectors rowRuns();
  void emitRows(DeviceCode &code);
  void emitLongRows(DeviceCode &code);
  void emitLevel(DeviceCode &code, int64_t chunks, int64_t left);
  void emitLast(DeviceCode &code);

  kernel::ReduceOp op;
  target::ReduceOrder order;
};

} // namespace ampc::nvptx
#endif
