// Registration, parsing, verifiers and folders of the kernel dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Constraints.h"
#include "mlir-dialects/Kernel/Exchange.h"
#include "mlir-dialects/Kernel/MultiMap.h"
#include "mlir-dialects/Reshape.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

#include "mlir-dialects/Kernel/KernelInterfaces.cpp.inc"

/// Name of a tier as a keyword: avx512.
static ParseResult parseTier(AsmParser &parser, std::string &tier) {
  return parser.parseKeywordOrString(&tier);
}
static void printTier(AsmPrinter &printer, StringRef tier) { printer.printKeywordOrString(tier); }
/// Text of sizes, such as those of a cluster: 2x1 for [2, 1].
static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseDimensionList(sizes, /*allowDynamic=*/false, /*withTrailingX=*/false);
}
static void printSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer.printDimensionList(sizes);
}

/// Tiles in brackets: [<warps = 4, ...>, <warps = 8, ...>].
static ParseResult parseScoreTiles(AsmParser &parser, SmallVector<ScoreTileAttr> &tiles) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseCustomAttributeWithFallback(tiles.emplace_back());
  });
}
static void printScoreTiles(AsmPrinter &printer, ArrayRef<ScoreTileAttr> tiles) {
  printer << '[';
  llvm::interleaveComma(tiles, printer,
                        [&](ScoreTileAttr tile) { printer.printStrippedAttrOrType(tile); });
  printer << ']';
}

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
  addOperations<StartOp, WaitOp, RankOp, MultiMapOp>();
}

PackedAttr kernel::packingOf(Type type) {
  return dyn_cast_or_null<PackedAttr>(tensorOf(type).getEncoding());
}

LogicalResult PackedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type element,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  bool isFilter = shape.size() == 4 && getSide() == Side::rhs;
  if ((shape.size() != 2 && !isFilter) || getDepth() > 1 || !element.isFloat() ||
      element.getIntOrFloatBitWidth() < 16)
    return emitError() << "expected a matrix or a filter of floats of at least 16 bits and a depth "
                          "of 0 or 1, but got rank "
                       << shape.size() << ", elements of " << element << " and depth "
                       << getDepth();
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "expected a packed matrix of static shape, but got [" << shape << "]";
  int64_t least = element.getIntOrFloatBitWidth() / 8;
  for (int64_t size : shape)
    if (llvm::MulOverflow(least, size, least))
      return emitError() << "expected a packed matrix of less than 2^63 bytes, but got [" << shape
                         << "]";
  if (isFilter && getDepth() == 0 && shape[0] % 2 && element.getIntOrFloatBitWidth() == 16)
    return emitError() << "expected a rotated filter of 16-bit numbers to have an even number of "
                          "outputs, so that pairs end with taps, but got ["
                       << shape << "]";
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

LogicalResult ProgramOp::verify() {
  if (!llvm::hasSingleElement(getBody())) // 1.
    return emitOpError() << "expected one block, but got "
                         << std::distance(getBody().begin(), getBody().end());
  for (TypeRange types : {TypeRange(getArgumentTypes()), TypeRange(getResultTypes())})
    for (Type type : types) {
      if (!isa<RankedTensorType>(type)) // 2.
        return emitOpError() << "expected arguments and results that are ranked tensors, but got "
                             << type;
      if (failed(verifyTensor(*this, type))) // 3.
        return failure();
    }
  return success();
}

LogicalResult kernel::ReturnOp::verify() {
  TypeRange expected = cast<ProgramOp>((*this)->getParentOp()).getResultTypes();
  if (getOperandTypes() != expected) // 1.
    return emitOpError() << "expected values of types (" << expected << "), but got ("
                         << getOperandTypes() << ")";
  return success();
}

LogicalResult kernel::ConstantOp::verify() {
  if (failed(verifyTensor(*this, getType()))) // 1.
    return failure();
  if (packingOf(getType())) // 2.
    return emitOpError() << "expected a tensor that is not packed, but got " << getType();
  return success();
}
OpFoldResult kernel::ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult ViewOp::verify() {
  if (failed(verifyTensor(*this, getX().getType())) || failed(verifyTensor(*this, getType()))) // 1.
    return failure();
  if (getX().getType().getEncoding() || getType().getEncoding()) // 2.
    return emitOpError("expected tensors that are not packed");
  return verifySameElements(*this); // 3.
}
OpFoldResult ViewOp::fold(FoldAdaptor) { return foldReshape(*this); }

LogicalResult RowReduceOp::verify() {
  if (getX().getType().getIntOrFloatBitWidth() < 32) // 1.
    return emitOpError() << "expected an accumulator of at least f32, but got " << getX().getType();
  return success();
}
