// Sparse update of a sum: adding a scatter_add of few rows to a table becomes a segment sum and a
// scatter of those rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELSPARSEADD
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Smallest table in bytes, and smallest ratio of the table's rows to the updates, for which
/// sorting the indices pays.
static constexpr int64_t leastBytes = 1 << 20, leastRatio = 4;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
/// An elementwise sum of a table and a scatter_add, in which the table has no other consumer.
struct SparseAdd {
  kernel::MapOp map;
  kernel::ScatterAddOp scatter;
  Value table;
  bool scatterIsFirst = false;

  static std::optional<SparseAdd> of(kernel::MapOp map);
  void rewrite();

private:
  Value withoutPadding(OpBuilder &builder);
  Value sumOf(OpBuilder &builder, Value table, Value rows);
};
} // namespace

static bool isOnePass(kernel::MapOp map) {
  auto isWhole = [&](Attribute attr) {
    return isIdentityOn(cast<AffineMapAttr>(attr).getValue(), map.getSpace());
  };
  return map->getNumResults() == 1 && llvm::all_of(map.getInputMaps(), isWhole) &&
         llvm::all_of(map.getResultMaps(), isWhole);
}

std::optional<SparseAdd> SparseAdd::of(kernel::MapOp map) {
  if (map.getInputs().size() != 2 || !isOnePass(map))
    return {};
  Block &body = map.getBody().front();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum || &body.front() != sum || sum.getLhs() == sum.getRhs() ||
      !isa<BlockArgument>(sum.getLhs()) || !isa<BlockArgument>(sum.getRhs()))
    return {};
  for (unsigned i : {0, 1}) {
    SparseAdd found;
    found.map = map;
    found.scatter = map.getInputs()[i].getDefiningOp<kernel::ScatterAddOp>();
    found.table = map.getInputs()[1 - i];
    found.scatterIsFirst = sum.getLhs() == body.getArgument(i);
    if (!found.scatter || !found.scatter->hasOneUse() || !found.table.hasOneUse() ||
        !found.table.getDefiningOp() || found.table.getType() != map->getResult(0).getType())
      continue;
    int64_t rows = typeOf(found.table).getDimSize(0),
            updates = typeOf(found.scatter.getIndex()).getDimSize(0);
    if (updates && rows >= leastRatio * updates &&
        kernel::byteSize(found.table.getType()) >= leastBytes)
      return found;
  }
  return {};
}

/// Index with -1, which is out of range, in place of the padding row, whose updates are dropped.
Value SparseAdd::withoutPadding(OpBuilder &builder) {
  Value index = scatter.getIndex();
  std::optional<int64_t> padding = scatter.getPadding();
  if (!padding)
    return index;
  Location loc = scatter.getLoc();
  auto number = [&](int64_t x) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(x)));
  };
  return createPointwise(builder, loc, typeOf(index), index, [&](ValueRange row) -> Value {
    Value isPadding =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, row[0], number(*padding));
    return arith::SelectOp::create(builder, loc, isPadding, number(-1), row[0]);
  });
}

/// Sum of both terms, in the operand order of the original addition.
Value SparseAdd::sumOf(OpBuilder &builder, Value table, Value rows) {
  return createPointwise(
      builder, map.getLoc(), typeOf(rows), {table, rows}, [&](ValueRange x) -> Value {
        return arith::AddFOp::create(builder, map.getLoc(), x[scatterIsFirst], x[!scatterIsFirst]);
      });
}

void SparseAdd::rewrite() {
  OpBuilder builder(map);
  Location loc = map.getLoc();
  Value index = withoutPadding(builder);
  auto indices = typeOf(index), sums = typeOf(table);
  int64_t count = indices.getDimSize(0);
  auto groups =
      kernel::SortByKeyOp::create(builder, loc, indices, indices, indices.clone({count + 1}), index,
                                  builder.getI64IntegerAttr(sums.getDimSize(0)));
  auto rowType = sums.clone({count, sums.getDimSize(1)});
  auto added = kernel::SegmentSumOp::create(builder, loc, rowType, scatter.getUpdates(),
                                            groups.getOrder(), groups.getStarts(), /*from=*/0);
  auto old = kernel::GatherOp::create(builder, loc, rowType, table, groups.getRows());
  Value sum = sumOf(builder, old, added);
  SmallVector<Operation *> kernels{groups, added, old, sum.getDefiningOp()};
  if (index != scatter.getIndex())
    kernels.push_back(index.getDefiningOp());
  for (Operation *op : kernels)
    joinOrigins(op, scatter.getOperation());
  auto put = kernel::ScatterRowsOp::create(builder, loc, sums, sum, groups.getRows(), table);
  put->setDiscardableAttrs(map->getDiscardableAttrDictionary());
  map->getResult(0).replaceAllUsesWith(put.getResult());
  map.erase();
  scatter.erase();
}

namespace {
struct KernelSparseAdd : ampc::impl::KernelSparseAddBase<KernelSparseAdd> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      for (auto map : llvm::make_early_inc_range(program.getBody().getOps<kernel::MapOp>()))
        if (std::optional<SparseAdd> sum = SparseAdd::of(map))
          sum->rewrite();
  }
};
} // namespace
