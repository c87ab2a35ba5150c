// Queries on values and types for the precision passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Values.h"

using namespace mlir;
using namespace ampc;

std::string ampc::textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool ampc::isNumber(Value v) {
  Operation *op = v.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>() &&
         cast<RankedTensorType>(v.getType()).getRank() == 0;
}

bool ampc::movesElements(Operation *op) {
  auto precision = cast<PrecisionOpInterface>(op);
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (precision.getCategory() != Category::Passthrough || !rule || !rule.isDifferentiable() ||
      rule.getSaves().result())
    return false;
  return llvm::none_of(llvm::enumerate(op->getOperandTypes()), [&](auto each) {
    return isa<FloatType>(getElementTypeOrSelf(each.value())) &&
           rule.getSaves().operand(each.index());
  });
}
