// kernel.conv_filter: GEMM of output cotangents and image windows, summed over pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Conv/Depthwise.h"
#include "lib/Codegen/CPU/Conv/FilterTiles.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "mlir-dialects/Kernel/LinearMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct ConvFilterTemplate : KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  void emitFinish(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
                  Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
  LogicalResult configure(Operation *op) const override;
  int64_t workspaceBytes(Operation *op) const override;
};

/// Filter gradient as a GEMM per group: [output channels, pixels] x [pixels, (tap, channel)].
/// Example: 64 outputs, 3x3 taps, 32 channels -> C: [64, 288].
struct ConvFilter {
  kernel::ConvFilterOp op;
  Window window;
  ProductShape shape;
  StridedSource cotangent;

  explicit ConvFilter(kernel::ConvFilterOp op)
      : op(op), window(Window::of(op, op.getRhs().getType().getShape(), op.getSpace())) {
    int64_t channels = op.getSpace()[0];
    shape.batch = window.groups;
    shape.m = channels / window.groups;
    shape.n = window.taps() * window.groupChannels;
    shape.k = window.pixels();
    shape.acc = op.getAcc();
    shape.lhs = getElementTypeOrSelf(op.getLhs().getType());
    shape.rhs = getElementTypeOrSelf(op.getRhs().getType());
    shape.sharedRhs = window.groups == 1;
    cotangent.element = getElementTypeOrSelf(op.getRhs().getType());
    cotangent.lines = shape.m;
    cotangent.depth = shape.k;
    cotangent.lineStride = 1;
    cotangent.depthStride = channels;
    cotangent.batch = {{window.groups, shape.m}};
  }
  bool gathersWindows(const Tier &tier) {
    return !op.hasDilatedImage() && FilterBlocking::gathersWindows(window, shape, tier);
  }
  /// Whether the vector form walks the pixels. Dilated images are read element by element, and AMX
  /// tiles need lines of k: both gather panels, if AMX has no planes (see FilterTiles).
  bool walksPixels(const Tier &tier) {
    return gathersWindows(tier) ||
           (!op.hasDilatedImage() && chooseMultiply(shape, tier) < Multiply::Tiles);
  }
  /// Nullopt for the two other forms: walking pixels and gathered panels.
  std::optional<FilterTiles> tiles(const Tier &tier) {
    if (op.hasDilatedImage())
      return std::nullopt;
    return FilterTiles::of(window, shape, op.getParts(), tier);
  }
  FilterBlocking blocking(const Tier &tier) { return {window, shape, op.getParts(), tier}; }
};
} // namespace

static int64_t sumsOf(kernel::ConvFilterOp op) {
  ArrayRef<int64_t> space = op.getSpace();
  return space[0] * space[1] * space[2] * space[3];
}

/// Small filters have few tiles but long sums: the images are split into slices.
LogicalResult ConvFilterTemplate::configure(Operation *operation) const {
  auto op = cast<kernel::ConvFilterOp>(operation);
  op.setParts(target::chooseFilterParts(op));
  op.setWorkspaceBytes(workspaceBytes(op));
  return success();
}

int64_t ConvFilterTemplate::workspaceBytes(Operation *operation) const {
  auto op = cast<kernel::ConvFilterOp>(operation);
  int64_t bytes = sumsOf(op) * op.getAcc().getIntOrFloatBitWidth() / 8;
  return op.getParts() == 1 ? 0 : alignUp(op.getParts() * bytes);
}

bool ConvFilterTemplate::hasOwnCode(Operation *op, const Tier &tier) const {
  if (Depthwise::of(cast<kernel::ConvFilterOp>(op)))
    return KernelTemplate::hasOwnCode(op, tier);
  ConvFilter conv(cast<kernel::ConvFilterOp>(op));
  return hasOwnProducts(conv.shape, tier) && !(tier.hasAMX() && conv.gathersWindows(tier));
}

/// Merges (tap, channel) into one dimension: vectors of sums may cross the end of a tap.
static FailureOr<IterationSpace> flatFilter(kernel::ConvFilterOp op) {
  IterationSpace space = IterationSpace::of(op);
  for (SmallVector<Access> *list : {&space.inputs, &space.results})
    for (Access &access : *list) {
      std::optional<int64_t> step =
          commonStep(ArrayRef(access.strides).drop_front(), ArrayRef(space.sizes).drop_front());
      if (access.residue || !step)
        return op.emitOpError(
            "expected maps that walk the taps and channels of the filter in order");
      access.strides = {access.strides[0], *step};
    }
  if (!op.getBody().getOps<kernel::RowIndexOp>().empty())
    return op.emitOpError("expected a body without row_index");
  space.sizes = {space.sizes[0], space.sizes[1] * space.sizes[2] * space.sizes[3]};
  return space;
}

FailureOr<KernelEmission> ConvFilterTemplate::plan(Operation *op, const Tier &tier) const {
  ConvFilter conv(cast<kernel::ConvFilterOp>(op));
  if (failed(flatFilter(conv.op)))
    return failure();
  KernelEmission emission;
  emission.finishTasks = conv.op.getParts() > 1;
  if (auto depthwise = Depthwise::of(conv.op)) {
    KernelEmission channels = DepthwiseFilter(*depthwise, conv.op.getParts(), tier).plan();
    channels.finishTasks = emission.finishTasks;
    return channels;
  }
  if (auto tiles = conv.tiles(tier)) {
    emission.tasks = tiles->tasks();
    emission.scratchBytes = tiles->scratchBytes();
    return emission;
  }
  if (conv.walksPixels(tier)) {
    FilterBlocking blocking = conv.blocking(tier);
    emission.tasks = blocking.tasks();
    emission.scratchBytes = FilterGradientEmitter::scratchBytes(conv.shape, blocking);
    return emission;
  }
  Blocking blocking = Blocking::choose(conv.shape, conv.cotangent, tier);
  emission.tasks = conv.shape.batch * blocking.tasks();
  emission.scratchBytes = ScratchLayout::of(conv.shape, blocking, conv.cotangent).total;
  return emission;
}

/// Stores finished sums of one output channel.
static void storeResults(KernelEmitter &e, BodyEmitter &body, Value output, Value position,
                         int64_t active, Value sums) {
  PointVector run;
  run.dims = {output, position};
  run.along = 1;
  run.lanes = cast<VectorType>(sums.getType()).getNumElements();
  run.active = active;
  body.emitResults(run, sums);
}

void ConvFilterTemplate::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                                 Value begin, Value end) const {
  ConvFilter conv(cast<kernel::ConvFilterOp>(op));
  BodyEmitter body(e, conv.op, pointers, *flatFilter(conv.op));
  int64_t outputs = conv.shape.m * conv.window.groups;
  auto store = [&](Value part, Value output, Value position, int64_t active, Value sums) {
    if (conv.op.getParts() == 1)
      return storeResults(e, body, output, position, active, sums);
    Value line = e.add(e.mul(part, outputs), output);
    e.store(sums, pointers.workspace, e.add(e.mul(line, conv.shape.n), position), active);
  };
  if (auto depthwise = Depthwise::of(conv.op))
    return DepthwiseFilter(*depthwise, conv.op.getParts(), e.tier)
        .emit(e, pointers, begin, end, store);
  if (auto tiles = conv.tiles(e.tier))
    return FilterTilesEmitter(e, *tiles, pointers.operands[0], pointers.operands[1])
        .emit(begin, end, pointers.scratch, store, pointers.totals);
  if (conv.walksPixels(e.tier)) {
    FilterBlocking blocking = conv.blocking(e.tier);
    FilterGradientEmitter emitter(e, conv.window, conv.shape, blocking, pointers.operands[0],
                                  pointers.operands[1]);
    return emitter.emit(begin, end, pointers.scratch, store, pointers.totals);
  }
  conv.cotangent.pointer = pointers.operands[1];
  TapLines image(PatchReader(conv.window, pointers.operands[0], conv.shape.lhs));
  auto epilogue = [&](Value group, Value channel, Value position, int64_t active, Value sums) {
    Value output = e.add(e.mul(group, conv.shape.m), channel);
    store(e.index(0), output, position, active, sums);
  };
  Blocking blocking = Blocking::choose(conv.shape, conv.cotangent, e.tier);
  ProductEmitter(e, conv.shape, blocking, conv.cotangent, image, pointers.scratch, epilogue)
      .emit(begin, end, pointers.totals);
}

/// Adds the slices' sums in ascending order; gathered panels have a single slice.
void ConvFilterTemplate::emitFinish(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                                    Value, Value) const {
  ConvFilter conv(cast<kernel::ConvFilterOp>(op));
  BodyEmitter body(e, conv.op, pointers, *flatFilter(conv.op));
  bool inParts = Depthwise::of(conv.op) || conv.tiles(e.tier) || conv.walksPixels(e.tier);
  int64_t parts = inParts ? conv.op.getParts() : 1;
  int64_t outputs = conv.shape.m * conv.window.groups;
  int64_t width = e.tier.lanes(8 * elementBytes(conv.shape.acc));
  e.loop(e.index(0), e.index(outputs), 1, [&](Value output) {
    forVectors(e, conv.shape.n, width, [&](Value position, int64_t active) {
      Value at = e.add(e.mul(output, conv.shape.n), position), sum;
      for (int64_t part = 0; part < parts; ++part) {
        Value x = e.loadVector(pointers.workspace, conv.shape.acc,
                               e.add(at, part * outputs * conv.shape.n), width, active);
        sum = sum ? arith::AddFOp::create(e.b, e.loc, sum, x).getResult() : x;
      }
      storeResults(e, body, output, position, active, sum);
    });
  });
}

void ampc::cpu::addConvFilterTemplate(TemplateRegistry &registry) {
  registry.add<kernel::ConvFilterOp, ConvFilterTemplate>();
}
