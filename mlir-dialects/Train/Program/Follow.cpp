// Followers: text and verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

static ParseResult parseDecay(OpAsmParser &parser, FloatAttr &decay) {
  return parseNumber(parser, decay, "decay");
}
static void printDecay(OpAsmPrinter &p, FollowOp op, FloatAttr decay) { printNumber(p, op, decay); }
static ParseResult parseEvery(OpAsmParser &parser, IntegerAttr &every) {
  return parseWhole(parser, every, "every");
}
static void printEvery(OpAsmPrinter &p, FollowOp op, IntegerAttr every) {
  printWhole(p, op, every);
}

LogicalResult FollowOp::verify() {
  if (!getDecayAttr() && !getEveryAttr()) // 1.
    return emitOpError() << "expected a decay, as decay 0.995, or an interval, as every 1000";
  if (getDecayAttr()) {
    double decay = getDecayAttr().getValueAsDouble();
    if (!(decay >= 0 && decay <= 1)) // 2.
      return emitOpError() << "expected a decay in [0, 1], but got " << decay;
  }
  if (getEvery() && *getEvery() < 1) // 3.
    return emitOpError() << "expected an interval of at least 1, but got " << *getEvery();
  if (getTargetAttr() == getSourceAttr()) // 4.
    return emitOpError() << "expected a target that is not the source " << getSourceAttr();
  return success();
}

StringAttr ampc::firstValueSource(StateOpInterface state) {
  auto source = state->getAttrOfType<FlatSymbolRefAttr>(firstValueKey);
  return source ? source.getAttr() : StringAttr();
}

void ampc::setFirstValueSource(StateOpInterface state, StringAttr source) {
  state->setDiscardableAttr(firstValueKey, FlatSymbolRefAttr::get(source));
}

std::optional<StringRef> ampc::misfitOfFirstValue(Operation *op, Attribute value) {
  if (isa<ParamOp, BufferOp>(op) && isa<FlatSymbolRefAttr>(value))
    return std::nullopt;
  return "the name of a state, on a parameter or buffer";
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/FollowOps.cpp.inc"

void ampc::registerFollowOps(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, TrainDialect *dialect) { addRecordedOperations<FollowOp>(*dialect); });
}
