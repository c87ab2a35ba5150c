// Origins of ops: access, and merging when ops are fused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_ORIGIN_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_ORIGIN_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Origin of a tensor op: attribute `train.origin`. Null for constants, and in functions before
/// train-name-ops.
train::OriginAttr originOf(mlir::Operation *op);
/// Origin of a value: the origin of the defining op; the name of an input or state of a program.
train::OriginAttr originOf(mlir::Value value);
/// Does nothing for a constant or a null origin.
void setOrigin(mlir::Operation *op, train::OriginAttr origin);

/// Origins of all ops that a kernel computes, without repetition: attribute `train.origins`.
llvm::SmallVector<train::OriginAttr> originsOf(mlir::Operation *kernel);
/// Sets a fused kernel's origins to the concatenation of the origins of `parts`.
void joinOrigins(mlir::Operation *kernel, llvm::ArrayRef<mlir::Operation *> parts);

void setOrigins(mlir::Operation *kernel, llvm::ArrayRef<train::OriginAttr> origins);
/// Origins of a value, also for copies in other layouts or types.
llvm::SmallVector<train::OriginAttr> originsOf(mlir::Value value);

/// Name of an op in messages, options and reports: the text of the (first) origin, e.g.
/// "dense.matmul", or the op's full name without an origin.
std::string nameOf(mlir::Operation *op);

/// Stage of an op; Forward without an origin.
train::Stage stageOf(mlir::Operation *op);
inline bool isForward(mlir::Operation *op) { return stageOf(op) == train::Stage::Forward; }

/// Checkpoint that contains an op, or null.
inline mlir::StringAttr segmentOf(mlir::Operation *op) {
  train::OriginAttr origin = originOf(op);
  return origin ? origin.getSegment() : mlir::StringAttr();
}

/// Null if the block has no backward pass.
mlir::Operation *firstSeed(mlir::Block &block);

constexpr llvm::StringLiteral originKey = "train.origin", originsKey = "train.origins",
                              segmentKey = "train.segment";
} // namespace ampc
#endif
