// kernel.conv and kernel.conv_filter as implicit GEMM on matrix units where supported, else a
// thread per sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include "lib/Codegen/NVPTX/Product/Depthwise.h"
#include "lib/Codegen/NVPTX/Product/Epilogue.h"
#include "lib/Codegen/NVPTX/Product/ProductPlan.h"
#include "lib/Codegen/NVPTX/Product/TileProduct.h"
#include "lib/Codegen/NVPTX/Product/WindowCopy.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::ConvPhase;
using target::Window;

/// Address of the group's part of an operand, with `count` elements per group.
static Value ofGroup(DeviceEmitter &e, const TileGemm &gemm, Value pointer, const BlockTile &place,
                     int64_t count) {
  return e.address(pointer, gemm.element, e.mul(place.batch[0], count));
}

/// Whether the windows are the image's pixels (1x1, stride 1, no padding), so that the convolution
/// is a plain GEMM.
static bool isProduct(const Window &window) {
  auto isPixel = [&](unsigned axis) {
    return window.strides[axis] == 1 && window.padding[axis] == 0 &&
           window.inputDilations[axis] == 1;
  };
  return window.taps() == 1 && window.groups == 1 && !window.channelsFirst && isPixel(0) &&
         isPixel(1) && window.outHeight == window.height && window.outWidth == window.width;
}

/// Windows that are pixels become lines of a matrix.
static void simplify(SideLayout &image, const Window &window) {
  if (!isProduct(window))
    return;
  image.isWindows = false;
  image.lineStride = window.channels;
}

// ---- kernel.conv ----

namespace {
/// A phase of the output, and its product; no product without taps. A phase may stand for several
/// with equal code, which are batch entries (group, phase).
struct PhaseTiles {
  ConvPhase phase;
  std::optional<TileGemm> product;
};
} // namespace

static Window windowOf(kernel::ConvOp op) {
  return Window::of(op, op.getSpace(), op.getRhs().getType().getShape());
}

static std::optional<TileGemm> productOf(kernel::ConvOp op, const ConvPhase &phase,
                                         const Chip &chip, std::string &why) {
  std::optional<TileGemm> gemm = TileGemm::of(op, phase.window, chip, why);
  if (!gemm)
    return gemm;
  if (phase.window.taps() != windowOf(op).taps()) { // rows of the filter are not contiguous
    gemm->rhs.isWindows = true;
    gemm->rhs.copyBytes = gemm->lhs.copyBytes; // same channels as the image
  }
  simplify(gemm->lhs, phase.window);
  if (phase.phases() > 1) {
    gemm->batch.push_back(phase.phases());
    gemm->lhs.access.strides.push_back(0);
    gemm->rhs.access.strides.push_back(0); // the taps of a phase form no tensor
    gemm->whyNoWarpgroups = "phases share a kernel";
  }
  return gemm;
}

/// Phases of the output, each a convolution of an image without dilation zeros. Example: stride 2
/// in the gradient of the input -> 4 phases. Nothing, with a reason, if the kernel is plain.
static SmallVector<PhaseTiles, 1> phasesOf(kernel::ConvOp op, const Chip &chip, std::string &why) {
  SmallVector<PhaseTiles, 1> all;
  Window window = windowOf(op);
  for (const ConvPhase &phase : target::phasesOf(window, /*splits=*/true)) {
    bool isEmpty = phase.window.taps() == 0 && window.taps() > 0;
    std::optional<TileGemm> gemm =
        isEmpty ? TileGemm::of(op, window, chip, why) : productOf(op, phase, chip, why);
    if (!gemm)
      return {};
    all.push_back({phase, isEmpty ? std::nullopt : gemm});
  }
  return all;
}

static OpProducts depthwiseProducts() {
  OpProducts all;
  all.other = kernel::PlanKind::depthwise;
  all.why = "the convolution has a filter per channel";
  return all;
}

OpProducts nvptx::productsOf(kernel::ConvOp op, const Chip &chip) {
  if (Depthwise::of(op))
    return depthwiseProducts();
  OpProducts all;
  all.phases = 0;
  for (const PhaseTiles &tiles : phasesOf(op, chip, all.why)) {
    all.phases += tiles.phase.phases();
    if (tiles.product)
      all.products.push_back(*tiles.product);
  }
  return all;
}

/// The filter as images of its taps, of which a phase uses some.
static Window windowOfFilter(const Window &whole, const ConvPhase &phase, int64_t outputs) {
  Window window = phase.window;
  window.images = outputs;
  window.height = whole.kernel[0];
  window.width = whole.kernel[1];
  window.channels = whole.groupChannels;
  window.channelsFirst = false;
  window.outHeight = window.outWidth = 1;
  for (unsigned axis = 0; axis < 2; ++axis) {
    window.strides[axis] = window.inputDilations[axis] = 1;
    window.padding[axis] = -phase.firstTap[axis];
    window.dilations[axis] = phase.tapStep[axis];
  }
  window.groups = 1;
  return window;
}

/// Offset, in filter elements, from the first tap of phase 0 to the first tap of phase `number`
/// among the phases that share code; may be negative.
static Value tapsBehind(DeviceEmitter &e, const Window &whole, const ConvPhase &phase,
                        Value number) {
  ConvPhase::Offsets place = phase.placeOf(e, number);
  Value rows = e.sub(place.firstTap[0], e.index(phase.firstTap[0])),
        columns = e.sub(place.firstTap[1], e.index(phase.firstTap[1]));
  return e.mul(e.add(e.mul(rows, whole.kernel[1]), columns), whole.groupChannels);
}

static void emitPhase(kernel::ConvOp op, DeviceCode &code, const ConvPhase &phase,
                      const PlannedProduct *planned) {
  Window whole = windowOf(op);
  int64_t outputs = op.getSpace().back() / whole.groups;
  ProductResults results = ProductResults::of(op, phase, outputs);
  if (!planned)
    return launchSplitKReduction(op, code, results, {whole.groups, phase.phases()},
                                 phase.window.pixels(), outputs, /*parts=*/0);
  bool hasAllTaps = phase.window.taps() == whole.taps();
  Window filter = windowOfFilter(whole, phase, outputs);
  auto copyImage = [&](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                       const BlockTile &place, int64_t lines) {
    Value image = ofGroup(e, gemm, pointers.operands[0], place, gemm.lhs.access.strides[0]);
    return std::make_unique<WindowCopy>(e, gemm, gemm.lhs, lines, phase.window, image, place.line);
  };
  auto copyFilter = [&](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                        const BlockTile &place, int64_t lines) -> std::unique_ptr<KTileCopy> {
    Value start =
        ofGroup(e, gemm, pointers.operands[1], place, outputs * whole.taps() * whole.groupChannels);
    if (hasAllTaps)
      return std::make_unique<MatrixCopy>(e, gemm, gemm.rhs, lines, start, place.column);
    Value shift = phase.phases() > 1 ? tapsBehind(e, whole, phase, place.batch[1]) : Value();
    return std::make_unique<WindowCopy>(e, gemm, gemm.rhs, lines, filter, start, place.column,
                                        shift);
  };
  planned->emit(op, code, {planned->gemm, results, copyImage, copyFilter});
}

/// Text for reports: the first product, and the number of phases.
static std::string describe(ArrayRef<PlannedProduct> planned, ArrayRef<PhaseTiles> phases) {
  int64_t count = 0;
  for (const PhaseTiles &tiles : phases)
    count += tiles.phase.phases();
  std::string text = planned.empty() ? "" : planned.front().describe();
  return count > 1 ? text + ", in " + std::to_string(count) + " phases" : text;
}

static bool isDepthwise(kernel::PlanAttr plan) {
  return plan.getKind() == kernel::PlanKind::depthwise;
}

static void emitConv(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ConvOp>(operation);
  kernel::PlanAttr first = kernel::plansOf(op).front();
  if (isDepthwise(first))
    return Depthwise::of(op)->emit(op, code);
  if (first.getKind() == kernel::PlanKind::plain) {
    code.describe(describePlain(first.getReason()));
    ThreadPerPoint points(code);
    return target::emitPlainConv(op, points);
  }
  std::string why;
  auto phases = phasesOf(op, code.chip, why);
  auto planned = plannedOf(op, code.chip);
  const PlannedProduct *next = planned.data();
  for (const PhaseTiles &tiles : phases)
    emitPhase(op, code, tiles.phase, tiles.product ? next++ : nullptr);
  code.describe(describe(planned, phases));
}

static int64_t convWorkspace(Operation *op, const Chip &chip) {
  int64_t most = 0;
  for (const PlannedProduct &planned : plannedOf(op, chip))
    most = std::max(most, planned.workspaceBytes());
  return most;
}
static LogicalResult configureConv(Operation *op, const Chip &chip) {
  if (failed(configurePlans(op, chip)))
    return failure();
  cast<kernel::ConvOp>(op).setWorkspaceBytes(convWorkspace(op, chip));
  return success();
}

// ---- kernel.conv_filter ----

static Window windowOf(kernel::ConvFilterOp op) {
  return Window::of(op, op.getRhs().getType().getShape(), op.getSpace());
}
OpProducts nvptx::productsOf(kernel::ConvFilterOp op, const Chip &chip) {
  if (Depthwise::of(op))
    return depthwiseProducts();
  OpProducts all;
  Window window = windowOf(op);
  std::optional<TileGemm> gemm = TileGemm::of(op, window, chip, all.why);
  if (!gemm)
    return all;
  simplify(gemm->rhs, window);
  // Without matrix units: ranges of images, in the order of other targets, for equal bits.
  gemm->ranges = target::chooseFilterParts(op);
  gemm->rangePoints = window.outHeight * window.outWidth;
  all.products.push_back(*gemm);
  return all;
}

static void emitConvFilter(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (isDepthwise(*op.getPlan()))
    return Depthwise::of(op)->emit(op, code);
  std::optional<PlannedProduct> planned = singlePlanOf(op, code.chip);
  if (!planned) {
    code.describe(describePlain(op.getPlan()->getReason()));
    ThreadPerPoint points(code);
    return target::emitPlainConvFilter(op, points);
  }
  code.describe(planned->describe());
  Window window = windowOf(op);
  auto copyOutputs = [](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                        const BlockTile &place, int64_t lines) {
    Value start = ofGroup(e, gemm, pointers.operands[1], place, gemm.m);
    return std::make_unique<MatrixCopy>(e, gemm, gemm.lhs, lines, start, place.line);
  };
  auto copyImage = [&](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                       const BlockTile &place, int64_t lines) {
    Value image = ofGroup(e, gemm, pointers.operands[0], place, gemm.rhs.access.strides[0]);
    return std::make_unique<WindowCopy>(e, gemm, gemm.rhs, lines, window, image, place.column);
  };
  planned->emit(op, code,
                {planned->gemm, ProductResults::of(op, planned->gemm.m), copyOutputs, copyImage});
}

static int64_t filterWorkspace(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (isDepthwise(*op.getPlan()))
    return Depthwise::of(op)->workspaceBytes(op.getParts());
  if (std::optional<PlannedProduct> planned = singlePlanOf(op, chip))
    return planned->workspaceBytes();
  int64_t sums = ShapedType::getNumElements(op.getSpace());
  return op.getParts() == 1 ? 0 : op.getParts() * sums * target::elementBytes(op.getAcc());
}
static int64_t filterFinalWarps(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  std::optional<PlannedProduct> planned = singlePlanOf(op, chip);
  return planned ? planned->finalWarps(op, ProductResults::of(op, planned->gemm.m)) : 0;
}
static LogicalResult configureFilter(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (failed(configurePlans(op, chip)))
    return failure();
  kernel::PlanKind kind = op.getPlan()->getKind();
  // A plan with tiles has its own number of slices.
  op.setParts(kind == kernel::PlanKind::depthwise ? Depthwise::of(op)->chooseParts(chip)
              : kind == kernel::PlanKind::plain   ? target::chooseFilterParts(op)
                                                  : 1);
  op.setWorkspaceBytes(filterWorkspace(op, chip));
  return success();
}

void nvptx::addConvLowering(LoweringTable &table) {
  table[kernel::ConvOp::getOperationName()] = {emitConv, configureConv, convWorkspace, nullptr,
                                               checkPlans};
  table[kernel::ConvFilterOp::getOperationName()] = {emitConvFilter, configureFilter,
                                                     filterWorkspace, filterFinalWarps, checkPlans};
}
