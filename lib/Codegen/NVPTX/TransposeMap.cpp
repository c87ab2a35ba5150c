// Transposing maps: inputs read across the order in which results are written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/TransposeMap.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::Body;
using target::IterationSpace;

/// Points of a tile along both dimensions; dimensions shorter than `fewest` are not worth a tile.
static constexpr int64_t tileSize = 32, fewest = 8, rowsPerPass = 8;

static bool isAcross(const Access &access, unsigned cross, unsigned last) {
  return !access.residue && access.strides[cross] == 1 && access.strides[last] != 0 &&
         access.strides[last] != 1;
}
static bool isAlong(const Access &access, unsigned last) { return access.strideAlong(last) == 1; }

std::optional<unsigned> nvptx::findTransposedDim(kernel::MapOp op, IterationSpace &space) {
  Block &body = op.getBody().front();
  unsigned last = space.rank() - 1;
  bool hasNumbers =
      !body.getOps<kernel::RowIndexOp>().empty() || !body.getOps<kernel::LinearIndexOp>().empty();
  bool isLinear = true;
  for (const Access &access : llvm::concat<Access>(space.inputs, space.results))
    isLinear &= !access.residue;
  for (unsigned cross = 0; cross < last; ++cross) {
    if (space.sizes[cross] < fewest || space.sizes[last] < fewest)
      continue;
    bool writesAcross = llvm::all_of(
        space.results, [&](const Access &access) { return isAcross(access, cross, last); });
    if (writesAcross && !hasNumbers && isLinear) {
      std::swap(space.sizes[cross], space.sizes[last]);
      for (Access &access : llvm::concat<Access>(space.inputs, space.results))
        std::swap(access.strides[cross], access.strides[last]);
      return findTransposedDim(op, space);
    }
    bool writesAlong =
        llvm::all_of(space.results, [&](const Access &access) { return isAlong(access, last); });
    if (writesAlong && llvm::any_of(space.inputs, [&](const Access &access) {
          return isAcross(access, cross, last);
        }))
      return cross;
  }
  return std::nullopt;
}

namespace {
class TileWriter {
public:
  TileWriter(kernel::MapOp op, const IterationSpace &space, unsigned cross, DeviceEmitter &e,
             const KernelPointers &pointers)
      : op(op), space(space), cross(cross), last(space.rank() - 1), e(e), pointers(pointers),
        along(e.position(e.rem(e.thread(), tileSize))),
        line(e.position(e.div(e.thread(), tileSize))) {
    SmallVector<int64_t> tiles(space.sizes);
    tiles[cross] = llvm::divideCeil(tiles[cross], tileSize);
    tiles[last] = llvm::divideCeil(tiles[last], tileSize);
    start = e.split(e.block(), tiles);
    for (unsigned dim : {cross, last})
      start[dim] = e.mul(start[dim], tileSize);
  }
  void write();
  /// Rows of 33 elements, so that a column of a tile falls into different banks.
  static int64_t tileBytes(Type element) {
    return llvm::alignTo(tileSize * (tileSize + 1) * target::elementBytes(element), 16);
  }

private:
  /// Calls `body` at a point of the tile, if within the domain.
  void atPoint(Value atCross, Value atLast, llvm::function_ref<void(ArrayRef<Value>)> body);
  void read();
  void write(ArrayRef<Value> dims, Value tileLine);

  kernel::MapOp op;
  const IterationSpace &space;
  unsigned cross, last;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  Value along, line;
  SmallVector<Value> start;
};
} // namespace

/// Inputs that are read across, with the offsets of their tiles in shared memory.
static SmallVector<std::pair<BlockArgument, int64_t>>
tilesOf(kernel::MapOp op, const IterationSpace &space, unsigned cross, int64_t &bytes) {
  SmallVector<std::pair<BlockArgument, int64_t>> tiles;
  bytes = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (isAcross(space.inputs[argument.getArgNumber()], cross, space.rank() - 1) &&
        !argument.use_empty()) {
      tiles.push_back({argument, bytes});
      bytes += TileWriter::tileBytes(argument.getType());
    }
  return tiles;
}

void TileWriter::atPoint(Value atCross, Value atLast,
                         llvm::function_ref<void(ArrayRef<Value>)> body) {
  SmallVector<Value> dims(start);
  dims[cross] = e.add(dims[cross], atCross);
  dims[last] = e.add(dims[last], atLast);
  Value exists = target::both(e, e.less(dims[cross], e.index(space.sizes[cross])),
                              e.less(dims[last], e.index(space.sizes[last])));
  e.when(exists, [&] { body(dims); });
}

void TileWriter::read() {
  int64_t bytes;
  for (auto &[input, offset] : tilesOf(op, space, cross, bytes)) {
    BlockArgument argument = input;
    Value tile = e.advance(e.sharedMemory(), offset);
    for (int64_t pass = 0; pass < tileSize; pass += rowsPerPass) {
      Value row = e.add(line, pass);
      atPoint(along, row, [&](ArrayRef<Value> dims) {
        unsigned number = argument.getArgNumber();
        Value x = e.loadScalar(pointers.operands[number], argument.getType(),
                               target::position(e, space.inputs[number], dims));
        e.storeScalar(x, tile, e.add(e.mul(row, tileSize + 1), along));
      });
    }
  }
}

void TileWriter::write(ArrayRef<Value> dims, Value tileLine) {
  Body body(e, op, pointers, space);
  Body::Values known;
  int64_t bytes;
  for (auto &[argument, offset] : tilesOf(op, space, cross, bytes))
    known[argument] = e.loadScalar(e.advance(e.sharedMemory(), offset), argument.getType(),
                                   e.add(e.mul(along, tileSize + 1), tileLine));
  for (auto [k, value] : llvm::enumerate(body.yields(dims, known)))
    body.store(k, value, dims);
}

void TileWriter::write() {
  read();
  e.syncBlock();
  for (int64_t pass = 0; pass < tileSize; pass += rowsPerPass) {
    Value row = e.add(line, pass);
    atPoint(row, along, [&](ArrayRef<Value> dims) { write(dims, row); });
  }
}

void nvptx::emitTransposeMap(kernel::MapOp op, DeviceCode &code, const IterationSpace &space,
                             unsigned cross) {
  LaunchShape shape;
  shape.threads = tileSize * rowsPerPass;
  shape.grid[0] = 1;
  for (auto [dim, size] : llvm::enumerate(space.sizes))
    shape.grid[0] *=
        dim == cross || dim + 1 == space.rank() ? llvm::divideCeil(size, tileSize) : size;
  if (shape.grid[0] == 0)
    return;
  tilesOf(op, space, cross, shape.sharedBytes);
  code.describe("tiles in shared memory");
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    TileWriter(op, space, cross, e, pointers).write();
  });
}
