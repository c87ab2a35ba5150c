// Which products run on matrix units, in which tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/TileGemm.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

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
                                          int64_t count, const Chip &chip) {
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
  // Only asynchronous copies end anywhere and fill up with zeros.
  int64_t length = (side.alongDepth ? depth : count) * target::elementBytes(type.getElementType());
  while (!chip.hasAsyncCopy() && length % side.copyBytes)
    side.copyBytes /= 2;
  return side;
}

/// Why matrix units do not form the products of a contraction; empty if they do.
template <typename Op> static StringRef whyPlain(Op op, const Chip &chip) {
  auto elementOf = [&](unsigned i) { return getElementTypeOrSelf(op->getOperand(i)); };
  Type element = elementOf(0);
  bool isTF32 = element.isF32() && op.getCompute(); // other modes are refused
  if (elementOf(1) != element || !(element.isBF16() || element.isF16() || isTF32))
    return "its factors are not both bf16, f16 or tf32";
  if (!chip.hasBF16() && !element.isF16())
    return "the chip has no matrix units for its factors";
  if (!op.getAcc().isF32())
    return "its sums are not f32";
  return ShapedType::getNumElements(op.getSpace()) == 0 ? "it has no results" : "";
}

void TileGemm::choose(const Chip &chip, int64_t given) {
  TileChoice choice = chooseTile({batches(), m, n, depth, elementBytes()}, chip, given);
  tile = choice.shape;
  // Copies through registers need some of those that sums would take.
  bool isAsync = chip.hasAsyncCopy() && lhs.copyBytes > 2 && rhs.copyBytes > 2;
  if (!isAsync && tile.m * tile.n / tile.threads() > 64)
    tile.warpsN *= 2;
  // As many as have something to do.
  parts = std::min(choice.parts, steps());
  parts = llvm::divideCeil(steps(), partSteps());
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
  gemm.n = space.back();
  gemm.depth = op.getDepth();
  auto lhs = layoutOf(op, 0, space.size() - 2, gemm.m, chip),
       rhs = layoutOf(op, 1, space.size() - 1, gemm.n, chip);
  if (gemm.depth == 0 || !lhs || !rhs) {
    why = gemm.depth == 0 ? "it has no products"
                          : "a side has no neighbours along a dimension of the product";
    return std::nullopt;
  }
  gemm.lhs = *lhs;
  gemm.rhs = *rhs;
  return gemm;
}

/// The largest copy that every tap's channels consist of.
static int64_t channelBytes(int64_t channels, int64_t elementBytes) {
  return std::min<int64_t>(16, channels * elementBytes & -(channels * elementBytes));
}

/// Offsets in an image have 32 bits.
static bool isTooLarge(const target::Window &window, int64_t bytes) {
  int64_t rows = window.height + window.kernel[0] * window.dilations[0];
  return rows * window.width * window.channels * bytes > INT32_MAX;
}

std::optional<TileGemm> TileGemm::of(kernel::ConvOp op, const target::Window &window,
                                     const Chip &chip, std::string &why) {
  why = whyPlain(op, chip).str();
  TileGemm gemm;
  gemm.element = getElementTypeOrSelf(op.getLhs());
  gemm.batch = {window.groups};
  gemm.m = window.pixels();
  gemm.n = op.getSpace().back() / window.groups;
  gemm.depth = window.taps() * window.groupChannels;
  int64_t bytes = gemm.elementBytes();
  if (why.empty() && gemm.depth == 0)
    why = "it has no products";
  if (why.empty() && isTooLarge(window, bytes))
    why = "an image has 2 GB";
  if (!why.empty())
    return std::nullopt;
  gemm.lhs = {{}, true, 0, channelBytes(window.groupChannels, bytes), gemm.m};
  gemm.rhs = {{}, true, gemm.depth, channelBytes(gemm.depth, bytes), gemm.n};
  return gemm;
}

std::optional<TileGemm> TileGemm::of(kernel::ConvFilterOp op, const target::Window &window,
                                     const Chip &chip, std::string &why) {
  why = whyPlain(op, chip).str();
  TileGemm gemm;
  gemm.element = getElementTypeOrSelf(op.getLhs());
  int64_t outputs = op.getSpace()[0];
  gemm.batch = {window.groups};
  gemm.m = outputs / window.groups;
  gemm.n = window.taps() * window.groupChannels;
  gemm.depth = window.pixels();
  int64_t bytes = gemm.elementBytes();
  if (why.empty() && gemm.depth == 0)
    why = "it has no products";
  if (why.empty() && isTooLarge(window, bytes))
    why = "an image has 2 GB";
  if (!why.empty())
    return std::nullopt;
  gemm.lhs = {{}, false, outputs, channelBytes(gemm.m, bytes), gemm.m};
  gemm.rhs = {{}, false, 0, channelBytes(window.groupChannels, bytes), gemm.n};
  return gemm;
}

std::string TileGemm::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tiles of " << tile.m << "x" << tile.n << "x" << stepDepth() << " in " << tile.stages
     << " stages, sides along " << (lhs.alongDepth ? "k" : "m") << " and "
     << (rhs.alongDepth ? "k" : "n") << ", copies of " << lhs.copyBytes << " and " << rhs.copyBytes
     << " bytes";
  if (parts > 1)
    os << ", in " << parts << " parts";
  return text;
}
