// Pass amp-assign-precision: types of all ops and values of a program, by a precision policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/ReadFile.h"
#include "ampc/Support/Text.h"
#include "lib/Precision/EmitCasts.h"
#include "lib/Precision/GuardedQuotients.h"
#include "lib/Precision/Policies/CostTable.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace ampc {
#define GEN_PASS_DEF_AMPASSIGNPRECISION
#include "ampc/Precision/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// One remark per op at the op's source line, with the name that overrides match.
static void explainOps(const PrecisionAnalysis &facts, const Assignment &assignment) {
  for (Operation *op : facts.ops) {
    auto reason = assignment.reasons.find(op);
    if (reason == assignment.reasons.end())
      continue;
    std::string name = nameOf(op);
    mlir::emitRemark(op->getLoc())
        << (name.empty() ? facts.func.getSymName() : StringRef(name)) << ": " << op->getName()
        << " computes in " << assignment.compute.lookup(op) << " (" << reason->second.rule
        << "): " << reason->second.text;
  }
}

/// Bytes moved under each policy, as a remark and as the attribute `amp.costs` for reports.
static void noteCosts(train::FuncOp func, Type low, const PolicyTable &table, bool explain) {
  Builder b(func.getContext());
  NamedAttrList all;
  std::string text;
  PrecisionAnalysis facts(func, low, table);
  for (auto [policy, bytes] : costsOf(facts)) {
    all.set(policy, b.getI64IntegerAttr(bytes));
    text += (text.empty() ? "" : ", ") + policy.str() + " " + std::to_string(bytes);
  }
  func->setAttr("amp.costs", all.getDictionary(func.getContext()));
  if (explain)
    mlir::emitRemark(func.getLoc())
        << "bytes moved by @" << func.getSymName() << " under the same compute types: " << text
        << ", " << cheapestPolicy().getName() << " with any error " << costOfAnyError(facts);
}

/// Compute mode of a contraction: the override's, else the mode of the whole model unless a region
/// or attribute fixes a type.
static std::optional<ComputeMode> modeOf(const PrecisionAnalysis &facts, Operation *op,
                                         const std::optional<ComputeMode> &ofModel) {
  UserConstraint demand = facts.demand(op);
  if (!facts.isDecided(op) || facts.treatment(op) != Treatment::Low || facts.lowOf(op) != facts.f32)
    return std::nullopt;
  if (demand.mode)
    return demand.mode;
  return demand.forced || demand.disabled ? std::nullopt : ofModel;
}

/// Marks contractions of f32 values with the type in which each operand is multiplied, for example
/// `amp.compute = [tf32, tf32]`.
static void markContractions(const PrecisionAnalysis &facts,
                             const std::optional<ComputeMode> &ofModel) {
  for (Operation *op : facts.ops)
    if (auto mode = modeOf(facts, op, ofModel)) {
      auto types = llvm::map_to_vector(op->getOperands(), [&](Value v) -> Attribute {
        Operation *source = facts.producerOf(v);
        return TypeAttr::get(source && facts.isBackward(source) ? mode->backward : mode->forward);
      });
      op->setAttr("amp.compute", ArrayAttr::get(op->getContext(), types));
    }
}

/// Ops with the demand `roundsOnce` read partial results in f32, compute in f32 and round the
/// result alone to 16 bits.
static void roundOnce(const PrecisionAnalysis &facts, Assignment &assignment) {
  for (Operation *op : facts.ops)
    if (facts.demand(op).roundsOnce) {
      assignment.entry[op] = facts.demand(op).type;
      assignment.compute[op] = facts.f32;
    }
}

/// Optimizer rules with matrix products multiply bf16 operands, since bf16 has the range of f32; an
/// override may fix another type.
static void assignProducts(train::FuncOp func, Type low, const PolicyTable &table, bool explain) {
  for (auto update : func.getBody().front().getOps<train::UpdateOp>()) {
    auto param = cast<RankedTensorType>(update.getParam().getType());
    if (!param.getElementType().isF32() || !update.getRule().multipliesMatrices(param.getShape()))
      continue;
    Type type = low.isBF16() ? low : param.getElementType();
    StringRef rule = "contraction";
    std::string why = "products of the optimizer's rule take bf16 and add up in f32";
    for (const Override &line : table.overrides)
      if (line.matches(update)) {
        type = line.type;
        rule = "override";
        why = "the override \"" + line.pattern + "\" fixes the type of the rule's products";
      }
    if (type.isBF16() || type.isF16())
      update.setProducts(type);
    else if (rule != "override")
      continue;
    setDecision(update, rule, why);
    if (explain)
      mlir::emitRemark(update.getLoc()) << nameOf(update) << ": " << update->getName()
                                        << " computes in " << type << " (" << rule << "): " << why;
  }
}

namespace {
struct AmpAssignPrecision : ampc::impl::AmpAssignPrecisionBase<AmpAssignPrecision> {
  using AmpAssignPrecisionBase::AmpAssignPrecisionBase;
  void runOnOperation() override {
    if (failed(checkHasOnlyLoops(getOperation(), getArgument())) || failed(readOptions()))
      return signalPassFailure();
    warnUnmatched();
    for (auto model : getOperation().getOps<train::ModelOp>()) {
      if (failed(checkProfile(model)))
        return signalPassFailure();
      WorkingCopies copies;
      for (auto func : model.getOps<train::FuncOp>())
        if (failed(assign(func, copies)))
          return signalPassFailure();
      warnOfLostUpdates(model, copies);
      addWorkingCopies(model, copies, masterWeights);
    }
  }

private:
  LogicalResult readOptions();
  void warnUnmatched();
  void warnOfLostUpdates(train::ModelOp model, const WorkingCopies &copies);
  LogicalResult checkProfile(train::ModelOp model);
  LogicalResult checkParameter(const SymbolTable &states, const ParameterProfile &parameter,
                               function_ref<LogicalResult(const Twine &)> wrong);
  const StepProfile *profileOf(train::FuncOp func) const;
  double scaleOf(train::FuncOp func, const StepProfile *known) const;
  LogicalResult assign(train::FuncOp func, WorkingCopies &copies);
  void warn(const PrecisionAnalysis &facts);
  PolicyTable tableOfCosts() const;
  LogicalResult fail(const Twine &message) { return getOperation()->emitError() << message; }

  const PrecisionPolicy *chosen = nullptr;
  PolicyTable table;
  Type low;
  std::optional<ComputeMode> mode;
  std::optional<Profile> measured;
  DenseSet<std::pair<Location, StringAttr>> warned;
};
} // namespace

LogicalResult AmpAssignPrecision::readOptions() {
  Builder b(&getContext());
  low = llvm::StringSwitch<Type>(precision)
            .Case("f32", b.getF32Type())
            .Case("bf16", b.getBF16Type())
            .Case("f16", b.getF16Type())
            .Default(Type());
  mode = ComputeMode::find(precision, &getContext());
  if (mode)
    low = b.getF32Type();
  if (!low)
    return fail("expected precision f32, bf16, f16, tf32 or fp8, but got " + shown(precision));
  chosen = findPolicy(policy);
  if (!chosen)
    return fail("expected policy " + policyNames() + ", but got " + shown(policy));
  table = chosen->table(low);
  std::string text;
  if (!policyFile.empty()) {
    auto file = readFile(policyFile);
    if (!file)
      return fail("cannot read " + policyFile + ": " + file.getError().message());
    text = (*file)->getBuffer().str();
  }
  if (llvm::Error error = table.add(text, &getContext()))
    return fail(policyFile + ": " + llvm::toString(std::move(error)));
  for (const std::string &edit : edits)
    if (llvm::Error error = table.addLine(edit, &getContext()))
      return fail("edit " + shown(edit) + ": " + llvm::toString(std::move(error)));
  for (const std::string &line : overrides)
    if (llvm::Error error = table.addLine("name " + line, &getContext()))
      return fail("override " + shown(line) + ": " + llvm::toString(std::move(error)));
  if (profile.empty())
    return success();
  if (low.isF32())
    return fail(
        "expected precision f16 or bf16 with a profile, whose types are f16 and bf16, but got " +
        precision);
  llvm::Expected<Profile> read = Profile::read(profile);
  if (!read)
    return fail(llvm::toString(read.takeError()));
  measured = std::move(*read);
  return success();
}

/// Words of op names, which a pattern may stand for: head/linear#0 has head/linear#0, head, linear.
static std::vector<StringRef> wordsOf(ArrayRef<StringRef> names) {
  std::vector<StringRef> words(names.begin(), names.end());
  for (StringRef name : names) {
    SmallVector<StringRef> parts;
    llvm::SplitString(name, parts, "/#.");
    words.insert(words.end(), parts.begin(), parts.end());
  }
  return words;
}

/// Warns of overrides and edits without a matching op: most likely a misspelled name. Lines on op
/// kinds in a policy file give no warning, because a file serves several models.
void AmpAssignPrecision::warnUnmatched() {
  SmallVector<Operation *> ops;
  llvm::SetVector<StringRef> names;
  getOperation()->walk([&](train::FuncOp func) {
    func.getBody().walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::IsTerminator>())
        return;
      ops.push_back(op);
      if (train::OriginAttr origin = originOf(op);
          origin && isa<PrecisionOpInterface>(op) && !origin.isUpdate())
        names.insert(origin.getName());
    });
  });
  if (ops.empty())
    return;
  auto shownNames = names.getArrayRef().take_front(6);
  for (const Override &line : table.overrides)
    if (llvm::none_of(ops, [&](Operation *op) { return line.matches(op); }))
      getOperation()->emitWarning()
          << "expected an op whose name matches \"" << line.pattern << "\", but of the "
          << names.size() << " names none does: " << llvm::join(shownNames, ", ")
          << (names.size() > shownNames.size() ? ", ... (--explain-precision shows all)" : "")
          << didYouMean(line.pattern, wordsOf(names.getArrayRef()));
  for (const std::string &edit : edits)
    for (StringRef word : PolicyTable::wordsOf(edit))
      if (llvm::none_of(ops, [&](Operation *op) { return PolicyTable::matches(word, op); }))
        getOperation()->emitWarning()
            << "expected an op of the model for the edit " << edit << ", but no op is a " << word;
}

/// Warning for f16 or bf16 parameters without master weights; with a profile, checkParameter names
/// the parameters and the share of lost updates instead.
void AmpAssignPrecision::warnOfLostUpdates(train::ModelOp model, const WorkingCopies &copies) {
  bool saysNothing = llvm::any_of(model.getOps<train::FuncOp>(), [](train::FuncOp func) {
    return func.is(train::Role::Train) && !func->hasAttr("amp.weight_rounding");
  });
  if (masterWeights || measured || copies.empty() || !saysNothing)
    return;
  auto type = cast<FloatType>(copies.begin()->second);
  model.emitWarning() << "without master weights, " << type << " loses updates of less than "
                      << lostShareOf(type)
                      << " of a weight: weight_rounding = \"stochastic\" on the step preserves "
                         "small updates on average, \"nearest\" silences this warning";
}

LogicalResult AmpAssignPrecision::checkProfile(train::ModelOp model) {
  if (!measured)
    return success();
  auto wrong = [&](const Twine &what) -> LogicalResult {
    return model.emitError() << "expected a profile of this model in " << profile << ", but "
                             << what;
  };
  if (model.getSymName() != measured->model)
    return wrong("the profile is of @" + measured->model);
  SymbolTable states(model);
  for (const StepProfile &known : measured->steps) {
    auto programs = model.getOps<train::FuncOp>();
    auto program = llvm::find_if(programs, [&](train::FuncOp func) {
      return func.is(train::Role::Train) && func.getStepName() == known.step;
    });
    if (program == programs.end())
      return wrong("the model lacks the profile's step @" + known.step);
    if (std::optional<std::string> difference = known.mismatch(*program))
      return wrong(*difference);
    for (const ParameterProfile &parameter : known.parameters)
      if (failed(checkParameter(states, parameter, wrong)))
        return failure();
  }
  return success();
}

/// Small updates vanish without master weights; the profile has the share of lost updates per
/// parameter.
LogicalResult AmpAssignPrecision::checkParameter(const SymbolTable &states,
                                                 const ParameterProfile &parameter,
                                                 function_ref<LogicalResult(const Twine &)> wrong) {
  auto declared = states.lookup<train::ParamOp>(parameter.name);
  if (!declared)
    return wrong("the model lacks the profile's parameter @" + parameter.name);
  double lost = parameter.lostShare(*findFormat(low));
  if (!masterWeights && lost > profileFlushed)
    declared.emitWarning() << "without master weights, " << low << " loses "
                           << llvm::formatv("{0:f1}", 100 * lost)
                           << " % of the updates that the profile has of @" << parameter.name;
  return success();
}

/// Profile of the program's step. Evaluations and exports compute values of a step's forward pass
/// and take the profile that knows most of their values.
const StepProfile *AmpAssignPrecision::profileOf(train::FuncOp func) const {
  if (!measured)
    return nullptr;
  if (StringRef step = func.getStepName(); !step.empty())
    return measured->find(step);
  const StepProfile *best = nullptr;
  int64_t most = 0;
  for (const StepProfile &known : measured->steps) {
    int64_t count = llvm::count_if(
        keyValues(func), [&](const KeyedValue &keyed) { return known.find(keyed.key) != nullptr; });
    if (count > most) {
      most = count;
      best = &known;
    }
  }
  return best;
}

/// Steps with a common scaler use a single scale: the smallest of the scales the profiles allow,
/// within the scaler's limits.
double AmpAssignPrecision::scaleOf(train::FuncOp func, const StepProfile *known) const {
  if (!known || !low.isF16())
    return 1;
  bool weights = chosen->roundsWeightGradients();
  double scale = known->lossScale(weights);
  auto scaler = func->getAttrOfType<FlatSymbolRefAttr>("amp.scaler");
  if (!scaler)
    return scale;
  auto model = func->getParentOfType<train::ModelOp>();
  for (auto other : model.getOps<train::FuncOp>())
    if (const StepProfile *also = measured->find(other.getStepName());
        also && other->getAttr("amp.scaler") == scaler)
      scale = std::min(scale, also->lossScale(weights));
  auto declared = model.lookupSymbol<amp::ScalerOp>(scaler.getAttr());
  return declared ? declared.getScaling().withinLimits(scale) : scale;
}

/// An op of the model occurs in several programs; each warning is emitted once.
void AmpAssignPrecision::warn(const PrecisionAnalysis &facts) {
  for (auto &[location, text] : facts.getWarnings())
    if (warned.insert({location, StringAttr::get(&getContext(), text)}).second)
      mlir::emitWarning(location) << text;
}

/// Policy table for comparing costs: the table of the policy that moves the fewest bytes, with the
/// user's overrides.
PolicyTable AmpAssignPrecision::tableOfCosts() const {
  if (chosen->movesFewestBytes())
    return table;
  PolicyTable cheapest = cheapestPolicy().table(low);
  cheapest.overrides = table.overrides;
  return cheapest;
}

LogicalResult AmpAssignPrecision::assign(train::FuncOp func, WorkingCopies &copies) {
  guardQuotients(func, low);
  const StepProfile *known = profileOf(func);
  PrecisionAnalysis facts(func, low, table, known, scaleOf(func, known));
  warn(facts);
  if (!chosen->keepsValuesFull())
    facts.forceMisfits();
  markContractions(facts, mode);
  assignProducts(func, low, table, explain);
  bool narrow =
      llvm::any_of(facts.ops, [&](Operation *op) { return facts.lowOf(op) != facts.f32; });
  if (!narrow)
    return success();
  FailureOr<Assignment> assignment = chosen->assign(facts);
  if (failed(assignment))
    return failure();
  bool explainsCosts = explain && chosen->movesFewestBytes();
  for (auto update : func.getBody().front().getOps<train::UpdateOp>())
    if (update->hasAttr(amp::DecisionAttr::key)) // the decision on the rule's products says more
      assignment->reasons.erase(update);
  if (costs || explainsCosts)
    noteCosts(func, low, tableOfCosts(), explainsCosts);
  if (explain)
    explainOps(facts, *assignment);
  roundOnce(facts, *assignment);
  emitAssignment(facts, *assignment, copies);
  return success();
}
