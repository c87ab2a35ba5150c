// kernel.pool and kernel.pool_grad.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

static Type computeType(Type storage) {
  return storage.getIntOrFloatBitWidth() < 32 ? Float32Type::get(storage.getContext()) : storage;
}
static Value scaled(LoopEmitter &e, Value x, const APFloat &scale) {
  double factor = scale.convertToDouble();
  return factor == 1
             ? x
             : arith::MulFOp::create(e.b, e.loc, x, e.constant(x.getType(), factor)).getResult();
}
/// Row-major number of a position in the window, as i8.
static Value numberOf(LoopEmitter &e, ArrayRef<int64_t> window, ArrayRef<Value> place) {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getI8Type(), at(e, window, place));
}

/// The maximum and the position of its first occurrence, or the sum. NaN counts as larger than any
/// number.
void target::emitPlainPool(Operation *operation, Points &points) {
  auto op = cast<kernel::PoolOp>(operation);
  auto image = tensorOf(op.getX()), windows = tensorOf(op.getResult());
  Type acc = computeType(image.getElementType());
  bool isMax = op.getKind() == kernel::Combine::max;
  double infinity = std::numeric_limits<double>::infinity();
  points.forEach(windows.getShape(), [&](LoopEmitter &e, const KernelPointers &pointers,
                                         ArrayRef<Value> p) {
    SmallVector<Value> best{e.constant(acc, isMax ? -infinity : 0.0),
                            e.constant(e.b.getI8Type(), 0)};
    auto visit = [&](ArrayRef<Value> place, ValueRange soFar) -> SmallVector<Value> {
      Value inside, dims[2];
      for (unsigned i : {0, 1}) {
        Value at = e.add(e.mul(p[1 + i], op.getStrides()[i]), place[i]);
        at = e.add(at, -op.getPadding()[2 * i]);
        Value reached = within(e, at, image.getDimSize(1 + i));
        inside = inside ? both(e, inside, reached) : reached;
        dims[i] = select(e, reached, at, e.index(0));
      }
      Value position = at(e, image.getShape(), {p[0], dims[0], dims[1], p[3]});
      Value x = widen(e, e.loadScalar(pointers.operands[0], image.getElementType(), position), acc);
      if (!isMax) {
        Value sum = arith::AddFOp::create(e.b, e.loc, soFar[0], x);
        return {select(e, inside, sum, soFar[0]), soFar[1]};
      }
      Value larger = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OGT, x, soFar[0]);
      Value isNaN = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::UNO, x, x);
      Value wins = both(e, inside, arith::OrIOp::create(e.b, e.loc, larger, isNaN));
      return {select(e, wins, x, soFar[0]),
              select(e, wins, numberOf(e, op.getWindow(), place), soFar[1])};
    };
    best = e.loop(e.index(0), e.index(op.getWindow()[0]), 1, best, [&](Value i, ValueRange outer) {
      return e.loop(e.index(0), e.index(op.getWindow()[1]), 1, outer,
                    [&](Value j, ValueRange inner) { return visit({i, j}, inner); });
    });
    Value position = at(e, windows.getShape(), p);
    Value result = isMax ? best[0] : scaled(e, best[0], op.getScale());
    e.storeScalar(narrow(e, result, windows.getElementType()), pointers.results[0], position);
    if (isMax)
      e.storeScalar(best[1], pointers.results[1], position);
  });
}

/// Cotangent contributed by the window in which the point has position `place`; 0 if no such window
/// exists.
static Value termOf(kernel::PoolGradOp op, LoopEmitter &e, const KernelPointers &pointers,
                    ArrayRef<Value> p, ArrayRef<Value> place, Value sum) {
  auto windows = tensorOf(op.getG());
  Value meets, dims[2];
  for (unsigned i : {0, 1}) {
    int64_t stride = op.getStrides()[i];
    Value first = e.sub(e.add(p[1 + i], op.getPadding()[2 * i]), place[i]);
    Value reached = within(e, first, windows.getDimSize(1 + i) * stride);
    first = select(e, reached, first, e.index(0));
    reached = both(e, reached, equal(e, e.rem(first, stride), e.index(0)));
    meets = meets ? both(e, meets, reached) : reached;
    dims[i] = e.div(first, stride);
  }
  Value position = at(e, windows.getShape(), {p[0], dims[0], dims[1], p[3]});
  Value g = widen(e, e.loadScalar(pointers.operands[0], windows.getElementType(), position),
                  sum.getType());
  if (op.getKind() == kernel::Combine::max) {
    Value where = e.loadScalar(pointers.operands[1], e.b.getI8Type(), position);
    meets = both(e, meets, equal(e, where, numberOf(e, op.getWindow(), place)));
  }
  return select(e, meets, arith::AddFOp::create(e.b, e.loc, sum, g), sum);
}

void target::emitPlainPoolGrad(Operation *operation, Points &points) {
  auto op = cast<kernel::PoolGradOp>(operation);
  auto image = tensorOf(op.getResult());
  Type acc = computeType(image.getElementType());
  points.forEach(image.getShape(),
                 [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
                   // Windows in ascending order: the first window has the point at its last
                   // position.
                   auto next = [&](ArrayRef<Value> left, Value sum) {
                     SmallVector<Value> place;
                     for (auto [size, behind] : llvm::zip(op.getWindow(), left))
                       place.push_back(e.sub(e.index(size - 1), behind));
                     return termOf(op, e, pointers, p, place, sum);
                   };
                   Value sum = accumulate(e, op.getWindow(), e.constant(acc, 0), next);
                   if (op.getKind() != kernel::Combine::max)
                     sum = scaled(e, sum, op.getScale());
                   e.storeScalar(narrow(e, sum, image.getElementType()), pointers.results[0],
                                 at(e, image.getShape(), p));
                 });
}
