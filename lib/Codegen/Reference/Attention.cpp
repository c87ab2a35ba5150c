// kernel.attention and kernel.attention_grad, score by score.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Reference/ReferenceKernelLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;
using namespace ampc::target;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Operands and shared computation of attention and its gradient, in the accumulator type.
template <typename Op> class Attention {
public:
  Attention(Op op, LoopEmitter &e, const KernelPointers &pointers)
      : op(op), e(e), pointers(pointers), acc(op.getAcc()) {}

  Value add(Value x, Value y) { return arith::AddFOp::create(e.b, e.loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(e.b, e.loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(e.b, e.loc, x, y); }
  Value exp(Value x) { return math::ExpOp::create(e.b, e.loc, x); }
  Value number(double value) { return e.constant(acc, value); }
  Value is(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(e.b, e.loc, predicate, x, number(y));
  }

  Value load(unsigned operand, ArrayRef<Value> batch, ValueRange place) {
    auto type = tensorOf(op.getTensors()[operand]);
    Value position = positionOf(op.getOperandMaps()[operand], type, batch, place);
    return widen(e, e.loadScalar(pointers.operands[operand], type.getElementType(), position), acc);
  }
  void store(Value x, unsigned result, ArrayRef<Value> batch, ValueRange place) {
    auto type = tensorOf(op.getOuts()[result]);
    e.storeScalar(narrow(e, x, type.getElementType()), pointers.results[result],
                  positionOf(op.getResultMaps()[result], type, batch, place));
  }
  /// Sum over i in [0, count) of term(i).
  Value sum(int64_t count, llvm::function_ref<Value(Value)> term) {
    return accumulate(e, {count}, number(0),
                      [&](ArrayRef<Value> i, Value sum) { return add(sum, term(i[0])); });
  }
  /// Dot product over channels of a row of operand `a` and a row of operand `b`.
  Value dot(unsigned a, Value row, unsigned b, Value other, ArrayRef<Value> batch) {
    return sum(op.getWidth(),
               [&](Value c) { return mul(load(a, batch, {row, c}), load(b, batch, {other, c})); });
  }
  /// Score of a query and a key; -inf for a masked key.
  Value score(ArrayRef<Value> batch, Value query, Value key) {
    Value s = mul(dot(0, query, 1, key, batch), number(op.getScale().convertToDouble()));
    if (op.getBiased())
      s = add(s, load(3, batch, {query, key}));
    if (!op.getCausal())
      return s;
    Value last = e.add(query, op.getKeys() - op.getQueries());
    Value visible = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sle, key, last);
    return select(e, visible, s, number(-infinity));
  }

  Op op;
  LoopEmitter &e;
  const KernelPointers &pointers;
  Type acc;

private:
  Value positionOf(Attribute map, RankedTensorType type, ArrayRef<Value> batch, ValueRange place) {
    SmallVector<Value> dims(batch);
    dims.append(place.begin(), place.end());
    return target::position(e, Access::of(cast<AffineMapAttr>(map).getValue(), type.getShape()),
                            dims);
  }
};
} // namespace

/// Scratch holds the scores of a single query, then the weights.
static void emitAttention(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::AttentionOp>(operation);
  Attention<kernel::AttentionOp> a(op, e, pointers);
  SmallVector<int64_t> rows(op.getBatch());
  rows.push_back(op.getQueries());
  auto scratch = [&](Value key) { return e.loadScalar(pointers.scratch, a.acc, key); };
  forPoints(e, rows, [&](ArrayRef<Value> point) {
    ArrayRef<Value> batch = point.drop_back();
    Value query = point.back();
    auto largest = [&](ArrayRef<Value> key, Value most) -> Value {
      Value s = a.score(batch, query, key[0]);
      e.storeScalar(s, pointers.scratch, key[0]);
      return arith::MaximumFOp::create(e.b, e.loc, most, s);
    };
    Value most = accumulate(e, {op.getKeys()}, a.number(-infinity), largest);
    Value sees = a.is(arith::CmpFPredicate::UNE, most, -infinity);
    Value base = select(e, sees, most, a.number(0));
    Value sum = a.sum(op.getKeys(), [&](Value key) {
      Value weight = a.exp(a.sub(scratch(key), base));
      e.storeScalar(weight, pointers.scratch, key);
      return weight;
    });
    e.loop(e.index(0), e.index(op.getWidth()), 1, [&](Value c) {
      Value mean = a.sum(
          op.getKeys(), [&](Value key) { return a.mul(scratch(key), a.load(2, batch, {key, c})); });
      mean = arith::DivFOp::create(e.b, e.loc, mean, sum);
      a.store(select(e, sees, mean, a.number(0)), 0, batch, {query, c});
    });
    if (op.getOuts().size() == 1)
      return;
    Value present = select(e, sees, sum, a.number(1));
    a.store(base, 1, batch, {e.index(0), query});
    a.store(math::LogOp::create(e.b, e.loc, present), 1, batch, {e.index(1), query});
  });
}

/// Scratch holds the weights of one batch entry, then the cotangents of the scores.
static void emitAttentionGrad(Operation *operation, LoopEmitter &e,
                              const KernelPointers &pointers) {
  auto op = cast<kernel::AttentionGradOp>(operation);
  Attention<kernel::AttentionGradOp> a(op, e, pointers);
  int64_t queries = op.getQueries(), keys = op.getKeys();
  unsigned result = op.getBiased() ? 4 : 3, lse = result + 1, g = result + 2;
  Value scale = a.number(op.getScale().convertToDouble());
  auto place = [&](int64_t array, Value query, Value key) {
    return e.add(e.add(e.mul(query, keys), key), array * queries * keys);
  };
  auto load = [&](int64_t array, Value query, Value key) {
    return e.loadScalar(pointers.scratch, a.acc, place(array, query, key));
  };
  forPoints(e, op.getBatch(), [&](ArrayRef<Value> batch) {
    e.loop(e.index(0), e.index(queries), 1, [&](Value query) {
      Value delta = a.dot(result, query, g, query, batch);
      Value most = a.load(lse, batch, {e.index(0), query}),
            log = a.load(lse, batch, {e.index(1), query});
      e.loop(e.index(0), e.index(keys), 1, [&](Value key) {
        Value weight = a.exp(a.sub(a.sub(a.score(batch, query, key), most), log));
        Value cotangent = a.mul(weight, a.sub(a.dot(g, query, 2, key, batch), delta));
        e.storeScalar(weight, pointers.scratch, place(0, query, key));
        e.storeScalar(cotangent, pointers.scratch, place(1, query, key));
        if (op.getOuts().size() > 3)
          a.store(cotangent, 3, batch, {query, key});
      });
    });
    e.loop(e.index(0), e.index(op.getWidth()), 1, [&](Value c) {
      e.loop(e.index(0), e.index(queries), 1, [&](Value query) {
        Value sum = a.sum(keys, [&](Value key) {
          return a.mul(load(1, query, key), a.load(1, batch, {key, c}));
        });
        a.store(a.mul(sum, scale), 0, batch, {query, c});
      });
      e.loop(e.index(0), e.index(keys), 1, [&](Value key) {
        Value sum = a.sum(queries, [&](Value query) {
          return a.mul(load(1, query, key), a.load(0, batch, {query, c}));
        });
        a.store(a.mul(sum, scale), 1, batch, {key, c});
        sum = a.sum(queries, [&](Value query) {
          return a.mul(load(0, query, key), a.load(g, batch, {query, c}));
        });
        a.store(sum, 2, batch, {key, c});
      });
    });
  });
}

void reference::addAttentionLowering(LoweringTable &table) {
  table[kernel::AttentionOp::getOperationName()] = {
      emitAttention, [](Operation *operation) {
        auto op = cast<kernel::AttentionOp>(operation);
        return op.getKeys() * target::elementBytes(op.getAcc());
      }};
  table[kernel::AttentionGradOp::getOperationName()] = {
      emitAttentionGrad, [](Operation *operation) {
        auto op = cast<kernel::AttentionGradOp>(operation);
        return 2 * op.getQueries() * op.getKeys() * target::elementBytes(op.getAcc());
      }};
}
