// Registration, parsing, verifiers and folders of the kernel dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Reshape.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

#include "mlir-dialects/Kernel/KernelInterfaces.cpp.inc"

#include "mlir-dialects/Kernel/KernelDialect.cpp.inc"
#include "mlir-dialects/Kernel/KernelEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir-dialects/Kernel/KernelAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mlir-dialects/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mlir-dialects/Kernel/KernelOps.cpp.inc"
      >();
}

static RankedTensorType tensorOf(Type type) { return cast<RankedTensorType>(type); }

PackedAttr kernel::packingOf(Type type) {
  return dyn_cast_or_null<PackedAttr>(tensorOf(type).getEncoding());
}

LogicalResult PackedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 2 || getDepth() > 1 || !element.isFloat() ||
      element.getIntOrFloatBitWidth() < 16)
    return emitError() << "expected a matrix of floats of at least 16 bits and a depth of 0 or 1, "
                          "but got rank "
                       << shape.size() << ", elements of " << element << " and depth "
                       << getDepth();
  int64_t least = shape[0] * shape[1] * (element.getIntOrFloatBitWidth() / 8);
  if (getBytes() < least)
    return emitError() << "expected at least the " << least
                       << " bytes of the matrix's elements, but got " << getBytes();
  return success();
}

int64_t kernel::byteSize(Type type) {
  if (PackedAttr packing = packingOf(type))
    return packing.getBytes();
  return tensorOf(type).getNumElements() *
         std::max(1u, tensorOf(type).getElementTypeBitWidth() / 8);
}
Value kernel::throughViews(Value value) {
  while (auto view = value.getDefiningOp<ViewOp>())
    value = view.getX();
  return value;
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  auto build = [](Builder &b, ArrayRef<Type> in, ArrayRef<Type> out,
                  function_interface_impl::VariadicFlag,
                  std::string &) { return b.getFunctionType(in, out); };
  SMLoc place = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(
          parser, result, false, getFunctionTypeAttrName(result.name), build,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  return verifyInherentAttrs(result.name, result.attributes,
                             [&] { return parser.emitError(place) << "kernel.program: "; });
}
void ProgramOp::build(OpBuilder &builder, OperationState &state, const Twine &name,
                      FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}
void ProgramOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(p, *this, false, "function_type", getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

OpFoldResult kernel::ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult ViewOp::verify() {
  if (getX().getType().getEncoding() || getType().getEncoding())
    return emitOpError("expected tensors that are not packed");
  return verifySameElements(*this);
}
OpFoldResult ViewOp::fold(FoldAdaptor) { return foldReshape(*this); }

LogicalResult RowReduceOp::verify() {
  if (getX().getType().getIntOrFloatBitWidth() < 32)
    return emitOpError() << "expected an accumulator of at least f32, but got " << getX().getType();
  return success();
}

/// Maps must come from the space, fit the tensors' ranks, and bodies must fit maps and types.
static LogicalResult verifyFused(FusedKernelOpInterface op) {
  unsigned rank = op.getSpace().size();
  OperandRange inputs = op.getInputsMutable();
  if (op.getInputMaps().size() != inputs.size() || op.getResultMaps().size() != op->getNumResults())
    return op->emitOpError("expected one map per input and one per result");
  auto check = [&](Attribute attr, Type type) -> LogicalResult {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != rank || map.getNumResults() != unsigned(tensorOf(type).getRank()))
      return op->emitOpError() << "expected a map from the space to " << type << ", but got "
                               << attr;
    return success();
  };
  for (auto [map, input] : llvm::zip(op.getInputMaps(), inputs))
    if (failed(check(map, input.getType())))
      return failure();
  for (auto [map, type] : llvm::zip(op.getResultMaps(), op->getResultTypes()))
    if (failed(check(map, type)))
      return failure();
  Block &body = op.getBody().front();
  unsigned lead = op.getNumLeadingArguments();
  if (body.getNumArguments() != lead + inputs.size())
    return op->emitOpError() << "expected " << lead + inputs.size()
                             << " arguments of the body, but got " << body.getNumArguments();
  for (auto [i, input] : llvm::enumerate(inputs))
    if (body.getArgument(lead + i).getType() != tensorOf(input.getType()).getElementType())
      return op->emitOpError() << "expected argument " << lead + i
                               << " of the body to be an element of " << input.getType();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != op->getNumResults())
    return op->emitOpError() << "expected a body that yields " << op->getNumResults() << " values";
  for (auto [value, type] : llvm::zip(yield.getValues(), op->getResultTypes()))
    if (value.getType() != tensorOf(type).getElementType())
      return op->emitOpError() << "expected an element of " << type << ", but the body yields "
                               << value.getType();
  return success();
}

LogicalResult kernel::verifyPackedTensors(Operation *op) {
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (tensorOf(type).getEncoding() && !(isa<GemmOp>(op) && i < 2))
      return op->emitOpError() << "expected a tensor that is not packed as operand " << i
                               << ", but got " << type;
  for (Type type : op->getResultTypes())
    if (tensorOf(type).getEncoding() && !isa<PackOp, MapOp>(op))
      return op->emitOpError() << "expected results that are not packed, but got " << type;
  return success();
}

/// The accumulator of 16-bit values is f32, of f32 at least f32.
static LogicalResult verifyAccumulator(Operation *op, Type in, Type acc) {
  if (acc.getIntOrFloatBitWidth() < std::max(32u, in.getIntOrFloatBitWidth()))
    return op->emitOpError() << "expected an accumulator of at least "
                             << (in.isF64() ? in : Float32Type::get(op->getContext()))
                             << ", but got " << acc;
  return success();
}

LogicalResult MapOp::verify() {
  if (failed(verifyFused(*this)))
    return failure();
  bool reduces = !getBody().front().getOps<RowReduceOp>().empty();
  for (auto [map, type] : llvm::zip(getResultMaps(), getResultTypes())) {
    PackedAttr packing = packingOf(type);
    if (packing && (packing.getSide() != Side::rhs || tensorOf(type).getShape() != getSpace() ||
                    !cast<AffineMapAttr>(map).getValue().isIdentity() || reduces))
      return emitOpError() << "expected a packed result to be a right side of the space's shape, "
                              "written element by element by a body that reduces nothing, but got "
                           << type;
  }
  return success();
}
LogicalResult ReduceOp::verify() {
  if (getSpace().size() != 3)
    return emitOpError() << "expected a space [outer, reduced, inner], but got [" << getSpace()
                         << "]";
  for (Type type : getResultTypes())
    if (failed(verifyAccumulator(*this, tensorOf(type).getElementType(),
                                 tensorOf(type).getElementType())))
      return failure();
  return verifyFused(*this);
}
/// A packed side is read as (line, k), whatever the batch, beside a side of the same type.
static LogicalResult verifyPackedSide(GemmOp op, unsigned side) {
  auto type = tensorOf(op->getOperand(side).getType());
  PackedAttr packing = packingOf(type);
  if (!packing)
    return success();
  unsigned m = op.getSpace().size() - 2, line = m + side, k = m + 2;
  SmallVector<AffineExpr> dims(2);
  dims[packing.getLine()] = getAffineDimExpr(line, op.getContext());
  dims[packing.getDepth()] = getAffineDimExpr(k, op.getContext());
  auto expected = AffineMap::get(k + 1, 0, dims, op.getContext());
  if (unsigned(packing.getSide()) != side ||
      cast<AffineMapAttr>(op.getOperandMaps()[side]).getValue() != expected)
    return op.emitOpError() << "expected operand " << side
                            << " to be packed for its side and read by "
                            << AffineMapAttr::get(expected) << ", but got " << type << " and "
                            << op.getOperandMaps()[side];
  if (type.getDimSize(packing.getLine()) != op.getSpace()[line] ||
      type.getDimSize(packing.getDepth()) != op.getDepth())
    return op.emitOpError() << "expected all " << op.getSpace()[line] << " lines of operand "
                            << side << " with depth " << op.getDepth() << ", but got " << type;
  Type element = type.getElementType();
  if (element != tensorOf(op->getOperand(1 - side).getType()).getElementType() ||
      (op.getAcc().isF64() != element.isF64()))
    return op.emitOpError() << "expected operands of one type, and an accumulator of f64 only for "
                               "f64, beside the packed operand "
                            << type;
  return success();
}

LogicalResult GemmOp::verify() {
  if (failed(verifyAccumulator(*this, tensorOf(getLhs().getType()).getElementType(), getAcc())))
    return failure();
  if (getSpace().size() < 2 || getOperandMaps().size() != 2)
    return emitOpError("expected a space of at least two dimensions and two operand maps");
  for (unsigned side : {0, 1})
    if (failed(verifyPackedSide(*this, side)))
      return failure();
  return verifyFused(*this);
}
LogicalResult ConvOp::verify() {
  if (failed(verifyAccumulator(*this, tensorOf(getLhs().getType()).getElementType(), getAcc())))
    return failure();
  return verifyFused(*this);
}
LogicalResult ConvFilterOp::verify() {
  if (failed(verifyAccumulator(*this, tensorOf(getLhs().getType()).getElementType(), getAcc())))
    return failure();
  return verifyFused(*this);
}

bool ConvFilterOp::hasDilatedImage() {
  return llvm::any_of(getInputDilations(), [](int64_t d) { return d > 1; });
}
/// Every point of the space writes an element of its own.
static bool writesOnce(FusedKernelOpInterface op, unsigned result) {
  ArrayRef<int64_t> space = op.getSpace();
  int64_t points = std::accumulate(space.begin(), space.end(), int64_t(1), std::multiplies<>());
  return tensorOf(op->getResult(result).getType()).getNumElements() == points;
}
bool MapOp::canTotal(unsigned result) {
  return !packingOf(getResult(result).getType()) && writesOnce(*this, result);
}
bool GemmOp::canTotal(unsigned result) { return writesOnce(*this, result); }
bool ConvOp::canTotal(unsigned result) { return writesOnce(*this, result); }
bool ConvFilterOp::canTotal(unsigned result) { return writesOnce(*this, result); }
bool ReduceOp::canTotal(unsigned result) { return true; }

KernelOpInterface WithTotalsOp::getKernel() {
  return cast<KernelOpInterface>(getLaunch().front().front());
}
/// One kernel, which writes what it totals.
static LogicalResult verifyLaunch(WithTotalsOp op) {
  Block &launch = op.getLaunch().front();
  auto kernel = dyn_cast<KernelOpInterface>(launch.front());
  if (!kernel || kernel.getOverwritten() || isa<WithTotalsOp>(launch.front()) ||
      launch.getOperations().size() != 2 ||
      llvm::to_vector(launch.getTerminator()->getOperands()) !=
          llvm::to_vector_of<Value>(kernel->getResults()))
    return op.emitOpError("expected one kernel with memory of its own, whose results are yielded");
  unsigned count = launch.getNumArguments();
  if (count > op.getInputs().size() ||
      launch.getArgumentTypes() != op.getInputs().take_front(count).getTypes())
    return op.emitOpError("expected the kernel's arguments to be the first inputs");
  if (op.getNumResults() < kernel->getNumResults() ||
      kernel->getResultTypes() != op.getOuts().take_front(kernel->getNumResults()).getTypes())
    return op.emitOpError("expected the kernel's results to be the first results");
  return success();
}

/// The arguments that a value of the body depends on.
static void findArguments(Value value, llvm::SmallSetVector<unsigned, 2> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    arguments.insert(argument.getArgNumber());
  else
    for (Value operand : value.getDefiningOp()->getOperands())
      findArguments(operand, arguments);
}

LogicalResult WithTotalsOp::verifyRegions() {
  if (failed(verifyLaunch(*this)))
    return failure();
  KernelOpInterface kernel = getKernel();
  Block &body = getBody().front();
  SmallVector<Type> expected;
  for (Type type : kernel->getResultTypes())
    expected.push_back(tensorOf(type).getElementType());
  for (Type type : getInputs().drop_front(getLaunch().getNumArguments()).getTypes()) {
    if (tensorOf(type).getNumElements() != 1)
      return emitOpError() << "expected a scalar beside the kernel's inputs, but got " << type;
    expected.push_back(tensorOf(type).getElementType());
  }
  if (llvm::to_vector(body.getArgumentTypes()) != expected)
    return emitOpError("expected a body on one element of every result, then of every scalar");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getNumOperands() != getNumTotals())
    return emitOpError() << "expected a body that yields " << getNumTotals() << " values";
  for (auto [value, type] :
       llvm::zip(yield.getValues(), getOuts().drop_front(kernel->getNumResults()).getTypes())) {
    auto total = tensorOf(type);
    if (total.getNumElements() != 1 || total.getElementType() != value.getType())
      return emitOpError() << "expected a total of one " << value.getType() << ", but got " << type;
    if (isa<FloatType>(value.getType()) &&
        failed(verifyAccumulator(*this, value.getType(), value.getType())))
      return failure();
    llvm::SmallSetVector<unsigned, 2> arguments;
    findArguments(value, arguments);
    arguments.remove_if([&](unsigned i) { return i >= kernel->getNumResults(); });
    if (arguments.size() != 1 || !kernel.canTotal(arguments.front()))
      return emitOpError() << "expected every total to depend on one result that "
                           << kernel->getName() << " writes once";
  }
  return success();
}
