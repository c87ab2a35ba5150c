// Expansion of modules into parameters with full names, e.g. "@encoder.w", and of applications into
// ops; sizes become numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/Followers.h"
#include "lib/Train/Model/NamePatterns.h"
#include "mlir-dialects/Train/Program/Modules.h"
#include "mlir-dialects/Train/Program/RowState.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINEXPANDMODULES
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
struct TrainExpandModules : ampc::impl::TrainExpandModulesBase<TrainExpandModules> {
  void runOnOperation() override {
    copies.clear();
    for (auto model : getOperation().getOps<train::ModelOp>()) {
      Followers followers(model);
      if (failed(checkFunctions(model)) || failed(expandModules(model)) ||
          failed(followers.freeze()) || failed(expandPatterns(model)) || failed(followers.expand()))
        return signalPassFailure();
    }
  }

private:
  /// Checks that steps and exports name functions. The verifier cannot, because lowering to kernels
  /// erases all functions.
  static LogicalResult checkFunctions(train::ModelOp model) {
    auto check = [&](Operation *op, FlatSymbolRefAttr name) -> LogicalResult {
      if (model.lookupSymbol<train::FuncOp>(name.getAttr()))
        return success();
      return op->emitOpError() << "expected a function of the model, but " << name << " is none";
    };
    for (Operation &op : model.getBody().front()) {
      auto step = dyn_cast<train::StepOp>(op);
      auto each = dyn_cast<train::ExportOp>(op);
      if ((step && failed(check(step, step.getLossAttr()))) ||
          (each && failed(check(each, each.getFunctionAttr()))))
        return failure();
    }
    return success();
  }

  /// Whether the model has neither sizes nor modules. Functions keep the record of the batch axis.
  static bool isExpanded(train::ModelOp model) {
    return !model->hasAttr(Sizes::key) && llvm::none_of(model.getBody().front(), [](Operation &op) {
      return isa<train::UseOp, train::ModelOp>(op) ||
             (!isa<train::FuncOp>(op) && op.hasAttr(Sizes::key));
    }) && !model.walk([](train::ApplyOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  LogicalResult expandModules(train::ModelOp model) {
    if (isExpanded(model))
      return success();
    ModuleInstance root(model, "");
    if (failed(root.fill({}, model.getLoc())))
      return failure();
    SmallVector<train::FuncOp> sources(model.getOps<train::FuncOp>());
    for (auto each : model.getOps<train::ExportOp>())
      if (failed(specialize(each, model)))
        return failure();
    for (train::FuncOp func : sources)
      if (failed(insertCopy(root, func, func.getSymName(), /*keepsCalls=*/true)))
        return failure();
    for (train::FuncOp func : sources)
      func.erase();
    names.clear();
    for (auto symbol : model.getOps<SymbolOpInterface>())
      names.insert(symbol.getNameAttr());
    for (auto use : llvm::to_vector(model.getOps<train::UseOp>())) {
      if (failed(declareState(root, use, use)))
        return failure();
      use.erase();
    }
    for (auto module : llvm::to_vector(model.getOps<train::ModelOp>()))
      module.erase();
    model->removeAttr(Sizes::key);
    for (auto state : model.getOps<StateOpInterface>())
      markRowState(state);
    for (Operation &op : model.getBody().front())
      if (!isa<train::FuncOp>(op)) // records the batch axis of each input for prepareBatch
        op.removeAttr(Sizes::key);
    return success();
  }

  /// Inserts a copy of the function with the sizes of an instance, in front of the source.
  static LogicalResult insertCopy(const ModuleInstance &instance, train::FuncOp func,
                                  StringRef name, bool keepsCalls) {
    OwningOpRef<train::FuncOp> copy =
        instance.expand(func, keepsCalls ? "" : func.getSymName(), keepsCalls);
    if (!copy)
      return failure();
    copy->setSymName(name);
    OpBuilder(func).insert(copy.release());
    return success();
  }

  /// Points an export with a batch of its own to a function specialized for that batch.
  LogicalResult specialize(train::ExportOp each, train::ModelOp model) {
    auto sizes = each->getAttrOfType<DictionaryAttr>(Sizes::key);
    if (!sizes)
      return success();
    int64_t batch = 0;
    if (sizes.getAs<StringAttr>("batch").getValue().getAsInteger(10, batch) || batch < 1)
      return each.emitOpError() << "expected a positive batch, but got " << sizes;
    ModuleInstance root(model, "");
    if (failed(root.fill({{"batch", batch}}, each.getLoc())))
      return failure();
    for (auto state : model.getOps<StateOpInterface>())
      if (Type type = root.stateType(state.getSymName());
          type != state.getType() && !isOfAnotherBatch(state, type))
        return each.emitOpError() << "expected state whose type has the batch as its leading "
                                     "dimension only, but @"
                                  << state.getSymName() << " is " << state.getType() << " and "
                                  << root.stateType(state.getSymName());
    std::string name = (each.getFunction() + ".batch" + Twine(batch)).str();
    StringAttr made = StringAttr::get(&getContext(), name);
    if (copies.insert({model, made}).second) {
      if (SymbolTable::lookupSymbolIn(model, name))
        return each.emitOpError() << "expected no other @" << name << ", which is @"
                                  << each.getFunction() << " for this batch";
      if (failed(insertCopy(root, root.findFunction(each.getFunction()), name,
                            /*keepsCalls=*/false)))
        return failure();
    }
    each.setFunction(name);
    return success();
  }

  /// Declares copies of the parameters and buffers of the module and of nested modules, in
  /// declaration order, in front of `place`.
  LogicalResult declareState(const ModuleInstance &user, train::UseOp use, train::UseOp place) {
    for (const auto &instance : *user.findUses(use.getInstance()))
      for (Operation &op : instance->model.getBody().front()) {
        if (auto inner = dyn_cast<train::UseOp>(op)) {
          if (failed(declareState(*instance, inner, place)))
            return failure();
          continue;
        }
        auto state = dyn_cast<StateOpInterface>(op);
        if (!state)
          continue;
        std::string name = instance->nameOf(state.getSymName());
        if (!names.insert(StringAttr::get(&getContext(), name)).second)
          return use.emitOpError() << "expected no other @" << name << ", which is in @"
                                   << use.getModule() << " as @" << state.getSymName();
        Operation *copy = OpBuilder(place).clone(op);
        if (failed(applySizes(copy, instance->sizes)))
          return failure();
        markRowState(cast<StateOpInterface>(copy));
        SymbolTable::setSymbolName(copy, name);
        if (auto param = dyn_cast<train::ParamOp>(copy); param && instance->frozen)
          param.setFrozen(true);
        // The `of` of a copy names the parameter of the same instance.
        if (auto buffer = dyn_cast<train::BufferOp>(copy); buffer && buffer.getOf())
          buffer.setOf(instance->nameOf(*buffer.getOf()));
      }
    return success();
  }

  llvm::DenseSet<std::pair<Operation *, StringAttr>> copies; ///< specialized functions of exports
  llvm::DenseSet<StringAttr> names; ///< symbols of the model whose modules are expanded
};
} // namespace
