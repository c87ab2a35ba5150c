// Which ops keep rows of the batch apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

using IsBatched = llvm::function_ref<bool(Value)>;

static int64_t rankOf(Value v) { return cast<RankedTensorType>(v.getType()).getRank(); }
static int64_t leadingOf(Value v) { return cast<RankedTensorType>(v.getType()).getDimSize(0); }

// Row-major order keeps the rows of the batch one after the other, whatever they are cut into.
bool ReshapeOp::keepsLeadingDimension(IsBatched) { return true; }
bool PadOp::keepsLeadingDimension(IsBatched) {
  return !getLow()[0] && !getHigh()[0] && !getInterior()[0];
}
bool ConcatOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }
bool SplitOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }
bool GatherOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getTable()); }
bool EmbeddingOp::keepsLeadingDimension(IsBatched isBatched) { return !isBatched(getTable()); }

bool MaxPoolOp::keepsLeadingDimension(IsBatched) { return true; }
bool AvgPoolOp::keepsLeadingDimension(IsBatched) { return true; }
bool GlobalAvgPoolOp::keepsLeadingDimension(IsBatched) { return true; }

bool ReduceSumOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceMeanOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceMaxOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool ReduceMinOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }
bool LogSumExpOp::keepsLeadingDimension(IsBatched) { return !llvm::is_contained(getDims(), 0); }

// Leading dimensions of a batched product, or the rows of lhs.
bool MatmulOp::keepsLeadingDimension(IsBatched isBatched) {
  auto keeps = [&](Value v, bool isRows) { return !isBatched(v) || rankOf(v) > 2 || isRows; };
  bool rowsOfLhs = rankOf(getResult()) == 2 && !getTransposeLhs();
  return keeps(getLhs(), rowsOfLhs) && keeps(getRhs(), false) &&
         leadingOf(getResult()) == leadingOf(isBatched(getLhs()) ? getLhs() : getRhs());
}
bool LinearOp::keepsLeadingDimension(IsBatched isBatched) {
  return !isBatched(getWeight()) && !(getBias() && isBatched(getBias()));
}
