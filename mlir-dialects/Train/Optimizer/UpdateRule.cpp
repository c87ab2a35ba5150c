// Building blocks of update rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Optimizer/UpdateRule.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;

SmallVector<Moment> ampc::momentsLike(ArrayRef<int64_t> param, ArrayRef<StringRef> names) {
  return llvm::map_to_vector(names,
                             [&](StringRef name) { return Moment{name, llvm::to_vector(param)}; });
}

Value UpdateRule::corrected(Value moment, const Factor &beta, Value step) {
  Value log = beta.given ? b.op<train::LogOp>(beta.given) : real(std::log(beta.own));
  // 1 - exp(x) would be 0 for a beta near 1: exp(-1e-8) is 1 in f32.
  Value share = b.neg(b.op<train::Expm1Op>(b.mul(b.castTo(step, getElementTypeOrSelf(like)), log)));
  return b.div(moment, share);
}

Value UpdateRule::adam(const AdamNumbers &numbers, Value grad, ValueRange moments, Value step,
                       SmallVectorImpl<Value> &next) {
  Value m = blend(moments[0], grad, numbers.beta1),
        v = blend(moments[1], b.mul(grad, grad), numbers.beta2);
  next.append({m, v});
  return b.div(corrected(m, numbers.beta1, step),
               b.add(b.sqrt(corrected(v, numbers.beta2, step)), valueOf(numbers.eps)));
}

Value UpdateRule::atLeast(Value x, const Factor &least) {
  Value low = least.given ? least.given : b.real(least.own, x);
  return b.select(b.greater(low, x), low, x);
}

Value UpdateRule::sumOfSquares(Value x) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, tensorOf(x.getType()).getRank()));
  return dims.empty() ? b.square(x) : b.reduceSum(b.square(x), dims);
}
