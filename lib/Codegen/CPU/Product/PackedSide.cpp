// Packing of prepacked operands: whole panels, or blocks of a matrix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/PackedSide.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/RhsFeed.h"
#include "mlir-dialects/PackedFilter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static ProductShape shapeOf(RankedTensorType type) {
  kernel::PackedAttr packing = kernel::packingOf(type);
  bool isLeft = packing.getSide() == kernel::Side::lhs;
  ProductShape shape;
  shape.lhs = shape.rhs = type.getElementType();
  shape.acc = shape.lhs.isF64() ? shape.lhs : Float32Type::get(type.getContext());
  SmallVector<int64_t> matrix = kernel::matrixOf(type);
  int64_t taps = kernel::turnedTaps(type);
  shape.k = matrix[packing.getDepth()] * taps;
  (isLeft ? shape.m : shape.n) = matrix[packing.getLine()] / taps;
  (isLeft ? shape.packedLhs : shape.packedRhs) = true;
  return shape;
}

PackedSide::PackedSide(RankedTensorType type, const Tier &tier)
    : PackedSide(shapeOf(type), kernel::packingOf(type).getLine(), tier, kernel::turnedTaps(type)) {
  planned = kernel::byteSize(type);
}
PackedSide::PackedSide(const ProductShape &shape, unsigned lineDim, const Tier &tier, int64_t taps)
    : shape(shape), isLeft(shape.packedLhs), tile(MicroTile::choose(shape, tier)),
      points(ceilDiv(shape.k, PanelFormat::of(tile.multiply, shape.acc).depth)),
      padded(packedPoints(shape, tile)), lines(isLeft ? tile.rows : tile.columns()),
      panels(ceilDiv(isLeft ? shape.m : shape.n, lines)), panelUnits(lines * padded),
      format(isLeft ? PanelFormat::of(tile.multiply, shape.acc, panelUnits)
                    : rhsFormat(shape, tile, RhsFeedKind::InPlace, panelUnits)),
      lineDim(lineDim), taps(taps) {
  source.element = format.unit.isInteger(16) ? format.unit : isLeft ? shape.lhs : shape.rhs;
  source.lines = isLeft ? shape.m : shape.n;
  source.depth = shape.k / taps;
  if (taps == 1)
    return;
  source.start = (taps - 1) * source.lines;
  source.batch = {{taps, -source.lines}};
}

int64_t PackedSide::panelsPerTask() const { return rowsPerTask(lines * shape.k); }

bool PackedSide::isLike(const PackedSide &other) const {
  auto order = [](const PackedSide &side) {
    return std::make_tuple(side.lines, side.panels, side.panelUnits, side.format.unit,
                           side.format.depth, side.format.secondPanel, side.hasTileOrder());
  };
  return order(*this) == order(other);
}

LogicalResult PackedSide::checkSize(Operation *op, const Tier &tier) const {
  if (bytes() > planned)
    return op->emitOpError() << "expected at most " << planned << " bytes in tier " << tier.name
                             << ", but got " << bytes();
  return success();
}

int64_t PackedSide::blockEdge(const Tier &tier) const {
  int64_t width = tier.lanes(8 * elementBytes(format.unit));
  return std::max(lines, width * format.depth); // powers of two
}

bool PackedSide::streamPanels(const Tier &tier) {
  constexpr int64_t line = 64;
  int64_t unit = elementBytes(format.unit);
  // Each run of an outlined loop body writes its own slice of `planned` bytes.
  format.streams = tier.lanes(8 * unit) * unit == line && lines * unit % line == 0 &&
                   panelBytes() % line == 0 && planned % line == 0;
  return format.streams;
}

void PackedSide::setMatrix(KernelEmitter &e, Value pointer, int64_t rowStride) {
  setLines(e, pointer, lineDim == 0 ? rowStride : 1, lineDim == 0 ? 1 : rowStride);
}
void PackedSide::setLines(KernelEmitter &e, Value pointer, int64_t lineStride,
                          int64_t depthStride) {
  source.pointer = pointer;
  source.lineStride = lineStride;
  source.depthStride = depthStride;
  source.enterBatch(e, e.index(0));
}

Value PackedSide::panelAt(KernelEmitter &e, Value number, Value packed) const {
  return e.offset(packed, e.mul(number, panelBytes()));
}

/// Zeros behind the last k, in A and in B: 0 * 0 adds nothing, where 0 * NaN would.
void PackedSide::clearPadding(KernelEmitter &e, Value panel) const {
  if (points == padded)
    return;
  int64_t from = lines * (hasTileOrder() ? points / 16 * 16 : points);
  for (int64_t part = 0; part < tile.parts(); ++part)
    fillRow(e, format.unit, 0, panel, e.index(part * panelUnits + from), lines * padded - from);
}

void PackedSide::packPanel(KernelEmitter &e, Value number, Value packed) {
  Value line = e.mul(number, lines), panel = panelAt(e, number, packed);
  clearPadding(e, panel);
  if (taps > 1)
    return e.loop(e.index(0), e.index(taps), 1, [&](Value tap) {
      source.enterBatch(e, tap);
      Value to = e.address(panel, format.unit, e.mul(tap, pointsPerTap() * lines));
      source.pack(e, line, lines, e.index(0), e.index(pointsPerTap()), to, {1, lines}, format);
    });
  if (!hasTileOrder())
    return source.pack(e, line, lines, e.index(0), e.index(points), panel, {1, lines}, format);
  e.loop(e.index(0), e.index(points), 16, [&](Value point) {
    Value step = e.address(panel, format.unit, e.mul(point, lines));
    source.pack(e, line, lines, point, e.min(e.index(16), e.sub(e.index(points), point)), step,
                {16, 1}, format);
  });
}

void PackedSide::packBlock(KernelEmitter &e, const MatrixBlock &block, Value packed) {
  if (taps == 1)
    return packLines(e, block, e.index(0), packed);
  int64_t width = source.lines;
  Value end = e.div(e.add(block.columnEnd, width - 1), width);
  e.loop(e.div(block.column, width), end, 1, [&](Value place) {
    Value tap = e.sub(e.index(taps - 1), place), first = e.mul(place, width);
    source.enterBatch(e, tap);
    MatrixBlock within = block;
    within.column = e.max(e.sub(block.column, first), e.index(0));
    within.columnEnd = e.min(e.sub(block.columnEnd, first), e.index(width));
    packLines(e, within, e.mul(tap, pointsPerTap()), packed);
  });
}

/// Packs a block of lines. `firstPoint`: point of the panels that k = 0 of the matrix becomes.
void PackedSide::packLines(KernelEmitter &e, const MatrixBlock &block, Value firstPoint,
                           Value packed) {
  bool linesAreRows = lineDim == 0;
  Value line = linesAreRows ? block.row : block.column;
  Value lineEnd = linesAreRows ? block.rowEnd : block.columnEnd;
  Value k = linesAreRows ? block.column : block.row;
  Value kEnd = linesAreRows ? block.columnEnd : block.rowEnd;
  Value point = e.div(k, format.depth),
        pointEnd = e.div(e.add(kEnd, format.depth - 1), format.depth);
  e.loop(line, lineEnd, lines, [&](Value first) {
    Value panel = panelAt(e, e.div(first, lines), packed);
    Value to = e.address(panel, format.unit, e.mul(e.add(firstPoint, point), lines));
    source.pack(e, first, lines, point, e.sub(pointEnd, point), to, {1, lines}, format);
    if (points != padded)
      e.when(e.less(e.index(points - 1), e.add(firstPoint, pointEnd)),
             [&] { clearPadding(e, panel); });
  });
}
