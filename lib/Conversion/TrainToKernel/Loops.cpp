// Loops: the block becomes a program of its own, which the loop's kernel.call runs once per round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Loops.h"
#include "mlir-dialects/Kernel/Part.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Conversion of one loop. `outer` converts the ops around the loop, `inner` those of the block.
class LoopConversion {
public:
  LoopConversion(train::ScanOp scan, ConversionRules &rules, Converter &outer)
      : scan(scan), rules(rules), outer(outer), inner(outer.builder) {}
  LogicalResult run();

private:
  void addCarried();
  void addIndex();
  void addRows();
  void addCaptured();
  void addOperand(Value tensor, Type seen);
  void openPart();
  LogicalResult fillPart();
  SmallVector<Value> returnedValues();
  void call();

  train::ScanOp scan;
  ConversionRules &rules;
  Converter &outer;
  Converter inner;
  kernel::ProgramOp part;
  SmallVector<Value> operands;
  SmallVector<Type> arguments;
  /// Values of the block, or from outside, that are arguments of the part. The tensor of an access
  /// is null until the part exists.
  SmallVector<std::tuple<Value, unsigned, Access>> bindings;
  /// Constants from outside, of which the part has copies.
  SmallVector<std::pair<Value, kernel::ConstantOp>> constants;
};
} // namespace

void LoopConversion::addOperand(Value tensor, Type seen) {
  operands.push_back(tensor);
  arguments.push_back(seen);
}

void LoopConversion::addCarried() {
  for (auto [init, argument] : llvm::zip(scan.getInits(), scan.getCarried())) {
    bindings.emplace_back(argument, operands.size(), Access{});
    addOperand(outer.tensor(init), init.getType());
  }
}

/// The number of the row is row i of [0, 1, ..., rounds - 1], in both directions.
void LoopConversion::addIndex() {
  Value index = scan.getIndex();
  if (!index || index.use_empty())
    return;
  SmallVector<int32_t> numbers(scan.getRounds());
  std::iota(numbers.begin(), numbers.end(), 0);
  auto type = RankedTensorType::get({scan.getRounds()}, outer.builder.getI32Type());
  auto value = DenseElementsAttr::get(type, ArrayRef(numbers));
  bindings.emplace_back(index, operands.size(), Access{});
  addOperand(kernel::ConstantOp::create(outer.builder, scan.getLoc(), value), index.getType());
}

void LoopConversion::addRows() {
  for (auto [sequence, row] : llvm::zip(scan.getSequences(), scan.getRows())) {
    if (row.use_empty())
      continue;
    if (TypedAttr literal = outer.access(sequence).literal) {
      inner.set(row, Access{{}, {}, literal, tensorOf(row)});
      continue;
    }
    bindings.emplace_back(row, operands.size(), Access{});
    addOperand(outer.tensor(sequence), row.getType());
  }
}

/// A value from outside keeps its access: the part reads the transpose of a weight [m, n] by the
/// map (d0, d1) -> (d1, d0) from the weight. Values of one tensor are one operand.
void LoopConversion::addCaptured() {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(scan.getBody(), captured);
  DenseMap<Value, unsigned> numbers;
  for (Value value : captured) {
    Access access = outer.access(value);
    if (access.literal) {
      inner.set(value, access);
      continue;
    }
    if (auto constant = access.tensor.getDefiningOp<kernel::ConstantOp>()) {
      constants.emplace_back(value, constant);
      continue;
    }
    auto [number, isNew] = numbers.try_emplace(access.tensor, operands.size());
    if (isNew)
      addOperand(access.tensor, access.tensor.getType());
    bindings.emplace_back(value, number->second, access);
  }
}

/// Creates the part; the builder stands in it from then on.
void LoopConversion::openPart() {
  auto caller = cast<kernel::ProgramOp>(outer.builder.getBlock()->getParentOp());
  train::NextOp next = scan.getNext();
  part = kernel::createCalledProgram(caller, "loop", arguments, next.getOperandTypes());
  outer.builder.setInsertionPointToStart(&part.getBody().front());
  for (auto &[value, number, access] : bindings) {
    Value argument = part.getArgument(number);
    if (access.tensor)
      inner.set(value, Access{argument, access.map, {}, access.type});
    else
      inner.set(value, argument);
  }
  for (auto [value, constant] : constants) {
    Access access = outer.access(value);
    Value copy = outer.builder.clone(*constant)->getResult(0);
    inner.set(value, Access{copy, access.map, {}, access.type});
  }
}

/// Each result of the part has a buffer of its own: an argument, and a value returned before, are
/// copied. Fusion stores the copy with the kernel that makes or reads the value.
SmallVector<Value> LoopConversion::returnedValues() {
  SmallVector<Value> values;
  DenseSet<Value> returned;
  for (Value operand : scan.getNext().getOperands()) {
    Value value = inner.tensor(operand), source = kernel::throughViews(value);
    if (isa<BlockArgument>(source) || !returned.insert(source).second)
      value =
          inner.castTo(scan.getNext().getLoc(), inner.whole(value), getElementTypeOrSelf(value));
    values.push_back(value);
  }
  return values;
}

LogicalResult LoopConversion::fillPart() {
  OpBuilder::InsertionGuard guard(outer.builder);
  openPart();
  LogicalResult status = convertOps(scan.getBody().front(), rules, inner);
  train::NextOp next = scan.getNext();
  if (!llvm::all_of(next.getOperands(), [&](Value v) { return inner.known(v); }))
    return failure(); // the op without a kernel has been reported
  kernel::ReturnOp::create(outer.builder, next.getLoc(), returnedValues());
  if (train::OriginAttr origin = originOf(scan))
    for (auto made : part.getBody().getOps<KernelOpInterface>())
      if (originsOf(made).empty()) // copies of values that are passed on or kept
        setOrigins(made, origin);
  return status;
}

void LoopConversion::call() {
  OpBuilder &builder = outer.builder;
  auto call = kernel::CallOp::create(
      builder, scan.getLoc(), scan.getResultTypes(), part.getSymName(), operands,
      builder.getI64IntegerAttr(scan.getRounds()), scan.getInits().size(), scan.getReverse());
  for (auto [from, to] : llvm::zip(scan.getResults(), call.getResults()))
    outer.set(from, to);
}

LogicalResult LoopConversion::run() {
  addCarried();
  addIndex();
  addRows();
  addCaptured();
  if (failed(fillPart()))
    return failure();
  call();
  return success();
}

LogicalResult ampc::convertLoop(train::ScanOp scan, ConversionRules &rules, Converter &converter) {
  return LoopConversion(scan, rules, converter).run();
}
