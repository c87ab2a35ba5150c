// Attentions on matrix units: shapes, and conditions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/FlashShape.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "lib/Codegen/Common/Slices.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Widest head whose accumulators fit the registers of a warp.
static constexpr int64_t widest = 256;

bool RowLayout::startsAt(int64_t multiple, ArrayRef<int64_t> batch) const {
  if (multiple * target::elementBytes(element) > alignment)
    return false;
  for (auto [stride, size] : llvm::zip(access.strides, batch))
    if (size > 1 && stride % multiple)
      return false;
  return access.constant % multiple == 0 && rowStride() % multiple == 0;
}

int64_t FlashShape::copyBytes(const RowLayout &rows) const {
  int64_t bytes = 16;
  while (bytes > 2 && (!rows.startsAt(bytes / 2, batch) || width * 2 % bytes))
    bytes /= 2;
  return bytes;
}

template <typename Op> static FlashShape shapeOf(Op op, bool warpgroups) {
  FlashShape shape;
  shape.batch = llvm::to_vector(op.getBatch());
  shape.queries = op.getQueries();
  shape.keys = op.getKeys();
  shape.width = op.getWidth();
  shape.scale = op.getScale().convertToDouble();
  shape.causal = op.getCausal();
  shape.biased = op.getBiased();
  shape.warpgroups = warpgroups;
  shape.element = getElementTypeOrSelf(op.getTensors().front());
  auto add = [](SmallVector<RowLayout> &list, Value tensor, Attribute map) {
    auto type = cast<RankedTensorType>(tensor.getType());
    list.push_back({target::Access::of(cast<AffineMapAttr>(map).getValue(), type.getShape()),
                    type.getElementType(), target::alignmentOf(tensor)});
  };
  for (auto [tensor, map] : llvm::zip(op.getTensors(), op.getOperandMaps()))
    add(shape.operands, tensor, map);
  for (auto [tensor, map] : llvm::zip(op->getResults(), op.getResultMaps()))
    add(shape.results, tensor, map);
  return shape;
}

/// Reason why the operands cannot use matrix units; empty if they can. The text follows "plain: "
/// in the kernel's description.
static StringRef whyNoProducts(const FlashShape &shape, ArrayRef<unsigned> factors, Type acc,
                               const Chip &chip) {
  if (!chip.hasAsyncCopy())
    return "the chip copies nothing asynchronously";
  if (!acc.isF32())
    return "the accumulator is not f32";
  if (shape.width > widest)
    return "heads are wider than 256";
  for (unsigned i : factors) {
    const RowLayout &rows = shape.operands[i];
    if (rows.element != shape.element || !(shape.element.isBF16() || shape.element.isF16()))
      return "the operands are not all bf16 or f16";
    if (rows.columnStride() != 1)
      return "channels of a row are not neighbours";
    if (shape.copyBytes(rows) < 4)
      return "a row has or starts at an odd number of elements";
    if (rows.rowStride() > (1 << 20))
      return "rows are more than a million elements apart"; // offsets in a tile have 32 bits
  }
  return "";
}

FlashShape FlashShape::of(kernel::AttentionOp op, bool warpgroups) {
  return shapeOf(op, warpgroups);
}
FlashShape FlashShape::of(kernel::AttentionGradOp op, bool warpgroups) {
  return shapeOf(op, warpgroups);
}

std::string nvptx::whyPlain(kernel::AttentionOp op, const FlashShape &shape, const Chip &chip) {
  return whyNoProducts(shape, {0, 1, 2}, op.getAcc(), chip).str();
}
std::string nvptx::whyPlain(kernel::AttentionGradOp op, const FlashShape &shape, const Chip &chip) {
  unsigned forward = shape.biased ? 4 : 3;
  std::string why = whyNoProducts(shape, {0, 1, 2, forward + 2}, op.getAcc(), chip).str();
  if (!why.empty())
    return why;
  if (!shape.operands[forward + 1].element.isF32())
    return "the logsumexp is not f32";
  // Deltas are kept in the rows of the query's cotangent until the cotangent is stored
  // (FlashDeltas.cpp), so such rows need room for an aligned float.
  const RowLayout &rows = shape.results.front();
  int64_t perFloat = 4 / target::elementBytes(rows.element);
  if (rows.columnStride() != 1 || !rows.startsAt(perFloat, shape.batch))
    return "rows of the query's cotangent have no room for a float";
  return "";
}

std::string FlashTile::describe() const {
  std::string text;
  llvm::raw_string_ostream(text) << "tiles of " << rows() << "x" << columns << " scores in "
                                 << stages << " stages";
  return text;
}
