// Values and ops whose types are open to the precision policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/DecidedProgram.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

DecidedProgram::DecidedProgram(train::FuncOp func)
    : func(func), f32(Float32Type::get(func.getContext())) {
  auto note = [&](ValueRange values) {
    for (Value v : values)
      if (getElementTypeOrSelf(v) == f32)
        real.insert(v);
  };
  note(func.getArguments());
  for (Operation &op : func.getBody().front().without_terminator()) {
    ops.push_back(&op);
    note(op.getResults());
    auto isFloat = [](Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); };
    auto isOther = [&](Value v) { return isFloat(v) && !isReal(v); };
    bool touchesReal = llvm::any_of(op.getOperands(), [&](Value v) { return isReal(v); }) ||
                       llvm::any_of(op.getResults(), [&](Value v) { return isReal(v); });
    bool other = llvm::any_of(op.getOperands(), isOther) || llvm::any_of(op.getResults(), isOther);
    if (touchesReal && !other && isa<PrecisionOpInterface>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      decided.insert(&op);
    if (stageOf(&op) == train::Stage::Backward)
      backward.insert(&op);
  }
}
