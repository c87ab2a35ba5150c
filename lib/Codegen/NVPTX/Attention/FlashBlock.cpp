// Shared parts of kernels with tiles of scores: positions, masks, bias.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/FlashBlock.h"
#include "lib/Codegen/NVPTX/ApproximateFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

Accumulators nvptx::unflatten(ValueRange values) {
  Accumulators squares(values.size() / 4);
  for (auto [i, value] : llvm::enumerate(values))
    squares[i / 4][i % 4] = value;
  return squares;
}
void nvptx::append(SmallVectorImpl<Value> &values, const Accumulators &squares) {
  for (const Accumulator &square : squares)
    llvm::append_range(values, square);
}

// ---- Positions ----

int64_t FlashBlock::count(const FlashShape &shape, const FlashTile &tile, bool ownsQueries) {
  return shape.entries() * llvm::divideCeil(ownsQueries ? shape.queries : shape.keys, tile.rows());
}

/// Lets a block use all registers of a multiprocessor; otherwise ptxas would spill some to fit two
/// blocks.
static void allowAllRegisters(DeviceEmitter &e) {
  auto func = cast<LLVM::LLVMFuncOp>(e.b.getBlock()->getParentOp());
  func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), e.b.getI32IntegerAttr(1));
}

// Order of the blocks, which run roughly by number. With a causal mask, blocks with the most
// visible pairs come first, over all entries, for load balance; otherwise blocks of an entry are
// neighbours, so that streamed rows stay in the L2 cache.
FlashBlock::FlashBlock(DeviceEmitter &e, const FlashShape &shape, const FlashTile &tile,
                       const KernelPointers &pointers, bool ownsQueries)
    : e(e), shape(shape), tile(tile), pointers(pointers), ownsQueries(ownsQueries) {
  allowAllRegisters(e);
  int64_t tiles = llvm::divideCeil(rowCount(), tile.rows()), entries = shape.entries();
  Value entry, number;
  if (shape.causal) {
    entry = e.rem(e.block(), entries);
    number = e.div(e.block(), entries);
    if (ownsQueries)
      number = e.add(e.i32(tiles - 1), e.mul(number, -1));
  } else {
    entry = e.div(e.block(), tiles);
    number = e.rem(e.block(), tiles);
  }
  batch = e.split(entry, shape.batch);
  first = e.mul(number, tile.rows());
  warp = e.div(e.thread(), 32);
  lane = e.rem(e.thread(), 32);
  line = e.div(lane, 4);
  pair = e.mul(e.rem(lane, 4), 2);
}

std::pair<Value, Value> FlashBlock::tileRange() {
  Value from = e.index(0), to = e.index(llvm::divideCeil(columnCount(), tile.columns));
  if (!shape.causal)
    return {from, to};
  Value start = e.position(first), none = e.index(0);
  if (ownsQueries) {
    Value seen = e.max(e.add(start, tile.rows() + shape.offset()), none);
    to = e.min(to, e.div(e.add(seen, tile.columns - 1), tile.columns));
  } else {
    from = e.div(e.max(e.add(start, -shape.offset()), none), tile.columns);
  }
  return {from, to};
}

Value FlashBlock::row(int64_t i, int64_t half) {
  return e.add(e.add(first, warpStart()), e.add(line, e.i32(16 * i + 8 * half)));
}
Value FlashBlock::existingRow(int64_t i, int64_t half) {
  Value own = e.position(row(i, half));
  return rowCount() % tile.rows() ? e.min(own, e.index(rowCount() - 1)) : own;
}
Value FlashBlock::column(Value tileNumber) {
  return e.add(e.mul(tileNumber, tile.columns), e.position(pair));
}
Value FlashBlock::rowStart(const RowLayout &layout, Value pointer) {
  SmallVector<Value> dims(batch);
  dims.resize(layout.access.strides.size(), e.index(0));
  return e.address(pointer, layout.element, target::position(e, layout.access, dims));
}
RowCopy FlashBlock::copyOf(unsigned operand, const RowTile &rows, int64_t count) {
  const RowLayout &layout = shape.operands[operand];
  return RowCopy(e, shape, layout, count, rows, tile.threads(),
                 rowStart(layout, pointers.operands[operand]));
}
void FlashBlock::whenRow(Value row, llvm::function_ref<void()> body) {
  if (rowCount() % tile.rows())
    e.when(e.isBelow(row, rowCount()), body);
  else
    body();
}

// ---- Scores ----

/// Mask bound of a row. For a query: one past the last visible column. For a key: the first query
/// that sees the key.
Value FlashBlock::bound(Value row) {
  if (!ownsQueries)
    return e.add(row, e.i32(-shape.offset()));
  Value all = e.i32(shape.keys);
  return shape.causal ? e.min(e.add(row, e.i32(shape.offset() + 1)), all) : all;
}

void FlashBlock::hide(Accumulators &numbers, Value tileNumber, double hidden) {
  bool isRagged = ownsQueries && columnCount() % tile.columns;
  if (!shape.causal && !isRagged)
    return;
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return e.b.createOrFold<arith::CmpIOp>(e.loc, predicate, x, y);
  };
  Value start =
      arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), e.mul(tileNumber, tile.columns));
  Value warpRow = e.add(first, warpStart()), concerned;
  if (ownsQueries)
    concerned =
        compare(arith::CmpIPredicate::sgt, e.add(start, e.i32(tile.columns)), bound(warpRow));
  else
    concerned =
        compare(arith::CmpIPredicate::slt, start, bound(e.add(warpRow, e.i32(tile.warpRows - 1))));
  SmallVector<Value> before;
  append(before, numbers);
  auto branch = scf::IfOp::create(e.b, e.loc, ValueRange(before).getTypes(), concerned, true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(e.b, e.loc, before);
  e.b.setInsertionPointToStart(&branch.getThenRegion().front());
  Accumulators kept = numbers;
  Value column = e.add(start, pair);
  for (auto [n, square] : llvm::enumerate(kept))
    for (int64_t i = 0; i < 4; ++i) {
      Value limit = bound(row(n / columnTiles(), i / 2));
      Value own = e.add(column, e.i32(n % columnTiles() * 8 + i % 2));
      Value seen =
          compare(ownsQueries ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge, own, limit);
      square[i] = target::select(e, seen, square[i], number(hidden));
    }
  SmallVector<Value> after;
  append(after, kept);
  scf::YieldOp::create(e.b, e.loc, after);
  numbers = unflatten(branch.getResults());
}

/// Whether two neighbouring columns of scores are in an aligned vector of two elements, in any row.
bool FlashBlock::liesInPairs(const RowLayout &layout) const {
  int64_t rowStride = layout.rowStride(), columnStride = layout.columnStride();
  if (!ownsQueries)
    std::swap(rowStride, columnStride);
  auto isEven = [](int64_t x) { return x % 2 == 0; };
  auto batch = ArrayRef(layout.access.strides).drop_back(2);
  return columnStride == 1 && 2 * target::elementBytes(layout.element) <= layout.alignment &&
         isEven(rowStride) && isEven(layout.access.constant) && llvm::all_of(batch, isEven) &&
         isEven(columnCount());
}

Value FlashBlock::scorePosition(const RowLayout &layout, Value row, Value column) {
  SmallVector<Value> dims(batch);
  llvm::append_values(dims, row, column);
  if (!ownsQueries)
    std::swap(dims.back(), dims.end()[-2]);
  return target::position(e, layout.access, dims);
}

void FlashBlock::forBias(Value tileNumber, llvm::function_ref<void(int64_t, int64_t, Value)> use) {
  constexpr unsigned operand = 3;
  const RowLayout &layout = shape.operands[operand];
  int64_t run = liesInPairs(layout) ? 2 : 1;
  Value start = column(tileNumber);
  for (int64_t n = 0; n < warpBlocks() * columnTiles(); ++n)
    for (int64_t i = 0; i < 4; i += run) {
      Value own = existingRow(n / columnTiles(), i / 2),
            across = e.add(start, n % columnTiles() * 8 + i % 2);
      Value exists; // a query out of range has products of 0, which an infinite weight would make
                    // NaN
      if (columnCount() % tile.columns) {
        exists = e.less(across, e.index(columnCount()));
        across = e.min(across, e.index(columnCount() - run));
      }
      Value place =
          e.address(pointers.operands[operand], layout.element, scorePosition(layout, own, across));
      for (auto [q, loaded] : llvm::enumerate(e.loadVector(place, layout.element, run))) {
        Value bias = target::widen(e, loaded, e.b.getF32Type());
        use(n, i + q, exists && !ownsQueries ? target::select(e, exists, bias, number(0)) : bias);
      }
    }
}

void FlashBlock::scaleAndBias(Accumulators &products, Value tileNumber) {
  Value scale = number(shape.scale);
  if (shape.biased)
    return forBias(tileNumber, [&](int64_t n, int64_t i, Value bias) {
      products[n][i] = fma(products[n][i], scale, bias);
    });
  for (Accumulator &square : products)
    for (Value &x : square)
      x = mul(x, scale);
}

Value FlashBlock::rowNumber(unsigned operand, int64_t part, int64_t i, int64_t half) {
  const RowLayout &layout = shape.operands[operand];
  SmallVector<Value> dims(batch);
  llvm::append_values(dims, e.index(part), existingRow(i, half));
  Value place = target::position(e, layout.access, dims);
  Value x = e.loadScalar(pointers.operands[operand], layout.element, place);
  return target::widen(e, x, e.b.getF32Type());
}

// ---- Functions ----

Value FlashBlock::exp2(Value x) { return approximateExp2(e.b, e.loc, x); }
Value FlashBlock::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(e.b, e.loc, x, y, z);
}
Value FlashBlock::mul(Value x, Value y) { return arith::MulFOp::create(e.b, e.loc, x, y); }
Value FlashBlock::sub(Value x, Value y) { return arith::SubFOp::create(e.b, e.loc, x, y); }
Value FlashBlock::add(Value x, Value y) { return arith::AddFOp::create(e.b, e.loc, x, y); }
Value FlashBlock::isNumber(Value x, double value) {
  return arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OEQ, x, number(value));
}
Value FlashBlock::shuffleXor(Value x, int64_t mask) {
  constexpr int64_t wholeWarp = 31;
  return NVVM::ShflOp::create(e.b, e.loc, x.getType(), e.i32(-1), x, e.i32(mask), e.i32(wholeWarp),
                              NVVM::ShflKind::bfly, UnitAttr());
}
Value FlashBlock::combineQuad(kernel::Combine kind, Value x) {
  for (int64_t distance : {1, 2})
    x = target::combine(e, kind, x, shuffleXor(x, distance));
  return x;
}
Value FlashBlock::roundPair(Value low, Value high, Type element) {
  auto type = VectorType::get({2}, element);
  Value two;
  if (element.isBF16())
    two = NVVM::ConvertF32x2ToBF16x2Op::create(e.b, e.loc, type, high, low, Value(),
                                               NVVM::FPRoundingMode::RN);
  else
    two = NVVM::ConvertF32x2ToF16x2Op::create(e.b, e.loc, type, high, low, Value(),
                                              NVVM::FPRoundingMode::RN);
  return LLVM::BitcastOp::create(e.b, e.loc, e.b.getI32Type(), two);
}
