// Casts inserted by passes, as distinct from casts of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Casts.h"

using namespace mlir;
using namespace ampc;

Value ampc::insertCast(OpBuilder &builder, Value v, Type element, const Twine &why,
                       train::OriginAttr origin) {
  Value result = GradBuilder(builder, v.getLoc(), origin).castTo(v, element);
  if (result != v)
    setDecision(result.getDefiningOp(), amp::DecisionAttr::inserted, why);
  return result;
}

Value ampc::insertCast(OpBuilder &builder, Value v, Type element, const Twine &why) {
  return insertCast(builder, v, element, why, originOf(v));
}

void ampc::explainCast(train::FuncOp func, train::CastOp cast) {
  StringAttr why = reasonOfInsertion(cast);
  if (!why)
    return;
  train::OriginAttr origin = originOf(cast.getOperation());
  mlir::emitRemark(cast.getLoc()) << (origin ? origin.getText() : func.getSymName().str())
                                  << ": cast from " << getElementTypeOrSelf(cast.getX()) << " to "
                                  << getElementTypeOrSelf(cast.getResult())
                                  << (cast->hasAttr("amp.recompute")
                                          ? ", again in the backward pass: "
                                          : ": ")
                                  << why.getValue();
}
