// Gradients inside of functions: verification and text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

LogicalResult GradOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getSources().getTypes());
  return success();
}

LogicalResult GradOp::verify() {
  RankedTensorType type = tensorOf(getValue().getType());
  if (type.getRank() != 0 || !isa<FloatType>(type.getElementType())) // 1.
    return emitOpError()
           << "expected a real scalar to differentiate, but got " << type
           << (type.getRank() > 0
                   ? "; the gradient of the train.reduce_sum has the derivative of every row"
                   : "");
  if (getSources().empty()) // 2.
    return emitOpError("expected values behind wrt");
  llvm::SmallDenseSet<Value> once;
  for (auto [i, source] : llvm::enumerate(getSources())) {
    if (!once.insert(source).second) // 2.
      return emitOpError() << "expected every value behind wrt once, but got number " << i
                           << " again";
    if (!isa<FloatType>(getElementTypeOrSelf(source))) // 3.
      return emitOpError() << "expected real values behind wrt, but number " << i << " is "
                           << source.getType();
  }
  return success();
}

/// A value, not a function.
static ParseResult parseDifferentiated(OpAsmParser &parser, Operand &value) {
  StringAttr name;
  SMLoc place = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalSymbolName(name)))
    return parser.emitError(place)
           << "expected a value to differentiate, such as the result of train.call @"
           << name.getValue() << ", but got a function";
  return parser.parseOperand(value);
}
static void printDifferentiated(OpAsmPrinter &p, Operation *, Value value) { p << value; }

#define GET_OP_CLASSES
#include "mlir-dialects/Train/GradientsOps.cpp.inc"

void ampc::registerGradientOps(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, TrainDialect *dialect) { addRecordedOperations<GradOp>(*dialect); });
}
