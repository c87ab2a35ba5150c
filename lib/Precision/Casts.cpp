// Casts that passes insert, told apart from those of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Casts.h"

using namespace mlir;
using namespace ampc;

/// The op's name stays outermost.
static Location withReason(Location loc, StringAttr why) {
  MLIRContext *context = loc.getContext();
  Builder builder(context);
  auto note = builder.getDictionaryAttr(builder.getNamedAttr("amp.cast", why));
  auto name = dyn_cast<NameLoc>(loc);
  Location inner = FusedLoc::get({name ? Location(name.getChildLoc()) : loc}, note, context);
  return name ? Location(NameLoc::get(name.getName(), inner)) : inner;
}

Value ampc::insertCast(OpBuilder &builder, Location loc, Value v, Type element, const Twine &why) {
  return GradBuilder(builder, withReason(loc, builder.getStringAttr(why))).castTo(v, element);
}

StringAttr ampc::reasonOfCast(train::CastOp cast) {
  StringAttr why;
  cast.getLoc()->walk([&](Location at) {
    auto fused = dyn_cast<FusedLocWith<DictionaryAttr>>(at);
    why = fused ? fused.getMetadata().getAs<StringAttr>("amp.cast") : StringAttr();
    return why ? WalkResult::interrupt() : WalkResult::advance();
  });
  return why;
}

void ampc::explainCast(train::FuncOp func, train::CastOp cast) {
  StringAttr why = reasonOfCast(cast);
  if (!why)
    return;
  auto name = dyn_cast<NameLoc>(cast.getLoc());
  mlir::emitRemark(cast.getLoc()) << (name ? name.getName().getValue() : func.getSymName())
                                  << ": cast from " << getElementTypeOrSelf(cast.getX()) << " to "
                                  << getElementTypeOrSelf(cast.getResult())
                                  << (cast->hasAttr("amp.recompute")
                                          ? ", again in the backward pass: "
                                          : ": ")
                                  << why.getValue();
}
