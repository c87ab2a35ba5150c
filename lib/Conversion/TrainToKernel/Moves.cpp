// Rows by number, parts of tensors, and windows of images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

/// [leading dimensions] x [the others], as a tensor.
static Value asRows(Location loc, Value value, unsigned leading, Converter &converter) {
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  return converter.view(loc, converter.tensor(value),
                        {product(shape.take_front(leading)), product(shape.drop_front(leading))});
}
static Value flat(Location loc, Value value, Converter &converter) {
  return converter.view(loc, converter.tensor(value), {tensorOf(value).getNumElements()});
}

static LogicalResult convertGather(train::GatherOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value table = asRows(loc, op.getTable(), 1, converter),
        index = flat(loc, op.getIndex(), converter);
  auto type = tensorOf(table).clone({tensorOf(index).getDimSize(0), tensorOf(table).getDimSize(1)});
  Value rows = kernel::GatherOp::create(converter.builder, loc, type, table, index);
  converter.set(op, converter.view(loc, rows, op.getType().getShape()));
  return success();
}

/// Sums, formed in at least f32, as a value of `type`: rounded once.
static Value rounded(Location loc, Value sums, RankedTensorType type, Converter &converter) {
  auto flatType = tensorOf(sums);
  if (flatType.getElementType() != type.getElementType()) {
    AffineMap all = converter.builder.getMultiDimIdentityMap(2);
    auto round = [](ScalarBuilder &, ValueRange x) { return SmallVector<Value>(x); };
    sums = converter
               .map(loc, flatType.clone(type.getElementType()), converter.whole(sums), all,
                    flatType.getShape(), all, round)
               ->getResult(0);
  }
  return converter.view(loc, sums, type.getShape());
}

/// The sums of rows of `updates`, for a result of `type`.
static RankedTensorType sumsOf(Value updates, RankedTensorType type) {
  Type given = tensorOf(updates).getElementType(), sum = computeType(type.getElementType());
  bool isWider = given.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth();
  return RankedTensorType::get({type.getDimSize(0), tensorOf(updates).getDimSize(1)},
                               isWider ? given : sum);
}

static LogicalResult convertScatterAdd(train::ScatterAddOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value updates = asRows(loc, op.getUpdates(), op.getIndex().getType().getRank(), converter);
  Value index = flat(loc, op.getIndex(), converter);
  Value sums = kernel::ScatterAddOp::create(converter.builder, loc, sumsOf(updates, op.getType()),
                                            updates, index, op.getPaddingAttr());
  converter.set(op, rounded(loc, sums, op.getType(), converter));
  return success();
}

static LogicalResult convertSumRows(train::SumRowsOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value updates = asRows(loc, op.getUpdates(), op.getIndex().getType().getRank(), converter);
  Value index = flat(loc, op.getIndex(), converter);
  auto rows = op.getRows().getType();
  auto groups = kernel::GroupRowsOp::create(converter.builder, loc, rows, index.getType(),
                                            rows.clone({rows.getDimSize(0) + 1}), index,
                                            converter.builder.getI64IntegerAttr(op.getOf()));
  Value sums =
      kernel::SumRowsOp::create(converter.builder, loc, sumsOf(updates, op.getSums().getType()),
                                updates, groups.getOrder(), groups.getStarts());
  converter.set(op.getSums(), rounded(loc, sums, op.getSums().getType(), converter));
  converter.set(op.getRows(), groups.getRows());
  return success();
}

static LogicalResult convertPutRows(train::PutRowsOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value rows = asRows(loc, op.getRows(), op.getIndex().getType().getRank(), converter),
        index = flat(loc, op.getIndex(), converter),
        table = asRows(loc, op.getTable(), 1, converter);
  Value now =
      kernel::PutRowsOp::create(converter.builder, loc, table.getType(), rows, index, table);
  converter.set(op, converter.view(loc, now, op.getType().getShape()));
  return success();
}

static LogicalResult convertConcat(train::ConcatOp op, Converter &converter) {
  SmallVector<Value> parts;
  SmallVector<int64_t> offsets, strides(op.getParts().size() * op.getType().getRank(), 1);
  int64_t at = 0;
  for (Value part : op.getParts()) {
    parts.push_back(converter.tensor(part));
    for (int64_t d = 0; d < op.getType().getRank(); ++d)
      offsets.push_back(d == op.getDim() ? at : 0);
    at += tensorOf(part).getDimSize(op.getDim());
  }
  converter.set(op, kernel::AssembleOp::create(converter.builder, op.getLoc(), op.getType(), parts,
                                               offsets, strides, APFloat(0.0)));
  return success();
}
static LogicalResult convertPad(train::PadOp op, Converter &converter) {
  auto strides = llvm::map_to_vector(op.getInterior(), [](int64_t gap) { return gap + 1; });
  converter.set(op, kernel::AssembleOp::create(converter.builder, op.getLoc(), op.getType(),
                                               converter.tensor(op.getX()), op.getLow(), strides,
                                               op.getValue()));
  return success();
}

template <typename Op> static APFloat shareOf(Op op) {
  return APFloat(1.0 / double(product(op.getWindow())));
}

static LogicalResult convertMaxPool(train::MaxPoolOp op, Converter &converter) {
  auto pool = kernel::PoolOp::create(
      converter.builder, op.getLoc(), op->getResultTypes(), converter.tensor(op.getX()),
      kernel::Combine::max, op.getWindow(), op.getStrides(), op.getPadding(), APFloat(1.0));
  converter.set(op.getResult(), pool.getResult());
  converter.set(op.getWhere(), pool.getWhere()[0]);
  return success();
}
static LogicalResult convertAvgPool(train::AvgPoolOp op, Converter &converter) {
  auto pool = kernel::PoolOp::create(converter.builder, op.getLoc(), op->getResultTypes(),
                                     converter.tensor(op.getX()), kernel::Combine::sum,
                                     op.getWindow(), op.getStrides(), op.getPadding(), shareOf(op));
  converter.set(op, pool.getResult());
  return success();
}
static LogicalResult convertMaxPoolGrad(train::MaxPoolGradOp op, Converter &converter) {
  converter.set(op, kernel::PoolGradOp::create(
                        converter.builder, op.getLoc(), op.getType(), converter.tensor(op.getG()),
                        converter.tensor(op.getWhere()), kernel::Combine::max, op.getWindow(),
                        op.getStrides(), op.getPadding(), APFloat(1.0)));
  return success();
}
static LogicalResult convertAvgPoolGrad(train::AvgPoolGradOp op, Converter &converter) {
  converter.set(op, kernel::PoolGradOp::create(converter.builder, op.getLoc(), op.getType(),
                                               converter.tensor(op.getG()), ValueRange{},
                                               kernel::Combine::sum, op.getWindow(),
                                               op.getStrides(), op.getPadding(), shareOf(op)));
  return success();
}

void ampc::addMoveRules(Families &families) {
  families.add<train::GatherOp>(convertGather);
  families.add<train::ScatterAddOp>(convertScatterAdd);
  families.add<train::SumRowsOp>(convertSumRows);
  families.add<train::PutRowsOp>(convertPutRows);
  families.add<train::ConcatOp>(convertConcat);
  families.add<train::PadOp>(convertPad);
  families.add<train::MaxPoolOp>(convertMaxPool);
  families.add<train::AvgPoolOp>(convertAvgPool);
  families.add<train::MaxPoolGradOp>(convertMaxPoolGrad);
  families.add<train::AvgPoolGradOp>(convertAvgPoolGrad);
}
