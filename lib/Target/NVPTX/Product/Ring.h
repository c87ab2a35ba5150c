// How the sides of a product get into shared memory while it is formed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_RING_H
#define LIB_TARGET_NVPTX_PRODUCT_RING_H

#include "lib/Target/NVPTX/Product/TileCopy.h"

namespace ampc::nvptx {

/// Both sides in shared memory, in a ring of stages: while one is multiplied, others arrive.
class Ring {
public:
  using Value = mlir::Value;
  /// Of the part's steps.
  Ring(DeviceEmitter &e, const TileGemm &gemm, StepCopy &lhs, StepCopy &rhs, Value part);

  /// Calls `multiply` for every step with the places of its tiles; returns what it carries.
  using Multiply =
      llvm::function_ref<llvm::SmallVector<Value>(Value left, Value right, mlir::ValueRange)>;
  llvm::SmallVector<Value> run(mlir::ValueRange carried, Multiply multiply);

private:
  /// Where a step is read from and goes to.
  struct Step {
    Value stage, k; // i32: in bytes, and its first point
    Value sources[2];
  };
  Step after(const Step &step);
  Value placeOf(const Step &step, unsigned side);
  void start();
  using Moved = std::array<StepCopy::Values, 2>;
  Moved begin(const Step &step, bool areAsync);
  void end(const Step &step, const Moved &moved);
  bool anyAsync() const { return sides[0]->isAsync() || sides[1]->isAsync(); }
  int64_t ahead() const { return gemm.tile.stages - 1; }

  DeviceEmitter &e;
  const TileGemm &gemm;
  StepCopy *sides[2];
  Value memory, count; // count: of the part's steps
  Step next;           // that is filled
};

} // namespace ampc::nvptx
#endif
