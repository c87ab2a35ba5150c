// Pass train-merge-rounds: work of all rounds at once, outside of the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/MergeRounds.h"
#include "ampc/Train/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINMERGEROUNDS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Whether the loop becomes a loop over blocks of rounds before it is differentiated: products of
/// the rounds of a block are merged then, and computed again with the block.
static bool isRecomputedInBlocks(train::ScanOp scan) {
  auto func = scan->getParentOfType<train::FuncOp>();
  return func.getRole() == train::Role::Loss && scan.getCheckpoint().value_or(1) > 1;
}

namespace {
struct TrainMergeRounds : ampc::impl::TrainMergeRoundsBase<TrainMergeRounds> {
  void runOnOperation() override {
    SmallVector<train::ScanOp> loops;
    getOperation()->walk([&](train::ScanOp scan) { loops.push_back(scan); });
    if (loops.empty())
      return markAllAnalysesPreserved(); // and needs no verification
    for (train::ScanOp scan : loops) {   // a loop inside of a loop first
      if (isRecomputedInBlocks(scan))
        mergeAroundBlocks(scan);
      else
        mergeProducts(scan);
      mergeSums(scan);
    }
  }
};
} // namespace
