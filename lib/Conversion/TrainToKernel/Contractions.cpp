// Matrix products: kernel.gemm, with transposes in the operands' indexing maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

/// Merges batch dimensions of the left operand into rows: [b, m, k] x [k, n] becomes [b * m, k] x
/// [k, n].
static Access flattenRows(Location loc, Access access, Converter &converter) {
  ArrayRef<int64_t> shape = access.type.getShape();
  return converter.whole(converter.tensor(
      loc, converter.reshape(loc, access, {product(shape.drop_back()), shape.back()})));
}

static LogicalResult convertMatmul(train::MatmulOp op, Converter &converter) {
  OpBuilder &builder = converter.builder;
  Location loc = op.getLoc();
  Access lhs = converter.access(op.getLhs()), rhs = converter.access(op.getRhs());
  SmallVector<int64_t> space(op.getType().getShape());
  if (rhs.type.getRank() == 2 && lhs.type.getRank() > 2 && !op.getTransposeLhs()) {
    lhs = flattenRows(loc, lhs, converter);
    space = {product(op.getType().getShape().drop_back()), space.back()};
  }
  lhs = converter.projection(loc, lhs);
  rhs = converter.projection(loc, rhs);
  unsigned rank = space.size();
  AffineExpr m = builder.getAffineDimExpr(rank - 2), n = builder.getAffineDimExpr(rank - 1),
             k = builder.getAffineDimExpr(rank);
  auto operandMap = [&](const Access &side, AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i + 2 < side.type.getRank(); ++i)
      exprs.push_back(builder.getAffineDimExpr(i));
    exprs.append({row, column});
    return side.map.compose(AffineMap::get(rank + 1, 0, exprs, builder.getContext()));
  };
  int64_t depth = lhs.type.getDimSize(lhs.type.getRank() - (op.getTransposeLhs() ? 2 : 1));
  Type acc = op.getType().getElementType();
  AffineMap left = op.getTransposeLhs() ? operandMap(lhs, k, m) : operandMap(lhs, m, k);
  AffineMap right = op.getTransposeRhs() ? operandMap(rhs, n, k) : operandMap(rhs, k, n);
  auto gemm = kernel::GemmOp::create(
      builder, loc, TypeRange{op.getType().clone(space)}, lhs.tensor, rhs.tensor, ValueRange{},
      space, depth, builder.getAffineMapArrayAttr({left, right}), builder.getAffineMapArrayAttr({}),
      builder.getAffineMapArrayAttr(builder.getMultiDimIdentityMap(rank)), acc, modeOf(op),
      /*plan=*/nullptr, /*blockings=*/nullptr);
  converter.addPlainBody(gemm, acc);
  converter.set(op, converter.view(loc, gemm.getResult(0), op.getType().getShape()));
  return success();
}

void ampc::addContractionRules(ConversionRules &families) {
  families.add<train::MatmulOp>(convertMatmul);
}
