// Constraints that several verifiers of kernels share, and constraints of the interfaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Constraints.h"
#include "mlir-dialects/Kernel/LinearMap.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

LogicalResult kernel::verifyAccumulator(Operation *op, Type in, Type acc) {
  if (isa<FloatType>(in) != isa<FloatType>(acc) ||
      acc.getIntOrFloatBitWidth() < std::max(32u, in.getIntOrFloatBitWidth()))
    return op->emitOpError() << "expected an accumulator of at least "
                             << (in.isF64() ? in : Float32Type::get(op->getContext()))
                             << ", but got " << acc;
  return success();
}

LogicalResult kernel::verifyRealSums(Operation *op, TypeRange tensors, Type acc) {
  for (Type type : tensors) {
    if (!isa<FloatType>(tensorOf(type).getElementType()))
      return op->emitOpError() << "expected tensors of reals, but got " << type;
    if (!acc.isIntOrFloat() || failed(verifyAccumulator(op, tensorOf(type).getElementType(), acc)))
      return acc.isIntOrFloat()
                 ? failure()
                 : op->emitOpError() << "expected a real accumulator, but got " << acc;
  }
  return success();
}

LogicalResult kernel::verifyScalarCode(Operation *op, Block &body) {
  auto isScalar = [](Type type) { return type.isIntOrFloat(); };
  for (Operation &inner : body) {
    bool isOwn = isa<RowReduceOp, RowIndexOp, LinearIndexOp, YieldOp>(inner);
    bool isMath =
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        (inner.hasTrait<OpTrait::ConstantLike>() || OpTrait::hasElementwiseMappableTraits(&inner));
    if ((!isOwn && !isMath) || !llvm::all_of(inner.getResultTypes(), isScalar))
      return op->emitOpError() << "expected a body of ops of arith and math on scalars, but got "
                               << inner.getName();
  }
  return success();
}

// ---- Every kernel ----

LogicalResult kernel::verifyKernel(Operation *op) {
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (failed(verifyTensor(op, type))) // 1.
        return failure();
  auto isPacked = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getEncoding();
  };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (isPacked(type) && !isa<CallOp>(op) && !(isa<GemmOp>(op) && i < 2) &&
        !(isa<ConvOp, WinogradOp>(op) && i == 1)) // 2.
      return op->emitOpError() << "expected a tensor that is not packed as operand " << i
                               << ", but got " << type;
  for (Type type : op->getResultTypes())
    if (isPacked(type) && !isa<PackOp, MapOp, WinogradFilterOp>(op)) // 3.
      return op->emitOpError() << "expected results that are not packed, but got " << type;
  return success();
}

// ---- Kernels with a body ----

static AffineMap mapOf(Attribute attr) { return cast<AffineMapAttr>(attr).getValue(); }

/// Checks the indexing map of an input or result against the iteration domain and the tensor's
/// shape.
static LogicalResult verifyMap(FusedKernelOpInterface op, Attribute attr, Type type) {
  AffineMap map = mapOf(attr);
  if (map.getNumDims() != op.getSpace().size() || map.getNumSymbols() ||
      map.getNumResults() != unsigned(tensorOf(type).getRank())) // 3.
    return op->emitOpError() << "expected a map from the space to " << type << ", but got " << attr;
  if (!staysInside(map, op.getSpace(), tensorOf(type).getShape())) // 4.
    return op->emitOpError() << "expected a map that stays inside " << type << " over the space ["
                             << op.getSpace() << "], but got " << attr;
  return success();
}

static LogicalResult verifyMaps(FusedKernelOpInterface op) {
  OperandRange inputs = op.getInputsMutable();
  if (op.getInputMaps().size() != inputs.size() ||
      op.getResultMaps().size() != op->getNumResults()) // 2.
    return op->emitOpError("expected one map per input and one per result");
  for (auto [map, input] : llvm::zip(op.getInputMaps(), inputs))
    if (failed(verifyMap(op, map, input.getType())))
      return failure();
  for (auto [map, type] : llvm::zip(op.getResultMaps(), op->getResultTypes()))
    if (failed(verifyMap(op, map, type)))
      return failure();
  return success();
}

static LogicalResult verifyBody(FusedKernelOpInterface op) {
  OperandRange inputs = op.getInputsMutable();
  Block &body = op.getBody().front();
  unsigned lead = op.getNumLeadingArguments();
  if (body.getNumArguments() != lead + inputs.size()) // 5.
    return op->emitOpError() << "expected " << lead + inputs.size()
                             << " arguments of the body, but got " << body.getNumArguments();
  for (auto [i, input] : llvm::enumerate(inputs))
    if (body.getArgument(lead + i).getType() != tensorOf(input).getElementType()) // 6.
      return op->emitOpError() << "expected argument " << lead + i
                               << " of the body to be an element of " << input.getType();
  if (failed(verifyScalarCode(op, body))) // 7.
    return failure();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getNumOperands() != op->getNumResults()) // 8.
    return op->emitOpError() << "expected a body that yields " << op->getNumResults() << " values";
  for (auto [value, type] : llvm::zip(yield.getValues(), op->getResultTypes()))
    if (value.getType() != tensorOf(type).getElementType()) // 9.
      return op->emitOpError() << "expected an element of " << type << ", but the body yields "
                               << value.getType();
  return success();
}

namespace {
/// Dimensions of the iteration domain on which values of a body depend: bit d for dimension d.
class Dependences {
public:
  explicit Dependences(FusedKernelOpInterface op)
      : op(op), all((uint64_t(1) << op.getSpace().size()) - 1), last((all + 1) / 2) {}

  uint64_t of(Value value) {
    if (auto known = masks.find(value); known != masks.end())
      return known->second;
    uint64_t mask = isa<BlockArgument>(value) ? ofArgument(cast<BlockArgument>(value))
                                              : ofResult(value.getDefiningOp());
    return masks[value] = mask;
  }

  /// Dimensions of size 1 are left out: their index is always 0.
  uint64_t usedBy(AffineMap map) {
    uint64_t mask = 0;
    for (auto [dim, size] : llvm::enumerate(op.getSpace()))
      if (size > 1 && map.isFunctionOfDim(dim))
        mask |= uint64_t(1) << dim;
    return mask;
  }
  /// Dimensions of a sum; the reduced dimension is not among the dimensions of its result.
  uint64_t ofSum(Value value) { return isa<ReduceOp>(op) ? of(value) & ~uint64_t(2) : of(value); }
  uint64_t withoutOnes(uint64_t mask) {
    for (auto [dim, size] : llvm::enumerate(op.getSpace()))
      if (size == 1)
        mask &= ~(uint64_t(1) << dim);
    return mask;
  }

private:
  uint64_t ofArgument(BlockArgument argument) {
    unsigned lead = op.getNumLeadingArguments();
    return argument.getArgNumber() < lead
               ? all
               : usedBy(mapOf(op.getInputMaps()[argument.getArgNumber() - lead]));
  }
  uint64_t ofResult(Operation *inner) {
    if (isa<RowIndexOp>(inner))
      return last;
    if (isa<LinearIndexOp>(inner))
      return all;
    uint64_t mask = 0;
    for (Value operand : inner->getOperands())
      mask |= of(operand);
    return isa<RowReduceOp>(inner) ? mask & ~last : mask;
  }

  FusedKernelOpInterface op;
  uint64_t all, last;
  DenseMap<Value, uint64_t> masks;
};
} // namespace

/// Rejects writes whose value depends on the iteration order: points of the iteration domain run in
/// any order.
static LogicalResult verifyWrites(FusedKernelOpInterface op) {
  Dependences dependences(op);
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [k, type] : llvm::enumerate(op->getResultTypes())) {
    AffineMap map = mapOf(op.getResultMaps()[k]);
    uint64_t varies = dependences.withoutOnes(dependences.ofSum(yield->getOperand(k)));
    if (varies & ~dependences.usedBy(map)) // 10.
      return op->emitOpError() << "expected result " << k << " to be the same along d"
                               << llvm::countr_zero(varies & ~dependences.usedBy(map))
                               << ", which the map of the result leaves out, but got a body that "
                                  "depends on this dimension";
    std::optional<LinearForm> place = LinearForm::of(map, tensorOf(type).getShape());
    if (place && !place->isOneToOne(op.getSpace())) // 11.
      return op->emitOpError() << "expected an injective map of result " << k << ", but got "
                               << AffineMapAttr::get(map);
  }
  return success();
}

LogicalResult kernel::verifyFused(Operation *operation) {
  auto op = cast<FusedKernelOpInterface>(operation);
  int64_t points = 1;
  bool isSpace =
      op.getSpace().size() < 32 &&
      llvm::all_of(
          op.getSpace(),
          [&](int64_t size) { return size > 0 && !llvm::MulOverflow(points, size, points); });
  if (!isSpace) // 1.
    return op->emitOpError() << "expected a space of less than 32 dimensions with points that 64 "
                                "bits count, but got ["
                             << op.getSpace() << "]";
  if (failed(verifyMaps(op)) || failed(verifyBody(op)))
    return failure();
  return verifyWrites(op);
}
