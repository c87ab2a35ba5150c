// Sums over ranks: exchanges of bytes, and additions in the order of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"
#include "mlir-dialects/Kernel/Exchange.h"
#include "mlir-dialects/Train/Ops/Parts.h"

using namespace mlir;
using namespace ampc;

/// Fewest elements of a tensor that is summed in pieces: a smaller one travels whole, in one
/// message in place of two.
static constexpr int64_t leastScattered = 1024;

/// Tensor in memory that belongs to the program, since an exchange needs a fixed address.
static Value ownTensor(Location loc, Value value, Converter &converter) {
  Value tensor = converter.tensor(value);
  if (kernel::throughViews(tensor).getDefiningOp<KernelOpInterface>())
    return tensor;
  auto type = tensorOf(tensor);
  AffineMap all = converter.builder.getMultiDimIdentityMap(type.getRank());
  return converter.map(loc, type, converter.whole(tensor), all, type.getShape(), all, copyElements)
      ->getResult(0);
}

/// Tensors of all ranks, [ranks, elements], or with `scatter` the pieces for this rank, [ranks,
/// elements / ranks].
static Value exchange(Location loc, Value tensor, int64_t ranks, bool scatter,
                      Converter &converter) {
  auto type = tensorOf(tensor);
  int64_t elements = type.getNumElements() / (scatter ? ranks : 1);
  Value pending = kernel::StartOp::create(converter.builder, loc, type.clone({ranks, elements}),
                                          tensor, scatter);
  return kernel::WaitOp::create(converter.builder, loc, pending, tensor);
}

/// Sum of the rows of a matrix, left to right: [ranks, elements] -> [elements].
static Value addRows(Location loc, Value rows, Converter &converter) {
  auto type = tensorOf(rows);
  int64_t ranks = type.getDimSize(0), elements = type.getDimSize(1);
  MLIRContext *context = converter.builder.getContext();
  AffineExpr element = getAffineDimExpr(0, context);
  SmallVector<Access> inputs(ranks, converter.whole(rows));
  SmallVector<AffineMap> maps;
  for (int64_t rank = 0; rank < ranks; ++rank)
    maps.push_back(AffineMap::get(1, 0, {getAffineConstantExpr(rank, context), element}, context));
  auto build = [](ScalarBuilder &b, ValueRange x) {
    Value sum = x.front();
    for (Value term : x.drop_front())
      sum = b.add(sum, term);
    return SmallVector<Value>{sum};
  };
  AffineMap all = converter.builder.getMultiDimIdentityMap(1);
  return converter.map(loc, type.clone({elements}), inputs, maps, elements, all, build)
      ->getResult(0);
}

static LogicalResult convertSumRanks(train::SumRanksOp op, Converter &converter) {
  Location loc = op.getLoc();
  int64_t ranks = op.getRanks(), elements = op.getType().getNumElements();
  Value tensor = ownTensor(loc, op.getX(), converter);
  bool scatters = elements >= leastScattered && elements % ranks == 0;
  Value sum = addRows(loc, exchange(loc, tensor, ranks, scatters, converter), converter);
  if (scatters)
    sum = exchange(loc, sum, ranks, false, converter);
  converter.set(op, converter.view(loc, sum, op.getType().getShape()));
  return success();
}

static LogicalResult convertGatherRanks(train::GatherRanksOp op, Converter &converter) {
  Value tensor = ownTensor(op.getLoc(), op.getX(), converter);
  Value rows = exchange(op.getLoc(), tensor, op.getRanks(), false, converter);
  converter.set(op, converter.view(op.getLoc(), rows, op.getType().getShape()));
  return success();
}

static LogicalResult convertRank(train::RankOp op, Converter &converter) {
  converter.set(op, kernel::RankOp::create(converter.builder, op.getLoc(), op.getType()));
  return success();
}

void ampc::addExchangeRules(ConversionRules &families) {
  families.add<train::SumRanksOp>(convertSumRanks);
  families.add<train::GatherRanksOp>(convertGatherRanks);
  families.add<train::RankOp>(convertRank);
}
