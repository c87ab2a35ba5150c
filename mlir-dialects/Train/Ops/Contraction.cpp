// Matrix products: verifiers, adjoint, canonical form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// Flattens a batch of the left-hand side into rows: [B, M, K] x [K, N] -> [B * M, K] x [K, N]. One
/// product replaces many, and one product gives the weight's gradient.
struct FlattenedBatch : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto a = op.getLhs().getType(), r = op.getType();
    if (a.getRank() < 3 || op.getRhs().getType().getRank() != 2 || op.getTransposeLhs())
      return failure();
    GradBuilder b(rewriter, op);
    int64_t depth = a.getShape().back();
    Value flat = b.reshape(op.getLhs(), a.clone({a.getNumElements() / depth, depth}));
    Value product = b.matmul(flat, op.getRhs(), false, op.getTransposeRhs(), r.getElementType());
    product.getDefiningOp()->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, b.reshape(product, r));
    return success();
  }
};

/// Folds a transpose into the product's transpose flag. The weight's gradient then has the order of
/// the weight without a transposing pass over memory, e.g. for an output layer tied to the
/// embedding.
struct ReadBeforeTranspose : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto before = [](Value side) -> Value {
      auto transpose = side.getDefiningOp<TransposeOp>();
      return transpose && transpose.getPermutation() == ArrayRef<int64_t>{1, 0} ? transpose.getX()
                                                                                : Value();
    };
    Value lhs = before(op.getLhs()), rhs = before(op.getRhs());
    if (!lhs && !rhs)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs) {
        op.getLhsMutable().assign(lhs);
        op.setTransposeLhs(!op.getTransposeLhs());
      }
      if (rhs) {
        op.getRhsMutable().assign(rhs);
        op.setTransposeRhs(!op.getTransposeRhs());
      }
    });
    return success();
  }
};
} // namespace

/// Type of the batch dimensions: [B, H, M, K] -> [B, H].
static RankedTensorType batchOf(RankedTensorType type) {
  return type.clone(type.getShape().drop_back(2));
}

LogicalResult MatmulOp::verify() {
  auto a = getLhs().getType(), b = getRhs().getType(), r = getType();
  if (a.getRank() < 2 || b.getRank() < 2 || r.getRank() < 2 ||
      a.getElementType() != b.getElementType())
    return emitOpError() << "expected matrices of one element type, but got " << a << " and " << b;
  int64_t ra = a.getRank(), rb = b.getRank();
  int64_t m = a.getDimSize(ra - (getTransposeLhs() ? 1 : 2)),
          ka = a.getDimSize(ra - (getTransposeLhs() ? 2 : 1));
  int64_t kb = b.getDimSize(rb - (getTransposeRhs() ? 1 : 2)),
          n = b.getDimSize(rb - (getTransposeRhs() ? 2 : 1));
  SmallVector<int64_t> batch;
  if (failed(broadcastShapes(std::nullopt, batchOf(a), batchOf(b), batch)))
    return emitOpError() << "expected leading dimensions that broadcast, but got " << a << " and "
                         << b;
  if (ka != kb || r.getShape().drop_back(2) != ArrayRef(batch) ||
      r.getShape().take_back(2) != ArrayRef<int64_t>{m, n})
    return emitOpError() << "expected shapes MxK, KxN and MxN, but got " << a << ", " << b
                         << " and " << r;
  Type in = a.getElementType(), acc = r.getElementType();
  bool narrow = isa<FloatType>(in) && in.getIntOrFloatBitWidth() < 32;
  if (narrow ? !acc.isF32() : acc != in)
    return emitOpError() << "expected a result in "
                         << (narrow ? Float32Type::get(getContext()) : in)
                         << ", the accumulator of " << in << ", but got " << acc;
  return success();
}

static int64_t rankOf(Value v) { return cast<RankedTensorType>(v.getType()).getRank(); }
static int64_t leadingOf(Value v) { return cast<RankedTensorType>(v.getType()).getDimSize(0); }

int64_t MatmulOp::getFlops() {
  auto lhs = getLhs().getType();
  return 2 * getType().getNumElements() *
         lhs.getDimSize(lhs.getRank() - (getTransposeLhs() ? 2 : 1));
}

// Leading dimensions of a batched product, or the rows of lhs.
bool MatmulOp::keepsLeadingDimension(IsBatched isBatched) {
  auto keeps = [&](Value v, bool isRows) { return !isBatched(v) || rankOf(v) > 2 || isRows; };
  auto leads = [&](Value v) {
    return !isBatched(v) ||
           (rankOf(v) == rankOf(getResult()) && leadingOf(v) == leadingOf(getResult()));
  };
  bool rowsOfLhs = rankOf(getResult()) == 2 && !getTransposeLhs();
  return keeps(getLhs(), rowsOfLhs) && keeps(getRhs(), false) && leads(getLhs()) && leads(getRhs());
}

/// lhs: [..., M, K], rhs: [..., K, N], transposed: the last two the other way round.
std::optional<Fans> MatmulOp::getFans(unsigned operand) {
  ArrayRef<int64_t> matrix = tensorOf(operand == 0 ? getLhs() : getRhs()).getShape().take_back(2);
  bool sumsLast = operand == 0 ? !getTransposeLhs() : getTransposeRhs();
  return sumsLast ? Fans{matrix[1], matrix[0]} : Fans{matrix[0], matrix[1]};
}

bool MatmulOp::isComposite() {
  RankedTensorType a = batchOf(getLhs().getType()), b = batchOf(getRhs().getType());
  return a.getRank() && b.getRank() && a.getShape() != b.getShape();
}

SmallVector<Value> MatmulOp::decompose(GradBuilder &b) {
  auto repeated = [&](Value v) {
    RankedTensorType type = tensorOf(v);
    SmallVector<int64_t> shape(getType().getShape().drop_back(2));
    llvm::append_range(shape, type.getShape().take_back(2));
    return b.broadcastTo(v, type.clone(shape));
  };
  return {b.op<MatmulOp>(getType(), repeated(getLhs()), repeated(getRhs()), getTransposeLhs(),
                         getTransposeRhs())};
}

/// Merges all dimensions but the last: [B, M, K] -> [B * M, K].
static Value flattenRows(GradBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t last = type.getShape().back();
  return b.reshape(x, type.clone({type.getNumElements() / last, last}));
}

// C = op(A) op(B): dA = dC op(B)^T and dB = op(A)^T dC, transposed if the operand is transposed.
// The gradient of an operand without batch dimensions is summed over the batch by reduceTo; for
// weights on the right, rows of all batches form a single product instead, and no gradient per
// batch is stored. A product of a matrix with its own transpose has one adjoint with dC + dC^T in
// place of a sum of two products.
SmallVector<Value> MatmulOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  bool ta = getTransposeLhs(), tb = getTransposeRhs();
  if (getLhs() == getRhs() && ta != tb) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(rankOf(g)));
    std::swap(order.back(), order[order.size() - 2]);
    Value both = b.add(g, b.transpose(g, order));
    Value x = getLhs();
    return {tb ? b.matmul(both, x, false, false) : b.matmul(x, both, false, false), Value()};
  }
  if (!ta && getLhs().getType().getRank() > 2 && getRhs().getType().getRank() == 2) {
    Value x = flattenRows(b, getLhs()), dy = flattenRows(b, g);
    return {b.matmul(g, getRhs(), false, !tb),
            tb ? b.matmul(dy, x, true, false) : b.matmul(x, dy, true, false)};
  }
  return {ta ? b.matmul(getRhs(), g, tb, true) : b.matmul(g, getRhs(), false, !tb),
          tb ? b.matmul(g, getLhs(), true, ta) : b.matmul(getLhs(), g, !ta, false)};
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FlattenedBatch, ReadBeforeTranspose>(context);
}

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType(), weight = a.getWeight().getType(),
       bias = a.getBias() ? a.getBias().getType() : Type();
  auto in = tensorOf(x), w = tensorOf(weight);
  if (!in || !w || in.getRank() < 1 || w.getRank() != 2 ||
      in.getShape().back() != w.getDimSize(0) || in.getElementType() != w.getElementType())
    return emitOptionalError(loc, "expected a weight of [",
                             in && in.getRank() ? in.getShape().back() : 0, ", out] for ", x,
                             ", but got ", weight);
  if (bias && tensorOf(bias) != w.clone({w.getDimSize(1)}))
    return emitOptionalError(loc, "expected a bias of type ", w.clone({w.getDimSize(1)}),
                             ", but got ", bias);
  SmallVector<int64_t> shape(in.getShape());
  shape.back() = w.getDimSize(1);
  types.push_back(in.clone(shape));
  return success();
}

bool LinearOp::keepsLeadingDimension(IsBatched isBatched) {
  return !isBatched(getWeight()) && !(getBias() && isBatched(getBias()));
}

std::optional<Fans> LinearOp::getFans(unsigned operand) {
  ArrayRef<int64_t> shape = tensorOf(getWeight()).getShape();
  return operand == 1 ? std::optional(Fans{shape[0], shape[1]}) : std::nullopt;
}

SmallVector<Value> LinearOp::decompose(GradBuilder &b) {
  auto type = getX().getType();
  Type element = type.getElementType(), wide = accumulatorOf(element);
  int64_t in = type.getShape().back(), rows = type.getNumElements() / in;
  Value flat = b.reshape(getX(), type.clone({rows, in}));
  Value y = b.matmul(flat, getWeight(), false, false, wide);
  if (getBias())
    y = b.add(y, b.castTo(getBias(), wide));
  return {b.reshape(b.castTo(y, element), getType())};
}
