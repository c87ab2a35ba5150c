// Casts that passes insert, told apart from those of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Casts.h"

using namespace mlir;
using namespace ampc;

Value ampc::insertCast(OpBuilder &builder, Value v, Type element, const Twine &why,
                       train::OriginAttr origin) {
  Value result = GradBuilder(builder, v.getLoc(), origin).castTo(v, element);
  if (result != v)
    result.getDefiningOp()->setDiscardableAttr(
        amp::DecisionAttr::key,
        amp::DecisionAttr::get(builder.getContext(),
                               builder.getStringAttr(amp::DecisionAttr::inserted),
                               builder.getStringAttr(why)));
  return result;
}

Value ampc::insertCast(OpBuilder &builder, Value v, Type element, const Twine &why) {
  return insertCast(builder, v, element, why, originOf(v));
}

StringAttr ampc::reasonOfCast(train::CastOp cast) {
  auto decision = cast->getAttrOfType<amp::DecisionAttr>(amp::DecisionAttr::key);
  return decision && decision.isInserted() ? decision.getReason() : StringAttr();
}

void ampc::explainCast(train::FuncOp func, train::CastOp cast) {
  StringAttr why = reasonOfCast(cast);
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
