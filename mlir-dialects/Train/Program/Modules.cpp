// Module instances: values of sizes, and specialized copies of functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Modules.h"
#include "mlir-dialects/Train/Limits.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

UseNote::UseNote(Location place, StringRef module)
    : handler(place.getContext(), [place, name = module.str()](Diagnostic &diagnostic) {
        diagnostic.attachNote(place) << "in @" << name << " used here";
        return failure(); // the next handler prints the error
      }) {}

// ---- Instances ----

static ModelOp findModel(Block &block, StringRef name) {
  for (auto model : block.getOps<ModelOp>())
    if (model.getSymName() == name)
      return model;
  return {};
}

ModelOp ampc::findParsedModule(MLIRContext *context, StringRef name, const Sizes *&sizes) {
  for (const ParseScope *scope = ParseScope::model(context); scope; scope = scope->getOuter())
    if (auto found = scope->modules.find(name); found != scope->modules.end()) {
      sizes = &scope->sizes;
      return cast<ModelOp>(found->second->getParentOp());
    }
  return {};
}

ModelOp ModuleInstance::findModule(StringRef name, const ModuleInstance *&owner) const {
  const ModuleInstance *outermost = this;
  for (owner = this; owner; owner = owner->outer) {
    outermost = owner;
    if (ModelOp found = findModel(owner->model.getBody().front(), name))
      return found;
  }
  // The parent of the outermost scope is no op during parsing.
  Block *around = outermost->model->getBlock();
  if (around && (!around->getParentOp() || isa<ModelOp>(around->getParentOp())))
    if (ModelOp found = findModel(*around, name))
      return found;
  const Sizes *sizes;
  return findParsedModule(outermost->model.getContext(), name, sizes);
}

LogicalResult ModuleInstance::count(Operation *use) const {
  int depth = 0;
  const ModuleInstance *root = this;
  for (; root->user; root = root->user)
    if (++depth > 100)
      return use->emitError() << "expected modules that use each other at most 100 deep";
  if (++root->instances > 20000)
    return use->emitError() << "expected at most 20000 modules in use";
  return success();
}

LogicalResult ModuleInstance::addUse(UseOp use) {
  const ModuleInstance *owner = nullptr;
  ModelOp target = findModule(use.getModule(), owner);
  if (!target)
    return use.emitError() << "expected an earlier module, but @" << use.getModule() << " is none";
  std::string why;
  Numbers given;
  for (NamedAttribute each :
       use.getGivenAttr() ? use.getGivenAttr().getValue() : ArrayRef<NamedAttribute>()) {
    FailureOr<SizeNumber> value =
        sizes.evaluateNumber(cast<StringAttr>(each.getValue()).getValue(), why);
    if (failed(value))
      return use.emitError() << why;
    given[each.getName().str()] = *value;
  }
  FailureOr<int64_t> times = int64_t(1);
  if (use.getTimes() && failed(times = sizes.evaluate(*use.getTimes(), why)))
    return use.emitError() << why;
  if (*times < 1 || *times > 10000)
    return use.emitError() << "expected 1 to 10000 of @" << use.getModule() << ", but got "
                           << *times;
  const Sizes *around = nullptr;
  if (!owner)
    (void)findParsedModule(use.getContext(), use.getModule(), around);
  auto &list = uses[use.getInstanceAttr()];
  if (!list.empty())
    return use.emitError() << "expected every name in use once, but got @" << use.getInstance()
                           << " twice";
  for (int64_t i = 0; i < *times; ++i) {
    std::string name = nameOf(use.getInstance());
    if (use.getTimes())
      name += "." + std::to_string(i);
    auto instance = std::make_unique<ModuleInstance>(target, name, owner, around, this);
    instance->frozen = frozen || use.getFrozen();
    if (failed(instance->count(use)) || failed(instance->fill(given, use.getLoc())))
      return failure();
    list.push_back(std::move(instance));
  }
  return success();
}

LogicalResult ModuleInstance::fill(const Numbers &given, Location place) {
  auto declared = model->getAttrOfType<ArrayAttr>(Sizes::key);
  SmallVector<std::string> names;
  for (Attribute each : declared ? declared.getValue() : ArrayRef<Attribute>())
    names.push_back(cast<StringAttr>(each).getValue().split('=').first.trim().str());
  for (const auto &[name, value] : given)
    if (!llvm::is_contained(names, name))
      return emitError(place) << "expected a size of @" << model.getSymName() << ", but got "
                              << name << suggestion(name, names);
  std::string why;
  if (failed(sizes.declare(declared, given, why)))
    return emitError(place) << why;
  for (auto state : model.getBody().front().getOps<StateOpInterface>()) {
    OwningOpRef<Operation *> copy(state->clone());
    if (failed(applySizes(*copy, sizes)))
      return failure();
    stateTypes[state.getSymName()] = cast<StateOpInterface>(*copy).getType();
  }
  for (auto use : model.getBody().front().getOps<UseOp>())
    if (failed(addUse(use)))
      return failure();
  return success();
}

FuncOp ModuleInstance::findFunction(StringRef name) const {
  for (auto func : model.getBody().front().getOps<FuncOp>())
    if (func.getSymName() == name)
      return func;
  return {};
}

const SmallVector<std::unique_ptr<ModuleInstance>> *ModuleInstance::findUses(StringRef name) const {
  auto found = uses.find(StringAttr::get(model.getContext(), name));
  return found == uses.end() ? nullptr : &found->second;
}

// ---- Functions ----

/// Names ops of an instance uniquely, after all rewrites: names are keys of random numbers.
static void nameOpsAfter(FuncOp func, StringRef name) {
  llvm::StringMap<unsigned> counts;
  func.getBody().walk([&](Operation *op) {
    StringRef kind = op->getName().stripDialect();
    std::string own = (kind + "#" + Twine(counts[kind]++)).str();
    Location loc = op->getLoc();
    if (auto named = dyn_cast<NameLoc>(loc)) {
      own = named.getName().str();
      loc = named.getChildLoc();
    }
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name + "/" + own), loc));
  });
}

OwningOpRef<FuncOp> ModuleInstance::expand(FuncOp func, StringRef name, bool keepsCalls) const {
  OwningOpRef<FuncOp> copy(func.clone());
  if (!name.empty())
    nameOpsAfter(*copy, name);
  Block &body = copy->getBody().front();
  if (failed(applySizes(*copy, present())) || failed(expandBlock(body, keepsCalls)))
    return {};
  copy->setFunctionType(FunctionType::get(func.getContext(), body.getArgumentTypes(),
                                          body.getTerminator()->getOperandTypes()));
  return copy;
}

/// Whether a word of the formula is the size.
static bool usesSize(StringRef formula, StringRef size) {
  return llvm::Regex("(^|[^A-Za-z0-9_])" + size.str() + "($|[^A-Za-z0-9_])").match(formula);
}
static bool usesSize(DictionaryAttr formulas, StringRef size) {
  return formulas && llvm::any_of(formulas, [&](NamedAttribute each) {
           auto text = dyn_cast<StringAttr>(each.getValue());
           return text && usesSize(text.getValue(), size);
         });
}

/// Whether a size has one number for all calls: a module declares the size, or parameters, buffers
/// or sizes of modules inside depend on the size.
bool ModuleInstance::isFixed(StringRef size) const {
  auto declared = prefix.empty() ? ArrayAttr() : model->getAttrOfType<ArrayAttr>(Sizes::key);
  for (Attribute each : declared ? declared.getValue() : ArrayRef<Attribute>())
    if (cast<StringAttr>(each).getValue().split('=').first.trim() == size)
      return true;
  for (Operation &op : model.getBody().front()) {
    auto use = dyn_cast<UseOp>(op);
    auto formulas = isa<StateOpInterface>(op) ? op.getAttrOfType<DictionaryAttr>(Sizes::key)
                    : use                     ? use.getGivenAttr()
                                              : DictionaryAttr();
    if (usesSize(formulas, size))
      return true;
  }
  return false;
}

/// Sizes that the operands give in place of `present()`; none if the operands contradict.
ModuleInstance::Numbers ModuleInstance::sizesOf(ArrayRef<Type> types, FuncOp func) const {
  auto formulas = func->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto texts = formulas ? formulas.getAs<ArrayAttr>("arguments") : ArrayAttr();
  Numbers found;
  if (!texts || texts.size() != types.size())
    return found;
  for (auto [text, given] : llvm::zip(texts, types)) {
    auto type = dyn_cast_or_null<RankedTensorType>(given);
    SmallVector<StringRef> dims;
    cast<StringAttr>(text).getValue().split(dims, ',');
    if (!type || int64_t(dims.size()) != type.getRank())
      continue;
    for (auto [dim, size] : llvm::zip(dims, type.getShape())) {
      std::optional<int64_t> known = present().find(dim.trim());
      if (!known)
        continue;
      auto [place, isNew] = found.try_emplace(dim.trim().str(), SizeNumber(size));
      if (!isNew && place->second != SizeNumber(size))
        return {};
    }
  }
  for (auto each = found.begin(); each != found.end();) {
    bool isSame = each->second == SizeNumber(*present().find(each->first));
    each = isSame || isFixed(each->first) ? found.erase(each) : std::next(each);
  }
  return found;
}

OwningOpRef<FuncOp> ModuleInstance::expandFor(ArrayRef<Type> types, FuncOp func,
                                              StringRef name) const {
  Sizes own(&present());
  for (const auto &[size, number] : sizesOf(types, func))
    own.set(size, number);
  llvm::SaveAndRestore<const Sizes *> inside(bound, &own);
  return expand(func, name, false);
}

/// Nesting of regions, calls and modules multiplies the recursion depth, and so the stack.
LogicalResult ModuleInstance::expandBlock(Block &block, bool keepsCalls) const {
  const ModuleInstance *root = this;
  while (root->user)
    root = root->user;
  if (root->depth >= 200)
    return block.getParentOp()->emitError()
           << "expected calls, modules and regions nested at most 200 deep";
  ++root->depth;
  auto expanded = success();
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(expanded = expandOp(&op, keepsCalls)))
      break;
  --root->depth;
  return expanded;
}

LogicalResult ModuleInstance::expandOp(Operation *op, bool keepsCalls) const {
  if (++root().ops > mostOps)
    return op->emitError() << "expected at most " << mostOps << " ops in place of uses of modules";
  if (failed(applySizes(op, present())))
    return failure();
  op->removeDiscardableAttr(Sizes::key);
  if (auto scan = dyn_cast<ScanOp>(op))
    inferArguments(scan);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(expandBlock(block, keepsCalls)))
        return failure();
  if (auto apply = dyn_cast<ApplyOp>(op))
    return inlineApply(apply);
  if (auto call = dyn_cast<CallOp>(op))
    return keepsCalls && !isOfOtherSizes(call) ? success() : inlineCall(call, keepsCalls);
  if (auto read = dyn_cast<ReadOp>(op))
    if (auto type = stateTypes.find(read.getState()); type != stateTypes.end())
      read.getResult().setType(cast<RankedTensorType>(type->second));
  if (!prefix.empty()) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FlatSymbolRefAttr symbol) -> Attribute {
      return stateTypes.contains(symbol.getValue())
                 ? FlatSymbolRefAttr::get(symbol.getContext(), nameOf(symbol.getValue()))
                 : symbol;
    });
    replacer.replaceElementsIn(op);
  }
  // The results of an op with a region have the types of the yielded values.
  if (op->getNumRegions() == 1 && llvm::hasSingleElement(op->getRegion(0)))
    for (auto [result, yielded] :
         llvm::zip(op->getResults(), op->getRegion(0).front().getTerminator()->getOperands()))
      result.setType(yielded.getType());
  return inferResults(op);
}

/// Inlines the copy before `at`; returns the function's results.
static FailureOr<SmallVector<Value>> inlineAt(Operation *at, ValueRange operands,
                                              OwningOpRef<FuncOp> copy) {
  Block &body = copy->getBody().front();
  if (operands.size() != body.getNumArguments())
    return at->emitError() << "expected " << body.getNumArguments() << " operands, but got "
                           << operands.size();
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    if (operands[i].getType() != argument.getType())
      return at->emitError() << "expected " << argument.getType() << " as operand " << i
                             << ", but got " << operands[i].getType();
    argument.replaceAllUsesWith(operands[i]);
  }
  SmallVector<Value> results(body.getTerminator()->getOperands());
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    op.moveBefore(at);
  return results;
}

static LogicalResult replace(Operation *op, ArrayRef<Value> values) {
  if (values.size() != op->getNumResults())
    return op->emitError() << "expected " << values.size() << " results, but got "
                           << op->getNumResults();
  op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

/// Marks ops with the name of a checkpoint. In nested checkpoints the outermost counts. Each
/// execution of a function is a separate checkpoint: "block", "block#1", ...
void ModuleInstance::markSegment(FuncOp copy, std::string name) const {
  if (int64_t number = root().checkpoints[name]++)
    name += "#" + std::to_string(number);
  auto segment = StringAttr::get(copy.getContext(), name);
  copy.getBody().walk([&](Operation *op) { op->setDiscardableAttr(segmentKey, segment); });
}

LogicalResult ModuleInstance::inlineApply(ApplyOp apply) const {
  StringRef name = apply.getCallee().getRootReference().getValue();
  const auto *found = findUses(name);
  if (!found)
    return apply.emitError() << "expected an earlier module of that name, but @" << name
                             << " is none";
  bool isNamed = !apply.getCallee().getNestedReferences().empty();
  if (apply.getCallee().getNestedReferences().size() > 1)
    return apply.emitError() << "expected a module and one function of it, but got "
                             << apply.getCallee();
  StringRef function = isNamed ? apply.getCallee().getLeafReference().getValue() : "apply";
  SmallVector<Value> values(apply.getOperands());
  for (const std::unique_ptr<ModuleInstance> &instance : *found) {
    FuncOp func = instance->findFunction(function);
    if (!func)
      return apply.emitError() << "expected a function of @" << instance->model.getSymName()
                               << ", but @" << function << " is none";
    OwningOpRef<FuncOp> copy;
    std::string own = isNamed ? instance->prefix + "/" + function.str() : instance->prefix;
    {
      UseNote note(apply.getLoc(), instance->model.getSymName());
      copy = instance->expandFor(llvm::to_vector(ValueRange(values).getTypes()), func, own);
    }
    if (!copy)
      return failure();
    if (apply.getCheckpoint())
      markSegment(*copy, own);
    FailureOr<SmallVector<Value>> results = inlineAt(apply, values, std::move(copy));
    if (failed(results))
      return failure();
    values = *results;
  }
  return replace(apply, values);
}

/// Whether the operands give sizes of the callee other numbers, or do not fit: the function is then
/// copied for this call.
bool ModuleInstance::isOfOtherSizes(CallOp call) const {
  FuncOp func = findFunction(call.getCallee());
  return func && TypeRange(func.getArgumentTypes()) != call.getOperandTypes();
}

LogicalResult ModuleInstance::inlineCall(CallOp call, bool hasTypes) const {
  FuncOp func = findFunction(call.getCallee());
  if (!func)
    return call.emitError() << "expected a function, but @" << call.getCallee() << " is none";
  auto named = dyn_cast<NameLoc>(call.getLoc());
  std::string own = ((named ? named.getName().str() + "/" : "") + call.getCallee()).str();
  OwningOpRef<FuncOp> copy = expandFor(llvm::to_vector(call.getOperandTypes()), func, own);
  if (!copy)
    return failure();
  if (call.getCheckpoint())
    markSegment(*copy, own);
  if (hasTypes && TypeRange(copy->getResultTypes()) != call.getResultTypes())
    return call.emitError() << "expected the result types (" << copy->getResultTypes() << ") of @"
                            << call.getCallee() << " with these sizes, but got ("
                            << call.getResultTypes() << ")";
  FailureOr<SmallVector<Value>> values = inlineAt(call, call.getOperands(), std::move(copy));
  return failed(values) ? failure() : replace(call, *values);
}
