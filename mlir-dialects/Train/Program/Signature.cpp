// Access, insertion and verification of the arguments and results of a program by role.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Program/MixedRows.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

StringAttr Signature::stateArgument(unsigned i) {
  auto is = argument<StateAttr>(i);
  return is ? is.getName() : StringAttr();
}
StringAttr Signature::stateResult(unsigned i) {
  auto is = result<StateAttr>(i);
  return is ? is.getName() : StringAttr();
}

bool Signature::isOutput(unsigned i, Output kind) {
  auto is = result<OutputAttr>(i);
  return is && is.getKind() == kind;
}

BlockArgument Signature::findState(StringRef name) {
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (auto is = argument<StateAttr>(i); is && is.getName() == name)
      return program.getArgument(i);
  return {};
}

BlockArgument Signature::findControl(Control control) {
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (auto is = argument<ControlAttr>(i); is && is.getValue() == control)
      return program.getArgument(i);
  return {};
}

static DictionaryAttr attributesOf(Attribute is) {
  Builder builder(is.getContext());
  return builder.getDictionaryAttr(builder.getNamedAttr(Signature::key, is));
}

BlockArgument Signature::insertArgument(unsigned position, Type type, Attribute is, Location loc) {
  [[maybe_unused]] LogicalResult done =
      program.insertArgument(position, type, attributesOf(is), loc);
  assert(succeeded(done) && "types of programs take any argument");
  return program.getArgument(position);
}

BlockArgument Signature::addState(StringRef name, Type type, Location loc) {
  if (BlockArgument known = findState(name))
    return known;
  unsigned position = 0;
  while (position < program.getNumArguments() && argument<StateAttr>(position))
    ++position;
  return insertArgument(position, type, state(name), loc);
}

BlockArgument ampc::programArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  bool isOfProgram =
      argument && isa_and_nonnull<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return isOfProgram ? argument : BlockArgument();
}

static RankedTensorType typeOf(Control control, MLIRContext *context) {
  Builder b(context);
  return RankedTensorType::get({}, control == Control::Valid ? Type(b.getI32Type())
                                                             : Type(b.getF32Type()));
}

BlockArgument Signature::addControl(Control control) {
  MLIRContext *context = program.getContext();
  return insertArgument(program.getNumArguments(), typeOf(control, context),
                        ControlAttr::get(context, control), program.getLoc());
}

void Signature::addResult(Value value, Attribute is) {
  Operation *ret = body().getTerminator();
  ret->insertOperands(ret->getNumOperands(), value);
  [[maybe_unused]] LogicalResult done =
      program.insertResult(program.getNumResults(), value.getType(), attributesOf(is));
  assert(succeeded(done) && "types of programs take any result");
}

void Signature::addOutput(Value value, Output kind) {
  addResult(value, OutputAttr::get(program.getContext(), kind, StringAttr(), -1));
}

void Signature::eraseResult(unsigned i) {
  body().getTerminator()->eraseOperand(i);
  [[maybe_unused]] LogicalResult done = program.eraseResult(i);
  assert(succeeded(done) && "types of programs go without any result");
}

void Signature::updateType() {
  program.setType(FunctionType::get(program.getContext(), body().getArgumentTypes(),
                                    body().getTerminator()->getOperandTypes()));
}

StateAttr Signature::state(StringRef name) {
  return StateAttr::get(program.getContext(), FlatSymbolRefAttr::get(program.getContext(), name));
}

// ---- Verification ----

LogicalResult InputAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                                int64_t batch, int64_t part, int64_t limit, int64_t ignore,
                                int64_t least, bool, ArrayAttr runs) {
  if (name.empty())
    return emitError() << "expected an input with a name";
  if (batch < -1)
    return emitError() << "expected a dimension as batch, or -1, but got " << batch;
  if (part < 0 || limit < 0)
    return emitError() << "expected part and limit of at least 0, but got " << part << " and "
                       << limit;
  if (least > 0)
    return emitError() << "expected a least element of at most 0, but got " << least;
  if (runs && (limit || runs.empty() || !llvm::all_of(runs, llvm::IsaPred<LimitsAttr>)))
    return emitError() << "expected runs of #train.limits without a limit, but got " << runs
                       << " and " << limit;
  return success();
}

LogicalResult LimitsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count,
                                 int64_t limit, int64_t ignore, int64_t least) {
  // A row has no more elements than a tensor; sums of counts do not wrap.
  if (count < 1 || count > int64_t(1) << 40)
    return emitError() << "expected a count of 1 to 2^40, but got " << count;
  if (limit < 0 || least > 0)
    return emitError()
           << "expected a limit of at least 0 and a least element of at most 0, but got " << limit
           << " and " << least;
  return success();
}

InputAttr InputAttr::withRuns(ArrayRef<LimitsAttr> runs) const {
  if (runs.size() > 1)
    return get(getName(), getBatch(), getPart(), 0, 0, 0, getWithoutSign(),
               ArrayAttr::get(getContext(), SmallVector<Attribute>(runs.begin(), runs.end())));
  return get(getName(), getBatch(), getPart(), runs[0].getLimit(), runs[0].getIgnore(),
             runs[0].getLeast(), getWithoutSign());
}

LogicalResult OutputAttr::verify(function_ref<InFlightDiagnostic()> emitError, Output kind,
                                 StringAttr name, int64_t batch) {
  bool hasName = kind == Output::Named || kind == Output::Observed;
  if (hasName != (name && !name.empty()))
    return emitError() << "expected " << (hasName ? "a" : "no") << " name of an output that is "
                       << stringifyOutput(kind);
  if (batch != -1 && batch != 0)
    return emitError() << "expected batch = 0, but got " << batch;
  return success();
}

std::string OutputAttr::publicName(Output kind, StringRef name) {
  switch (kind) {
  case Output::Loss:
    return "loss";
  case Output::Norm:
    return "grad_norm";
  case Output::Rate:
    return "learning_rate";
  case Output::Nonfinite:
    return "nonfinite";
  case Output::Named:
    return name.str();
  case Output::Observed:
    return "observed:" + name.str();
  }
  llvm_unreachable("all kinds are covered");
}

/// A misspelt attribute would be without effect.
static LogicalResult verifyKey(Operation *op, NamedAttribute attribute, StringRef where,
                               unsigned index) {
  if (attribute.getName() != Signature::key) // 5.
    return op->emitOpError() << "expected train.is of " << where << " " << index << ", but got "
                             << attribute.getName().getValue();
  return success();
}

static LogicalResult verifyControl(Operation *op, Control control, Type type, unsigned index) {
  RankedTensorType expected = typeOf(control, op->getContext());
  if (type != expected) // 1.
    return op->emitOpError() << "expected type " << expected << " of argument " << index
                             << ", which is " << stringifyControl(control) << ", but got " << type;
  return success();
}

/// Runs of an input are cut along the leading dimension.
static LogicalResult verifyInput(FunctionOpInterface program, InputAttr input, unsigned index) {
  auto type = dyn_cast<RankedTensorType>(program.getArgumentTypes()[index]);
  int64_t dims = !type ? 0
                 : cast<ProgramOpInterface>(*program).getRole()
                     ? std::min<int64_t>(1, type.getRank())
                     : type.getRank();
  if (input.getBatch() >= dims) // 6.
    return program->emitOpError() << "expected the batch of input " << input.getName()
                                  << " to be a dimension below " << dims << " of "
                                  << program.getArgumentTypes()[index] << ", but got "
                                  << input.getBatch();
  if (!input.getRuns())
    return success();
  int64_t row = type.getNumElements(), covered = 0;
  if (input.isBatched())
    row /= type.getDimSize(input.getBatch());
  for (auto run : input.getRuns().getAsRange<LimitsAttr>())
    covered += run.getCount();
  if (row % covered) // 8.
    return program->emitOpError() << "expected runs of input " << input.getName()
                                  << " that fill a row of " << row
                                  << " elements some number of times, but the runs have "
                                  << covered;
  return success();
}

LogicalResult TrainDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                     NamedAttribute attribute) {
  if (failed(verifyKey(op, attribute, "argument", index)))
    return failure();
  if (!isa<StateAttr, InputAttr, ControlAttr>(attribute.getValue())) // 6.
    return op->emitOpError() << "expected #train.state, #train.input or #train.control as argument "
                             << index << ", but got " << attribute.getValue();
  return success();
}

LogicalResult TrainDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                        NamedAttribute attribute) {
  if (failed(verifyKey(op, attribute, "result", index)))
    return failure();
  if (!isa<StateAttr, OutputAttr, GradientAttr>(attribute.getValue())) // 7.
    return op->emitOpError() << "expected #train.state, #train.output or #train.gradient as result "
                             << index << ", but got " << attribute.getValue();
  return success();
}

LogicalResult ampc::verifySignature(FunctionOpInterface program) {
  Signature signature(program);
  llvm::DenseSet<StringAttr> states;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    if (auto control = signature.argument<ControlAttr>(i);
        control &&
        failed(verifyControl(program, control.getValue(), program.getArgumentTypes()[i], i)))
      return failure();
    if (auto input = signature.argument<InputAttr>(i);
        input && failed(verifyInput(program, input, i)))
      return failure();
    if (StringAttr name = signature.stateArgument(i); name && !states.insert(name).second) // 2.
      return program->emitOpError()
             << "expected one argument for state @" << name.getValue() << ", but got two";
  }
  if (auto self = cast<ProgramOpInterface>(*program); self.getStepAttr() && !self.getRole()) // 3.
    return program->emitOpError() << "expected the role of a program beside its step";
  for (NamedAttribute attribute : program->getDiscardableAttrs())
    if (attribute.getName().getValue().starts_with("train.") && attribute.getName() != Sizes::key &&
        !MixedRows::is(attribute)) // 4.
      return program->emitOpError()
             << "expected role, step, export_name, batch, short_batch, nonfinite, optimizer or "
                "groups, but got "
             << attribute.getName().getValue();
  return success();
}
