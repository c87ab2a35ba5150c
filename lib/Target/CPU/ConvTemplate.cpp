// kernel.conv: products whose left panels are gathered from windows of an image.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/BodyEmitter.h"
#include "ampc/Target/CPU/Loops.h"
#include "lib/Target/CPU/ConvPhases.h"
#include "lib/Target/CPU/ProductEmitter.h"
#include "lib/Target/CPU/Totals.h"
#include "lib/Target/CPU/WindowPanels.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct ConvTemplate : KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
};

/// A convolution as products per group: pixels x output channels, summed over (tap, channel).
struct Conv {
  kernel::ConvOp op;
  Window window;
  ProductShape shape;
  StridedSource filter; // without pointer
  Type element;

  explicit Conv(kernel::ConvOp op);
  SmallVector<ConvPhase> phases(const Tier &tier) const;
};

/// The product of one phase; without pointers if only its tasks matter.
struct PhaseProduct {
  ConvPhase phase;
  ProductShape shape;
  Blocking blocking;
  std::optional<WindowTile> tile; // of overlapping windows
  std::unique_ptr<PanelSource> image, filter;
  int64_t tasks, scratchBytes;

  PhaseProduct(const Conv &conv, const ConvPhase &phase, const Tier &tier, Value image = Value(),
               Value filter = Value());
  void emit(KernelEmitter &e, BodyEmitter &body, Value begin, Value end, Value scratch,
            Totals *totals);

private:
  void cutPixels(const Tier &tier);
  void storeLine(KernelEmitter &e, BodyEmitter &body, Value group, Value line, Value channel,
                 int64_t active, Value sums);
  void store(KernelEmitter &e, BodyEmitter &body, Value group, ArrayRef<Value> pixel, Value channel,
             int64_t active, Value sums);
  void emitZeros(KernelEmitter &e, BodyEmitter &body, Value begin, Value end);
};
} // namespace

// Output pixels without taps: a task writes about 64 K numbers.
constexpr int64_t zerosPerTask = 1 << 16;

Conv::Conv(kernel::ConvOp op) : op(op) {
  auto image = cast<RankedTensorType>(op.getLhs().getType()),
       filters = cast<RankedTensorType>(op.getRhs().getType());
  window = Window::of(op, op.getSpace(), filters.getShape());
  element = image.getElementType();
  shape.batch = window.groups;
  shape.m = window.pixels();
  shape.n = op.getSpace()[3] / window.groups;
  shape.k = window.taps() * window.groupChannels;
  shape.acc = op.getAcc();
  shape.lhs = element;
  shape.rhs = filter.element = filters.getElementType();
  shape.sharedRhs = window.groups == 1;
  filter.lines = shape.n;
  filter.depth = filter.lineStride = shape.k;
  filter.depthStride = 1;
  filter.batch = {{window.groups, shape.n * shape.k}};
}

SmallVector<ConvPhase> Conv::phases(const Tier &tier) const {
  int64_t depth = PanelFormat::of(chooseMultiply(shape, tier), shape.acc, 0).depth;
  return phasesOf(window, window.groupChannels % depth == 0);
}

PhaseProduct::PhaseProduct(const Conv &conv, const ConvPhase &phase, const Tier &tier, Value image,
                           Value filter)
    : phase(phase), shape(conv.shape) {
  shape.m = phase.window.pixels();
  shape.k = phase.window.taps() * phase.window.groupChannels;
  if (shape.k == 0) {
    tasks = ceilDiv(shape.batch * shape.m * shape.n, zerosPerTask);
    scratchBytes = 0;
    return;
  }
  StridedSource whole = conv.filter;
  whole.pointer = filter;
  if (shape.k == conv.shape.k)
    this->filter = std::make_unique<StridedSource>(whole);
  else
    this->filter = std::make_unique<FilterTaps>(whole, phase, conv.window.kernel[1]);
  PatchReader reader(phase.window, image, conv.element);
  tile = chooseWindowTile(phase.window, shape, tier, blocking);
  if (tile) {
    int64_t depth = PanelFormat::of(blocking.multiply, shape.acc, 0).depth;
    this->image = std::make_unique<WindowLines>(reader, *tile, depth);
  } else {
    this->image = std::make_unique<PixelLines>(reader);
    cutPixels(tier);
  }
  tasks = shape.batch * blocking.mTasks * blocking.nTasks;
  scratchBytes = ScratchLayout::of(shape, blocking, *this->image).total;
}

void PhaseProduct::cutPixels(const Tier &tier) {
  // Phases share the registers of matrix tiles, so theirs are all of one shape.
  ProductShape tiled = shape;
  if (chooseMultiply(shape, tier) >= Multiply::Tiles && phase.step[0] * phase.step[1] > 1)
    tiled.m = roundUp(shape.m, 16);
  blocking = chooseBlocking(tiled, tier);
}

/// Finished sums of a pixel (image, row, column) of the phase.
void PhaseProduct::store(KernelEmitter &e, BodyEmitter &body, Value group, ArrayRef<Value> pixel,
                         Value channel, int64_t active, Value sums) {
  Run run;
  run.dims = {pixel[0], e.add(e.mul(pixel[1], phase.step[0]), phase.start[0]),
              e.add(e.mul(pixel[2], phase.step[1]), phase.start[1]),
              e.add(e.mul(group, shape.n), channel)};
  run.along = 3;
  run.lanes = e.tier.lanes(8 * elementBytes(shape.acc));
  run.active = active;
  body.emitResults(run, sums);
}

/// Finished sums of a line of the product.
void PhaseProduct::storeLine(KernelEmitter &e, BodyEmitter &body, Value group, Value line,
                             Value channel, int64_t active, Value sums) {
  const Window &window = phase.window;
  if (!tile) {
    Value x = e.rem(line, window.outWidth), rest = e.div(line, window.outWidth);
    Value y = e.rem(rest, window.outHeight), image = e.div(rest, window.outHeight);
    return store(e, body, group, {image, y, x}, channel, active, sums);
  }
  WindowTile::Pixel pixel = tile->pixelAt(e, window, line);
  auto emit = [&] {
    store(e, body, group, {pixel.image, pixel.y, pixel.x}, channel, active, sums);
  };
  pixel.inside ? e.when(pixel.inside, emit) : emit();
}

void PhaseProduct::emitZeros(KernelEmitter &e, BodyEmitter &body, Value begin, Value end) {
  int64_t rows = shape.batch * shape.m, width = e.tier.lanes(8 * elementBytes(shape.acc));
  int64_t perTask = ceilDiv(rows, tasks);
  Value zeros = e.constant(e.vectorOf(shape.acc, width), 0);
  e.loop(e.min(e.mul(begin, perTask), e.index(rows)), e.min(e.mul(end, perTask), e.index(rows)), 1,
         [&](Value row) {
           Value group = e.div(row, shape.m), pixel = e.rem(row, shape.m);
           forVectors(e, shape.n, width, [&](Value channel, int64_t active) {
             storeLine(e, body, group, pixel, channel, active, zeros);
           });
         });
}

void PhaseProduct::emit(KernelEmitter &e, BodyEmitter &body, Value begin, Value end, Value scratch,
                        Totals *totals) {
  if (shape.k == 0)
    return emitZeros(e, body, begin, end);
  auto epilogue = [&](Value group, Value line, Value channel, int64_t active, Value sums) {
    storeLine(e, body, group, line, channel, active, sums);
  };
  ProductEmitter(e, shape, blocking, *image, *filter, epilogue).emit(begin, end, scratch, totals);
}

bool ConvTemplate::hasOwnCode(Operation *op, const Tier &tier) const {
  return hasOwnProducts(Conv(cast<kernel::ConvOp>(op)).shape, tier);
}

FailureOr<KernelEmission> ConvTemplate::plan(Operation *op, const Tier &tier) const {
  Conv conv(cast<kernel::ConvOp>(op));
  KernelEmission emission;
  emission.tasks = 0;
  for (const ConvPhase &phase : conv.phases(tier)) {
    PhaseProduct product(conv, phase, tier);
    emission.tasks += product.tasks;
    emission.scratchBytes = std::max(emission.scratchBytes, product.scratchBytes);
  }
  return emission;
}

void ConvTemplate::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                           Value begin, Value end) const {
  Conv conv(cast<kernel::ConvOp>(op));
  BodyEmitter body(e, conv.op, pointers);
  SmallVector<ConvPhase> phases = conv.phases(e.tier);
  auto emitPhases = [&](Value from, Value to, Totals *totals) {
    int64_t first = 0;
    for (const ConvPhase &phase : phases) {
      PhaseProduct product(conv, phase, e.tier, pointers.operands[0], pointers.operands[1]);
      auto within = [&](Value task) {
        return e.min(e.max(e.sub(task, e.index(first)), e.index(0)), e.index(product.tasks));
      };
      product.emit(e, body, within(from), within(to), pointers.scratch, totals);
      first += product.tasks;
    }
  };
  // Totals count the tasks of all phases.
  if (phases.size() == 1)
    return emitPhases(begin, end, pointers.totals);
  forTasks(e, pointers.totals, begin, end,
           [&](Value from, Value to) { emitPhases(from, to, nullptr); });
}

void ampc::cpu::addConvTemplate(TemplateRegistry &registry) {
  registry.add<kernel::ConvOp, ConvTemplate>();
}
