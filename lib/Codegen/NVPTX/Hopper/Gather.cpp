// Producer copy of a GEMM operand in pieces, by the threads of a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/Gather.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

Gather::Gather(DeviceEmitter &e, const TileGemm &gemm, const TileProduct::MakeSide &make,
               const KernelPointers &pointers, BlockTile place, Value BlockTile::*first,
               int64_t lines)
    : isRight(first == &BlockTile::column), e(e), gemm(gemm), start(place.*first), lines(lines) {
  for (int64_t at = 0; at < lines; at += gatheredLines) {
    place.*first = e.add(start, e.i32(at));
    tiles.push_back(make(e, gemm, pointers, place, gatheredLines));
  }
}

void Gather::copyTiles(Value target, Value k, bool areInside, size_t atOnce) {
  for (size_t from = 0; from < tiles.size(); from += atOnce) {
    size_t to = std::min(tiles.size(), from + atOnce);
    SmallVector<KTileCopy::Values> moved;
    auto placeOf = [&](size_t tile) {
      return e.advance(target, int64_t(tile) * gatheredLines * tileRowBytes);
    };
    for (size_t i = from; i < to; ++i) {
      tiles[i]->setInside(areInside);
      moved.push_back(tiles[i]->begin(placeOf(i), tiles[i]->firstSource(k), k));
    }
    if (!isAsync())
      for (size_t i = from; i < to; ++i)
        tiles[i]->end(placeOf(i), moved[i - from]);
  }
}

Value Gather::isInside(Value k) {
  const SideLayout &side = isRight ? gemm.rhs : gemm.lhs;
  Value inside;
  auto require = [&](Value end, int64_t limit) {
    Value holds = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sle, end, e.i32(limit));
    inside = inside ? target::both(e, inside, holds) : holds;
  };
  if (side.lines % (isRight ? gemm.tile.n : gemm.tile.m))
    require(e.add(start, e.i32(lines)), side.lines);
  if (gemm.endsInStep())
    require(e.add(k, e.i32(gemm.stepDepth())), gemm.depth);
  return inside;
}

// Registers hold the numbers of two tiles at a time; at the operand's end, where elements are
// loaded singly, of one tile.
void Gather::copy(Value target, Value k) {
  Value inside = isAsync() ? Value() : isInside(k);
  if (!inside)
    return copyTiles(target, k, /*areInside=*/!isAsync(), isAsync() ? tiles.size() : 2);
  auto branch = scf::IfOp::create(e.b, e.loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.b);
  e.b.setInsertionPointToStart(branch.thenBlock());
  copyTiles(target, k, /*areInside=*/true, 2);
  e.b.setInsertionPointToStart(branch.elseBlock());
  copyTiles(target, k, /*areInside=*/false, 1);
}
