// Packs panels from strided memory: by copies where a stride is 1, transposing in registers where
// needed. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Panels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc::cpu;

PanelSource::~PanelSource() = default;

Value ampc::cpu::widen(KernelEmitter &e, Value x, Type acc) {
  if (getElementTypeOrSelf(x.getType()) == acc)
    return x;
  auto vector = dyn_cast<VectorType>(x.getType());
  return arith::ExtFOp::create(e.b, e.loc, vector ? Type(vector.clone(acc)) : acc, x);
}

bool StridedSource::batchInvariant() const {
  return llvm::all_of(batch, [](auto dim) { return dim.first == 1 || dim.second == 0; });
}

void StridedSource::enterBatch(KernelEmitter &e, Value number) {
  Value position = e.index(start);
  for (auto [size, stride] : llvm::reverse(batch)) {
    position = e.add(position, e.mul(e.rem(number, size), stride));
    number = e.div(number, size);
  }
  entry = e.address(pointer, element, position);
}

PanelLayout ampc::cpu::paddedLines(int64_t depth) {
  int64_t line = 64 / 4; // elements of f32; whole cache lines for f64, too
  return {(ceilDiv(depth, line) | 1) * line, 1};
}

PanelLayout StridedSource::layout(int64_t lines, int64_t depth) const {
  return depthStride == 1 && depth > 1 ? paddedLines(depth) : PanelLayout{1, lines};
}

void StridedSource::pack(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                         Value panel, PanelLayout layout, Type acc) {
  int64_t width = e.tier.lanes(8 * elementBytes(acc));
  if (layout.depthStride == 1 && depthStride == 1)
    return copyLines(e, line, count, k, points, panel, layout, acc);
  if (depthStride == 1 && count % width == 0 && depth >= width)
    return transposeLines(e, line, count, k, points, panel, layout, acc);
  if (lineStride != 1)
    return copyElements(e, line, count, k, e.index(0), points, panel, layout, acc);
  if (lines % count == 0)
    return copyColumns(e, line, count, k, points, panel, layout, acc);
  Value isWhole = e.less(e.add(line, count - 1), e.index(lines));
  e.when(isWhole, [&] { copyColumns(e, line, count, k, points, panel, layout, acc); });
  Value isEdge = e.less(e.index(lines), e.add(line, count));
  e.when(isEdge, [&] { copyElements(e, line, count, k, e.index(0), points, panel, layout, acc); });
}

/// Lines stay lines: both sides have neighbours in k side by side.
void StridedSource::copyLines(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                              Value panel, PanelLayout layout, Type acc) {
  int64_t width = e.tier.lanes(8 * elementBytes(acc));
  SmallVector<Value> starts;
  for (int64_t i = 0; i < count; ++i)
    starts.push_back(e.add(e.mul(e.min(e.add(line, i), e.index(lines - 1)), lineStride), k));
  Value whole = e.sub(points, e.rem(points, width));
  e.loop(e.index(0), whole, width, [&](Value j) {
    for (int64_t i = 0; i < count; ++i)
      e.store(widen(e, e.loadVector(entry, element, e.add(starts[i], j), width), acc), panel,
              e.add(j, i * layout.lineStride));
  });
  if (depth % width)
    copyElements(e, line, count, k, whole, points, panel, layout, acc);
}

/// Squares of lines by k are transposed in registers.
void StridedSource::transposeLines(KernelEmitter &e, Value line, int64_t count, Value k,
                                   Value points, Value panel, PanelLayout layout, Type acc) {
  int64_t width = e.tier.lanes(8 * elementBytes(acc));
  Value whole = e.sub(points, e.rem(points, width));
  e.loop(e.index(0), whole, width, [&](Value j) {
    for (int64_t group = 0; group < count; group += width) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < width; ++i) {
        Value at = e.mul(e.min(e.add(line, group + i), e.index(lines - 1)), lineStride);
        square.push_back(
            widen(e, e.loadVector(entry, element, e.add(at, e.add(k, j)), width), acc));
      }
      square = e.transpose(square);
      for (int64_t i = 0; i < width; ++i)
        e.store(square[i], panel, e.add(e.mul(e.add(j, i), layout.depthStride), group));
    }
  });
  if (depth % width)
    copyElements(e, line, count, k, whole, points, panel, layout, acc);
}

/// Lines are side by side in memory and in the panel.
void StridedSource::copyColumns(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                                Value panel, PanelLayout layout, Type acc) {
  int64_t width = e.tier.lanes(8 * elementBytes(acc));
  e.loop(e.index(0), points, 1, [&](Value j) {
    Value from = e.add(line, e.mul(e.add(k, j), depthStride)), to = e.mul(j, layout.depthStride);
    for (int64_t done = 0; done < count;) {
      int64_t lanes = width;
      while (lanes > count - done)
        lanes /= 2;
      Value x = lanes == 1 ? e.loadScalar(entry, element, e.add(from, done))
                           : e.loadVector(entry, element, e.add(from, done), lanes);
      e.store(widen(e, x, acc), panel, e.add(to, done));
      done += lanes;
    }
  });
}

void StridedSource::copyElements(KernelEmitter &e, Value line, int64_t count, Value k, Value from,
                                 Value to, Value panel, PanelLayout layout, Type acc) {
  e.loop(from, to, 1, [&](Value j) {
    e.loop(e.index(0), e.index(count), 1, [&](Value i) {
      Value at = e.mul(e.min(e.add(line, i), e.index(lines - 1)), lineStride);
      Value x = e.loadScalar(entry, element, e.add(at, e.mul(e.add(k, j), depthStride)));
      e.store(widen(e, x, acc), panel,
              e.add(e.mul(i, layout.lineStride), e.mul(j, layout.depthStride)));
    });
  });
}
