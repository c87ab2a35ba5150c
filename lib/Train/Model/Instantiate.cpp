// Instantiation: a function per step, evaluation and export, with calls inlined, state as arguments
// and results, and the mode fixed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/InlineCalls.h"
#include "lib/Train/Model/LowerMode.h"
#include "lib/Train/Step/Ranks.h"
#include "lib/Train/Step/WeighMicroBatches.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
#define GEN_PASS_DEF_TRAININSTANTIATE
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
/// Turns a clone of a source function into a function whose signature lists all state and inputs.
class Instance {
public:
  /// `keepCounts`: divisors of means stay `train.count`.
  Instance(train::FuncOp func, SymbolTable &symbols, bool training, bool keepCounts)
      : func(func), signature(func), body(func.getBody().front()), symbols(symbols),
        training(training), keepCounts(keepCounts) {}
  LogicalResult run() {
    if (failed(inlineCalls(func, symbols)))
      return failure();
    moveAlongLast(func);
    if (!training && failed(passRowState(func)))
      return failure();
    prepareBatch(func);
    if (failed(lowerRowState(func, training)) || failed(prepareIndices(func)))
      return failure();
    lowerMode(func, training, keepCounts);
    attachRandomState(func, cast<train::ModelOp>(func->getParentOp()));
    SignatureChange change(func);
    liftReads(change);
    return liftWrites(change);
  }

private:
  /// Turns reads of state into arguments; state comes first, in declaration order.
  void liftReads(SignatureChange &change) {
    llvm::MapVector<StringAttr, SmallVector<train::ReadOp>> reads;
    body.walk([&](train::ReadOp read) { reads[read.getStateAttr().getAttr()].push_back(read); });
    for (Operation &op : func->getParentRegion()->front()) {
      auto state = dyn_cast<StateOpInterface>(op);
      auto uses =
          state ? reads.find(StringAttr::get(func.getContext(), state.getSymName())) : reads.end();
      if (uses == reads.end())
        continue;
      BlockArgument argument =
          change.addState(state.getSymName(), state.getType(), state->getLoc());
      for (train::ReadOp read : uses->second) {
        read.replaceAllUsesWith(Value(argument));
        read.erase();
      }
    }
  }
  LogicalResult liftWrites(SignatureChange &change) {
    llvm::StringMap<Location> places;
    for (auto write : llvm::make_early_inc_range(body.getOps<train::WriteOp>())) {
      auto [first, isFirst] = places.try_emplace(write.getState(), write.getLoc());
      if (training && !isFirst) {
        InFlightDiagnostic error = write.emitOpError()
                                   << "expected one value of @" << write.getState()
                                   << " after a step, but got a second value";
        error.attachNote(first->second) << "the first is here";
        return error;
      }
      if (training)
        change.addStateResult(write.getValue(), write.getState());
      write.erase();
    }
    return success();
  }

  train::FuncOp func;
  Signature signature;
  Block &body;
  SymbolTable &symbols;
  bool training, keepCounts;
};

struct TrainInstantiate : ampc::impl::TrainInstantiateBase<TrainInstantiate> {
  using TrainInstantiateBase::TrainInstantiateBase;
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(instantiate(model)))
        return signalPassFailure();
  }

private:
  /// Creates a program of the source function; `step` is null for exports.
  FailureOr<train::FuncOp> make(train::ModelOp model, StringRef source, const Twine &name,
                                train::Role role, train::StepOp step, SymbolTable &symbols) {
    OpBuilder builder = OpBuilder::atBlockEnd(&model.getBody().front());
    auto func = cast<train::FuncOp>(builder.clone(*symbols.lookup(source)));
    func.setSymName(name.str());
    func.setRole(role);
    if (step)
      func.setStep(step.getSymName());
    Signature signature(func);
    unsigned count = func.getNumResults();
    for (unsigned i = 0; i < count; ++i) {
      StringAttr out = builder.getStringAttr(count == 1 ? "out" : "out" + std::to_string(i));
      if (step && i == 0) // even if an export names the result
        signature.setResult(i, train::OutputAttr::get(&getContext(), train::Output::Loss, {}, -1));
      else if (!signature.result(i))
        signature.setResult(i,
                            train::OutputAttr::get(&getContext(), train::Output::Named, out, -1));
    }
    bool isLoss = role == train::Role::Loss, isEval = role == train::Role::Eval;
    bool isInParts = isLoss && partsOf(step) > 1;
    if (failed(Instance(func, symbols, isLoss, isInParts || (isEval && totals)).run()) ||
        (isInParts && failed(weighMicroBatches(func, step))))
      return failure();
    if (isLoss && failed(checkRowStates(func, step)))
      return failure();
    if (isEval && totals)
      (void)weighEvaluation(func, step);
    return func;
  }

  /// Checks that steps that share a buffer per row have as many rows.
  LogicalResult checkRowStates(train::FuncOp func, train::StepOp step) {
    auto states = rowStatesOf(func);
    for (BlockArgument argument : func.getArguments()) {
      StringAttr name = Signature(func).stateArgument(argument.getArgNumber());
      if (!name || !states.contains(name))
        continue;
      auto [first, isFirst] = rowStateSteps.try_emplace(states.lookup(name), step);
      train::StepOp other = first->second;
      if (other.getMicroBatches().value_or(1) != step.getMicroBatches().value_or(1))
        return step.emitOpError() << "expected as many micro-batches as in @" << other.getSymName()
                                  << ", which has the rows of @" << name.getValue() << ", too";
    }
    return success();
  }

  LogicalResult instantiate(train::ModelOp model) {
    SymbolTable symbols(model);
    rowStateSteps.clear();
    SmallVector<train::FuncOp> sources(model.getOps<train::FuncOp>());
    llvm::StringSet<> exported;
    for (auto step : llvm::to_vector(model.getOps<train::StepOp>())) {
      StringRef name = step.getSymName();
      if (failed(make(model, step.getLoss(), name + ".loss", train::Role::Loss, step, symbols)) ||
          failed(make(model, step.getLoss(), name + ".eval", train::Role::Eval, step, symbols)))
        return failure();
      step.setLoss((name + ".eval").str()); // the source function is erased below
    }
    for (auto exp : llvm::to_vector(model.getOps<train::ExportOp>())) {
      if (!exported.insert(exp.getName()).second)
        return exp.emitOpError() << "expected one export named \"" << exp.getName()
                                 << "\", but there are two";
      FailureOr<train::FuncOp> func = make(model, exp.getFunction(), "export." + exp.getName(),
                                           train::Role::Export, {}, symbols);
      if (failed(func))
        return failure();
      func->setExportNameAttr(exp.getNameAttr());
      exp.erase();
    }
    for (train::FuncOp source : sources)
      source.erase();
    warnOfUnreadInputs(model);
    return checkParameters(model);
  }

  DenseMap<Operation *, train::StepOp> rowStateSteps; ///< first step that reads a buffer per row

  /// Checks that a step changes each parameter. An exception is probably a mistake, unless `frozen`
  /// says otherwise.
  LogicalResult checkParameters(train::ModelOp model) {
    llvm::StringSet<> learned;
    SmallVector<train::StepOp> steps(model.getOps<train::StepOp>());
    for (train::StepOp step : steps)
      for (Attribute param : step.getParams())
        if (auto symbol = dyn_cast<FlatSymbolRefAttr>(param))
          learned.insert(symbol.getValue());
        else
          return step.emitOpError() << "expected names in place of the pattern " << param
                                    << ", which train-expand-modules makes";
    if (!steps.empty())
      for (auto param : model.getOps<train::ParamOp>())
        if (!learned.contains(param.getSymName()) && !param.getFrozen())
          return param.emitOpError()
                 << "expected a step over @" << param.getSymName()
                 << ", or the attribute frozen, but no step changes the parameter";
    return success();
  }
};
} // namespace
