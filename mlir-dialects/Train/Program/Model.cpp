// Functions, state, steps and exports: verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Nearest.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/Modules.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

void FuncOp::build(OpBuilder &builder, OperationState &state, const Twine &name,
                   FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

/// So many that sums of bytes and products of three extents of two matrices fit into 64 bits.
static constexpr int64_t kMaxElements = int64_t(1) << 40;

static bool hasTooManyElements(RankedTensorType tensor) {
  int64_t count = 1;
  return llvm::any_of(tensor.getShape(), [&](int64_t size) {
    return llvm::MulOverflow(count, size, count) || count > kMaxElements;
  });
}

static bool isSupportedElement(Type element) {
  if (isa<IntegerType>(element))
    return llvm::is_contained({1, 8, 16, 32, 64}, element.getIntOrFloatBitWidth());
  return element.isF64() || element.isF32() || element.isBF16() || element.isF16();
}

/// Whether a type is u8, as in buffers of a caller; ops compute with the value of a cast, u8 ->
/// i32.
static bool isUnsigned(Type type) {
  return isa<RankedTensorType>(type) && getElementTypeOrSelf(type).isUnsignedInteger(8);
}
static bool mayReadUnsigned(OpOperand &operand) {
  Operation *op = operand.getOwner();
  auto index = dyn_cast<IndexOpInterface>(op);
  return isa<CastOp, CallOp, ApplyOp>(op) || op->hasTrait<GivesElements>() ||
         (index && index.getIndices() == operand.get());
}

static LogicalResult verifyTensor(Operation *op, Type type, bool mayBeUnsigned) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (!tensor.hasStaticShape())
    return op->emitOpError() << "expected static shapes, but got " << type;
  if (llvm::is_contained(tensor.getShape(), 0))
    return op->emitOpError() << "expected tensors of at least one element, but got " << type;
  if (hasTooManyElements(tensor))
    return op->emitOpError() << "expected tensors of at most 2^40 elements, but got " << type;
  bool hasSign =
      isa<IntegerType>(tensor.getElementType()) && !tensor.getElementType().isSignlessInteger();
  if (mayBeUnsigned && isUnsigned(type))
    return success();
  if (hasSign || !isSupportedElement(tensor.getElementType()))
    return op->emitOpError() << "expected elements of f64, f32, bf16, f16 or an integer of 1, 8, "
                                "16, 32 or 64 bits, but got "
                             << type
                             << (isUnsigned(type)
                                     ? "; ui8 is a type of inputs, which train.cast reads"
                                 : hasSign ? "; integers are i8 and so on, of no sign, and inputs "
                                             "may be ui8"
                                           : "");
  return success();
}
LogicalResult ampc::verifyTensor(Operation *op, Type type) {
  return ::verifyTensor(op, type, false);
}
static LogicalResult verifyTensors(Operation *op, TypeRange types, bool mayBeUnsigned = false) {
  return success(llvm::all_of(
      types, [&](Type type) { return succeeded(::verifyTensor(op, type, mayBeUnsigned)); }));
}
static LogicalResult verifyOp(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isUnsigned(operand.get().getType()) && !isa<train::ReturnOp>(op) &&
        !mayReadUnsigned(operand)) // 3.
      return op->emitOpError() << "expected a train.cast of " << operand.get().getType()
                               << ": ui8 is a type of inputs, with which nothing computes";
  return verifyTensors(op, op->getResultTypes(), op->hasTrait<GivesElements>()); // 3.
}

void BufferOp::build(OpBuilder &builder, OperationState &state, const Twine &name, Type type,
                     Attribute init, StateRole role, StringAttr of, StringRef step) {
  MLIRContext *context = builder.getContext();
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getInitAttrName(state.name), init);
  state.addAttribute(getRoleAttrName(state.name), StateRoleAttr::get(context, role));
  if (of)
    state.addAttribute(getOfAttrName(state.name), FlatSymbolRefAttr::get(of));
  if (!step.empty())
    state.addAttribute(getStepAttrName(state.name), builder.getStringAttr(step));
}
LogicalResult ModelOp::verify() {
  for (Operation &op : getBody().front())
    if (!isa<SymbolOpInterface, FuncOp, ExportOp, UseOp, FollowOp>(op)) // 1.
      return op.emitOpError() << "expected a symbol or an export in a model";
    else if (isa_and_nonnull<ModelOp>((*this)->getParentOp()) &&
             !isa<ParamOp, BufferOp, KnobOp, FuncOp, UseOp, ModelOp>(op)) // 2.
      return op.emitOpError() << "expected outside of modules";
  return success();
}

LogicalResult ParamOp::verify() {
  return verifyTensor(*this, getType()); // 1.
}
LogicalResult BufferOp::verify() {
  // Working copies are rebuilt from the parameter by passes.
  if (getRole() == StateRole::Working && !getOfAttr()) // 2.
    return emitOpError() << "expected the parameter (of @NAME) of a working copy";
  return verifyTensor(*this, getType()); // 1.
}

LogicalResult FuncOp::verifyRegions() {
  if (!llvm::hasSingleElement(getBody())) // 1.
    return emitOpError("expected one block, but got several");
  auto bad = llvm::find_if_not(getFunctionType().getInputs(), llvm::IsaPred<RankedTensorType>);
  if (bad != getFunctionType().getInputs().end()) // 2.
    return emitOpError() << "expected arguments that are ranked tensors, but got " << *bad;
  if (failed(verifyTensors(*this, getFunctionType().getInputs(), true)) ||
      failed(verifyTensors(*this, getFunctionType().getResults()))) // 3.
    return failure();
  WalkResult sizes = getBody().walk([](Operation *op) {
    return failed(verifyOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(sizes.wasInterrupted());
}

LogicalResult train::ReturnOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  if (getOperandTypes() != TypeRange(func.getResultTypes())) // 1.
    return emitOpError() << "expected values of types (" << func.getResultTypes() << "), but got ("
                         << getOperandTypes() << ")";
  return success();
}

static StateOpInterface findState(Operation *op, FlatSymbolRefAttr name,
                                  SymbolTableCollection &symbols) {
  return dyn_cast_or_null<StateOpInterface>(symbols.lookupNearestSymbolFrom(op, name));
}
LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  StateOpInterface state = findState(*this, getStateAttr(), symbols);
  if (!state) // 1.
    return emitOpError() << "expected a parameter or buffer, but " << getStateAttr() << " is none";
  if (state.getType() != getType() && !isOfAnotherBatch(state, getType())) // 2.
    return emitOpError() << "expected type " << state.getType() << ", but got " << getType();
  return success();
}
LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  StateOpInterface state = findState(*this, getStateAttr(), symbols);
  if (isa_and_nonnull<ParamOp>(state)) // 1.
    return emitOpError() << "expected a buffer, but " << getStateAttr()
                         << " is a parameter, which steps change";
  if (isa_and_nonnull<KnobOp>(state)) // 2.
    return emitOpError() << "expected a buffer, but " << getStateAttr()
                         << " is a knob, which callers change and steps do not";
  if (!state) // 2.
    return emitOpError() << "expected a buffer, but " << getStateAttr() << " is none";
  Type given = getValue().getType();
  if (state.getType() != given && !isOfAnotherBatch(state, given)) // 3.
    return emitOpError() << "expected type " << state.getType() << ", but got " << given;
  return success();
}
/// Position of the first difference between types of one rank: ": 10 in dimension 0, not 356".
static std::string differenceOf(Type expected, Type got) {
  auto want = dyn_cast<RankedTensorType>(expected), have = dyn_cast<RankedTensorType>(got);
  if (!want || !have || want.getRank() != have.getRank())
    return "";
  for (int64_t i = 0; i < want.getRank(); ++i)
    if (want.getDimSize(i) != have.getDimSize(i))
      return ": " + std::to_string(have.getDimSize(i)) + " in dimension " + std::to_string(i) +
             ", not " + std::to_string(want.getDimSize(i));
  return "";
}

/// Whether operands differ from the arguments only in dimensions that are sizes by name, which the
/// call gives other numbers: f32[100, 2] for f32[batch, 2]. `train-expand-modules` copies the
/// function.
static bool isOfOtherSizes(FuncOp callee, TypeRange operands) {
  auto formulas = callee->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto texts = formulas ? formulas.getAs<ArrayAttr>("arguments") : ArrayAttr();
  bool isOther = false;
  for (auto [i, want, got] : llvm::enumerate(callee.getArgumentTypes(), operands)) {
    if (want == got)
      continue;
    auto given = dyn_cast<RankedTensorType>(got), declared = cast<RankedTensorType>(want);
    SmallVector<StringRef> dims;
    if (texts)
      cast<StringAttr>(texts[i]).getValue().split(dims, ',');
    if (!given || given.getElementType() != declared.getElementType() ||
        int64_t(dims.size()) != given.getRank() || declared.getRank() != given.getRank())
      return false;
    for (auto [dim, size, own] : llvm::zip(dims, given.getShape(), declared.getShape()))
      if (size != own &&
          !llvm::all_of(dim.trim(), [](char c) { return c == '_' || llvm::isAlnum(c); }))
        return false;
    isOther = true;
  }
  return isOther;
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee) // 1.
    return emitOpError() << "expected a function, but " << getCalleeAttr() << " is none";
  if (callee.getNumArguments() == getNumOperands() && isOfOtherSizes(callee, getOperandTypes()))
    return success();
  if (callee.getNumArguments() == getNumOperands())
    for (auto [i, want, got] : llvm::enumerate(callee.getArgumentTypes(), getOperandTypes()))
      if (want != got) // 2.
        return emitOpError() << "expected " << want << " as operand " << i << " of "
                             << getCalleeAttr() << ", but got " << got << differenceOf(want, got);
  if (callee.getFunctionType() !=
      FunctionType::get(getContext(), getOperandTypes(), getResultTypes())) // 2.
    return emitOpError() << "expected type " << callee.getFunctionType() << " of "
                         << getCalleeAttr();
  return success();
}

/// After the conversion to kernels a model holds declarations only.
static bool hasFunctions(Operation *op) {
  return !op->getParentOfType<ModelOp>().getOps<FuncOp>().empty();
}

LogicalResult ExportOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (hasFunctions(*this) &&
      !symbols.lookupNearestSymbolFrom<FuncOp>(*this, getFunctionAttr())) // 1.
    return emitOpError() << "expected a function, but " << getFunctionAttr() << " is none";
  return success();
}
/// A misspelt option would otherwise be silently without effect.
static LogicalResult verifyOptions(StepOp step) {
  auto wrong = [&](const Twine &what, double number) -> LogicalResult { // 10. to 12.
    return step.emitOpError() << "expected " << what << ", but got " << number;
  };
  for (NamedAttribute attribute : step->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name == "weight_rounding") {
      auto word = dyn_cast<StringAttr>(attribute.getValue());
      if (!word || (word != "nearest" && word != "stochastic")) // 15.
        return step.emitOpError()
               << "expected weight_rounding = \"nearest\" or \"stochastic\", but got "
               << attribute.getValue();
    } else if (name == "amp.scaler") {
      if (!isa<FlatSymbolRefAttr>(attribute.getValue())) // 8.
        return step.emitOpError() << "expected amp.scaler = @NAME, but got "
                                  << attribute.getValue();
    } else if (!name.contains('.') || name.starts_with("amp.")) { // 9.
      return step.emitOpError() << "expected clip_norm, clip_value, micro_batches, ema_decay, "
                                   "nonfinite, weight_rounding or amp.scaler, but got the "
                                   "attribute "
                                << name;
    }
  }
  auto value = [](std::optional<APFloat> x) { return x ? x->convertToDouble() : 0.5; };
  double norm = value(step.getClipNorm()), limit = value(step.getClipValue()),
         decay = value(step.getEmaDecay());
  if (!(norm > 0))
    return wrong("a positive clip_norm", norm);
  if (!(limit > 0))
    return wrong("a positive clip_value", limit);
  if (!(decay >= 0 && float(decay) < 1))
    return wrong("an ema_decay in [0, 1)", decay);
  if (step.getNonfinite() && !symbolizeNonFinite(*step.getNonfinite())) // 13.
    return step.emitOpError() << "expected nonfinite = \"allow\", \"skip\" or \"fail\", but got \""
                              << *step.getNonfinite() << '"';
  return success();
}

/// Parameters of modules are there when the uses have been expanded.
static bool isLater(StepOp step) {
  return !step->getParentOfType<ModelOp>().getOps<UseOp>().empty();
}

/// Whether a result of an evaluation is the rows of a buffer, behind the numbers of the loss.
static bool isRows(FuncOp loss, unsigned result) {
  auto output = Signature(loss).result<OutputAttr>(result);
  return loss.getRole() == Role::Eval && output && output.getName() &&
         output.getName().getValue().starts_with(RowState::prefix);
}

/// Checks names of a step's additional outputs: the names must be unique, and differ from built-in
/// outputs, because outputs are columns of a log.
static LogicalResult verifyNames(StepOp step, FuncOp loss) {
  llvm::StringSet<> names = {"step", "skipped", "loss_scale"};
  for (Output kind : {Output::Loss, Output::Norm, Output::Rate, Output::Nonfinite})
    names.insert(OutputAttr::publicName(kind, ""));
  for (unsigned i = 1; i < loss.getNumResults(); ++i) {
    auto output = Signature(loss).result<OutputAttr>(i);
    if (!output || !output.getName()) // 2.
      return step.emitOpError() << "expected names of the results of " << step.getLossAttr()
                                << " but the first, as in train.return %loss, %x as \"accuracy\", "
                                   "but result "
                                << i << " has none";
    if (!names.insert(output.getName().getValue()).second) // 2.
      return step.emitOpError() << "expected another name of result " << i << " of "
                                << step.getLossAttr() << ", but got " << output.getName();
  }
  return success();
}

/// Checks that every rule has a momentum if the schedule sets the momentum.
static LogicalResult verifyMomentum(StepOp step) {
  auto schedule = step.getSchedule().value_or(ScheduleAttrInterface());
  SmallVector<std::pair<ScheduleAttrInterface, OptimizerAttrInterface>> rules{
      {schedule, step.getOptimizer()}};
  for (GroupAttr group : step.getEachGroup())
    rules.push_back({group.getSchedule() ? group.getSchedule() : schedule, group.getOptimizer()});
  for (auto [setter, rule] : rules)
    if (setter && setter.hasMomentum() && rule.getMomentumName().empty()) // 14.
      return step.emitOpError() << "expected rules with a momentum for " << setter << ", but got "
                                << rule;
  return success();
}

LogicalResult GroupAttr::verify(EmitError emitError, ArrayAttr, OptimizerAttrInterface,
                                ScheduleAttrInterface, std::optional<APFloat> clipNorm,
                                std::optional<APFloat> clipValue, std::optional<APFloat> decay) {
  for (auto [name, limit] : {std::pair("clip_norm", &clipNorm), {"clip_value", &clipValue}})
    if (*limit && !(number(**limit) > 0 && (**limit).isFinite())) // 1., 2.
      return emitError() << "expected a positive " << name << ", but got " << number(**limit);
  if (decay && !(number(*decay) >= 0 && float(number(*decay)) < 1)) // 3.
    return emitError() << "expected an ema_decay in [0, 1), but got " << number(*decay);
  return success();
}

/// Names of the parameters of the step's model.
static SmallVector<StringRef> parametersOf(StepOp step) {
  SmallVector<StringRef> names;
  for (auto param : step->getParentOfType<ModelOp>().getOps<ParamOp>())
    names.push_back(param.getSymName());
  return names;
}

LogicalResult StepOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto loss = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getLossAttr());
  if (!loss && hasFunctions(*this)) // 1.
    return emitOpError() << "expected a function, but " << getLossAttr() << " is none";
  TypeRange types = loss ? loss.getResultTypes() : TypeRange();
  auto isRealScalar = [&](auto result) {
    auto tensor = dyn_cast<RankedTensorType>(result.value());
    return (tensor && tensor.getRank() == 0 && isa<FloatType>(tensor.getElementType())) ||
           isRows(loss, result.index());
  };
  if (loss && (types.empty() || !llvm::all_of(llvm::enumerate(types), isRealScalar))) // 2.
    return emitOpError() << "expected a loss that returns real scalars, but " << getLossAttr()
                         << " has type " << loss.getFunctionType();
  if (loss && failed(verifyNames(*this, loss)))
    return failure();
  llvm::SmallDenseSet<Attribute> once;
  bool mayBeLater = isLater(*this);
  for (Attribute param : getParams())
    if (isa<StringAttr>(param)) // a pattern, until train-expand-modules
      continue;
    else if (!isa<FlatSymbolRefAttr>(param)) // 4.
      return emitOpError() << "expected parameters or patterns of names, but got " << param;
    else if (!once.insert(param).second) // 3.
      return emitOpError() << "expected every parameter once, but got " << param << " twice";
    else if (!mayBeLater &&
             !symbols.lookupNearestSymbolFrom<ParamOp>(*this, cast<FlatSymbolRefAttr>(param))) // 4.
      return emitOpError() << "expected a parameter, but " << param << " is none"
                           << didYouMean(cast<FlatSymbolRefAttr>(param).getValue(),
                                         parametersOf(*this));
  llvm::SmallDenseSet<Attribute> grouped;
  bool hasPattern = llvm::any_of(getParams(), llvm::IsaPred<StringAttr>);
  for (GroupAttr group : getEachGroup())
    for (Attribute param : group.getParams())
      if (hasPattern || isa<StringAttr>(param))
        continue;
      else if (!once.contains(param)) // 5.
        return emitOpError() << "expected parameters of the step in a group, but got " << param;
      else if (!grouped.insert(param).second) // 6.
        return emitOpError() << "expected every parameter in one group, but " << param
                             << " is in two";
  // Micro-batches are unrolled.
  if (getMicroBatches() && (*getMicroBatches() < 1 || *getMicroBatches() > 4096)) // 7.
    return emitOpError() << "expected 1 to 4096 micro-batches, but got " << *getMicroBatches();
  return failed(verifyMomentum(*this)) ? failure() : verifyOptions(*this);
}

SmallVector<GroupAttr> StepOp::getEachGroup() {
  SmallVector<GroupAttr> groups;
  if (getGroups())
    llvm::append_range(groups, getGroups()->getAsRange<GroupAttr>());
  return groups;
}

OptimizerAttrInterface StepOp::getOptimizerOf(StringAttr param) {
  auto symbol = FlatSymbolRefAttr::get(param);
  for (GroupAttr group : getEachGroup())
    if (llvm::is_contained(group.getParams(), symbol))
      return group.getOptimizer();
  return getOptimizer();
}

bool StepOp::hasClipping() {
  auto limits = [](GroupAttr group) { return group.getClipNorm() || group.getClipValue(); };
  return getClipNorm() || getClipValue() || llvm::any_of(getEachGroup(), limits);
}

bool StepOp::hasAverages() {
  return getEmaDecay() || llvm::any_of(getEachGroup(), [](GroupAttr group) {
           return group.getEmaDecay().has_value();
         });
}
