// Selection of GEMMs for tiled kernels, and of the tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/TileGemm.h"
#include "lib/Codegen/Common/Slices.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Largest copy size aligned on every line, if the tensor starts at a multiple of `start` bytes.
static int64_t alignedBytes(const SideLayout &side, ArrayRef<int64_t> batch, int64_t lines,
                            int64_t elementBytes, int64_t start) {
  auto isWhole = [&](int64_t bytes) {
    auto fits = [&](int64_t stride) { return stride * elementBytes % bytes == 0; };
    if (start % bytes)
      return false;
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

/// Layout of an operand; nothing if the access is not linear or neither dimension is contiguous.
/// `dim`: the operand's row or column dimension in the domain, of size `count`.
static std::optional<SideLayout> layoutOf(kernel::GemmOp op, unsigned number, unsigned dim,
                                          int64_t count, bool isAsync) {
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
                                target::elementBytes(type.getElementType()),
                                target::alignmentOf(op->getOperand(number)));
  // Only asynchronous copies can end anywhere and fill up with zeros.
  int64_t length = (side.alongDepth ? depth : count) * target::elementBytes(type.getElementType());
  while (!isAsync && length % side.copyBytes)
    side.copyBytes /= 2;
  return side;
}

/// Epilogue cycles per point: memory traffic at 10 bytes a cycle per multiprocessor, plus 120
/// operations of the body a cycle. Measured on an H200 with GPT-2's kernels: GELU, its gradient and
/// f32 residuals take 0.4 to 0.8 cycles a point.
static double bodyCyclesOf(FusedKernelOpInterface op) {
  int64_t points = ShapedType::getNumElements(op.getSpace()), bytes = -2, operations = 0;
  auto add = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getNumElements() >= points)
      bytes += target::elementBytes(type.getElementType());
  };
  llvm::for_each(op.getInputsMutable().getAsOperandRange(), add);
  llvm::for_each(op->getResults(), add);
  for (Operation &each : op.getBody().front().without_terminator())
    operations += !each.hasTrait<OpTrait::ConstantLike>();
  return double(std::max<int64_t>(bytes, 0)) / 10 + double(operations) / 120;
}

/// Common part of all products; nothing, with a reason in `why`, if no tiled kernel supports the
/// product.
template <typename Op>
static std::optional<TileGemm> startOf(Op op, int64_t m, int64_t n, int64_t depth, const Chip &chip,
                                       std::string &why) {
  TileGemm gemm;
  gemm.m = m;
  gemm.n = n;
  gemm.depth = gemm.partDepth = depth;
  gemm.element = getElementTypeOrSelf(op.getLhs());
  gemm.bodyCycles = bodyCyclesOf(op);
  bool isHalf = gemm.element.isBF16() || gemm.element.isF16(), isF32 = gemm.element.isF32();
  if (getElementTypeOrSelf(op.getRhs()) != gemm.element || !(isHalf || isF32))
    why = "the operands are not both bf16, f16 or f32";
  else if (!op.getAcc().isF32())
    why = "the accumulator is not f32";
  else if (ShapedType::getNumElements(op.getSpace()) == 0)
    why = "the product has no results";
  else if (depth == 0)
    why = "k is 0";
  else if (std::max({m, n, depth}) > INT32_MAX - 1024) // tiles add at most 1023 points
    why = "a dimension has 2^31 elements";
  else if (isF32 && !op.getCompute())
    gemm.whyNoUnits = "the operands are f32";
  else if (!chip.hasBF16() && !gemm.element.isF16())
    gemm.whyNoUnits = "the chip has none for the operands";
  // Compute modes are rounded on the way to matrix units only, and tiles of narrow products would
  // be mostly empty.
  if (why.empty() && !gemm.onMatrixUnits() && (op.getCompute() || std::min(m, n) < 8))
    why = op.getCompute() ? gemm.whyNoUnits : "the product has fewer than 8 rows or columns";
  return why.empty() ? std::optional(gemm) : std::nullopt;
}

void TileGemm::cut(int64_t count) {
  int64_t unit = onMatrixUnits() ? stepDepth() : rangePoints ? rangePoints : depth;
  int64_t units = llvm::divideCeil(llvm::divideCeil(depth, unit), count);
  partDepth = std::min(units * unit, depth);
  parts = llvm::divideCeil(depth, partDepth);
}

void TileGemm::setTile(const TileShape &shape, const Chip &chip) {
  tile = shape;
  // Copies through registers need registers that accumulators would take.
  if (onMatrixUnits() && !isAsync(chip) && tile.m * tile.n / tile.threads() > 64)
    tile.warpsN *= 2;
}

bool TileGemm::follow(kernel::PlanAttr plan, const Chip &chip, std::string &why) {
  using kernel::PlanKind;
  if (plan.getKind() != (onMatrixUnits() ? PlanKind::mma : PlanKind::simt)) {
    why = onMatrixUnits() ? "matrix units multiply the operands"
                          : "matrix units cannot multiply: " + whyNoUnits;
    return false;
  }
  SmallVector<TileSpeed> all = tiles(chip);
  const TileSpeed *found = llvm::find_if(all, [&](const TileSpeed &tile) {
    return tile.shape.m == plan.getM() && tile.shape.n == plan.getN();
  });
  if (found == all.end()) {
    why = "mma and simt plans have no tile of this shape";
    return false;
  }
  setTile(found->shape, chip);
  int64_t most = tile.stages;
  tile.stages = plan.getStages() ? plan.getStages() : most;
  cut(plan.getSplitK());
  if (tile.stages < 2 || tile.stages > most)
    why = "stages are 2 to " + std::to_string(most);
  else if (parts != plan.getSplitK())
    why = "k has at most " + std::to_string(parts) + " equal slices";
  return why.empty();
}

ProductSize TileGemm::size() const {
  static constexpr llvm::StringLiteral layouts[] = {"NN", "NT", "TN", "TT"};
  return {
      batches(),      m, n, depth, elementBytes(), layouts[2 * !lhs.alongDepth + rhs.alongDepth],
      onMatrixUnits()};
}

TilePick TileGemm::picked() const {
  // SIMT kernels split only in the order of other targets
  return {onMatrixUnits() ? PlanKind::mma : PlanKind::simt, tile.m, tile.n,
          onMatrixUnits() ? parts : 1, 1};
}

double TileGemm::cycles(const Chip &chip) const {
  for (const TileSpeed &known : tiles(chip))
    if (known.shape.m == tile.m && known.shape.n == tile.n)
      return estimateCycles(size(), known, parts, chip);
  return 0;
}

void TileGemm::choose(const Chip &chip, int64_t given, bool readsTable) {
  pick.reset();
  if (readsTable)
    if (const TilePick *row = findPick(tileRows(), size(), chip.name))
      pick = *row;
  const TilePick *wanted = pick ? &*pick : nullptr;
  if (!onMatrixUnits()) {
    setTile(chooseNumberTile(size(), chip, wanted), chip);
    return cut(given ? given : ranges);
  }
  TileChoice choice = chooseTile(size(), chip, given, wanted);
  setTile(choice.shape, chip);
  cut(choice.parts);
}

std::optional<TileGemm> TileGemm::of(kernel::GemmOp op, const Chip &chip, std::string &why) {
  ArrayRef<int64_t> space = op.getSpace();
  int64_t m = space[space.size() - 2], n = space.back();
  std::optional<TileGemm> gemm = startOf(op, m, n, op.getDepth(), chip, why);
  if (!gemm)
    return gemm;
  gemm->batch = llvm::to_vector(space.drop_back(2));
  bool isAsync = gemm->onMatrixUnits() && chip.hasAsyncCopy();
  auto lhs = layoutOf(op, 0, space.size() - 2, m, isAsync),
       rhs = layoutOf(op, 1, space.size() - 1, n, isAsync);
  if (!lhs || !rhs) {
    why = "an operand is contiguous along neither dimension of the product";
    return std::nullopt;
  }
  gemm->lhs = *lhs;
  gemm->rhs = *rhs;
  gemm->rhs.operand = 1;
  return gemm;
}

/// Largest power-of-two copy that divides the channels of a tap, in bytes.
static int64_t channelBytes(int64_t channels, int64_t elementBytes) {
  return std::min<int64_t>(16, channels * elementBytes & -(channels * elementBytes));
}

/// Operand of an implicit GEMM: the windows of an image.
static SideLayout sideOf(const target::Window &window, bool alongDepth, int64_t lines,
                         int64_t elementBytes) {
  int64_t bytes =
      window.channelsFirst ? elementBytes : channelBytes(window.groupChannels, elementBytes);
  SideLayout side{{}, alongDepth, 0, bytes, lines, /*isWindows=*/true};
  side.access.strides = {window.groupChannels * window.channelStride()};
  return side;
}

/// Common part of convolutions and filter gradients. Offsets in an image have 32 bits.
template <typename Op>
static std::optional<TileGemm> startOf(Op op, const target::Window &window, int64_t m, int64_t n,
                                       int64_t depth, const Chip &chip, std::string &why) {
  std::optional<TileGemm> gemm = startOf(op, m, n, depth, chip, why);
  if (!gemm)
    return gemm;
  int64_t rows = window.height + window.kernel[0] * window.dilations[0];
  if (rows * window.width * window.channels * gemm->elementBytes() > INT32_MAX) {
    why = "an image has 2 GB or more";
    return std::nullopt;
  }
  gemm->batch = {window.groups};
  return gemm;
}

std::optional<TileGemm> TileGemm::of(kernel::ConvOp op, const target::Window &window,
                                     const Chip &chip, std::string &why) {
  int64_t m = window.pixels(), n = op.getSpace().back() / window.groups,
          depth = window.taps() * window.groupChannels;
  std::optional<TileGemm> gemm = startOf(op, window, m, n, depth, chip, why);
  if (!gemm)
    return gemm;
  int64_t bytes = gemm->elementBytes();
  gemm->lhs = sideOf(window, /*alongDepth=*/true, m, bytes);
  gemm->rhs = {{}, true, depth, channelBytes(depth, bytes), n};
  gemm->rhs.access.strides = {n * depth};
  gemm->rhs.operand = 1;
  return gemm;
}

std::optional<TileGemm> TileGemm::of(kernel::ConvFilterOp op, const target::Window &window,
                                     const Chip &chip, std::string &why) {
  int64_t outputs = op.getSpace()[0], m = outputs / window.groups,
          n = window.taps() * window.groupChannels;
  std::optional<TileGemm> gemm = startOf(op, window, m, n, window.pixels(), chip, why);
  if (!gemm)
    return gemm;
  int64_t bytes = gemm->elementBytes();
  gemm->lhs = {{}, false, outputs, channelBytes(m, bytes), m};
  gemm->lhs.access.strides = {m};
  gemm->lhs.operand = 1;
  gemm->rhs = sideOf(window, /*alongDepth=*/false, n, bytes);
  return gemm;
}

std::string TileGemm::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tiles of " << tile.m << "x" << tile.n << "x" << stepDepth() << " in " << tile.stages
     << " stages, sides along " << (lhs.alongDepth ? "k" : "m") << " and "
     << (rhs.alongDepth ? "k" : "n") << ", copies of " << lhs.copyBytes << " and " << rhs.copyBytes
     << " bytes";
  if (!onMatrixUnits())
    os << ", without matrix units: " << whyNoUnits;
  else if (parts > 1)
    os << ", split-K " << parts;
  return text;
}
