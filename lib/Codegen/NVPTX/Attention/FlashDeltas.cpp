// Deltas: rowsum(g o) of every query, a term of the cotangent of each of the query's scores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/FlashKernels.h"
#include "lib/Codegen/NVPTX/Attention/Scores.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static Value addressOf(DeviceEmitter &e, const RowLayout &rows, Value pointer,
                       ArrayRef<Value> place, Value column) {
  SmallVector<Value> dims(place);
  dims.push_back(column);
  return e.address(pointer, rows.element, target::position(e, rows.access, dims));
}

/// Number of f32 deltas per row of the first result: a power of 2, at most 16.
static int64_t deltasPerRow(const FlashShape &shape) {
  const RowLayout &rows = shape.results[0];
  uint64_t bytes = shape.width * target::elementBytes(rows.element);
  return std::min<int64_t>(16, llvm::bit_floor(bytes / 4));
}
Value nvptx::deltaPlace(DeviceEmitter &e, const FlashShape &shape, Value start, Value query) {
  const RowLayout &rows = shape.results[0];
  Value within = e.rem(query, deltasPerRow(shape)), first = e.sub(query, within);
  Value row = e.address(start, rows.element, e.mul(first, rows.rowStride()));
  return e.address(row, e.b.getF32Type(), within);
}
static void storeDelta(DeviceEmitter &e, const FlashShape &shape, const KernelPointers &pointers,
                       ArrayRef<Value> batch, Value query, Value sum) {
  SmallVector<Value> first(batch);
  first.push_back(e.index(0));
  Value start = addressOf(e, shape.results[0], pointers.results[0], first, e.index(0));
  e.storeScalar(sum, deltaPlace(e, shape, start, query), e.index(0));
}

/// A sum per row, by a lane group whose threads load 16 bytes of both operands each.
static void emitChunks(const FlashShape &shape, unsigned o, DeviceCode &code) {
  constexpr int64_t chunk = 8, threads = 128;
  int64_t lanes = llvm::PowerOf2Ceil(llvm::divideCeil(shape.width, chunk));
  SmallVector<int64_t> space(shape.batch);
  space.push_back(shape.queries);
  int64_t rows = ShapedType::getNumElements(space), rowsPerBlock = threads / lanes;
  LaunchShape launch;
  launch.threads = threads;
  launch.grid[0] = llvm::divideCeil(rows, rowsPerBlock);
  code.launch(launch, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Value thread = e.thread(), lane = e.rem(thread, lanes);
    Value row = e.add(e.mul(e.block(), rowsPerBlock), e.div(thread, lanes));
    // Threads without a row or a chunk load the last row or chunk; their sums are not used.
    Value existing = rows % rowsPerBlock ? e.min(row, e.i32(rows - 1)) : row;
    Value number = e.min(lane, e.i32(shape.width / chunk - 1));
    SmallVector<Value> place = e.split(existing, space);
    auto load = [&](unsigned operand) {
      const RowLayout &layout = shape.operands[operand];
      Value start =
          addressOf(e, layout, pointers.operands[operand], place, e.position(e.mul(number, chunk)));
      return e.loadVector(start, layout.element, chunk);
    };
    Type f32 = e.b.getF32Type();
    Value sum = e.constant(f32, 0);
    for (auto [x, y] : llvm::zip(load(o), load(o + 2)))
      sum = target::multiplyAdd(e, sum, target::widen(e, x, f32), target::widen(e, y, f32), true);
    if (shape.width != lanes * chunk)
      sum = target::select(e, e.isBelow(lane, shape.width / chunk), sum, e.constant(f32, 0));
    for (int64_t half = lanes / 2; half >= 1; half /= 2)
      sum =
          target::combine(e, kernel::Combine::sum, sum, e.shuffleDown(sum, e.i32(-1), half, lanes));
    Value stores = target::equal(e, lane, e.i32(0));
    if (rows % rowsPerBlock)
      stores = target::both(e, stores, e.isBelow(row, rows));
    e.when(stores,
           [&] { storeDelta(e, shape, pointers, ArrayRef(place).drop_back(), place.back(), sum); });
  });
}

/// Deltas for rows of any type and layout, element by element as in the plain kernel.
static void emitElements(kernel::AttentionGradOp op, const FlashShape &shape, unsigned o,
                         DeviceCode &code) {
  AttentionSizes<kernel::AttentionGradOp> sizes(op);
  launchRows<kernel::AttentionGradOp>(code, sizes, sizes.queries, [&](auto &a, Value query) {
    DeviceEmitter &e = a.e;
    Value delta = a.dotOfGroup(o, query, o + 2, query);
    e.when(target::equal(e, a.group.lane(), e.index(0)),
           [&] { storeDelta(e, shape, a.pointers, a.batch, query, delta); });
  });
}

void nvptx::emitFlashDeltas(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code) {
  unsigned o = shape.biased ? 4 : 3;
  auto hasChunks = [&](const RowLayout &rows) {
    return rows.element == shape.element && rows.columnStride() == 1 && shape.copyBytes(rows) == 16;
  };
  if (hasChunks(shape.operands[o]) && hasChunks(shape.operands[o + 2]))
    emitChunks(shape, o, code);
  else
    emitElements(op, shape, o, code);
}
