// kernel.conv_filter: GEMM of output cotangents and image windows, summed over pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Conv/Depthwise.h"
#include "lib/Codegen/CPU/Conv/FilterTiles.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/TierPlans.h"
#include "mlir-dialects/Kernel/LinearMap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct ConvFilterLowering : CPUKernelLowering {
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
};

/// One of three forms: AMX tiles on planes, vectors pixel by pixel, and a GEMM of gathered panels.
struct FilterForm {
  std::optional<FilterTiles> tiles;
  std::optional<FilterBlocking> pixels;
  std::optional<Blocking> panels;

  /// The fastest. Dilated images are read element by element, and AMX tiles need lines of k: both
  /// gather panels, if AMX has no planes.
  static FilterForm choose(ConvFilter &conv, const Tier &tier);
  /// Form of a plan; none, with a reason in `why`, if the tier has no code for that.
  static FilterForm by(Attribute plan, ConvFilter &conv, const Tier &tier, std::string &why);
  bool isSome() const { return tiles || pixels || panels; }
  Attribute attribute(MLIRContext *context, const Tier &tier) const;
  /// Slices of the images with sums of their own; gathered panels have one.
  int64_t parts(ConvFilter &conv) const { return panels ? 1 : conv.op.getParts(); }
};
} // namespace

FilterForm FilterForm::choose(ConvFilter &conv, const Tier &tier) {
  kernel::ConvFilterOp op = conv.op;
  FilterForm form;
  if (!op.hasDilatedImage())
    form.tiles = FilterTiles::choose(conv.window, conv.shape, op.getParts(), tier);
  bool isOnVectors = chooseMultiply(conv.shape, tier) < Multiply::Tiles;
  if (form.tiles)
    return form;
  if (!op.hasDilatedImage() && (isOnVectors || conv.gathersWindows(tier)))
    form.pixels = FilterBlocking::choose(conv.window, conv.shape, op.getParts(), tier);
  else
    form.panels = Blocking::choose(conv.shape, conv.cotangent, tier);
  return form;
}

FilterForm FilterForm::by(Attribute plan, ConvFilter &conv, const Tier &tier, std::string &why) {
  kernel::ConvFilterOp op = conv.op;
  FilterForm form;
  if (auto product = dyn_cast<kernel::BlockingAttr>(plan)) {
    form.panels = Blocking::by(product, conv.shape, conv.cotangent, tier, why);
    return form;
  }
  if (op.hasDilatedImage()) {
    why = "the image is dilated";
    return form;
  }
  auto filter = cast<kernel::FilterBlockingAttr>(plan);
  if (filter.getTile().empty())
    form.tiles = FilterTiles::by(filter, conv.window, conv.shape, op.getParts(), tier, why);
  else
    form.pixels = FilterBlocking::by(filter, conv.window, conv.shape, op.getParts(), tier, why);
  return form;
}

Attribute FilterForm::attribute(MLIRContext *context, const Tier &tier) const {
  if (panels)
    return panels->attribute(context, tier);
  return tiles ? tiles->attribute(context, tier) : pixels->attribute(context, tier);
}

/// Form by the op's plan. Fails, with an error at the op, if there is no plan, or no code.
static FailureOr<FilterForm> formOf(ConvFilter &conv, const Tier &tier) {
  kernel::ConvFilterOp op = conv.op;
  SmallVector<Attribute> plans = plansOf(op.getBlockingsAttr(), tier);
  if (plans.size() != 1)
    return op.emitOpError() << "expected a blocking of tier " << tier.name
                            << ", which kernel-configure stores, but got " << plans.size();
  std::string why;
  FilterForm form = FilterForm::by(plans.front(), conv, tier, why);
  if (form.isSome())
    return form;
  return op.emitOpError() << "expected a blocking that tier " << tier.name
                          << " has code for, but got " << plans.front() << ": " << why;
}

static int64_t sumsOf(kernel::ConvFilterOp op) {
  ArrayRef<int64_t> space = op.getSpace();
  return space[0] * space[1] * space[2] * space[3];
}

/// Small filters have few tiles but long sums: the images are split into slices. A blocking that
/// the op already has was made for the op's slices.
LogicalResult ConvFilterLowering::configure(Operation *operation) const {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (!op.getBlockingsAttr())
    op.setParts(target::chooseFilterParts(op));
  op.setWorkspaceBytes(workspaceBytes(op));
  if (Depthwise::of(op))
    return success();
  ConvFilter conv(op);
  FailureOr<ArrayAttr> blockings = configureForms<FilterForm>(
      op, *this, op.getBlockingsAttr(), [&](const Tier &tier) { return formOf(conv, tier); },
      [&](const Tier &tier) { return FilterForm::choose(conv, tier); });
  if (failed(blockings))
    return failure();
  op.setBlockingsAttr(*blockings);
  return success();
}

int64_t ConvFilterLowering::workspaceBytes(Operation *operation) const {
  auto op = cast<kernel::ConvFilterOp>(operation);
  int64_t bytes = sumsOf(op) * op.getAcc().getIntOrFloatBitWidth() / 8;
  return op.getParts() == 1 ? 0 : alignUp(op.getParts() * bytes);
}

bool ConvFilterLowering::hasOwnCode(Operation *op, const Tier &tier) const {
  if (Depthwise::of(cast<kernel::ConvFilterOp>(op)))
    return CPUKernelLowering::hasOwnCode(op, tier);
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

FailureOr<KernelEmission> ConvFilterLowering::plan(Operation *op, const Tier &tier) const {
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
  FailureOr<FilterForm> form = formOf(conv, tier);
  if (failed(form))
    return failure();
  if (form->tiles) {
    emission.tasks = form->tiles->tasks();
    emission.scratchBytes = form->tiles->scratchBytes();
  } else if (form->pixels) {
    emission.tasks = form->pixels->tasks();
    emission.scratchBytes = FilterGradientEmitter::scratchBytes(conv.shape, *form->pixels);
  } else {
    emission.tasks = conv.shape.batch * form->panels->tasks();
    emission.scratchBytes = ScratchLayout::of(conv.shape, *form->panels, conv.cotangent).total;
  }
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

void ConvFilterLowering::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
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
  FilterForm form = *formOf(conv, e.tier);
  if (form.tiles)
    return FilterTilesEmitter(e, *form.tiles, pointers.operands[0], pointers.operands[1])
        .emit(begin, end, pointers.scratch, store, pointers.reductions);
  if (form.pixels)
    return FilterGradientEmitter(e, conv.window, conv.shape, *form.pixels, pointers.operands[0],
                                 pointers.operands[1])
        .emit(begin, end, pointers.scratch, store, pointers.reductions);
  conv.cotangent.pointer = pointers.operands[1];
  TapLines image(PatchReader(conv.window, pointers.operands[0], conv.shape.lhs));
  auto epilogue = [&](Value group, Value channel, Value position, int64_t active, Value sums) {
    Value output = e.add(e.mul(group, conv.shape.m), channel);
    store(e.index(0), output, position, active, sums);
  };
  ProductEmitter(e, conv.shape, *form.panels, conv.cotangent, image, pointers.scratch, epilogue)
      .emit(begin, end, pointers.reductions);
}

/// Adds the slices' sums in ascending order.
void ConvFilterLowering::emitFinish(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                                    Value, Value) const {
  ConvFilter conv(cast<kernel::ConvFilterOp>(op));
  BodyEmitter body(e, conv.op, pointers, *flatFilter(conv.op));
  int64_t parts = Depthwise::of(conv.op) ? conv.op.getParts() : formOf(conv, e.tier)->parts(conv);
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

void ampc::cpu::addConvFilterLowering(target::KernelRegistry &registry) {
  registry.add<kernel::ConvFilterOp, ConvFilterLowering>();
}
