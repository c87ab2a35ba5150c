// Packs panels from strided memory: copies, or transposes in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/Panels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  int64_t line = 64 / 4; // units of 4 bytes; whole cache lines for f64, too
  return {(ceilDiv(depth, line) | 1) * line, 1};
}

PanelLayout StridedSource::layout(int64_t lines, int64_t depth) const {
  return depthStride == 1 && depth > 1 ? paddedLines(depth) : PanelLayout{1, lines};
}

int64_t StridedSource::bytesBetweenLines(const PanelFormat &format) const {
  bool isLike = format.depth == 2 ? !format.secondPanel : element == format.unit;
  bool isInOrder = depthStride == 1 && lineStride > 0;
  return isLike && isInOrder && depth % format.depth == 0 ? lineStride * elementBytes(element) : 0;
}
Value StridedSource::addressInPlace(KernelEmitter &e, Value line, Value k,
                                    const PanelFormat &format) {
  return e.address(entry, element, e.add(e.mul(line, lineStride), e.mul(k, format.depth)));
}

void StridedSource::pack(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                         Value panel, PanelLayout layout, const PanelFormat &format) {
  int64_t width = e.tier.lanes(8 * elementBytes(format.unit));
  Value pairs = points;
  if (depth % format.depth)
    pairs = e.min(points, e.sub(e.index(depth / format.depth), k));
  Job job = {line, count, k, points, pairs, panel, layout, format, width};
  bool hasSquares = count % width == 0 && depth >= width * format.depth;
  if (layout.depthStride == 1 && depthStride == 1)
    return copyLines(e, job);
  if (depthStride == 1 && hasSquares)
    return transposeLines(e, job);
  bool transposes = layout.depthStride == 1 && layout.lineStride > 1;
  if (lineStride != 1 || (transposes && !hasSquares))
    return copyElements(e, job, e.index(0), points);
  auto copy = [&] { transposes ? transposeColumns(e, job) : copyColumns(e, job); };
  if (lines % count == 0)
    return copy();
  e.when(e.less(e.add(line, count - 1), e.index(lines)), copy);
  e.when(e.less(e.index(lines), e.add(line, count)),
         [&] { copyElements(e, job, e.index(0), points); });
}

/// Prefetches the points [k, k + points) of a k-major matrix, whose rows are far apart. The
/// hardware prefetcher follows a line that is contiguous.
void StridedSource::prefetch(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                             const PanelFormat &format) {
  if (!linesAreNeighbours())
    return;
  Value row = e.mul(k, format.depth), end = e.add(row, e.mul(points, format.depth));
  e.loop(row, e.min(end, e.index(depth)), 1, [&](Value row) {
    Value start = e.add(line, e.mul(row, depthStride));
    for (int64_t i = 0; i < count; i += 64 / elementBytes(element))
      e.prefetch(entry, element, e.add(start, i));
  });
}

/// Position of a line at the first point of the job; lines past the edge repeat the last line.
Value StridedSource::startOf(KernelEmitter &e, const Job &job, Value i) {
  Value line = e.min(e.add(job.line, i), e.index(lines - 1));
  Value k = e.mul(job.k, job.format.depth * depthStride);
  return e.add(e.mul(line, lineStride), k);
}

/// Loads a vector of neighbours in k.
Value StridedSource::alongLine(KernelEmitter &e, const Job &job, Value start, Value j) {
  if (job.format.depth == 1)
    return widen(e, e.loadVector(entry, element, e.add(start, j), job.width), job.format.unit);
  Value numbers =
      e.loadVector(entry, e.b.getIntegerType(16), e.add(start, e.mul(j, 2)), 2 * job.width);
  auto type = VectorType::get({job.width}, job.format.unit);
  return vector::BitCastOp::create(e.b, e.loc, type, numbers);
}

/// Loads `lanes` neighbouring lines from line `i` of the job on, at point `j`.
Value StridedSource::acrossLines(KernelEmitter &e, const Job &job, Value i, Value j, int64_t lanes,
                                 bool isPaired) {
  Value at = e.add(e.add(job.line, i), e.mul(e.add(job.k, j), job.format.depth * depthStride));
  if (job.format.depth == 1)
    return widen(e, e.loadVector(entry, element, at, lanes), job.format.unit);
  Type number = e.b.getIntegerType(16);
  Value even = e.loadVector(entry, number, at, lanes);
  Value odd = isPaired ? e.loadVector(entry, number, e.add(at, depthStride), lanes) : Value();
  return interleave(e, even, odd);
}

Value StridedSource::unitAt(KernelEmitter &e, const Job &job, Value i, Value j) {
  Value k = e.mul(j, job.format.depth);
  Value at = e.add(startOf(e, job, i), e.mul(k, depthStride));
  if (job.format.depth == 1)
    return widen(e, e.loadScalar(entry, element, at), job.format.unit);
  Type number = e.b.getIntegerType(16);
  Value even = e.loadScalar(entry, number, at);
  if (depth % 2 == 0)
    return interleave(e, even, e.loadScalar(entry, number, e.add(at, depthStride)));
  Value isPaired = e.less(j, job.pairs);
  Value next = arith::SelectOp::create(e.b, e.loc, isPaired, e.add(at, depthStride), at);
  Value odd = e.loadScalar(entry, number, next);
  odd = arith::SelectOp::create(e.b, e.loc, isPaired, odd, e.constant(number, 0));
  return interleave(e, even, odd);
}

/// Row-major memory to row-major panel: neighbours in k are contiguous in both.
void StridedSource::copyLines(KernelEmitter &e, const Job &job) {
  SmallVector<Value> starts;
  for (int64_t i = 0; i < job.count; ++i)
    starts.push_back(startOf(e, job, e.index(i)));
  Value whole = e.sub(job.pairs, e.rem(job.pairs, job.width));
  e.loop(e.index(0), whole, job.width, [&](Value j) {
    for (int64_t i = 0; i < job.count; ++i)
      storeUnits(e, alongLine(e, job, starts[i], j), job.panel, e.add(j, i * job.layout.lineStride),
                 job.format);
  });
  if (depth % (job.width * job.format.depth))
    copyElements(e, job, whole, job.points);
}

/// Row-major memory to k-major panel: squares [width lines, width points] are transposed in
/// registers, in a loop over the panel, since unrolled code would be large.
void StridedSource::transposeLines(KernelEmitter &e, const Job &job) {
  Value whole = e.sub(job.pairs, e.rem(job.pairs, job.width));
  e.loop(e.index(0), e.index(job.count), job.width, [&](Value group) {
    SmallVector<Value> starts;
    for (int64_t i = 0; i < job.width; ++i)
      starts.push_back(startOf(e, job, e.add(group, i)));
    e.loop(e.index(0), whole, job.width, [&](Value j) {
      SmallVector<Value> square;
      for (Value start : starts)
        square.push_back(alongLine(e, job, start, j));
      square = e.transpose(square);
      for (int64_t i = 0; i < job.width; ++i)
        storeUnits(e, square[i], job.panel,
                   e.add(e.mul(e.add(j, i), job.layout.depthStride), group), job.format);
    });
  });
  if (depth % (job.width * job.format.depth))
    copyElements(e, job, whole, job.points);
}

/// k-major memory to k-major panel: neighbouring lines are contiguous in both.
void StridedSource::copyColumns(KernelEmitter &e, const Job &job) {
  auto copy = [&](Value j, bool isPaired) {
    Value to = e.mul(j, job.layout.depthStride);
    for (int64_t done = 0; done < job.count;) {
      int64_t lanes = job.width;
      while (lanes > job.count - done)
        lanes /= 2;
      storeUnits(e, acrossLines(e, job, e.index(done), j, lanes, isPaired), job.panel,
                 e.add(to, done), job.format);
      done += lanes;
    }
  };
  e.loop(e.index(0), job.pairs, 1, [&](Value j) { copy(j, true); });
  if (depth % job.format.depth)
    e.loop(job.pairs, job.points, 1, [&](Value j) { copy(j, false); });
}

/// k-major memory to row-major panel: squares are transposed in registers.
void StridedSource::transposeColumns(KernelEmitter &e, const Job &job) {
  Value whole = e.sub(job.pairs, e.rem(job.pairs, job.width));
  e.loop(e.index(0), whole, job.width, [&](Value j) {
    e.loop(e.index(0), e.index(job.count), job.width, [&](Value group) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < job.width; ++i)
        square.push_back(acrossLines(e, job, group, e.add(j, i), job.width, true));
      square = e.transpose(square);
      for (int64_t i = 0; i < job.width; ++i)
        storeUnits(e, square[i], job.panel, e.add(j, e.mul(e.add(group, i), job.layout.lineStride)),
                   job.format);
    });
  });
  if (depth % (job.width * job.format.depth))
    copyElements(e, job, whole, job.points);
}

void StridedSource::copyElements(KernelEmitter &e, const Job &job, Value from, Value to) {
  e.loop(from, to, 1, [&](Value j) {
    e.loop(e.index(0), e.index(job.count), 1, [&](Value i) {
      storeUnits(e, unitAt(e, job, i, j), job.panel,
                 e.add(e.mul(i, job.layout.lineStride), e.mul(j, job.layout.depthStride)),
                 job.format);
    });
  });
}
