// kernel.conv and kernel.conv_filter as implicit GEMM on matrix units where supported, else a
// thread per sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Forms.h"
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
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
/// A convolution split by phases of the output, each a convolution of an image without dilation
/// zeros. Phases with equal code become batch entries, (group, phase). Phases without taps have no
/// product. Example: stride 2 in the gradient of the input -> 4 phases.
struct ConvTiles {
  struct Phase {
    ConvPhase phase;
    std::optional<TileGemm> gemm;
    std::optional<WarpgroupGemm> warpgroups; // WGMMA plan; else mma.sync tiles
    std::string whyNoWarpgroups;

    int64_t parts() const { return warpgroups ? warpgroups->parts() : gemm ? gemm->parts : 1; }
    int64_t workspaceBytes() const {
      return warpgroups ? warpgroups->workspaceBytes() : gemm ? gemm->workspaceBytes() : 0;
    }
    std::string describe() const {
      if (warpgroups)
        return warpgroups->describe();
      return gemm->describe() +
             (whyNoWarpgroups.empty() ? "" : ", no warpgroups: " + whyNoWarpgroups);
    }
  };
  SmallVector<Phase, 1> phases;
  std::string whyPlain; // reason for the plain kernel; empty: not plain

  /// `parts`: split-K factor; 0: chosen by the model.
  ConvTiles(kernel::ConvOp op, const Chip &chip, int64_t parts);
  int64_t parts() const {
    int64_t most = 1;
    for (const Phase &phase : phases)
      most = std::max(most, phase.parts());
    return most;
  }
  int64_t workspaceBytes() const {
    int64_t most = 0;
    for (const Phase &phase : phases)
      most = std::max(most, phase.workspaceBytes());
    return most;
  }
};
} // namespace

ConvTiles::ConvTiles(kernel::ConvOp op, const Chip &chip, int64_t parts) {
  Window window = Window::of(op, op.getSpace(), op.getRhs().getType().getShape());
  for (const ConvPhase &phase : target::phasesOf(window, /*splits=*/true)) {
    phases.push_back({phase, {}, {}, {}});
    std::optional<TileGemm> &gemm = phases.back().gemm;
    bool isEmpty = phase.window.taps() == 0 && window.taps() > 0;
    gemm = TileGemm::of(op, isEmpty ? window : phase.window, chip, whyPlain);
    if (!gemm)
      return;
    if (isEmpty) {
      gemm.reset();
      continue;
    }
    if (phase.window.taps() != window.taps()) { // rows of the filter are not contiguous
      gemm->rhs.isWindows = true;
      gemm->rhs.copyBytes = gemm->lhs.copyBytes; // same channels as the image
    }
    simplify(gemm->lhs, phase.window);
    std::string &why = phases.back().whyNoWarpgroups;
    if (phase.phases() > 1) {
      gemm->batch.push_back(phase.phases());
      gemm->lhs.access.strides.push_back(0);
      gemm->rhs.access.strides.push_back(0); // the taps of a phase form no tensor
      why = "phases share their code";
    }
    gemm->choose(chip, parts);
    if (why.empty())
      phases.back().warpgroups = WarpgroupGemm::of(*gemm, chip, parts, why);
  }
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

static void emitPhase(kernel::ConvOp op, DeviceCode &code, const ConvTiles::Phase &tiles) {
  Window whole = Window::of(op, op.getSpace(), op.getRhs().getType().getShape());
  const ConvPhase &phase = tiles.phase;
  int64_t outputs = op.getSpace().back() / whole.groups;
  ProductResults results = ProductResults::of(op, phase, outputs);
  if (!tiles.gemm)
    return launchSplitKReduction(op, code, results, {whole.groups, phase.phases()},
                                 phase.window.pixels(), outputs, /*parts=*/0);
  TileProduct product{*tiles.gemm, results, {}, {}};
  bool hasAllTaps = phase.window.taps() == whole.taps();
  Window filter = windowOfFilter(whole, phase, outputs);
  product.lhs = [&](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                    const BlockTile &place, int64_t lines) {
    Value image = ofGroup(e, gemm, pointers.operands[0], place, gemm.lhs.access.strides[0]);
    return std::make_unique<WindowCopy>(e, gemm, gemm.lhs, lines, phase.window, image, place.line);
  };
  product.rhs = [&](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                    const BlockTile &place, int64_t lines) -> std::unique_ptr<KTileCopy> {
    Value start =
        ofGroup(e, gemm, pointers.operands[1], place, outputs * whole.taps() * whole.groupChannels);
    if (hasAllTaps)
      return std::make_unique<MatrixCopy>(e, gemm, gemm.rhs, lines, start, place.column);
    Value shift = phase.phases() > 1 ? tapsBehind(e, whole, phase, place.batch[1]) : Value();
    return std::make_unique<WindowCopy>(e, gemm, gemm.rhs, lines, filter, start, place.column,
                                        shift);
  };
  if (tiles.warpgroups)
    emitWarpgroups(op, code, *tiles.warpgroups, product);
  else
    emitTiles(op, code, product);
}

static void emitConv(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ConvOp>(operation);
  if (std::optional<Depthwise> depthwise = Depthwise::of(op))
    return depthwise->emit(op, code);
  ConvTiles tiles(op, code.chip, op.getParts());
  if (!tiles.whyPlain.empty()) {
    code.describe("plain: " + tiles.whyPlain);
    ThreadPerPoint points(code);
    return target::emitPlainConv(op, points);
  }
  std::string form;
  for (const ConvTiles::Phase &phase : tiles.phases) {
    if (phase.gemm && form.empty())
      form = phase.describe();
    emitPhase(op, code, phase);
  }
  int64_t count = 0;
  for (const ConvTiles::Phase &phase : tiles.phases)
    count += phase.phase.phases();
  if (count > 1)
    form += ", in " + std::to_string(count) + " phases";
  code.describe(form);
}

static int64_t convWorkspace(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvOp>(operation);
  if (Depthwise::of(op))
    return 0;
  return ConvTiles(op, chip, op.getParts()).workspaceBytes();
}
static void configureConv(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvOp>(operation);
  if (Depthwise::of(op))
    return;
  op.setParts(ConvTiles(op, chip, 0).parts());
  op.setWorkspaceBytes(convWorkspace(op, chip));
}

std::optional<ProductPlan> nvptx::planOf(kernel::ConvOp op, const Chip &chip) {
  ConvTiles tiles(op, chip, 0);
  if (Depthwise::of(op) || !tiles.whyPlain.empty() || tiles.phases.size() != 1 ||
      tiles.phases.front().phase.phases() != 1 || !tiles.phases.front().gemm)
    return std::nullopt;
  const ConvTiles::Phase &phase = tiles.phases.front();
  return ProductPlan::of(*phase.gemm, phase.warpgroups, chip);
}

// ---- kernel.conv_filter ----

static Window windowOf(kernel::ConvFilterOp op) {
  return Window::of(op, op.getRhs().getType().getShape(), op.getSpace());
}
static std::optional<TileGemm> tilesOf(kernel::ConvFilterOp op, const Chip &chip, int64_t parts,
                                       std::string &why) {
  Window window = windowOf(op);
  std::optional<TileGemm> gemm = TileGemm::of(op, window, chip, why);
  if (!gemm)
    return gemm;
  simplify(gemm->rhs, window);
  gemm->choose(chip, parts);
  if (gemm->onMatrixUnits())
    return gemm;
  // Ranges of images, in the order of other targets, for equal bits.
  int64_t ranges = parts ? parts : target::chooseFilterParts(op);
  gemm->cut(llvm::divideCeil(window.images, ranges) * window.outHeight * window.outWidth);
  return gemm;
}

/// The image is operand 0, but the right side of the GEMM.
static std::optional<WarpgroupGemm> warpgroupsOf(const TileGemm &gemm, const Chip &chip,
                                                 int64_t parts, std::string &why) {
  return WarpgroupGemm::of(gemm, chip, parts, why, 1, 0);
}

static void emitConvFilter(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (std::optional<Depthwise> depthwise = Depthwise::of(op))
    return depthwise->emit(op, code);
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, code.chip, op.getParts(), why);
  if (!gemm) {
    code.describe("plain: " + why);
    ThreadPerPoint points(code);
    return target::emitPlainConvFilter(op, points);
  }
  Window window = windowOf(op);
  TileProduct product{*gemm, ProductResults::of(op, gemm->m), {}, {}};
  product.lhs = [](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                   const BlockTile &place, int64_t lines) {
    Value start = ofGroup(e, gemm, pointers.operands[1], place, gemm.m);
    return std::make_unique<MatrixCopy>(e, gemm, gemm.lhs, lines, start, place.line);
  };
  product.rhs = [&](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                    const BlockTile &place, int64_t lines) {
    Value image = ofGroup(e, gemm, pointers.operands[0], place, gemm.rhs.access.strides[0]);
    return std::make_unique<WindowCopy>(e, gemm, gemm.rhs, lines, window, image, place.column);
  };
  if (auto plan = warpgroupsOf(*gemm, code.chip, op.getParts(), why)) {
    code.describe(plan->describe());
    return emitWarpgroups(op, code, *plan, product);
  }
  code.describe(gemm->describe() + (why.empty() ? "" : ", no warpgroups: " + why));
  emitTiles(op, code, product);
}

static int64_t filterWorkspace(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (std::optional<Depthwise> depthwise = Depthwise::of(op))
    return depthwise->workspaceBytes(op.getParts());
  std::string why;
  if (std::optional<TileGemm> gemm = tilesOf(op, chip, op.getParts(), why)) {
    auto plan = warpgroupsOf(*gemm, chip, op.getParts(), why);
    return plan ? plan->workspaceBytes() : gemm->workspaceBytes();
  }
  int64_t sums = ShapedType::getNumElements(op.getSpace());
  return op.getParts() == 1 ? 0 : op.getParts() * sums * target::elementBytes(op.getAcc());
}
static int64_t filterFinalWarps(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  std::string why;
  std::optional<TileGemm> gemm;
  if (!Depthwise::of(op))
    gemm = tilesOf(op, chip, op.getParts(), why);
  if (!gemm)
    return 0;
  ProductResults results = ProductResults::of(op, gemm->m);
  auto plan = warpgroupsOf(*gemm, chip, op.getParts(), why);
  return plan ? showingWarps(op, *plan, results) : showingWarps(op, *gemm, results);
}
static void configureFilter(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  if (std::optional<Depthwise> depthwise = Depthwise::of(op)) {
    op.setParts(depthwise->chooseParts(chip));
    return op.setWorkspaceBytes(filterWorkspace(op, chip));
  }
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, chip, 0, why);
  op.setParts(gemm ? gemm->parts : target::chooseFilterParts(op));
  if (gemm)
    if (auto plan = warpgroupsOf(*gemm, chip, 0, why))
      op.setParts(plan->parts());
  op.setWorkspaceBytes(filterWorkspace(op, chip));
}

std::optional<ProductPlan> nvptx::planOf(kernel::ConvFilterOp op, const Chip &chip) {
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, chip, 0, why);
  if (Depthwise::of(op) || !gemm)
    return std::nullopt;
  return ProductPlan::of(*gemm, warpgroupsOf(*gemm, chip, 0, why), chip);
}

void nvptx::addConvForms(Forms &forms) {
  forms[kernel::ConvOp::getOperationName()] = {emitConv, configureConv, convWorkspace};
  forms[kernel::ConvFilterOp::getOperationName()] = {emitConvFilter, configureFilter,
                                                     filterWorkspace, filterFinalWarps};
}
