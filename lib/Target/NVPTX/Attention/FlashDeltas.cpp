// rowsum(g o) of every query, which all of its scores' cotangents need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Attention/FlashForms.h"
#include "lib/Target/NVPTX/Attention/Scores.h"
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

/// A sum of every row, by a group of threads that loads sixteen bytes of both operands each.
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
    Value thread = e.thread(), lane = e.rem32(thread, lanes);
    Value row = e.add32(e.mul32(e.block(), rowsPerBlock), e.div32(thread, lanes));
    // Threads without a row or chunk load the last one, and their sums go nowhere.
    Value existing = rows % rowsPerBlock ? e.min32(row, e.i32(rows - 1)) : row;
    Value number = e.min32(lane, e.i32(shape.width / chunk - 1));
    SmallVector<Value> place = e.split(existing, space);
    auto load = [&](unsigned operand) {
      const RowLayout &layout = shape.operands[operand];
      Value start = addressOf(e, layout, pointers.operands[operand], place,
                              e.position(e.mul32(number, chunk)));
      return e.loadRun(start, layout.element, chunk);
    };
    Type f32 = e.b.getF32Type();
    Value sum = e.constant(f32, 0);
    for (auto [x, y] : llvm::zip(load(o), load(o + 2)))
      sum = target::multiplyAdd(e, sum, target::widen(e, x, f32), target::widen(e, y, f32), true);
    if (shape.width != lanes * chunk)
      sum = target::select(e, e.less32(lane, shape.width / chunk), sum, e.constant(f32, 0));
    for (int64_t half = lanes / 2; half >= 1; half /= 2)
      sum =
          target::combine(e, kernel::Combine::sum, sum, e.shuffleDown(sum, e.i32(-1), half, lanes));
    Value stores = target::equal(e, lane, e.i32(0));
    if (rows % rowsPerBlock)
      stores = target::both(e, stores, e.less32(row, rows));
    e.when(stores, [&] {
      Value to = addressOf(e, shape.results[0], pointers.results[0], place, e.index(0));
      e.storeScalar(sum, to, e.index(0));
    });
  });
}

/// The same of rows of any type and place, as plain forms read them.
static void emitElements(kernel::AttentionGradOp op, const FlashShape &shape, unsigned o,
                         DeviceCode &code) {
  AttentionSizes<kernel::AttentionGradOp> sizes(op);
  launchRows<kernel::AttentionGradOp>(code, sizes, sizes.queries, [&](auto &a, Value query) {
    DeviceEmitter &e = a.e;
    Value delta = a.dotOfGroup(o, query, o + 2, query);
    SmallVector<Value> place(a.batch);
    place.push_back(query);
    Value to = addressOf(e, shape.results[0], a.pointers.results[0], place, e.index(0));
    e.when(target::equal(e, a.group.lane(), e.index(0)),
           [&] { e.storeScalar(delta, to, e.index(0)); });
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
