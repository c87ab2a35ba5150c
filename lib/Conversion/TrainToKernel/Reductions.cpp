// Reductions: along rows by a row kernel, along other dimensions by kernel.reduce.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

/// The operand of a reduction as a value with dimensions [outer, reduced, inner].
static Access blocked(Location loc, Access access, ArrayRef<int64_t> space, unsigned first,
                      unsigned count, Converter &converter) {
  // Groups with at most a single dimension above size 1 are read through the map in place.
  auto group = [&](unsigned from, unsigned to) {
    return llvm::count_if(access.type.getShape().slice(from, to - from),
                          [](int64_t size) { return size != 1; });
  };
  unsigned rank = access.type.getRank();
  if (!access.literal &&
      (group(0, first) > 1 || group(first, first + count) > 1 || group(first + count, rank) > 1))
    access = converter.whole(converter.tensor(loc, access));
  return converter.reshape(loc, access, space);
}

/// Transposes the kept dimensions to the front: kept first, reduced last.
static Access permuteToRows(Access access, ArrayRef<int64_t> dims, Converter &converter) {
  unsigned rank = access.type.getRank();
  SmallVector<int64_t> order;
  for (unsigned i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, int64_t(i)))
      order.push_back(i);
  llvm::append_range(order, dims);
  SmallVector<int64_t> shape;
  for (int64_t dim : order)
    shape.push_back(access.type.getDimSize(dim));
  access.type = access.type.clone(shape);
  if (access.literal)
    return access;
  SmallVector<AffineExpr> exprs;
  for (int64_t position : inversePermutation(order))
    exprs.push_back(converter.builder.getAffineDimExpr(position));
  access.map = access.map.compose(AffineMap::get(rank, 0, exprs, converter.builder.getContext()));
  return access;
}

static Value reduceRows(Location loc, Access access, RankedTensorType type, kernel::Combine combine,
                        Converter &converter) {
  int64_t outer = type.getNumElements(), reduced = access.type.getNumElements() / outer;
  SmallVector<int64_t> space{outer, reduced};
  AffineMap all = converter.builder.getMultiDimIdentityMap(2);
  access = blocked(loc, access, space, type.getRank(), access.type.getRank() - type.getRank(),
                   converter);
  auto flat = RankedTensorType::get(outer, type.getElementType());
  auto body = [&](ScalarBuilder &b, ValueRange x) {
    return SmallVector<Value>{kernel::RowReduceOp::create(b.builder, loc, combine, x[0])};
  };
  return converter
      .map(loc, flat, access, all, space, rowMap(2, converter.builder.getContext()), body)
      ->getResult(0);
}

static Value reduceBlocks(Location loc, Access access, unsigned first, unsigned count,
                          RankedTensorType type, kernel::Combine combine, Converter &converter) {
  ArrayRef<int64_t> shape = access.type.getShape();
  SmallVector<int64_t> space{product(shape.take_front(first)), product(shape.slice(first, count)),
                             product(shape.drop_front(first + count))};
  AffineMap all = converter.builder.getMultiDimIdentityMap(3);
  access = blocked(loc, access, space, first, count, converter);
  auto acc = RankedTensorType::get({space[0], space[2]}, computeType(type.getElementType()));
  Value sums = converter.reduce(loc, acc, access, all, space, combine)->getResult(0);
  if (acc.getElementType() == type.getElementType())
    return sums;
  return converter.castTo(loc, converter.whole(sums), type.getElementType());
}

// Whether a kernel per row has enough rows for all threads. Few long rows go to kernel.reduce,
// which cuts rows into chunks.
static bool suitsRows(int64_t rows, int64_t length) { return rows >= 64 || length < 16384; }

static LogicalResult convertReduce(ReduceOpInterface op, Converter &converter) {
  auto combine = kernel::symbolizeCombine(op.getCombine());
  Access access = converter.access(op->getOperand(0));
  ArrayRef<int64_t> dims = op.getDims();
  auto type = tensorOf(op->getResult(0));
  if (!combine || type.getNumElements() == 0)
    return failure();
  if (dims.empty()) { // without reduced dimensions every element is already the sum or maximum
    converter.set(op->getResult(0), access);
    return success();
  }
  unsigned first = dims.front(), count = dims.size(), rank = access.type.getRank();
  if (dims.back() - first + 1 != count) {
    access = permuteToRows(access, dims, converter);
    first = rank - count;
  }
  // Row code computes in floats; integers always take kernel.reduce.
  bool rows = first + count == rank && isa<FloatType>(type.getElementType());
  Value result =
      rows && suitsRows(type.getNumElements(), access.type.getNumElements() / type.getNumElements())
          ? reduceRows(op.getLoc(), access, type, *combine, converter)
          : reduceBlocks(op.getLoc(), access, first, count, type, *combine, converter);
  converter.set(op->getResult(0), converter.view(op.getLoc(), result, type.getShape()));
  return success();
}

void ampc::addReductionRules(ConversionRules &families) {
  families.add<ReduceOpInterface>(convertReduce);
}
