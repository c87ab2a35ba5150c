// Folds NCHW-to-NHWC transposes of images into convolutions that can read channels first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/Views.h"
#include "mlir-dialects/Kernel/LinearMap.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELFOLDIMAGETRANSPOSES
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
/// A map that transposes an image from NCHW to NHWC for convolutions.
struct ImageTranspose {
  kernel::MapOp op;
  SmallVector<Operation *> consumers;
  SmallVector<int64_t> image; ///< shape that the convolutions read: [N, H, W, C]
  AffineMap toResult;         ///< from [N, H, W, C] to the map's result

  /// The transpose of `op`; nothing if `op` is no transpose, or if a consumer needs channels last.
  static std::optional<ImageTranspose> of(kernel::MapOp op, const Target &target);
  void fold(BlockRewriter &rewriter);

private:
  AffineMap pointOf(AffineMap toImage);
  bool readsChannelsFirstOperands();
};
} // namespace

static bool isConvolution(Operation *op) {
  return isa<kernel::ConvOp, kernel::ConvFilterOp>(op) && !op->hasAttr("channels_first");
}

std::optional<ImageTranspose> ImageTranspose::of(kernel::MapOp op, const Target &target) {
  if (op->getNumResults() != 1 || !isPointwise(op) || usesLinearIndex(op) ||
      op->hasAttr("kernel.barrier"))
    return std::nullopt;
  llvm::SmallSetVector<Operation *, 4> consumers;
  Value result = op->getResult(0);
  findConsumers(result, consumers);
  ImageTranspose transpose{op, llvm::to_vector(consumers), {}, {}};
  for (Operation *consumer : consumers) {
    bool canFold = isConvolution(consumer) && target.readsChannelsFirst(consumer) &&
                   llvm::all_of(llvm::drop_begin(consumer->getOperands()),
                                [&](Value v) { return kernel::throughViews(v) != result; });
    if (!canFold)
      return std::nullopt;
    ArrayRef<int64_t> image = shapeOf(consumer->getOperand(0));
    if (transpose.image.empty())
      transpose.image = llvm::to_vector(image);
    else if (image != ArrayRef(transpose.image))
      return std::nullopt;
  }
  if (consumers.empty())
    return std::nullopt;
  transpose.toResult = unitReshape(transpose.image, shapeOf(result), op.getContext());
  bool isOnePlane = transpose.image[3] == 1 || transpose.image[1] * transpose.image[2] == 1;
  return transpose.toResult && !isOnePlane && transpose.readsChannelsFirstOperands()
             ? std::optional(transpose)
             : std::nullopt;
}

/// Composes a map to image elements with the inverse map to points of the map's iteration domain.
AffineMap ImageTranspose::pointOf(AffineMap toImage) {
  AffineMap inverse =
      inverseOf(mapAt(op.getResultMaps(), 0), op.getSpace(), shapeOf(op->getResult(0)));
  return inverse ? inverse.compose(toResult).compose(toImage) : AffineMap();
}

/// Whether every input as large as the image is stored in the order [N, C, H, W].
bool ImageTranspose::readsChannelsFirstOperands() {
  AffineMap point = pointOf(AffineMap::getMultiDimIdentityMap(4, op.getContext()));
  if (!point)
    return false;
  int64_t plane = image[1] * image[2], strides[] = {image[3] * plane, image[2], 1, plane};
  bool found = false;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (elements(shapeOf(input)) != elements(image))
      continue;
    auto place = LinearForm::of(mapAt(op.getInputMaps(), i).compose(point), shapeOf(input));
    if (!place || place->constant)
      return false;
    for (unsigned dim = 0; dim < 4; ++dim)
      if (image[dim] > 1 && place->factors[dim] != strides[dim])
        return false;
    found = true;
  }
  return found;
}

void ImageTranspose::fold(BlockRewriter &rewriter) {
  OpBuilder builder(op);
  SmallVector<int64_t> planes = {image[0], image[3], image[1], image[2]};
  AffineMap all = builder.getMultiDimIdentityMap(4);
  AffineExpr n, c, y, x;
  bindDims(op.getContext(), n, c, y, x);
  AffineMap point = pointOf(AffineMap::get(4, 0, {n, y, x, c}, op.getContext()));
  auto maps = llvm::map_to_vector(mapsOf(op.getInputMaps()), [&](AffineMap map) {
    return normalized(map.compose(point), planes);
  });
  Value source;
  Block &body = op.getBody().front();
  if (op.getInputs().size() == 1 && body.getTerminator()->getOperand(0) == body.getArgument(0)) {
    source = op.getInputs()[0];
  } else {
    auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(planes);
    auto now = kernel::MapOp::create(builder, op.getLoc(), type, op.getInputs(), planes,
                                     builder.getAffineMapArrayAttr(maps),
                                     builder.getAffineMapArrayAttr(all));
    now->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    now.getBody().takeBody(op.getBody());
    source = now->getResult(0);
  }
  if (shapeOf(source) != ArrayRef(planes)) {
    auto type = cast<RankedTensorType>(source.getType()).clone(planes);
    source = builder.createOrFold<kernel::ViewOp>(op.getLoc(), type, source);
  }
  for (Operation *consumer : consumers) {
    Operation *view = consumer->getOperand(0).getDefiningOp();
    consumer->setOperand(0, source);
    consumer->setAttr("channels_first", builder.getUnitAttr());
    eraseDeadViews(rewriter, view);
  }
  rewriter.eraseOp(op);
}

namespace {
struct KernelFoldImageTransposes
    : ampc::impl::KernelFoldImageTransposesBase<KernelFoldImageTransposes> {
  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    BlockRewriter rewriter(&getContext());
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      for (auto op : llvm::make_early_inc_range(program.getBody().front().getOps<kernel::MapOp>()))
        if (auto transpose = ImageTranspose::of(op, *target))
          transpose->fold(rewriter);
  }
};
} // namespace
