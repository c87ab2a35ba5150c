// kernel.pack: panels of one side of products, in the order of this tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/KernelTemplate.h"
#include "ampc/Target/CPU/Loops.h"
#include "lib/Target/CPU/Panels.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
/// How a tier keeps a packed side. The other side has one line: it has no say.
struct PackedSide {
  ProductShape shape;
  Blocking blocking;
  StridedSource source;
  bool isLeft;
  int64_t lines, panels, panelUnits;
  PanelFormat format;

  PackedSide(kernel::PackOp op, const Tier &tier);
  /// A step of 16 points lies line by line.
  bool hasTileOrder() const { return isLeft && blocking.usesTiles(); }
  int64_t panelBytes() const { return blocking.parts() * panelUnits * elementBytes(format.unit); }
  int64_t panelsPerTask() const { return rowsPerTask(lines * source.depth); }
  /// All that the order of the bytes depends on.
  auto order() const {
    return std::make_tuple(lines, panels, panelUnits, format.unit, format.depth, format.secondPanel,
                           hasTileOrder());
  }
};

class PackTemplate : public KernelTemplate {
public:
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
};
} // namespace

static ProductShape shapeOf(kernel::PackOp op, bool isLeft) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  kernel::PackedAttr packing = kernel::packingOf(type);
  ProductShape shape;
  shape.lhs = shape.rhs = type.getElementType();
  shape.acc = shape.lhs.isF64() ? shape.lhs : Float32Type::get(op.getContext());
  shape.k = type.getDimSize(packing.getDepth());
  (isLeft ? shape.m : shape.n) = type.getDimSize(packing.getLine());
  (isLeft ? shape.packedLhs : shape.packedRhs) = true;
  return shape;
}

static bool isLeftSide(kernel::PackOp op) {
  return kernel::packingOf(op.getResult().getType()).getSide() == kernel::Side::lhs;
}

PackedSide::PackedSide(kernel::PackOp op, const Tier &tier)
    : shape(shapeOf(op, isLeftSide(op))), blocking(chooseBlocking(shape, tier)),
      isLeft(isLeftSide(op)), lines(isLeft ? blocking.rows : blocking.columns()),
      panels(isLeft ? blocking.mPanels : blocking.nPanels),
      panelUnits(lines * blocking.packedPoints),
      format(isLeft ? PanelFormat::of(blocking.multiply, shape.acc, panelUnits)
                    : rhsFormat(shape, blocking, panelUnits)) {
  auto type = cast<RankedTensorType>(op.getX().getType());
  kernel::PackedAttr packing = kernel::packingOf(op.getResult().getType());
  source.element = format.unit.isInteger(16) ? format.unit : type.getElementType();
  source.lines = type.getDimSize(packing.getLine());
  source.depth = shape.k;
  source.lineStride = packing.getLine() == 0 ? type.getDimSize(1) : 1;
  source.depthStride = packing.getDepth() == 0 ? type.getDimSize(1) : 1;
}

bool PackTemplate::hasOwnCode(Operation *op, const Tier &tier) const {
  auto packOp = cast<kernel::PackOp>(op);
  if (tier.kind <= TierKind::AVX512)
    return true;
  return PackedSide(packOp, tier).order() !=
         PackedSide(packOp, tiers()[unsigned(tier.kind) - 1]).order();
}

FailureOr<KernelEmission> PackTemplate::plan(Operation *op, const Tier &tier) const {
  auto packOp = cast<kernel::PackOp>(op);
  PackedSide side(packOp, tier);
  int64_t planned = kernel::byteSize(packOp.getResult().getType());
  if (side.panels * side.panelBytes() > planned)
    return op->emitOpError() << "expected at most " << planned << " bytes in tier " << tier.name
                             << ", but got " << side.panels * side.panelBytes();
  KernelEmission emission;
  emission.tasks = ceilDiv(side.panels, side.panelsPerTask());
  return emission;
}

/// Points past the end of k are zeros on both sides of a product.
static void clearPadding(KernelEmitter &e, const PackedSide &side, Value panel) {
  int64_t points = side.blocking.points, padded = side.blocking.packedPoints;
  if (points == padded)
    return;
  int64_t from = side.lines * (side.hasTileOrder() ? points / 16 * 16 : points);
  for (int64_t part = 0; part < side.blocking.parts(); ++part)
    fillRow(e, side.format.unit, 0, panel, e.index(part * side.panelUnits + from),
            side.lines * padded - from);
}

static void packPanel(KernelEmitter &e, PackedSide &side, Value number, Value panel) {
  Value line = e.mul(number, side.lines);
  int64_t points = side.blocking.points;
  clearPadding(e, side, panel);
  if (!side.hasTileOrder())
    return side.source.pack(e, line, side.lines, e.index(0), e.index(points), panel,
                            {1, side.lines}, side.format);
  e.loop(e.index(0), e.index(points), 16, [&](Value point) {
    Value step = e.address(panel, side.format.unit, e.mul(point, side.lines));
    side.source.pack(e, line, side.lines, point, e.min(e.index(16), e.sub(e.index(points), point)),
                     step, {16, 1}, side.format);
  });
}

void PackTemplate::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                           Value begin, Value end) const {
  PackedSide side(cast<kernel::PackOp>(op), e.tier);
  side.source.pointer = pointers.operands[0];
  side.source.enterBatch(e, e.index(0));
  int64_t perTask = side.panelsPerTask();
  e.loop(e.mul(begin, perTask), e.min(e.mul(end, perTask), e.index(side.panels)), 1,
         [&](Value number) {
           Value panel = e.offset(pointers.results[0], e.mul(number, side.panelBytes()));
           packPanel(e, side, number, panel);
         });
}

void ampc::cpu::addPackTemplate(TemplateRegistry &registry) {
  registry.add<kernel::PackOp, PackTemplate>();
}
