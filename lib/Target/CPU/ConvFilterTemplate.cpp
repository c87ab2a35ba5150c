// kernel.conv_filter: a product of cotangents and windows of an image, summed over pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/BodyEmitter.h"
#include "lib/Target/CPU/ImagePanels.h"
#include "lib/Target/CPU/ProductEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct ConvFilterTemplate : KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
};

/// A filter's gradient as a product per group: output channels x (tap, channel), summed over
/// pixels.
struct ConvFilter {
  Window window;
  ProductShape shape;
  StridedSource cotangent;

  explicit ConvFilter(kernel::ConvFilterOp op)
      : window(Window::of(op, op.getRhs().getType().getShape(), op.getSpace())) {
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

bool ConvFilterTemplate::hasOwnCode(Operation *op, const Tier &tier) const {
  return hasOwnProducts(ConvFilter(cast<kernel::ConvFilterOp>(op)).shape, tier);
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
  Blocking blocking = chooseBlocking(conv.shape, tier);
  KernelEmission emission;
  emission.tasks = conv.shape.batch * blocking.mTasks * blocking.nTasks;
  emission.scratchBytes = ScratchLayout::of(conv.shape, blocking, conv.cotangent).total;
  return emission;
}

void ConvFilterTemplate::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                                 Value begin, Value end) const {
  auto filterOp = cast<kernel::ConvFilterOp>(op);
  ConvFilter conv(filterOp);
  conv.cotangent.pointer = pointers.operands[1];
  TapLines image(PatchReader(conv.window, pointers.operands[0],
                             getElementTypeOrSelf(filterOp.getLhs().getType())));
  BodyEmitter body(e, filterOp, ArrayRef(pointers.operands).drop_front(2), pointers.results,
                   *flatFilter(filterOp));
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
      .emit(begin, end, pointers.scratch);
}

void ampc::cpu::addConvFilterTemplate(TemplateRegistry &registry) {
  registry.add<kernel::ConvFilterOp, ConvFilterTemplate>();
}
