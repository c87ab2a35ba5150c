// Loops inside functions: types, verification and text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

// ---- Types ----

RankedTensorType ampc::rowOf(Type sequence) {
  auto type = tensorOf(sequence);
  return type && type.getRank() > 0 ? withoutDimension(type, 0) : RankedTensorType();
}

RankedTensorType ampc::stackOf(Type row, int64_t rounds) {
  auto type = cast<RankedTensorType>(row);
  SmallVector<int64_t> shape{rounds};
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

/// Type of the number of a row: i32 of rank 0.
static RankedTensorType indexType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 32));
}

/// Types of the block's arguments; null for a row of a scalar.
static SmallVector<Type> argumentTypes(MLIRContext *context, bool indexed, TypeRange carried,
                                       TypeRange sequences) {
  SmallVector<Type> types;
  if (indexed)
    types.push_back(indexType(context));
  llvm::append_range(types, carried);
  for (Type sequence : sequences)
    types.push_back(rowOf(sequence));
  return types;
}

static SmallVector<Type> resultTypes(NextOp next, int64_t rounds) {
  SmallVector<Type> types(next.getCarried().getTypes());
  for (Type each : next.getEach().getTypes())
    types.push_back(stackOf(each, rounds));
  return types;
}

static int64_t roundsOf(std::optional<int64_t> times, TypeRange sequences) {
  if (times)
    return *times;
  auto first = sequences.empty() ? RankedTensorType() : tensorOf(sequences.front());
  return first && first.getRank() > 0 ? first.getDimSize(0) : 0;
}

int64_t ScanOp::getRounds() { return roundsOf(getTimes(), getSequences().getTypes()); }
Value ScanOp::getIndex() { return getIndexed() ? Value(getBody().getArgument(0)) : Value(); }
ValueRange ScanOp::getCarried() {
  return ValueRange(getBody().getArguments()).slice(getIndexed(), getInits().size());
}
ValueRange ScanOp::getRows() {
  return ValueRange(getBody().getArguments()).take_back(getSequences().size());
}
NextOp ScanOp::getNext() { return cast<NextOp>(getBody().front().getTerminator()); }

void ampc::inferArguments(ScanOp scan) {
  SmallVector<Type> types =
      argumentTypes(scan.getContext(), scan.getIndexed(), scan.getInits().getTypes(),
                    scan.getSequences().getTypes());
  for (auto [argument, type] : llvm::zip(scan.getBody().getArguments(), types))
    if (type)
      argument.setType(type);
}

void ampc::inferResults(ScanOp scan) {
  for (auto [result, type] :
       llvm::zip(scan.getResults(), resultTypes(scan.getNext(), scan.getRounds())))
    result.setType(type);
}

SmallVector<Value, 2> ampc::flowsTo(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (auto scan = dyn_cast<ScanOp>(operand.getOwner()))
    return {scan.getBody().getArgument(scan.getIndexed() + number)};
  auto next = dyn_cast<NextOp>(operand.getOwner());
  if (!next)
    return {};
  auto scan = cast<ScanOp>(next->getParentOp());
  SmallVector<Value, 2> values{scan.getResult(number)};
  if (number < next.getCarried().size())
    values.push_back(scan.getCarried()[number]);
  return values;
}

SmallVector<Value, 2> ampc::flowsFrom(Value value) {
  if (auto scan = value.getDefiningOp<ScanOp>())
    return {scan.getNext()->getOperand(cast<OpResult>(value).getResultNumber())};
  auto argument = dyn_cast<BlockArgument>(value);
  auto scan = argument ? dyn_cast_or_null<ScanOp>(argument.getOwner()->getParentOp()) : ScanOp();
  if (!scan || value == scan.getIndex())
    return {};
  unsigned number = argument.getArgNumber() - scan.getIndexed();
  if (number < scan.getInits().size())
    return {scan.getNext()->getOperand(number), scan->getOperand(number)};
  return {scan->getOperand(number)};
}

int64_t ampc::runsOf(Operation *op) {
  int64_t runs = 1;
  for (auto scan = op->getParentOfType<ScanOp>(); scan; scan = scan->getParentOfType<ScanOp>())
    runs = std::min(runs * scan.getRounds(), int64_t(1) << 40);
  return runs;
}

bool ampc::isLoopBoundary(Operation *op) { return isa<ScanOp, NextOp>(op); }

int64_t ampc::shiftOfDimensions(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (auto scan = dyn_cast<ScanOp>(operand.getOwner()))
    return number < scan.getInits().size() ? 0 : -1;
  return number < cast<NextOp>(operand.getOwner()).getCarried().size() ? 0 : 1;
}

ScanOp ampc::outermostLoop(Operation *op) {
  ScanOp found;
  for (; op; op = op->getParentOp())
    if (auto scan = dyn_cast<ScanOp>(op))
      found = scan;
  return found;
}

bool ampc::isZero(Value tensor) {
  if (auto broadcast = tensor.getDefiningOp<BroadcastToOp>())
    tensor = broadcast.getX();
  return matchPattern(tensor, m_AnyZeroFloat());
}

// ---- Verification ----

/// Number of loops around the op, itself included.
static int64_t depthOf(ScanOp scan) {
  int64_t depth = 1;
  for (auto outer = scan->getParentOfType<ScanOp>(); outer;
       outer = outer->getParentOfType<ScanOp>())
    ++depth;
  return depth;
}

LogicalResult ScanOp::verify() {
  int64_t rounds = getRounds();
  if (rounds < 1 || rounds > mostRounds) // 1.
    return emitOpError() << "expected 1 to 2^24 rounds, by times or by the rows of `over`, but got "
                         << rounds;
  for (auto [i, sequence] : llvm::enumerate(getSequences()))
    if (auto type = tensorOf(sequence); type.getRank() == 0 || type.getDimSize(0) != rounds) // 2.
      return emitOpError() << "expected " << rounds << " rows in each tensor behind over, one per "
                           << "round, but number " << i << " is " << type;
  if (getCheckpoint().value_or(1) < 1) // 3.
    return emitOpError() << "expected a checkpoint of at least 1 round, but got "
                         << *getCheckpoint();
  if (depthOf(*this) > mostNested) // 4.
    return emitOpError() << "expected loops nested at most " << mostNested << " deep";
  if (getNumResults() == 0) // 9.
    return emitOpError("expected a carried value, or a value behind each");
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  SmallVector<Type> types =
      argumentTypes(getContext(), getIndexed(), getInits().getTypes(), getSequences().getTypes());
  if (getBody().getArgumentTypes() != TypeRange(types)) // 5.
    return emitOpError() << "expected arguments of the types (" << types << "), but got ("
                         << getBody().getArgumentTypes() << ")";
  auto next = dyn_cast<NextOp>(getBody().front().getTerminator());
  if (!next) // 6.
    return emitOpError("expected a block that ends with train.next");
  if (next.getCarried().getTypes() != getInits().getTypes()) // 7.
    return next.emitOpError() << "expected carried values of the types (" << getInits().getTypes()
                              << "), but got (" << next.getCarried().getTypes() << ")";
  SmallVector<Type> results = resultTypes(next, getRounds());
  if (getResultTypes() != TypeRange(results)) // 8.
    return emitOpError() << "expected results of the types (" << results << "), but got ("
                         << getResultTypes() << ")";
  Operation *outside = nullptr;
  getBody().walk([&](Operation *op) {
    if (isa<WriteOp, SeedOp, GradientOp>(op))
      outside = op;
  });
  if (outside) // 10.
    return outside->emitOpError("expected outside of loops");
  return success();
}

// ---- Text ----

namespace {
/// Counts the loops around the text that is being parsed, whose nesting limits the parser's stack.
class LoopNest {
public:
  explicit LoopNest(MLIRContext *context) : loops(ParseState::of(context).loops) { ++loops; }
  ~LoopNest() { --loops; }
  LoopNest(const LoopNest &) = delete;
  int64_t depth() const { return loops; }

private:
  int64_t &loops;
};

/// `%h = %h0, %c = %c0` behind `carry` or `over`.
struct Bindings {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Operand> operands;
  SmallVector<Type> types;

  ParseResult parse(OpAsmParser &parser, StringRef word) {
    if (failed(parser.parseOptionalKeyword(word)))
      return success();
    return parser.parseCommaSeparatedList([&] {
      return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                     parser.parseOperand(operands.emplace_back()));
    });
  }
};

/// Parser of one loop.
class ScanParser {
public:
  ScanParser(OpAsmParser &parser, OperationState &result)
      : parser(parser), result(result),
        properties(result.getOrAddProperties<ScanOp::Properties>()) {}
  ParseResult parse();

private:
  ParseResult parseNumber(StringRef name, IntegerAttr &number);
  ParseResult refuse(SMLoc place, StringRef condition);
  ParseResult parseWord(bool &found);
  ParseResult parseBody();
  ParseResult addResults(SMLoc place);

  OpAsmParser &parser;
  OperationState &result;
  ScanOp::Properties &properties;
  Bindings carried, rows;
  std::optional<OpAsmParser::Argument> index;
};
} // namespace

/// Error for a number of rounds that would depend on data.
ParseResult ScanParser::refuse(SMLoc place, StringRef condition) {
  return parser.emitError(place) << "expected a fixed number of rounds, but got " << condition
                                 << ": train.select between the new and the old value keeps "
                                    "a value from a round on";
}

/// A number or formula of the attribute `name`.
ParseResult ScanParser::parseNumber(StringRef name, IntegerAttr &number) {
  SMLoc place = parser.getCurrentLocation();
  Operand computed;
  if (OptionalParseResult found = parser.parseOptionalOperand(computed); found.has_value())
    return refuse(place, "a value of the function");
  int64_t value = 0;
  std::string formula;
  if (parseSize(parser, value, formula))
    return failure();
  number = parser.getBuilder().getI64IntegerAttr(value);
  if (!formula.empty())
    recordFormulas(parser, name, parser.getBuilder().getStringAttr(formula));
  return success();
}

/// One of the words behind the bindings, each at most once.
ParseResult ScanParser::parseWord(bool &found) {
  Builder &b = parser.getBuilder();
  found = true;
  SMLoc place = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("while")))
    return refuse(place, "a condition");
  if (!properties.times && succeeded(parser.parseOptionalKeyword("times")))
    return parseNumber("times", properties.times);
  if (!properties.reverse && succeeded(parser.parseOptionalKeyword("reverse"))) {
    properties.reverse = b.getUnitAttr();
    return success();
  }
  if (!index && succeeded(parser.parseOptionalKeyword("index"))) {
    properties.indexed = b.getUnitAttr();
    return parser.parseArgument(index.emplace());
  }
  if (!properties.checkpoint && succeeded(parser.parseOptionalKeyword("checkpoint"))) {
    properties.checkpoint = b.getI64IntegerAttr(1);
    return succeeded(parser.parseOptionalKeyword("every"))
               ? parseNumber("checkpoint", properties.checkpoint)
               : success();
  }
  found = false;
  return success();
}

/// Parses the block, whose arguments have the types of what they are bound to.
ParseResult ScanParser::parseBody() {
  SmallVector<OpAsmParser::Argument> arguments;
  if (index)
    arguments.push_back(*index);
  llvm::append_range(arguments, carried.arguments);
  llvm::append_range(arguments, rows.arguments);
  SmallVector<Type> types =
      argumentTypes(parser.getContext(), index.has_value(), carried.types, rows.types);
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  for (auto [argument, type] : llvm::zip(arguments, types)) {
    if (!type)
      return parser.emitError(argument.ssaName.location)
             << "expected a tensor with rows to go over, but got a scalar";
    argument.type = type;
    if (scope)
      scope->recordValue(argument.ssaName.name.drop_front(), 0, type);
  }
  return parser.parseRegion(*result.addRegion(), arguments);
}

ParseResult ScanParser::addResults(SMLoc place) {
  Region &body = *result.regions.front();
  auto next =
      body.empty() || body.front().empty() ? NextOp() : dyn_cast<NextOp>(body.front().back());
  if (!next)
    return parser.emitError(place) << "expected a block that ends with train.next";
  std::optional<int64_t> times;
  if (properties.times)
    times = properties.times.getInt();
  int64_t rounds = roundsOf(times, rows.types);
  if (rounds < 1 || rounds > ScanOp::mostRounds)
    return parser.emitError(place)
           << "expected 1 to 2^24 rounds, by times or by the rows of `over`, but got " << rounds;
  result.addTypes(resultTypes(next, rounds));
  return success();
}

ParseResult ScanParser::parse() {
  SMLoc place = parser.getNameLoc();
  LoopNest nest(parser.getContext());
  if (nest.depth() > ScanOp::mostNested)
    return parser.emitError(place)
           << "expected loops nested at most " << ScanOp::mostNested << " deep";
  if (carried.parse(parser, "carry") || rows.parse(parser, "over"))
    return failure();
  for (bool found = true; found;)
    if (parseWord(found))
      return failure();
  if (parseSlots(parser,
                 {Slot(carried.operands, carried.types), Slot(rows.operands, rows.types)}) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(carried.operands, carried.types, place, result.operands) ||
      parser.resolveOperands(rows.operands, rows.types, place, result.operands) || parseBody())
    return failure();
  properties.operandSegmentSizes = {int32_t(carried.operands.size()),
                                    int32_t(rows.operands.size())};
  return addResults(place);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return ScanParser(parser, result).parse();
}

static void printBindings(OpAsmPrinter &p, StringRef word, ValueRange arguments,
                          OperandRange operands) {
  if (operands.empty())
    return;
  p << ' ' << word << ' ';
  llvm::interleaveComma(llvm::zip(arguments, operands), p,
                        [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
}

void ScanOp::print(OpAsmPrinter &p) {
  printBindings(p, "carry", getCarried(), getInits());
  printBindings(p, "over", getRows(), getSequences());
  if (getTimes())
    p << " times " << *getTimes();
  if (getReverse())
    p << " reverse";
  if (getIndexed())
    p << " index " << getIndex();
  if (getCheckpoint())
    p << " checkpoint every " << *getCheckpoint();
  if (getNumOperands() > 0) {
    p << " : ";
    llvm::interleaveComma(getOperandTypes(), p);
  }
  p.printOptionalAttrDictWithKeyword(llvm::to_vector((*this)->getDiscardableAttrs()));
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/LoopsOps.cpp.inc"

void ampc::registerLoopOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<ScanOp, NextOp>(*dialect);
  });
}
