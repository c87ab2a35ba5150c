// Ops that mix rows of the batch, for messages about short batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_MIXEDROWS_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_MIXEDROWS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Attribute `train.mixes_rows` of a train.func or kernel.program without `short_batch`: the first
/// op that computes with several rows of the batch, other than by a count of valid rows. The
/// attribute names the op, because locations are no part of a library. Example:
/// "train.reduce_sum (loss/reduce_sum#0)".
struct MixedRows {
  static constexpr llvm::StringLiteral key = "train.mixes_rows";
  static void set(mlir::Operation *program, mlir::Operation *mixing);
  /// Text of the attribute; empty without.
  static llvm::StringRef of(mlir::Operation *program);
  /// Whether an attribute of a program is this one, well-formed.
  static bool is(mlir::NamedAttribute attribute);
};
} // namespace ampc
#endif
