// Faults of loops: carried values, directions, random keys and sums that are wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "test/Fuzz/PlantedFaults.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

/// A carried value that is kept of every round, such as for the adjoint, is the value passed on.
static bool keepNextCarry(train::ScanOp scan) {
  train::NextOp next = scan.getNext();
  bool found = false;
  for (OpOperand &each : next.getEachMutable())
    for (auto [argument, passed] : llvm::zip(scan.getCarried(), next.getCarried()))
      if (each.get() == argument && passed != argument && scan.getRounds() > 1) {
        each.set(passed);
        found = true;
        break;
      }
  return found;
}

/// Row i of a reversed loop's sequences is row i + 1, of the last row the first.
static bool shiftRows(train::ScanOp scan) {
  int64_t rounds = scan.getRounds();
  if (!scan.getReverse() || rounds < 2)
    return false;
  OpBuilder builder(scan);
  GradBuilder b(builder, scan);
  for (OpOperand &operand : scan.getSequencesMutable()) {
    RankedTensorType type = tensorOf(operand.get());
    auto rowsFrom = [&](int64_t row, int64_t count) {
      SmallVector<int64_t> from(type.getRank(), 0), sizes(type.getShape()), ones(type.getRank(), 1);
      from[0] = row;
      sizes[0] = count;
      return b.op<train::SliceOp>(operand.get(), from, sizes, ones);
    };
    Value behind = rowsFrom(1, rounds - 1), first = rowsFrom(0, 1);
    operand.set(b.op<train::ConcatOp>(ValueRange{behind, first}, 0));
  }
  return !scan.getSequences().empty();
}

/// The random state of a round, {0, step} * row + state, is that of row 0 in all rounds.
static bool drawAgain(train::ScanOp scan) {
  bool found = false;
  for (Operation &op : scan.getBody().front())
    if (auto cast = dyn_cast<train::CastOp>(op);
        cast && cast.getX() == scan.getIndex() && getElementTypeOrSelf(cast).isInteger(64)) {
      OpBuilder builder(scan);
      cast.getXMutable().assign(GradBuilder(builder, scan).real(0, scan.getIndex()));
      found = true;
    }
  return found;
}

/// A carried sum of gradients starts from 0 in place of the gradient so far.
static bool dropInit(train::ScanOp scan) {
  bool found = false;
  for (auto [init, passed] : llvm::zip(scan.getInitsMutable(), scan.getNext().getCarried())) {
    auto add = passed.getDefiningOp<train::AddOp>();
    if (!add || !add->hasAttr("train.fan_in") || isZero(init.get()))
      continue;
    OpBuilder builder(scan);
    GradBuilder b(builder, scan);
    init.set(b.broadcastTo(b.real(0, init.get()), init.get().getType()));
    found = true;
  }
  return found;
}

static bool (*plantOf(StringRef fault))(train::ScanOp) {
  return llvm::StringSwitch<bool (*)(train::ScanOp)>(fault)
      .Case("loop-carry", keepNextCarry)
      .Case("loop-reverse", shiftRows)
      .Case("loop-key", drawAgain)
      .Case("loop-sum", dropInit)
      .Default(nullptr);
}

bool fuzz::isLoopFault(StringRef fault) { return plantOf(fault); }

bool fuzz::plantLoopFault(ModuleOp module, StringRef fault) {
  auto plant = plantOf(fault);
  bool found = false;
  module.walk([&](train::ScanOp scan) { found |= plant(scan); });
  return found;
}
