// Which products run on matrix units, in which tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/TileGemm.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Tiles, the largest first, with the share of a large product's speed that they reach alone: what
/// a smaller one loads per product is more.
static constexpr struct {
  TileShape shape;
  double speed;
} tileShapes[] = {{{128, 128, 64, 4, 2, 2}, 1.0},
                  {{128, 64, 64, 4, 2, 2}, 0.8},
                  {{64, 128, 64, 4, 2, 2}, 0.8},
                  {{64, 64, 128, 4, 2, 2}, 0.65}};

static TileShape chooseTile(const TileGemm &gemm, const Chip &chip) {
  TileShape best = tileShapes[0].shape;
  double least = 0;
  for (auto [shape, speed] : tileShapes) {
    TileGemm tried = gemm;
    tried.tile = shape;
    // Blocks that a multiprocessor runs side by side share its units.
    double rounds = llvm::divideCeil(tried.blocks(), chip.multiprocessors);
    double cost = rounds * shape.m * shape.n / speed;
    if (least == 0 || cost < least) {
      least = cost;
      best = shape;
    }
  }
  return best;
}

/// The largest copy that is aligned on every line; tensors start at multiples of 16.
static int64_t alignedBytes(const SideLayout &side, ArrayRef<int64_t> batch, int64_t lines,
                            int64_t elementBytes) {
  auto isWhole = [&](int64_t bytes) {
    auto fits = [&](int64_t stride) { return stride * elementBytes % bytes == 0; };
    for (auto [dim, size] : llvm::enumerate(batch))
      if (size > 1 && !fits(side.access.strides[dim]))
        return false;
    return fits(side.access.constant) && (lines == 1 || fits(side.lineStride));
  };
  for (int64_t bytes : {16, 8, 4})
    if (isWhole(bytes))
      return bytes;
  return 2;
}

/// `dim`: that of the side's lines or columns of the result, of `count`.
static std::optional<SideLayout> layoutOf(kernel::GemmOp op, unsigned number, unsigned dim,
                                          int64_t count) {
  auto type = cast<RankedTensorType>(op->getOperand(number).getType());
  AffineMap map = cast<AffineMapAttr>(op.getOperandMaps()[number]).getValue();
  SideLayout side;
  side.access = target::Access::of(map, type.getShape());
  unsigned depthDim = map.getNumDims() - 1;
  if (side.access.residue)
    return std::nullopt;
  int64_t along = side.access.strides[depthDim], across = side.access.strides[dim];
  int64_t depth = op.getDepth();
  side.lines = count;
  side.alongDepth = along == 1 || depth == 1;
  if (!side.alongDepth && across != 1 && count > 1)
    return std::nullopt;
  side.lineStride = side.alongDepth ? across : along;
  side.copyBytes = alignedBytes(side, op.getSpace().drop_back(2), side.alongDepth ? count : depth,
                                target::elementBytes(type.getElementType()));
  return side;
}

/// Why matrix units do not form the products of a contraction; empty if they do.
template <typename Op> static StringRef whyPlain(Op op, const Chip &chip) {
  auto elementOf = [&](unsigned i) { return getElementTypeOrSelf(op->getOperand(i)); };
  Type element = elementOf(0);
  bool isTF32 = element.isF32() && op.getCompute(); // other modes are refused
  if (!chip.hasAsyncCopy())
    return "the chip copies nothing asynchronously";
  if (elementOf(1) != element || !(element.isBF16() || element.isF16() || isTF32))
    return "its factors are not both bf16, f16 or tf32";
  if (!op.getAcc().isF32())
    return "its sums are not f32";
  return ShapedType::getNumElements(op.getSpace()) == 0 ? "it has no results" : "";
}

std::optional<TileGemm> TileGemm::of(kernel::GemmOp op, const Chip &chip, std::string &why) {
  why = whyPlain(op, chip).str();
  if (!why.empty())
    return std::nullopt;
  TileGemm gemm;
  gemm.element = getElementTypeOrSelf(op.getLhs());
  ArrayRef<int64_t> space = op.getSpace();
  gemm.batch = llvm::to_vector(space.drop_back(2));
  gemm.m = space[space.size() - 2];
  gemm.lines = {gemm.m};
  gemm.n = space.back();
  gemm.depth = op.getDepth();
  auto lhs = layoutOf(op, 0, space.size() - 2, gemm.m),
       rhs = layoutOf(op, 1, space.size() - 1, gemm.n);
  if (gemm.depth == 0 || !lhs || !rhs) {
    why = gemm.depth == 0 ? "it has no products"
                          : "a side has no neighbours along a dimension of the product";
    return std::nullopt;
  }
  gemm.lhs = *lhs;
  gemm.rhs = *rhs;
  gemm.tile = chooseTile(gemm, chip);
  return gemm;
}

std::optional<TileGemm> TileGemm::of(kernel::ConvOp op, const Chip &chip, std::string &why) {
  why = whyPlain(op, chip).str();
  if (!why.empty())
    return std::nullopt;
  TileGemm gemm;
  gemm.element = getElementTypeOrSelf(op.getLhs());
  ArrayRef<int64_t> space = op.getSpace(), filter = op.getRhs().getType().getShape(),
                    image = op.getLhs().getType().getShape();
  gemm.lines = llvm::to_vector(space.drop_back());
  gemm.m = ShapedType::getNumElements(gemm.lines);
  gemm.n = space.back();
  gemm.depth = filter[1] * filter[2] * filter[3];
  int64_t channels = image[3], bytes = gemm.elementBytes();
  if (op.getGroups() != 1 || llvm::any_of(op.getInputDilations(), [](int64_t d) { return d != 1; }))
    why = "it has groups, or zeros between rows of the image";
  else if (channels * bytes % 16)
    why = "channels of a pixel do not fill chunks of 16 bytes";
  // Offsets in an image have 32 bits.
  else if ((image[1] + filter[1] * op.getDilations()[0]) * image[2] * channels * bytes > INT32_MAX)
    why = "an image has 2 GB";
  if (!why.empty())
    return std::nullopt;
  for (SideLayout *side : {&gemm.lhs, &gemm.rhs}) {
    side->alongDepth = true;
    side->lineStride = gemm.depth;
    side->copyBytes = 16;
  }
  gemm.lhs.lines = gemm.m;
  gemm.rhs.lines = gemm.n;
  gemm.tile = chooseTile(gemm, chip);
  return gemm;
}

std::string TileGemm::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tiles of " << tile.m << "x" << tile.n << "x" << stepDepth() << " in " << tile.stages
     << " stages, sides along " << (lhs.alongDepth ? "k" : "m") << " and "
     << (rhs.alongDepth ? "k" : "n") << ", copies of " << lhs.copyBytes << " and " << rhs.copyBytes
     << " bytes";
  return text;
}
