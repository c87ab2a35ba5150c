// kernel.conv: implicit GEMM whose A panels are gathered from image windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Conv/Depthwise.h"
#include "lib/Codegen/CPU/Conv/FilterTaps.h"
#include "lib/Codegen/CPU/Conv/WindowPanels.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/TierPlans.h"
#include "mlir-dialects/PackedFilter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct ConvLowering : CPUKernelLowering {
  LogicalResult configure(Operation *op) const override;
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
  int64_t packsPerRun(Operation *op) const override;
};

/// Convolution as a GEMM per group: [pixels, (tap, channel)] x [(tap, channel), output channels].
struct Conv {
  kernel::ConvOp op;
  Window window;
  ProductShape shape;
  StridedSource filter; // pointer unset
  Type element;

  explicit Conv(kernel::ConvOp op);
  SmallVector<ConvPhase> phases(const Tier &tier) const;
};

/// GEMM of one phase, or of several phases that share the code. Pointers are unset if only the
/// number of tasks matters. Without a plan the blocking is chosen.
struct PhaseProduct {
  ConvPhase phase;
  ConvPhase::Offsets place; // of the phase being emitted
  ProductShape shape;
  std::optional<Blocking> blocking; // unset, with a reason in `why`, without code for the plan
  std::string why;
  std::optional<WindowTile> tile; // set if windows overlap and are packed once
  std::unique_ptr<PanelSource> image, filter;
  FilterTaps *taps = nullptr;          // filter, if the phase skips taps
  int64_t tasks = 0, scratchBytes = 0; // tasks of one phase

  PhaseProduct(const Conv &conv, const ConvPhase &phase, const Tier &tier,
               kernel::BlockingAttr plan, Value image, Value filter);
  kernel::BlockingAttr attribute(MLIRContext *context, const Tier &tier) const;
  void emit(KernelEmitter &e, BodyEmitter &body, Value begin, Value end, Value scratch,
            FusedReductions *reductions);

private:
  void cutWindows(kernel::BlockingAttr plan, const PatchReader &reader, const Tier &tier);
  void cutPixels(kernel::BlockingAttr plan, const Tier &tier);
  void emitPhase(KernelEmitter &e, BodyEmitter &body, Value number, Value begin, Value end,
                 Value scratch, FusedReductions *reductions);
  void storeLine(KernelEmitter &e, BodyEmitter &body, Value group, Value line, Value channel,
                 int64_t active, Value sums);
};

/// GEMMs of all phases, and the phases whose output pixels have no tap (zeros).
struct PhaseTasks {
  SmallVector<PhaseProduct, 0> products;
  SmallVector<ConvPhase> zeros;
  int64_t tasks = 0, scratchBytes = 0;

  /// `plans`: one per product; empty: blockings are chosen.
  PhaseTasks(const Conv &conv, const Tier &tier, ArrayRef<kernel::BlockingAttr> plans,
             Value image = Value(), Value filter = Value());
  /// Whether the work is a single GEMM of a single phase.
  bool isOne() const { return products.size() == 1 && products[0].phase.phases() == 1; }
  void emit(KernelEmitter &e, BodyEmitter &body, Value begin, Value end, Value scratch,
            FusedReductions *reductions);
  void emitZeros(KernelEmitter &e, BodyEmitter &body, const Conv &conv, Value task);
};
} // namespace

Conv::Conv(kernel::ConvOp op) : op(op) {
  auto image = cast<RankedTensorType>(op.getLhs().getType()),
       filters = cast<RankedTensorType>(op.getRhs().getType());
  window = Window::of(op, op.getSpace(), kernel::filterShape(op));
  element = image.getElementType();
  shape.batch = window.groups;
  shape.m = window.pixels();
  shape.n = op.getSpace()[3] / window.groups;
  shape.k = window.taps() * window.groupChannels;
  shape.acc = op.getAcc();
  shape.lhs = element;
  shape.rhs = filter.element = filters.getElementType();
  shape.sharedRhs = window.groups == 1;
  shape.packedRhs = kernel::packingOf(filters) != nullptr;
  filter.lines = shape.n;
  filter.depth = filter.lineStride = shape.k;
  filter.depthStride = 1;
  filter.batch = {{window.groups, shape.n * shape.k}};
}

SmallVector<ConvPhase> Conv::phases(const Tier &tier) const {
  int64_t depth = PanelFormat::of(chooseMultiply(shape, tier), shape.acc, 0).depth;
  return target::phasesOf(window, window.groupChannels % depth == 0);
}

PhaseProduct::PhaseProduct(const Conv &conv, const ConvPhase &phase, const Tier &tier,
                           kernel::BlockingAttr plan, Value image, Value filter)
    : phase(phase), shape(conv.shape) {
  shape.m = phase.window.pixels();
  shape.k = phase.window.taps() * phase.window.groupChannels;
  StridedSource whole = conv.filter;
  whole.pointer = filter;
  if (shape.k == conv.shape.k)
    this->filter = std::make_unique<StridedSource>(whole);
  else
    this->filter.reset(taps = new FilterTaps(whole, phase, conv.window.kernel[1]));
  PatchReader reader(phase.window, image, conv.element);
  if (!plan || plan.getLhs() == LhsFeedKind::Runs)
    cutWindows(plan, reader, tier);
  if (!blocking && why.empty()) {
    this->image = linesOfPixels(reader);
    cutPixels(plan, tier);
  }
  if (!blocking)
    return;
  tasks = shape.batch * blocking->tasks();
  scratchBytes = ScratchLayout::of(shape, *blocking, *this->image).total;
}

/// Packs windows of neighbouring pixels once, if the plan says so or if that pays.
void PhaseProduct::cutWindows(kernel::BlockingAttr plan, const PatchReader &reader,
                              const Tier &tier) {
  auto windows = plan ? WindowBlocking::by(plan, phase.window, shape, tier, why)
                      : WindowBlocking::choose(phase.window, shape, tier);
  if (!windows)
    return;
  tile = windows->pixels;
  shape = windows->shape;
  blocking = windows->blocking;
  int64_t depth = PanelFormat::of(blocking->tile.multiply, shape.acc).depth;
  image = std::make_unique<WindowLines>(reader, *tile, depth);
}

void PhaseProduct::cutPixels(kernel::BlockingAttr plan, const Tier &tier) {
  // Phases share a single AMX tile configuration, so m is rounded up to whole tiles of 16 rows.
  ProductShape tiled = shape;
  if (chooseMultiply(shape, tier) >= Multiply::Tiles && phase.step[0] * phase.step[1] > 1)
    tiled.m = roundUp(shape.m, 16);
  blocking =
      plan ? Blocking::by(plan, tiled, *image, tier, why) : Blocking::choose(tiled, *image, tier);
}

kernel::BlockingAttr PhaseProduct::attribute(MLIRContext *context, const Tier &tier) const {
  if (!tile)
    return blocking->attribute(context, tier);
  return blocking->attribute(context, tier, {tile->width, tile->images});
}

/// Stores finished sums of output pixel [image, row, column].
static void store(BodyEmitter &body, ArrayRef<Value> pixel, Value channel, int64_t active,
                  Value sums) {
  PointVector run;
  run.dims = {pixel[0], pixel[1], pixel[2], channel};
  run.along = 3;
  run.lanes = cast<VectorType>(sums.getType()).getNumElements();
  run.active = active;
  body.emitResults(run, sums);
}

/// Output row (axis 0) or column (axis 1) of index `at` in the phase: start + at * step.
static Value outputOf(KernelEmitter &e, const ConvPhase &phase, const ConvPhase::Offsets &place,
                      unsigned axis, Value at) {
  return e.add(e.mul(at, phase.step[axis]), place.start[axis]);
}

/// Stores finished sums of a row of the GEMM.
void PhaseProduct::storeLine(KernelEmitter &e, BodyEmitter &body, Value group, Value line,
                             Value channel, int64_t active, Value sums) {
  const Window &window = phase.window;
  WindowTile::Pixel pixel;
  if (tile) {
    pixel = tile->pixelAt(e, window, line);
  } else {
    Value rest = e.div(line, window.outWidth);
    pixel.x = e.rem(line, window.outWidth);
    pixel.y = e.rem(rest, window.outHeight);
    pixel.image = e.div(rest, window.outHeight);
  }
  auto emit = [&] {
    Value y = outputOf(e, phase, place, 0, pixel.y), x = outputOf(e, phase, place, 1, pixel.x);
    store(body, {pixel.image, y, x}, e.add(e.mul(group, shape.n), channel), active, sums);
  };
  pixel.inside ? e.when(pixel.inside, emit) : emit();
}

void PhaseProduct::emit(KernelEmitter &e, BodyEmitter &body, Value begin, Value end, Value scratch,
                        FusedReductions *reductions) {
  if (phase.phases() == 1)
    return emitPhase(e, body, e.index(0), begin, end, scratch, reductions);
  Value behind = e.div(e.add(end, tasks - 1), tasks);
  e.loop(e.div(begin, tasks), behind, 1, [&](Value number) {
    Value first = e.mul(number, tasks);
    Value from = e.sub(e.max(begin, first), first);
    Value until = e.sub(e.min(end, e.add(first, tasks)), first);
    emitPhase(e, body, number, from, until, scratch, reductions);
  });
}

void PhaseProduct::emitPhase(KernelEmitter &e, BodyEmitter &body, Value number, Value begin,
                             Value end, Value scratch, FusedReductions *reductions) {
  place = phase.placeOf(e, number);
  if (taps)
    taps->enterPhase(place);
  auto epilogue = [&](Value group, Value line, Value channel, int64_t active, Value sums) {
    storeLine(e, body, group, line, channel, active, sums);
  };
  ProductEmitter(e, shape, *blocking, *image, *filter, scratch, epilogue)
      .emit(begin, end, reductions);
}

PhaseTasks::PhaseTasks(const Conv &conv, const Tier &tier, ArrayRef<kernel::BlockingAttr> plans,
                       Value image, Value filter) {
  for (const ConvPhase &phase : conv.phases(tier)) {
    if (phase.window.taps() == 0) {
      zeros.push_back(phase);
      continue;
    }
    kernel::BlockingAttr plan = plans.empty() ? nullptr : plans[products.size()];
    PhaseProduct &product = products.emplace_back(conv, phase, tier, plan, image, filter);
    tasks += product.tasks * phase.phases();
    scratchBytes = std::max(scratchBytes, product.scratchBytes);
  }
  tasks = std::max<int64_t>(tasks, 1); // a small output may have no GEMM
}

void PhaseTasks::emit(KernelEmitter &e, BodyEmitter &body, Value begin, Value end, Value scratch,
                      FusedReductions *reductions) {
  int64_t first = 0;
  for (PhaseProduct &product : products) {
    int64_t all = product.tasks * product.phase.phases();
    auto within = [&](Value task) {
      return e.min(e.max(e.sub(task, e.index(first)), e.index(0)), e.index(all));
    };
    product.emit(e, body, within(begin), within(end), scratch, reductions);
    first += all;
  }
}

/// Zeroes the task's share of the output rows, near the rows of the task's GEMM: a single pass over
/// memory writes both.
void PhaseTasks::emitZeros(KernelEmitter &e, BodyEmitter &body, const Conv &conv, Value task) {
  int64_t rows = conv.window.images * conv.window.outHeight,
          channels = conv.shape.batch * conv.shape.n;
  int64_t width = e.tier.lanes(8 * elementBytes(conv.shape.acc)), share = ceilDiv(rows, tasks);
  Value zero = e.constant(e.vectorOf(conv.shape.acc, width), 0), from = e.mul(task, share);
  e.loop(e.min(from, e.index(rows)), e.min(e.add(from, share), e.index(rows)), 1, [&](Value row) {
    Value image = e.div(row, conv.window.outHeight), y = e.rem(row, conv.window.outHeight);
    for (const ConvPhase &phase : zeros) {
      Value meets;
      phase.numberAt(e, 0, y, meets);
      e.when(meets, [&] {
        e.loop(e.index(0), e.index(phase.count[1]), 1, [&](Value number) {
          ConvPhase::Offsets place = phase.placeOf(e, number);
          e.loop(e.index(0), e.index(phase.window.outWidth), 1, [&](Value x) {
            forVectors(e, channels, width, [&](Value channel, int64_t active) {
              store(body, {image, y, outputOf(e, phase, place, 1, x)}, channel, active, zero);
            });
          });
        });
      });
    }
  });
}

bool ConvLowering::hasOwnCode(Operation *op, const Tier &tier) const {
  if (Depthwise::of(cast<kernel::ConvOp>(op)))
    return CPUKernelLowering::hasOwnCode(op, tier);
  return hasOwnProducts(Conv(cast<kernel::ConvOp>(op)).shape, tier);
}

/// GEMMs by the op's blockings. Fails, with an error at the op, without a blocking for each product
/// of the tier, or without code for a blocking.
static FailureOr<PhaseTasks> tasksOf(const Conv &conv, const Tier &tier, Value image = Value(),
                                     Value filter = Value()) {
  kernel::ConvOp op = conv.op;
  auto plans = llvm::map_to_vector(plansOf(op.getBlockingsAttr(), tier),
                                   [](Attribute plan) { return cast<kernel::BlockingAttr>(plan); });
  int64_t products = llvm::count_if(conv.phases(tier),
                                    [](const ConvPhase &phase) { return phase.window.taps() > 0; });
  if (int64_t(plans.size()) != products)
    return op.emitOpError() << "expected " << products << " blockings of tier " << tier.name
                            << ", which kernel-configure stores, but got " << plans.size();
  PhaseTasks phases(conv, tier, plans, image, filter);
  for (auto [product, plan] : llvm::zip_equal(phases.products, plans))
    if (!product.blocking)
      return op.emitOpError() << "expected a blocking that tier " << tier.name
                              << " has code for, but got " << plan << ": " << product.why;
  return phases;
}

/// Stores blockings of every tier with code of its own: the op's own, or the fastest.
LogicalResult ConvLowering::configure(Operation *operation) const {
  auto op = cast<kernel::ConvOp>(operation);
  if (Depthwise::of(op))
    return success();
  Conv conv(op);
  auto plansFor = [&](const Tier &tier) -> FailureOr<SmallVector<Attribute>> {
    bool isGiven = !plansOf(op.getBlockingsAttr(), tier).empty();
    FailureOr<PhaseTasks> phases = isGiven ? tasksOf(conv, tier) : PhaseTasks(conv, tier, {});
    if (failed(phases))
      return failure();
    return llvm::map_to_vector(phases->products, [&](const PhaseProduct &product) -> Attribute {
      return product.attribute(op.getContext(), tier);
    });
  };
  FailureOr<ArrayAttr> blockings = configureTiers(op, *this, op.getBlockingsAttr(), plansFor);
  if (failed(blockings))
    return failure();
  op.setBlockingsAttr(*blockings);
  return success();
}

FailureOr<KernelEmission> ConvLowering::plan(Operation *op, const Tier &tier) const {
  if (auto depthwise = Depthwise::of(cast<kernel::ConvOp>(op)))
    return DepthwiseConv(*depthwise, tier).plan();
  FailureOr<PhaseTasks> phases = tasksOf(Conv(cast<kernel::ConvOp>(op)), tier);
  if (failed(phases))
    return failure();
  KernelEmission emission;
  emission.tasks = phases->tasks;
  emission.scratchBytes = phases->scratchBytes;
  return emission;
}

void ConvLowering::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                           Value begin, Value end) const {
  Conv conv(cast<kernel::ConvOp>(op));
  BodyEmitter body(e, conv.op, pointers);
  if (auto depthwise = Depthwise::of(conv.op)) {
    auto epilogue = [&](ArrayRef<Value> pixel, Value channel, int64_t active, Value sums) {
      store(body, pixel, channel, active, sums);
    };
    return DepthwiseConv(*depthwise, e.tier).emit(e, pointers, begin, end, epilogue);
  }
  PhaseTasks phases = *tasksOf(conv, e.tier, pointers.operands[0], pointers.operands[1]);
  if (phases.isOne() && phases.zeros.empty())
    return phases.emit(e, body, begin, end, pointers.scratch, pointers.reductions);
  // Fused reductions count tasks over all phases.
  forTasks(e, pointers.reductions, begin, end, [&](Value from, Value to) {
    if (phases.zeros.empty())
      return phases.emit(e, body, from, to, pointers.scratch, nullptr);
    e.loop(from, to, 1, [&](Value task) {
      phases.emit(e, body, task, e.add(task, 1), pointers.scratch, nullptr);
      phases.emitZeros(e, body, conv, task);
    });
  });
}

/// B packs per run: a thread packs all columns of its tasks once if the panels are kept, else each
/// task packs. If columns are split, different threads pack the halves. Counted on the last tier,
/// whose GEMMs take the least time.
int64_t ConvLowering::packsPerRun(Operation *op) const {
  auto conv = cast<kernel::ConvOp>(op);
  if (Depthwise::of(conv))
    return 0;
  PhaseTasks phases(Conv(conv), tiers().back(), {});
  if (!phases.isOne())
    return 1;
  const Blocking &blocking = *phases.products[0].blocking;
  if (!blocking.keepsRhs)
    return blocking.m.tasks;
  return blocking.n.tasks == 1 ? std::min<int64_t>(2, blocking.m.tasks) : 1;
}

void ampc::cpu::addConvLowering(target::KernelRegistry &registry) {
  registry.add<kernel::ConvOp, ConvLowering>();
}
