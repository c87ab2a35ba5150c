// kernel.conv and kernel.conv_filter: products whose panels are gathered from images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/BodyEmitter.h"
#include "lib/Target/CPU/ImagePanels.h"
#include "lib/Target/CPU/ProductEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Everything about the image and the window that both ops say in the same way. `out` and `filter`
/// are the shapes of the output (NHWC) and the filter (OHWI).
template <typename Op>
static Window windowOf(Op op, ArrayRef<int64_t> out, ArrayRef<int64_t> filter) {
  ArrayRef<int64_t> image = shapeOf(op.getLhs());
  Window window;
  window.images = image[0];
  window.height = image[1];
  window.width = image[2];
  window.channels = image[3];
  window.outHeight = out[1];
  window.outWidth = out[2];
  for (unsigned axis = 0; axis < 2; ++axis) {
    window.kernel[axis] = filter[1 + axis];
    window.strides[axis] = op.getStrides()[axis];
    window.padding[axis] = op.getPadding()[2 * axis];
    window.dilations[axis] = op.getDilations()[axis];
    window.inputDilations[axis] = op.getInputDilations()[axis];
  }
  window.groups = op.getGroups();
  window.groupChannels = window.channels / window.groups;
  return window;
}

namespace {
struct ConvTemplate : KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
};
struct ConvFilterTemplate : KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
};

/// A convolution as a product per group: pixels x output channels, summed over (tap, channel).
struct Conv {
  Window window;
  ProductShape shape;
  StridedSource filter;

  explicit Conv(kernel::ConvOp op) : window(windowOf(op, op.getSpace(), shapeOf(op.getRhs()))) {
    shape.batch = window.groups;
    shape.m = window.pixels();
    shape.n = op.getSpace()[3] / window.groups;
    shape.k = window.taps() * window.groupChannels;
    shape.acc = op.getAcc();
    shape.lhs = getElementTypeOrSelf(op.getLhs().getType());
    shape.rhs = getElementTypeOrSelf(op.getRhs().getType());
    shape.sharedRhs = window.groups == 1;
    filter.element = getElementTypeOrSelf(op.getRhs().getType());
    filter.lines = shape.n;
    filter.depth = filter.lineStride = shape.k;
    filter.depthStride = 1;
    filter.batch = {{window.groups, shape.n * shape.k}};
  }
};

/// A filter's gradient as a product per group: output channels x (tap, channel), summed over
/// pixels.
struct ConvFilter {
  Window window;
  ProductShape shape;
  StridedSource cotangent;

  explicit ConvFilter(kernel::ConvFilterOp op)
      : window(windowOf(op, shapeOf(op.getRhs()), op.getSpace())) {
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
};
} // namespace

static KernelEmission emissionOf(const ProductShape &shape, const PanelSource &lhs,
                                 const Tier &tier) {
  Blocking blocking = chooseBlocking(shape, tier);
  KernelEmission emission;
  emission.tasks = shape.batch * blocking.mTasks * blocking.nTasks;
  emission.scratchBytes = ScratchLayout::of(shape, blocking, lhs).total;
  return emission;
}

bool ConvTemplate::hasOwnCode(Operation *op, const Tier &tier) const {
  return hasOwnProducts(Conv(cast<kernel::ConvOp>(op)).shape, tier);
}
bool ConvFilterTemplate::hasOwnCode(Operation *op, const Tier &tier) const {
  return hasOwnProducts(ConvFilter(cast<kernel::ConvFilterOp>(op)).shape, tier);
}

FailureOr<KernelEmission> ConvTemplate::plan(Operation *op, const Tier &tier) const {
  Conv conv(cast<kernel::ConvOp>(op));
  return emissionOf(conv.shape, PixelLines(PatchReader(conv.window, Value(), Type())), tier);
}

void ConvTemplate::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                           Value begin, Value end) const {
  auto convOp = cast<kernel::ConvOp>(op);
  Conv conv(convOp);
  conv.filter.pointer = pointers.operands[1];
  PixelLines image(PatchReader(conv.window, pointers.operands[0],
                               getElementTypeOrSelf(convOp.getLhs().getType())));
  BodyEmitter body(e, convOp, pointers);
  Blocking blocking = chooseBlocking(conv.shape, e.tier);
  auto epilogue = [&](Value group, Value pixel, Value channel, int64_t active, Value sums) {
    Run run;
    run.dims = body.space().delinearize(e, pixel, 3);
    run.dims.push_back(e.add(e.mul(group, conv.shape.n), channel));
    run.along = 3;
    run.lanes = blocking.width;
    run.active = active;
    body.emitResults(run, sums);
  };
  ProductEmitter(e, conv.shape, blocking, image, conv.filter, epilogue)
      .emit(begin, end, pointers.scratch, pointers.totals);
}

/// Elements from one (tap, channel) to the next, or nothing if there is no one number. Dimensions
/// of size 1 have no say: their coefficient may have been folded away.
static std::optional<int64_t> stepOfTaps(const Access &access, ArrayRef<int64_t> sizes) {
  std::optional<int64_t> step;
  int64_t inner = 1;
  for (unsigned dim : {3, 2, 1}) {
    int64_t stride = access.strides[dim];
    if (sizes[dim] > 1 && !step)
      step = stride;
    else if (sizes[dim] > 1 && stride != *step * inner)
      return std::nullopt;
    inner *= sizes[dim];
  }
  return step.value_or(0);
}

/// (tap, channel) as one dimension: vectors of sums may run over the end of a tap.
static FailureOr<IterationSpace> flatFilter(kernel::ConvFilterOp op) {
  IterationSpace space = IterationSpace::of(op);
  for (SmallVector<Access> *list : {&space.inputs, &space.results})
    for (Access &access : *list) {
      std::optional<int64_t> step = stepOfTaps(access, space.sizes);
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
  auto filterOp = cast<kernel::ConvFilterOp>(op);
  if (failed(flatFilter(filterOp)))
    return failure();
  ConvFilter conv(filterOp);
  return emissionOf(conv.shape, conv.cotangent, tier);
}

void ConvFilterTemplate::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                                 Value begin, Value end) const {
  auto filterOp = cast<kernel::ConvFilterOp>(op);
  ConvFilter conv(filterOp);
  conv.cotangent.pointer = pointers.operands[1];
  TapLines image(PatchReader(conv.window, pointers.operands[0],
                             getElementTypeOrSelf(filterOp.getLhs().getType())));
  BodyEmitter body(e, filterOp, pointers, *flatFilter(filterOp));
  Blocking blocking = chooseBlocking(conv.shape, e.tier);
  auto epilogue = [&](Value group, Value channel, Value position, int64_t active, Value sums) {
    Run run;
    run.dims = {e.add(e.mul(group, conv.shape.m), channel), position};
    run.along = 1;
    run.lanes = blocking.width;
    run.active = active;
    body.emitResults(run, sums);
  };
  ProductEmitter(e, conv.shape, blocking, conv.cotangent, image, epilogue)
      .emit(begin, end, pointers.scratch, pointers.totals);
}

void ampc::cpu::addConvTemplates(TemplateRegistry &registry) {
  registry.add<kernel::ConvOp, ConvTemplate>();
  registry.add<kernel::ConvFilterOp, ConvFilterTemplate>();
}
