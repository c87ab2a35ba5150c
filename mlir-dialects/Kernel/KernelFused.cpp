// Verifiers of kernels with a body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Constraints.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/PackedFilter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

static AffineMap mapOf(Attribute attr) { return cast<AffineMapAttr>(attr).getValue(); }

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  bool reduces = !body.getOps<RowReduceOp>().empty();
  for (auto [map, type] : llvm::zip(getResultMaps(), getResultTypes())) {
    PackedAttr packing = packingOf(type);
    if (packing && (packing.getSide() != Side::rhs || tensorOf(type).getShape() != getSpace() ||
                    !mapOf(map).isIdentity() || reduces)) // 1.
      return emitOpError() << "expected a packed result to be a right side of the space's shape, "
                              "written element by element by a body that reduces nothing, but got "
                           << type;
  }
  if (getSpace().empty() && (reduces || !body.getOps<RowIndexOp>().empty())) // 2.
    return emitOpError("expected a space with a last dimension, along which the body works, but "
                       "got []");
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getSpace().size() != 3) // 1.
    return emitOpError() << "expected a space [outer, reduced, inner], but got [" << getSpace()
                         << "]";
  for (Type type : getResultTypes())
    if (failed(verifyAccumulator(*this, tensorOf(type).getElementType(),
                                 tensorOf(type).getElementType()))) // 2.
      return failure();
  for (Attribute map : getResultMaps())
    if (getSpace()[1] > 1 && mapOf(map).isFunctionOfDim(1)) // 3.
      return emitOpError() << "expected maps of results that leave out d1, which is reduced, but "
                              "got "
                           << map;
  return success();
}

/// Checks the first argument of the body, which is the sum in the accumulator's type.
static LogicalResult verifySumArgument(FusedKernelOpInterface op, Type acc) {
  Type type = op.getBody().front().getArgument(0).getType();
  if (type != acc)
    return op->emitOpError() << "expected the body's first argument, the sum, to be of type " << acc
                             << ", but got " << type;
  return success();
}
static LogicalResult verifyCompute(Operation *op, std::optional<ArrayAttr> compute) {
  auto isReal = [](Attribute type) { return isa<FloatType>(cast<TypeAttr>(type).getValue()); };
  if (compute && (compute->size() != 2 || !llvm::all_of(*compute, isReal)))
    return op->emitOpError() << "expected two real types to multiply in, but got " << *compute;
  return success();
}

/// Checks that rows of the left-hand side do not depend on n, and columns of the right-hand side do
/// not depend on m.
static LogicalResult verifySide(GemmOp op, unsigned side) {
  auto type = tensorOf(op->getOperand(side));
  AffineMap map = mapOf(op.getOperandMaps()[side]);
  unsigned rank = op.getSpace().size(), foreign = rank - 1 - side;
  if (map.getNumDims() != rank + 1 || map.getNumSymbols() ||
      map.getNumResults() != unsigned(type.getRank())) // 2.
    return op.emitOpError() << "expected a map from the space and k to " << type << ", but got "
                            << AffineMapAttr::get(map);
  if (!isLinear(map) || map.isFunctionOfDim(foreign)) // 3.
    return op.emitOpError() << "expected operand " << side
                            << " to be read by a linear map that does not depend on d" << foreign
                            << ", but got " << AffineMapAttr::get(map);
  SmallVector<int64_t> terms(op.getSpace());
  terms.push_back(op.getDepth());
  if (!staysInside(map, terms, type.getShape())) // 4.
    return op.emitOpError() << "expected a map that stays inside " << type << " over [" << terms
                            << "], but got " << AffineMapAttr::get(map);
  return success();
}

/// Checks a packed side: the indexing map is (line, k) without batch dimensions, and both sides
/// have the same type.
static LogicalResult verifyPackedSide(GemmOp op, unsigned side) {
  auto type = tensorOf(op->getOperand(side));
  PackedAttr packing = packingOf(type);
  if (!packing)
    return success();
  unsigned m = op.getSpace().size() - 2, line = m + side, k = m + 2;
  SmallVector<AffineExpr> dims(2);
  dims[packing.getLine()] = getAffineDimExpr(line, op.getContext());
  dims[packing.getDepth()] = getAffineDimExpr(k, op.getContext());
  auto expected = AffineMap::get(k + 1, 0, dims, op.getContext());
  if (unsigned(packing.getSide()) != side || mapOf(op.getOperandMaps()[side]) != expected) // 8.
    return op.emitOpError() << "expected operand " << side
                            << " to be packed for its side and read by "
                            << AffineMapAttr::get(expected) << ", but got " << type << " and "
                            << op.getOperandMaps()[side];
  if (type.getDimSize(packing.getLine()) != op.getSpace()[line] ||
      type.getDimSize(packing.getDepth()) != op.getDepth()) // 9.
    return op.emitOpError() << "expected all " << op.getSpace()[line] << " lines of operand "
                            << side << " with depth " << op.getDepth() << ", but got " << type;
  Type element = type.getElementType();
  if (element != tensorOf(op->getOperand(1 - side)).getElementType() ||
      (op.getAcc().isF64() != element.isF64())) // 10.
    return op.emitOpError() << "expected operands of one type, and an accumulator of f64 only for "
                               "f64, beside the packed operand "
                            << type;
  return success();
}

LogicalResult GemmOp::verify() {
  if (getSpace().size() < 2 || getOperandMaps().size() != 2 || getDepth() < 1) // 1.
    return emitOpError() << "expected a space of at least two dimensions, a depth of at least 1 "
                            "and two operand maps, but got ["
                         << getSpace() << "], " << getDepth() << " and " << getOperandMaps().size()
                         << " maps";
  for (unsigned side : {0, 1})
    if (failed(verifySide(*this, side)))
      return failure();
  if (failed(verifyRealSums(*this, {getLhs().getType(), getRhs().getType()}, getAcc()))) // 5.
    return failure();
  if (failed(verifySumArgument(*this, getAcc()))) // 6.
    return failure();
  if (failed(verifyCompute(*this, getCompute()))) // 7.
    return failure();
  for (unsigned side : {0, 1})
    if (failed(verifyPackedSide(*this, side)))
      return failure();
  return success();
}

/// `out` is NHWC, `filter` OHWI.
template <typename Op>
static LogicalResult verifyConvolution(Op op, ArrayRef<int64_t> out, ArrayRef<int64_t> filter) {
  auto image = tensorOf(op.getLhs());
  if (image.getRank() != 4 || out.size() != 4 || filter.size() != 4) // 1.
    return op.emitOpError() << "expected operands and a space of four dimensions, but got " << image
                            << ", " << op.getRhs().getType() << " and [" << op.getSpace() << "]";
  auto are = [](ArrayRef<int64_t> numbers, size_t count, int64_t least) {
    return numbers.size() == count &&
           llvm::all_of(numbers, [&](int64_t x) { return x >= least && llvm::isInt<32>(x); });
  };
  if (!are(op.getStrides(), 2, 1) || !are(op.getDilations(), 2, 1) ||
      !are(op.getInputDilations(), 2, 1) || !are(op.getPadding(), 4, INT32_MIN)) // 2.
    return op.emitOpError() << "expected 2 positive strides, dilations and input dilations, and 4 "
                               "paddings, each below 2^31, but got ["
                            << op.getStrides() << "], [" << op.getDilations() << "], ["
                            << op.getInputDilations() << "] and [" << op.getPadding() << "]";
  int64_t groups = op.getGroups();
  unsigned rows = op.getChannelsFirst() ? 2 : 1, channels = op.getChannelsFirst() ? 1 : 3;
  if (groups < 1 || filter[0] % groups || filter[3] * groups != image.getDimSize(channels)) // 3.
    return op.emitOpError() << "expected " << groups << " groups that divide the channels of "
                            << image << " and the " << filter[0] << " outputs of a filter with "
                            << filter[3] << " channels";
  SmallVector<int64_t> expected{image.getDimSize(0), 0, 0, filter[0]};
  for (int i : {0, 1}) {
    int64_t size = (image.getDimSize(rows + i) - 1) * op.getInputDilations()[i] + 1 +
                   op.getPadding()[2 * i] + op.getPadding()[2 * i + 1];
    int64_t reach = (filter[1 + i] - 1) * op.getDilations()[i] + 1;
    expected[1 + i] = reach > size ? 0 : (size - reach) / op.getStrides()[i] + 1;
  }
  if (ArrayRef<int64_t>(expected) != out) // 4.
    return op.emitOpError() << "expected outputs of shape [" << ArrayRef<int64_t>(expected)
                            << "], but got [" << out << "]";
  if (failed(verifyRealSums(op, {op.getLhs().getType(), op.getRhs().getType()},
                            op.getAcc()))) // 5.
    return failure();
  if (failed(verifySumArgument(op, op.getAcc()))) // 6.
    return failure();
  return verifyCompute(op, op.getCompute()); // 7.
}

LogicalResult ConvOp::verify() {
  if (failed(verifyConvolution(*this, getSpace(), filterShape(*this))))
    return failure();
  auto filter = tensorOf(getRhs());
  bool isPlain =
      getGroups() == 1 && llvm::all_of(getInputDilations(), [](auto d) { return d == 1; });
  if (packingOf(filter) && !isPlain) // 8.
    return emitOpError() << "expected one group, and an image without zeros between its pixels, "
                            "beside the packed filter "
                         << filter << ", but got " << getGroups() << " and input dilations ["
                         << getInputDilations() << "]";
  Type element = filter.getElementType();
  if (packingOf(filter) &&
      (tensorOf(getLhs()).getElementType() != element || getAcc().isF64() != element.isF64())) // 9.
    return emitOpError() << "expected an image of the packed filter's type, and an accumulator of "
                            "f64 only for f64, but got "
                         << getLhs().getType() << ", " << filter << " and " << getAcc();
  return success();
}
LogicalResult ConvFilterOp::verify() {
  return verifyConvolution(*this, tensorOf(getRhs()).getShape(), getSpace());
}

static LogicalResult verifyTile(Operation *op, int64_t tile) {
  if (tile != 2 && tile != 4) // 1.
    return op->emitOpError() << "expected tiles of 2 or 4 outputs, but got " << tile;
  return success();
}
/// Whether a type holds transformed Winograd filters: (tile + 2)^2 numbers for each of `outputs` x
/// `channels`, packed as a right-hand side.
static bool isTransformedFilter(RankedTensorType type, int64_t tile, int64_t outputs,
                                int64_t channels) {
  PackedAttr packing = packingOf(type);
  return packing && type.getElementType().isF32() && packing.getSide() == Side::rhs &&
         packing.getDepth() == 1 && type.getDimSize(0) == (tile + 2) * (tile + 2) * outputs &&
         type.getDimSize(1) == channels;
}

LogicalResult WinogradFilterOp::verify() {
  if (failed(verifyTile(*this, getTile())))
    return failure();
  auto filter = tensorOf(getFilter());
  if (filter.getRank() != 4 || !filter.getElementType().isF32() || filter.getDimSize(1) != 3 ||
      filter.getDimSize(2) != 3 || filter.getDimSize(0) % 32 || filter.getDimSize(3) % 16) // 2.
    return emitOpError() << "expected a filter of f32 with 3x3 taps, a multiple of 32 outputs and "
                            "a multiple of 16 channels, but got "
                         << filter;
  if (!isTransformedFilter(tensorOf(getResult()), getTile(), filter.getDimSize(0),
                           filter.getDimSize(3))) // 3.
    return emitOpError() << "expected a packed right side of " << (getTile() + 2) * (getTile() + 2)
                         << " x " << filter.getDimSize(0) << " lines and depth "
                         << filter.getDimSize(3) << ", but got " << getResult().getType();
  return success();
}

LogicalResult WinogradOp::verify() {
  if (failed(verifyTile(*this, getTile())))
    return failure();
  auto image = tensorOf(getLhs());
  auto isPadding = [](int64_t x) { return x >= 0 && llvm::isInt<32>(x); };
  if (image.getRank() != 4 || !image.getElementType().isF32() || getSpace().size() != 4 ||
      getPadding().size() != 4 || !llvm::all_of(getPadding(), isPadding)) // 2.
    return emitOpError() << "expected an image of f32 and a space of four dimensions, and 4 "
                            "paddings of at least 0, below 2^31, but got "
                         << image << ", [" << getSpace() << "] and [" << getPadding() << "]";
  if (!isTransformedFilter(tensorOf(getRhs()), getTile(), getSpace()[3],
                           image.getDimSize(3))) // 3.
    return emitOpError() << "expected a filter packed as a right side of "
                         << (getTile() + 2) * (getTile() + 2) << " x " << getSpace()[3]
                         << " lines and depth " << image.getDimSize(3) << ", but got "
                         << getRhs().getType();
  int64_t expected[] = {image.getDimSize(0), 0, 0, getSpace()[3]};
  for (int i : {0, 1})
    expected[1 + i] = image.getDimSize(1 + i) + getPadding()[2 * i] + getPadding()[2 * i + 1] - 2;
  if (ArrayRef<int64_t>(expected) != getSpace()) // 4.
    return emitOpError() << "expected outputs of shape [" << ArrayRef<int64_t>(expected)
                         << "], but got [" << getSpace() << "]";
  return verifySumArgument(*this, Float32Type::get(getContext())); // 5.
}

bool ConvFilterOp::hasDilatedImage() {
  return llvm::any_of(getInputDilations(), [](int64_t d) { return d > 1; });
}

/// Whether every point of the iteration domain writes a different element.
static bool writesOnce(FusedKernelOpInterface op, unsigned result) {
  ArrayRef<int64_t> space = op.getSpace();
  int64_t points = std::accumulate(space.begin(), space.end(), int64_t(1), std::multiplies<>());
  return tensorOf(op->getResult(result)).getNumElements() == points;
}
bool MapOp::canFuseReductions(unsigned result) {
  return !packingOf(getResult(result).getType()) && writesOnce(*this, result);
}
bool GemmOp::canFuseReductions(unsigned result) { return writesOnce(*this, result); }
bool ConvOp::canFuseReductions(unsigned result) { return writesOnce(*this, result); }
bool WinogradOp::canFuseReductions(unsigned result) { return writesOnce(*this, result); }
bool ConvFilterOp::canFuseReductions(unsigned result) { return writesOnce(*this, result); }
bool ReduceOp::canFuseReductions(unsigned result) { return true; }
