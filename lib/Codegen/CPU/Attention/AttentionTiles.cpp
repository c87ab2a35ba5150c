// Tiles of scores, and their GEMMs by the emitter that all contractions use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Attention/AttentionTiles.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/PackedSide.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// Packed B tiles that one product keeps: a share of the last-level cache.
static constexpr int64_t keptBytes = 4 << 20;

static ProductShape productOf(int64_t m, int64_t n, int64_t k, Type a, Type b, Type acc) {
  ProductShape shape;
  shape.lhs = a;
  shape.rhs = b;
  shape.m = m;
  shape.n = n;
  shape.k = k;
  shape.acc = acc;
  return shape;
}

bool cpu::hasOwnProducts(const AttentionShape &shape, const Tier &tier) {
  Type element = shape.operandTypes.front();
  return hasOwnProducts(
      productOf(shape.queryTile, shape.keyTile, shape.width, element, element, shape.acc), tier);
}

Matrix AttentionShape::entryOf(const Access &access, Type element) const {
  ArrayRef<int64_t> inner = ArrayRef(access.strides).drop_front(batch.size());
  return {Value(), element, inner[0], inner.size() > 1 ? inner[1] : 0};
}

int64_t AttentionScratch::take(int64_t elements) {
  int64_t start = at;
  at += alignUp(elements * elementBytes(shape.acc));
  return start;
}
/// Blocking of the next product: the plan's, or without one the fastest. A plan without code is
/// kept for the error of `checkPlans`.
Blocking AttentionScratch::nextBlocking(const ProductShape &product, const StridedSource &lhs) {
  auto take = [&](const Blocking &blocking) {
    chosen.push_back(blocking.attribute(shape.acc.getContext(), tier));
    return blocking;
  };
  size_t number = chosen.size();
  if (number >= plans.size())
    return take(Blocking::choose(product, lhs, tier));
  std::string reason;
  auto plan = cast<kernel::BlockingAttr>(plans[number]);
  if (std::optional<Blocking> blocking = Blocking::by(plan, product, lhs, tier, reason))
    return take(*blocking);
  if (!refused) {
    refused = plan;
    why = reason;
  }
  return take(Blocking::choose(product, lhs, tier));
}
LogicalResult AttentionScratch::checkPlans(Operation *op) const {
  if (plans.size() != chosen.size())
    return op->emitOpError() << "expected " << chosen.size() << " blockings of tier " << tier.name
                             << ", which kernel-configure stores, but got " << plans.size();
  if (refused)
    return op->emitOpError() << "expected a blocking that tier " << tier.name
                             << " has code for, but got " << refused << ": " << why;
  return success();
}
TileProduct AttentionScratch::takeProduct(int64_t m, int64_t n, int64_t k, const Matrix &a, Type b,
                                          int64_t tiles) {
  ProductShape product = productOf(m, n, k, a.element, b, shape.acc);
  product.packedRhs = true;
  StridedSource lhs;
  lhs.element = a.element;
  lhs.lines = m;
  lhs.depth = k;
  lhs.lineStride = a.rowStride;
  lhs.depthStride = a.columnStride;
  Blocking blocking = nextBlocking(product, lhs);
  productBytes = std::max(productBytes, ScratchLayout::of(product, blocking, lhs).total);
  int64_t bytes = alignUp(PackedSide(product, 0, tier).bytes());
  int64_t kept = tiles * bytes <= keptBytes ? tiles : 1, offset = at;
  at += kept * bytes;
  return {product, lhs, blocking, tiles, kept, bytes, offset};
}

AttentionEmitter::AttentionEmitter(KernelEmitter &e, const AttentionShape &shape,
                                   const KernelPointers &pointers)
    : e(e), shape(shape), pointers(pointers), lanes(e.tier.lanes(8 * elementBytes(shape.acc))),
      vectorType(e.vectorOf(shape.acc, lanes)) {}

void AttentionEmitter::enter(Value entry) {
  dims.assign(shape.batch.size(), Value());
  for (unsigned dim = shape.batch.size(); dim-- > 0;) {
    dims[dim] = e.rem(entry, shape.batch[dim]);
    entry = e.div(entry, shape.batch[dim]);
  }
}
Matrix AttentionEmitter::entryOf(Value pointer, const Access &access, Matrix matrix) {
  Value position = e.index(access.constant);
  for (auto [dim, value] : llvm::enumerate(dims))
    if (access.strides[dim])
      position = e.add(position, e.mul(value, access.strides[dim]));
  matrix.pointer = e.address(pointer, matrix.element, position);
  return matrix;
}
Matrix AttentionEmitter::scratch(int64_t offset, int64_t columns, Type element) {
  return {e.offset(pointers.scratch, offset), element ? element : shape.acc,
          roundUp(columns, lanes), 1};
}

Value AttentionEmitter::packedTile(const TileProduct &product, Value tile) {
  Value slot = product.keepsAll() ? tile : e.index(0);
  return e.offset(e.offset(pointers.scratch, product.offset), e.mul(slot, product.bytes));
}
void AttentionEmitter::pack(const TileProduct &product, Value tile, const Matrix &b) {
  PackedSide side(product.shape, 0, e.tier);
  side.setLines(e, b.pointer, b.rowStride, b.columnStride);
  Value packed = packedTile(product, tile);
  e.loop(e.index(0), e.index(side.panelCount()), 1,
         [&](Value panel) { side.packPanel(e, panel, packed); });
}
void AttentionEmitter::packNew(const TileProduct &product, Value tile, Value isNew,
                               const Matrix &b) {
  if (!product.keepsAll())
    return pack(product, tile, b);
  e.when(isNew, [&] { pack(product, tile, b); });
}

void AttentionEmitter::multiply(const Matrix &a, const TileProduct &product, Value tile,
                                Sums epilogue) {
  StridedSource lhs = product.lhs, rhs;
  assert(a.element == lhs.element && a.rowStride == lhs.lineStride &&
         a.columnStride == lhs.depthStride && "the blocking depends on the strides of A");
  lhs.pointer = a.pointer;
  rhs.pointer = packedTile(product, tile);
  auto finish = [&](Value, Value row, Value column, int64_t active, Value sums) {
    epilogue(row, column, active, sums);
  };
  ProductEmitter(e, product.shape, product.blocking, lhs, rhs,
                 e.offset(pointers.scratch, productScratch), finish)
      .emit(e.index(0), e.index(product.blocking.tasks()));
}

ScoreTile AttentionEmitter::tileAt(Value queryTile, Value keyTile) {
  ScoreTile tile;
  tile.firstQuery = e.mul(queryTile, shape.queryTile);
  tile.firstKey = e.mul(keyTile, shape.keyTile);
  tile.query = e.min(tile.firstQuery, e.index(shape.queries - shape.queryTile));
  tile.key = e.min(tile.firstKey, e.index(shape.keys - shape.keyTile));
  return tile;
}

Value AttentionEmitter::score(const ScoreTile &tile, Value m, Value n, int64_t active,
                              Value product) {
  Value scaled = arith::MulFOp::create(e.b, e.loc, product, splat(shape.scale));
  if (!shape.biased)
    return scaled;
  Value bias = loadRounded(operand(3), e.add(tile.query, m), e.add(tile.key, n), active);
  return arith::AddFOp::create(e.b, e.loc, scaled, bias);
}

Value AttentionEmitter::keepColumns(Value x, int64_t active, double value) {
  if (active == lanes)
    return x;
  return arith::SelectOp::create(e.b, e.loc, e.mask(lanes, active), x, splat(value));
}

/// Mask of the lanes whose scores are visible; null if the attention has neither a causal mask nor
/// overlapping tiles.
Value AttentionEmitter::visible(const ScoreTile &tile, Value row, Value column) {
  Value all;
  Type i32 = e.b.getI32Type();
  Value columns;
  auto require = [&](arith::CmpIPredicate predicate, Value limit) {
    auto vectorOf = [&](Value x) {
      return e.broadcast(arith::IndexCastOp::create(e.b, e.loc, i32, x), lanes);
    };
    if (!columns)
      columns =
          arith::AddIOp::create(e.b, e.loc, e.iota(i32, lanes), vectorOf(e.add(tile.key, column)));
    Value holds = arith::CmpIOp::create(e.b, e.loc, predicate, columns, vectorOf(limit));
    all = all ? arith::AndIOp::create(e.b, e.loc, all, holds).getResult() : holds;
  };
  if (shape.keys % shape.keyTile)
    require(arith::CmpIPredicate::sge, tile.firstKey);
  if (shape.causal)
    require(arith::CmpIPredicate::sle, e.add(e.add(tile.query, row), shape.offset()));
  return all;
}

void AttentionEmitter::hide(const ScoreTile &tile, ArrayRef<Matrix> arrays, double value) {
  Value hasHidden;
  if (shape.keys % shape.keyTile)
    hasHidden = e.less(tile.key, tile.firstKey);
  if (shape.causal) {
    Value isLate = e.less(e.add(tile.query, shape.offset()), e.add(tile.key, shape.keyTile - 1));
    hasHidden =
        hasHidden ? arith::OrIOp::create(e.b, e.loc, hasHidden, isLate).getResult() : isLate;
  }
  if (!hasHidden)
    return;
  e.when(hasHidden, [&] {
    e.loop(e.index(0), e.index(shape.queryTile), 1, [&](Value row) {
      e.loop(e.index(0), e.index(shape.keyTile), lanes, [&](Value column) {
        Value counts = visible(tile, row, column);
        for (const Matrix &array : arrays) {
          Value x = load(array, row, column), hidden = e.constant(x.getType(), value);
          store(arith::SelectOp::create(e.b, e.loc, counts, x, hidden), array, row, column);
        }
      });
    });
  });
}

// ---- Vectors of matrices ----

Value AttentionEmitter::load(const Matrix &matrix, Value row, Value column) {
  return e.loadVector(matrix.pointer, matrix.element, e.add(e.mul(row, matrix.rowStride), column),
                      lanes);
}
void AttentionEmitter::store(Value vector, const Matrix &matrix, Value row, Value column) {
  e.store(vector, matrix.pointer, e.add(e.mul(row, matrix.rowStride), column));
}
void AttentionEmitter::fill(const Matrix &matrix, Value rows, int64_t columns, double value) {
  Value vector = e.constant(e.vectorOf(matrix.element, lanes), value);
  e.loop(e.index(0), rows, 1, [&](Value row) {
    e.loop(e.index(0), e.index(columns), lanes,
           [&](Value column) { store(vector, matrix, row, column); });
  });
}
Value AttentionEmitter::loadRounded(const Matrix &matrix, Value row, Value column, int64_t active) {
  Value position = e.add(e.mul(row, matrix.rowStride), e.mul(column, matrix.columnStride));
  Value x =
      e.loadStrided(matrix.pointer, matrix.element, position, matrix.columnStride, lanes, active);
  return widen(e, x, shape.acc);
}
void AttentionEmitter::storeRounded(Value vector, const Matrix &matrix, Value row, Value column,
                                    int64_t active) {
  if (matrix.element != shape.acc)
    vector = arith::TruncFOp::create(e.b, e.loc, e.vectorOf(matrix.element, lanes), vector);
  Value position = e.add(e.mul(row, matrix.rowStride), e.mul(column, matrix.columnStride));
  e.storeStrided(vector, matrix.pointer, position, matrix.columnStride, active);
}
void AttentionEmitter::storeRows(const Matrix &array, const Matrix &result, Value from, Value to,
                                 double factor) {
  e.loop(from, to, 1, [&](Value row) {
    forVectors(e, shape.width, lanes, [&](Value column, int64_t active) {
      Value x = load(array, row, column);
      if (factor != 1)
        x = arith::MulFOp::create(e.b, e.loc, x, splat(factor));
      storeRounded(x, result, row, column, active);
    });
  });
}
