// Multistage pipeline of the mma.sync and SIMT kernels: products overlap with copies of later
// k-tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_KTILEPIPELINE_H
#define LIB_CODEGEN_NVPTX_PRODUCT_KTILEPIPELINE_H

#include "lib/Codegen/NVPTX/Product/MatrixCopy.h"

namespace ampc::nvptx {

/// Circular buffer of k-tiles of both operands in shared memory: [stages][lhs tile, rhs tile]. A
/// stage is multiplied while copies fill other stages.
class KTilePipeline {
public:
  using Value = mlir::Value;
  /// `part`: split-K slice, whose k-tiles the pipeline streams.
  KTilePipeline(DeviceEmitter &e, const TileGemm &gemm, KTileCopy &lhs, KTileCopy &rhs, Value part);

  /// Calls `multiply` for every k-tile with the addresses of both tiles; returns the carried
  /// values.
  using Multiply =
      llvm::function_ref<llvm::SmallVector<Value>(Value left, Value right, mlir::ValueRange)>;
  llvm::SmallVector<Value> run(mlir::ValueRange carried, Multiply multiply);

private:
  /// Source and destination of a k-tile.
  struct Step {
    Value stage, k; // i32: offset of the stage in bytes; first point of k
    Value sources[2];
  };
  Step after(const Step &step);
  Value placeOf(const Step &step, unsigned side);
  void start();
  using Moved = std::array<KTileCopy::Values, 2>;
  Moved begin(const Step &step, bool areAsync);
  void end(const Step &step, const Moved &moved);
  bool anyAsync() const { return sides[0]->isAsync() || sides[1]->isAsync(); }
  int64_t ahead() const { return gemm.tile.stages - 1; }

  DeviceEmitter &e;
  const TileGemm &gemm;
  KTileCopy *sides[2];
  Value memory, count; // k-tiles of the slice
  Step next;           // next k-tile to be issued
};

} // namespace ampc::nvptx
#endif
