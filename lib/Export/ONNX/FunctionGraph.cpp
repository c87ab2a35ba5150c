// The graph of a function: nodes of its ops, of called functions and of expanded ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/FunctionGraph.h"
#include "lib/Export/ONNX/Loops.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Ops/Along.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

namespace {
/// Writes the nodes of a function, calls included.
class GraphExporter {
public:
  GraphExporter(Emitter &e, train::ModelOp model, bool unrolls)
      : e(e), model(model), unrolls(unrolls) {}
  void emit(Block &block);

private:
  Operation *emit(Operation *op);
  void emitCall(train::CallOp call);
  void emitRegion(amp::AutocastOp region);
  static SmallVector<Value> buildNodes(GradBuilder &b, Operation *op);
  Operation *expand(Operation *op);
  static std::string whyNoNode(Operation *op);

  Emitter &e;
  train::ModelOp model;
  bool unrolls; ///< loops become several nodes per round, not a node Scan
  SmallVector<StringRef> active;
  /// Limit of ops: functions that call the next function twice double the ops with each level.
  static constexpr int64_t mostOps = 200000;
  int64_t ops = 0;
};
} // namespace

void GraphExporter::emit(Block &block) {
  Operation *op = &block.front();
  while (op && ops <= mostOps && !op->hasTrait<OpTrait::IsTerminator>())
    op = emit(op);
}

void GraphExporter::emitCall(train::CallOp call) {
  if (llvm::is_contained(active, call.getCallee()))
    return e.fail(call, "a recursive function");
  auto callee = cast<train::FuncOp>(SymbolTable::lookupSymbolIn(model, call.getCallee()));
  Block &body = callee.getBody().front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), call.getOperands()))
    e.bind(argument, GraphValue(e.trace(operand)));
  active.push_back(call.getCallee());
  emit(body);
  active.pop_back();
  for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    e.bind(result, GraphValue(e.trace(value)));
}

void GraphExporter::emitRegion(amp::AutocastOp region) {
  Block &body = region->getRegion(0).front();
  emit(body);
  for (auto [result, value] : llvm::zip(region->getResults(), body.getTerminator()->getOperands()))
    e.bind(result, GraphValue(e.trace(value)));
}

/// Whether the op works along a dimension other than the last. Transposes that move the dimension
/// become the node's axis.
static bool isAlongOther(Operation *op) {
  auto along = dyn_cast<AlongOpInterface>(op);
  return along && !along.isAlongLast();
}

/// Values of the op's inference form, decomposition or rounds; none if the op has none of them.
SmallVector<Value> GraphExporter::buildNodes(GradBuilder &b, Operation *op) {
  if (isAlongOther(op))
    return moveAlongLast(b, cast<AlongOpInterface>(op));
  if (auto modal = dyn_cast<ModalOpInterface>(op))
    return modal.buildInference(b);
  auto composite = dyn_cast<CompositeOpInterface>(op);
  if (composite && composite.isComposite())
    return composite.decompose(b);
  auto scan = dyn_cast<train::ScanOp>(op);
  return scan && countUnrolled(scan, mostOps) <= mostOps ? unroll(b, scan) : SmallVector<Value>();
}

/// Replaces an op by its inference form, decomposition or rounds, and returns the next op to visit,
/// the first new op; null if the op has no such form.
Operation *GraphExporter::expand(Operation *op) {
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  if (!replaceByExpansion(op, [&](GradBuilder &b) { return buildNodes(b, op); }))
    return nullptr;
  return before ? before->getNextNode() : &block->front();
}

/// Whether the op is a loss of the whole batch, which decomposes into losses of rows and a mean or
/// sum.
static bool isReducedLoss(Operation *op) {
  auto composite = dyn_cast<CompositeOpInterface>(op);
  return isa<ValidRowsOpInterface>(op) && composite && composite.isComposite();
}

/// Reason for an error at an op that neither is a node of ONNX nor is made of nodes.
std::string GraphExporter::whyNoNode(Operation *op) {
  if (isa<train::GradOp>(op))
    return "gradients inside of functions";
  if (isa<RandomOpInterface>(op))
    return "random numbers";
  if (isa<train::ScanOp>(op))
    return "a loop of more than " + std::to_string(mostOps) + " ops";
  return "no node of ONNX does the same";
}

/// Writes the nodes of the op and returns the next op.
Operation *GraphExporter::emit(Operation *op) {
  if (++ops > mostOps) {
    e.fail(op, "more than 200000 ops, with inlined calls");
    return nullptr;
  }
  if (e.isSkipped(op) || isa<train::WriteOp>(op))
    return op->getNextNode();
  if (isa<train::ReadOp, train::ConstantOp>(op)) {
    e.forget(op->getResult(0));
    return op->getNextNode();
  }
  e.enter(op);
  if (auto call = dyn_cast<train::CallOp>(op)) {
    emitCall(call);
  } else if (auto region = dyn_cast<amp::AutocastOp>(op)) {
    emitRegion(region);
  } else if (auto scan = dyn_cast<train::ScanOp>(op); scan && !unrolls) {
    emitScan(e, scan, [&](Block &round) { emit(round); });
  } else if (Operation *first = isAlongOther(op) || isReducedLoss(op) || isBeyondLayers(op)
                                    ? expand(op)
                                    : nullptr) {
    return first;
  } else if (Emit emitNodes = findEmit(op->getName().getStringRef())) {
    e.noteRows(op);
    emitNodes(e, op);
  } else if (Operation *first = expand(op)) {
    return first;
  } else {
    e.noteRows(op);
    e.fail(op, whyNoNode(op));
  }
  return op->getNextNode();
}

/// Names the results of the graph as in the C interface, renaming nodes where possible.
static void nameOutputs(Emitter &e, train::FuncOp func, ArrayRef<std::string> names) {
  Operation *end = func.getBody().front().getTerminator();
  e.enter(end);
  std::vector<std::string> values;
  for (Value value : end->getOperands()) {
    values.push_back(e.in(value));
    // A result whose row stands for all rows has no number of rows of its own.
    if (e.isSingleRow(value) && !e.mixesRows)
      e.mixesRows = end;
  }
  std::map<std::string, std::string> renamed;
  for (auto [value, from, to] : llvm::zip(end->getOperands(), values, names)) {
    auto known = renamed.find(from);
    if (known != renamed.end())
      e.model.nodes.push_back({"Identity", to, {known->second}, {to}, {}});
    else if (e.rename(from, to))
      renamed[from] = to;
    else
      e.model.nodes.push_back({"Identity", to, {from}, {to}, {}});
    e.model.outputs.push_back(e.describe(value, to));
  }
}

/// Names of the results as in the C interface: "out", or "out0", "out1". Rows of a buffer are
/// "state:h.next", as the input is "state:h".
static std::vector<std::string> outputNames(Emitter &e, train::FuncOp func) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto output = Signature(func).result<train::OutputAttr>(i);
    std::string given = output && output.getName()  ? output.getName().str()
                        : func.getNumResults() == 1 ? "out"
                                                    : "out" + std::to_string(i);
    if (StringRef(given).starts_with(RowState::prefix))
      given += ".next";
    names.push_back(e.unique(given));
  }
  return names;
}

void ampc::exporting::emitFunction(Emitter &e, train::ModelOp model, train::FuncOp func,
                                   BatchLayouts layouts, bool unrolls) {
  for (auto [argument, place] : llvm::zip(func.getArguments(), layouts)) {
    auto input = Signature(func).argument<train::InputAttr>(argument);
    std::string name = e.unique(input ? input.getName().strref() : StringRef("in"));
    e.bindInput(argument, name, place);
    e.model.inputs.push_back(e.describe(argument, name));
  }
  std::vector<std::string> names = outputNames(e, func);
  GraphExporter(e, model, unrolls).emit(func.getBody().front());
  if (e.faults.empty())
    nameOutputs(e, func, names);
}
