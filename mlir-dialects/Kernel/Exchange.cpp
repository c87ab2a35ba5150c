// Verification and registration of exchanges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Exchange.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

#define GET_OP_CLASSES
#include "mlir-dialects/Kernel/ExchangeOps.cpp.inc"

LogicalResult StartOp::verify() {
  auto in = cast<RankedTensorType>(getX().getType()), out = cast<RankedTensorType>(getType());
  int64_t ranks = out.getRank() == 2 ? out.getDimSize(0) : 0, elements = in.getNumElements();
  int64_t piece = getScatter() && ranks ? elements / ranks : elements;
  bool isWhole = ranks > 0 && (!getScatter() || piece * ranks == elements);
  if (!isWhole || out != RankedTensorType::get({ranks, piece}, in.getElementType())) // 1.
    return emitOpError() << "expected [ranks, elements"
                         << (getScatter() ? " / ranks], ranks dividing the elements" : "]")
                         << " of " << in << ", but got " << out;
  return success();
}

StartOp WaitOp::getStart() { return throughViews(getPending()).getDefiningOp<StartOp>(); }

OpOperand *WaitOp::getOverwritten() { return &getPendingMutable(); }

LogicalResult WaitOp::verify() {
  StartOp start = getStart();
  if (!start || throughViews(start.getX()) != throughViews(getX())) // 1.
    return emitOpError() << "expected the result of a kernel.start, and the sent tensor";
  return success();
}

bool kernel::hasNoCode(Operation *op) { return isa<CallOp, StartOp, WaitOp, RankOp>(op); }
