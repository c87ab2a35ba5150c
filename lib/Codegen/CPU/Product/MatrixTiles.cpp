// The AMX micro-kernel, in LLVM's intrinsics: LLVM assigns the registers and places LDTILECFG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/MatrixTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ampc::cpu;

constexpr int64_t tileEdge = 16, lineBytes = 64; // row of a full tile: 16 pairs or 16 sums
// TILESTORED stalls for 220 ns if the core has run no TILESTORED for about 0.9 us (measured on a
// core with AMX; not in any manual). Storing a loaded tile every 8 steps avoids the stall.
constexpr int64_t stepsPerStore = 8;
static_assert(mostPointsWithoutSpare == 2 * stepsPerStore * tileEdge,
              "too few stores without a spare tile");

namespace {
class TileBuilder {
public:
  TileBuilder(KernelEmitter &e, const MatrixTiles &tiles, const TileSide &left,
              const TileSide &right)
      : e(e), tiles(tiles), sides{left, right}, high((tiles.rows + tileEdge - 1) / tileEdge),
        rows(tiles.rows / high) {}
  void emit(Value points, Value runs);

private:
  Value call(StringRef name, Type result, ValueRange operands);
  Value small(int64_t x);
  Value load(int64_t lines, Value pointer, Value bytesBetweenLines);
  void store(Value tile, int64_t lines, Value pointer, int64_t bytesBetweenLines);
  Value sumAt(Value base, int64_t i, int64_t j);
  Value loadLeft(Value point, int64_t i, int64_t part);
  Value loadRight(Value point, int64_t j, int64_t part);
  void addProducts(Value point, int64_t leftPart, int64_t rightPart, SmallVectorImpl<Value> &sums);
  SmallVector<Value> step(Value point, ValueRange sums);
  SmallVector<Value> addRun(Value points, ValueRange sums);

  KernelEmitter &e;
  const MatrixTiles &tiles;
  TileSide sides[2];
  int64_t high, rows; // tiles along M; rows of a tile
  Value last;         // tile loaded in the last step
};
} // namespace

Value TileBuilder::call(StringRef name, Type result, ValueRange operands) {
  auto full = e.b.getStringAttr("llvm.x86." + name + ".internal");
  if (result)
    return LLVM::CallIntrinsicOp::create(e.b, e.loc, result, full, operands).getResult(0);
  LLVM::CallIntrinsicOp::create(e.b, e.loc, full, operands);
  return Value();
}
Value TileBuilder::small(int64_t x) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getI16IntegerAttr(x));
}
Value TileBuilder::load(int64_t lines, Value pointer, Value bytesBetweenLines) {
  Value stride = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(), bytesBetweenLines);
  return call("tileloadd64", LLVM::LLVMX86AMXType::get(e.b.getContext()),
              {small(lines), small(lineBytes), pointer, stride});
}
void TileBuilder::store(Value tile, int64_t lines, Value pointer, int64_t bytesBetweenLines) {
  Value stride = arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(bytesBetweenLines));
  call("tilestored64", Type(), {small(lines), small(lineBytes), pointer, stride, tile});
}
Value TileBuilder::sumAt(Value base, int64_t i, int64_t j) {
  return e.offset(base, i * rows * tiles.wide * lineBytes + j * lineBytes);
}

Value TileBuilder::loadLeft(Value point, int64_t i, int64_t part) {
  const TileSide &side = sides[0];
  Value at = e.add(e.mul(point, side.bytesPerPoint), 4 * part * side.secondPanel);
  Value line = e.b.createOrFold<arith::MulIOp>(e.loc, side.bytesBetweenLines, e.index(i * rows));
  return load(rows, e.offset(side.pointer, e.add(at, line)), side.bytesBetweenLines);
}
Value TileBuilder::loadRight(Value point, int64_t j, int64_t part) {
  const TileSide &side = sides[1];
  Value at = e.add(e.mul(point, side.bytesPerPoint), 4 * part * side.secondPanel);
  return load(tileEdge, e.offset(side.pointer, e.add(at, j * lineBytes)), side.bytesBetweenLines);
}

/// Loads all tiles first if the 8 tile registers hold both sides beside the sums; else the tiles of
/// the longer side one by one. Example: [2, 2] tiles of sums: 4 + 2 + 2 registers, all first.
void TileBuilder::addProducts(Value point, int64_t leftPart, int64_t rightPart,
                              SmallVectorImpl<Value> &sums) {
  StringRef product = tiles.multiply == Multiply::HalfTiles ? "tdpfp16ps" : "tdpbf16ps";
  bool isTall = high > tiles.wide, fits = high * tiles.wide + high + tiles.wide <= 8;
  int64_t across = isTall ? tiles.wide : high, along = isTall ? high : tiles.wide;
  auto loadOf = [&](bool isLeft, int64_t i) {
    return isLeft ? loadLeft(point, i, leftPart) : loadRight(point, i, rightPart);
  };
  SmallVector<Value> held, others;
  for (int64_t i = 0; i < across; ++i)
    held.push_back(loadOf(!isTall, i));
  for (int64_t j = 0; fits && j < along; ++j)
    others.push_back(loadOf(isTall, j));
  for (int64_t j = 0; j < along; ++j) {
    Value other = fits ? others[j] : loadOf(isTall, j);
    for (auto [i, tile] : llvm::enumerate(held)) {
      Value &sum = sums[isTall ? j * tiles.wide + i : i * tiles.wide + j];
      sum = call(product, sum.getType(),
                 {small(rows), small(lineBytes), small(lineBytes), sum, isTall ? other : tile,
                  isTall ? tile : other});
    }
  }
  last = held.back();
}

/// One step of 16 points. Split numbers: (high + low) * (high + low), all four products.
SmallVector<Value> TileBuilder::step(Value point, ValueRange sums) {
  SmallVector<Value> next = llvm::to_vector(sums);
  addProducts(point, 0, 0, next);
  if (!sides[0].secondPanel)
    return next;
  addProducts(point, 0, 1, next);
  addProducts(point, 1, 1, next);
  addProducts(point, 1, 0, next);
  return next;
}

SmallVector<Value> TileBuilder::addRun(Value points, ValueRange before) {
  SmallVector<Value> sums = llvm::to_vector(before);
  Value start = e.index(0);
  int64_t stride = stepsPerStore * tileEdge;
  if (tiles.mostPoints > mostPointsWithoutSpare) {
    Value whole = e.sub(points, e.rem(points, stride));
    sums = e.loop(start, whole, stride, sums, [&](Value point, ValueRange sum) {
      SmallVector<Value> next = llvm::to_vector(sum);
      for (int64_t i = 0; i < stepsPerStore; ++i)
        next = step(e.add(point, i * tileEdge), next);
      store(last, high <= tiles.wide ? rows : tileEdge, tiles.spare, lineBytes);
      return next;
    });
    start = whole;
  }
  return e.loop(start, points, tileEdge, sums,
                [&](Value point, ValueRange sum) { return step(point, sum); });
}

void TileBuilder::emit(Value points, Value runs) {
  auto type = LLVM::LLVMX86AMXType::get(e.b.getContext());
  SmallVector<Value> sums;
  for (int64_t i = 0; i < high; ++i)
    for (int64_t j = 0; j < tiles.wide; ++j)
      sums.push_back(tiles.from
                         ? load(rows, sumAt(tiles.from, i, j), e.index(tiles.wide * lineBytes))
                         : call("tilezero", type, {small(rows), small(lineBytes)}));
  if (!runs) {
    sums = addRun(points, sums);
  } else {
    TileSide first[2] = {sides[0], sides[1]};
    sums = e.loop(e.index(0), runs, 1, sums, [&](Value run, ValueRange sum) {
      for (int64_t i : {0, 1})
        sides[i].pointer = e.offset(first[i].pointer, e.mul(run, first[i].bytesPerRun));
      return addRun(points, sum);
    });
  }
  for (int64_t i = 0; i < high; ++i)
    for (int64_t j = 0; j < tiles.wide; ++j)
      store(sums[i * tiles.wide + j], rows, sumAt(tiles.to, i, j), tiles.wide * lineBytes);
}

void ampc::cpu::emitMatrixTiles(KernelEmitter &e, const MatrixTiles &tiles, const TileSide &left,
                                const TileSide &right, Value points, Value runs) {
  TileBuilder(e, tiles, left, right).emit(points, runs);
}
