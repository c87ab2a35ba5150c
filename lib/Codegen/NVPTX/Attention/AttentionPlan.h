// Plans of attention: the only choice of algorithm and tiles, and the launches of a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_ATTENTIONPLAN_H
#define LIB_CODEGEN_NVPTX_ATTENTION_ATTENTIONPLAN_H

#include "lib/Codegen/NVPTX/Attention/FlashShape.h"

namespace ampc::nvptx {

/// One launch of the gradient. A block owns rows of a first and a second operand and streams rows
/// of the other two: owned (query, g) and streamed (key, value), or the other way around. First
/// times first gives scores, second times second gives changes; from both follow softmax weights
/// and cotangents of scores. Accumulated: cotangents of scores times streamed first rows
/// (sumsFirst), and weights times streamed second rows (sumsSecond). Example: {false, true, true}
/// -> dK and dV.
struct GradLaunch {
  bool ownsQueries, sumsFirst, sumsSecond;

  int64_t ownSides() const { return sumsFirst ? 2 : 1; } // weights alone need no changes
  int64_t stageBytes(const FlashShape &shape, const FlashTile &tile) const;
  int64_t sharedBytes(const FlashShape &shape, const FlashTile &tile) const;
};
/// Launches of a gradient whose plan has this number of tiles. 2: dK and dV, then dQ; 3: dV, dK,
/// dQ.
llvm::ArrayRef<GradLaunch> gradLaunches(size_t tiles);
/// Shared memory of the forward launch.
int64_t forwardSharedBytes(const FlashShape &shape, const FlashTile &tile);

/// Stores the plan on a kernel.attention or kernel.attention_grad: keeps the plan that the op has,
/// or chooses. Fails, after an error at the op, if the chip has no code for the plan.
llvm::LogicalResult configureAttentionPlan(mlir::Operation *op, const Chip &chip);
/// Checks that the op has a plan, for which the chip has code.
llvm::LogicalResult checkAttentionPlan(mlir::Operation *op, const Chip &chip);

} // namespace ampc::nvptx
#endif
