// Where ops come from: read, written, and what becomes of it when ops are joined.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_ORIGIN_H
#define MLIR_DIALECTS_TRAIN_ORIGIN_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Of a tensor op: its attribute `train.origin`. Null for constants, and in functions that
/// train-name-ops has not seen.
train::OriginAttr originOf(mlir::Operation *op);
/// Of the op that makes the value; an input or state of a program is called by its own name.
train::OriginAttr originOf(mlir::Value value);
/// Does nothing for a constant or a null origin.
void setOrigin(mlir::Operation *op, train::OriginAttr origin);

/// Of a kernel: those of all ops that it computes, without repetition; `train.origins`.
llvm::SmallVector<train::OriginAttr> originsOf(mlir::Operation *kernel);
/// A kernel made from others has their origins, in this order.
void joinOrigins(mlir::Operation *kernel, llvm::ArrayRef<mlir::Operation *> parts);

void setOrigins(mlir::Operation *kernel, llvm::ArrayRef<train::OriginAttr> origins);
/// What a copy of the value, in whatever form, comes from.
llvm::SmallVector<train::OriginAttr> originsOf(mlir::Value value);

/// What an op is called in messages, options and reports: the text of its (first) origin; without
/// one, what it is.
std::string nameOf(mlir::Operation *op);

/// Forward, unless the origin says something else.
train::Stage stageOf(mlir::Operation *op);
inline bool isForward(mlir::Operation *op) { return stageOf(op) == train::Stage::Forward; }

/// The checkpoint that it lies in, or null.
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
