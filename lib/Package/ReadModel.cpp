// Reads state and programs from a module after `emit`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Escape.h"
#include "lib/Package/Hashes.h"
#include "lib/Package/Interface.h"
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelReader.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir-dialects/Train/Program/MixedRows.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

/// Working copies come last, since the set of working copies depends on the target.
LogicalResult ModelReader::readSlots(train::ModelOp model) {
  auto isWorking = [](StateOpInterface state) {
    return state.getStateRole() == train::StateRole::Working;
  };
  SmallVector<Operation *> ordered;
  for (bool working : {false, true})
    for (auto state : model.getOps<StateOpInterface>())
      if (isWorking(state) == working)
        ordered.push_back(state);
  for (Operation *declared : ordered) {
    Operation &op = *declared;
    auto state = cast<StateOpInterface>(op);
    auto offset = op.getAttrOfType<IntegerAttr>("kernel.offset");
    if (!offset)
      continue;
    FailureOr<TensorInfo> tensor = readTensor(&op, state.getSymName(), state.getType());
    if (failed(tensor))
      return failure();
    SlotInfo slot;
    slot.tensor = *tensor;
    slot.offset = offset.getInt();
    if (!state.getInit().getMissingFans().empty())
      return state->emitError() << "expected the fans of " << state.getInit()
                                << ", which train-resolve-fans finds";
    slot.init = state.getInit().getInitializer();
    LogicalLayout outside = logicalLayoutOf(state, symbols);
    if (!isWorking(state))
      slot.tensor.dims.assign(outside.shape.begin(), outside.shape.end());
    slot.tensor.memoryDims.assign(outside.dims.begin(), outside.dims.end());
    slot.tensor.memoryStrides.assign(outside.strides.begin(), outside.strides.end());
    if (slot.init.kind == Initializer::Data) {
      FailureOr<Array> value = files.read(state, ampc_dtype(slot.tensor.dtype));
      if (failed(value))
        return failure();
      slot.value = *value;
    }
    slot.role = roleOf(state);
    if (auto knob = dyn_cast<train::KnobOp>(op))
      slot.range = rangeOf(knob);
    slot.tensor.batched = isRowState(state);
    slotNumbers[slot.tensor.name] = result.slots.size();
    if (slot.role != AMPC_ROLE_GRADIENT && slot.role != AMPC_ROLE_WORKING)
      keptOffsets.insert(slot.offset);
    if (auto buffer = dyn_cast<train::BufferOp>(op);
        buffer && buffer.getRole() == train::StateRole::Step && buffer.getStep())
      counters[*buffer.getStep()] = result.slots.size();
    result.slots.push_back(std::move(slot));
  }
  return readSources(model);
}

/// A slot takes the first value of a slot with any number.
LogicalResult ModelReader::readSources(train::ModelOp model) {
  for (auto state : model.getOps<StateOpInterface>()) {
    StringAttr source = firstValueSource(state);
    int32_t s = source ? findSlot(state.getSymName()) : -1;
    if (s < 0)
      continue;
    int32_t from = findSlot(source.getValue());
    if (from < 0 || result.slots[from].tensor.dims != result.slots[s].tensor.dims ||
        result.slots[from].tensor.dtype != result.slots[s].tensor.dtype ||
        firstValueSource(cast<StateOpInterface>(model.lookupSymbol(source))))
      return state->emitError() << "expected the first value of a state of the same type with a "
                                   "first value of its own, but got @"
                                << source.getValue();
    result.slots[s].source = from;
  }
  return success();
}

/// Adds an input; parts of an input are consecutive arguments, contiguous in memory.
static LogicalResult addInput(kernel::ProgramOp program, const TensorInfo &tensor, int64_t part,
                              ampc_operand &place, ProgramInfo &info) {
  if (part == 0) {
    place.number = info.inputs.size();
    info.inputs.push_back(tensor);
    return success();
  }
  TensorInfo *whole = info.inputs.empty() ? nullptr : &info.inputs.back();
  if (!whole || tensor.dims.empty() || whole->name != tensor.name ||
      whole->bytes != part * tensor.bytes)
    return program.emitError() << "expected part " << part << " of input '" << tensor.name
                               << "' behind all earlier parts";
  place.number = info.inputs.size() - 1;
  place.offset = whole->bytes;
  whole->dims[0] += tensor.dims[0];
  whole->bytes += tensor.bytes;
  return success();
}

LogicalResult ModelReader::readArguments(kernel::ProgramOp program, ProgramInfo &info) {
  for (BlockArgument argument : program.getBody().getArguments()) {
    unsigned i = argument.getArgNumber();
    Signature signature(program);
    ampc_operand place = {AMPC_SPACE_STATE, 0, 0, 0};
    if (StringAttr state = signature.stateArgument(i)) {
      int32_t s = findSlot(state.getValue());
      if (s < 0)
        return program.emitError() << "expected planned state " << state << " of argument " << i;
      place.offset = result.slots[s].offset;
      if (result.slots[s].role == AMPC_ROLE_RANDOM) {
        place.number = AMPC_STATE_RANDOM;
        info.drawsRandom = true;
      }
    } else if (auto control = signature.argument<train::ControlAttr>(i)) {
      place.space = AMPC_SPACE_CONTROL;
      place.offset = offsetOf(control.getValue());
    } else if (auto input = signature.argument<train::InputAttr>(i)) {
      FailureOr<TensorInfo> tensor = readTensor(program, input.getName(), argument.getType());
      if (failed(tensor))
        return failure();
      tensor->batched = input.isBatched();
      tensor->labelLimit = input.getLimit();
      tensor->labelIgnore = input.getIgnore();
      tensor->labelLeast = input.getLeast();
      if (input.getRuns())
        for (auto run : input.getRuns().getAsRange<train::LimitsAttr>())
          llvm::append_values(tensor->labelRuns, run.getCount(), run.getLimit(), run.getIgnore(),
                              run.getLeast());
      if (input.getWithoutSign())
        tensor->dtype = AMPC_U8;
      place.space = AMPC_SPACE_INPUT;
      if (failed(addInput(program, *tensor, input.getPart(), place, info)))
        return failure();
    } else {
      return program.emitError() << "expected argument " << i
                                 << " to be state, an input or control";
    }
    argumentPlaces[argument] = place;
  }
  makeFieldsUnique(info.inputs);
  return success();
}

LogicalResult ModelReader::readResults(kernel::ProgramOp program, ProgramInfo &info) {
  bool isTraining = info.kind <= AMPC_PROGRAM_APPLY;
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    auto output = Signature(program).result<train::OutputAttr>(i);
    if (!output)
      continue;
    FailureOr<TensorInfo> tensor =
        readTensor(program, output.getPublicName(), program.getResultTypes()[i]);
    if (failed(tensor))
      return failure();
    using train::Output;
    int32_t number = info.outputs.size();
    Output kind = output.getKind();
    bool training = isTraining && kind != Output::Observed;
    if (training && !tensor->dims.empty())
      return program.emitError() << "expected output '" << tensor->name
                                 << "' of a training step to have rank 0";
    if (training && kind == Output::Loss)
      info.lossOutput = number;
    // Numbers of the loss function are consecutive, in the order of the function's results.
    if (training && kind == Output::Named)
      ++info.numberCount;
    if (training && kind == Output::Norm)
      info.normOutput = number;
    if (training && kind == Output::Rate)
      info.rateOutput = number;
    if (training && kind == Output::Nonfinite)
      info.nonfiniteOutput = number;
    tensor->batched = output.isBatched();
    info.outputs.push_back(*tensor);
  }
  makeFieldsUnique(info.outputs);
  return success();
}

/// Finds the entry after which the loss is known. State must not be written before, so that a
/// non-finite loss changes nothing.
LogicalResult ModelReader::findLoss(kernel::ProgramOp program, ProgramInfo &info) {
  if (info.lossOutput < 0)
    return success();
  int32_t number = 0;
  for (Operation &op : program.getBody().front().without_terminator()) {
    if (!isa<KernelOpInterface>(op))
      continue;
    ++number;
    bool known = info.lossReady >= 0;
    for (Value value : op.getResults()) {
      ampc_operand place = *placeOf(&op, value);
      if (place.space == AMPC_SPACE_OUTPUT && place.number == info.lossOutput)
        info.lossReady = number;
      if (!known && isKeptState(place))
        return op.emitError() << "expected the loss to be computed before any state is written";
    }
  }
  if (info.lossReady < 0)
    return program.emitError() << "expected a kernel that writes the loss";
  return success();
}

static std::string ruleName(Attribute optimizer) {
  StringRef name = optimizer.getAbstractAttribute().getName();
  name.consume_front("train.");
  return name.str();
}

/// Optimizers of a step, then of its groups. Example: "adamw, sgd of @b".
static std::string rulesOf(kernel::ProgramOp program) {
  if (!program.getOptimizerAttr())
    return "";
  std::string text = ruleName(program.getOptimizerAttr());
  if (ArrayAttr groups = program.getGroupsAttr())
    for (auto group : groups.getAsRange<train::GroupAttr>()) {
      text += ", " + ruleName(group.getOptimizer()) + " of";
      for (auto param : group.getParams().getAsRange<FlatSymbolRefAttr>())
        text += (" @" + param.getValue()).str();
    }
  return text;
}

LogicalResult ModelReader::readProgram(kernel::ProgramOp program) {
  std::optional<train::Role> role = program.getRole();
  std::optional<int32_t> kind = role ? programKindOf(*role) : std::nullopt;
  if (!kind)
    return program.emitError() << "expected the role of a program of a library";
  ProgramInfo info;
  info.kind = *kind;
  StringRef step = program.getStepName();
  info.step = step.str();
  std::string suffix = program.is(train::Role::Train) ? "train_step" : stringifyRole(*role).str();
  info.name = program.is(train::Role::Part)    ? program.getSymName().str()
              : program.getExportName()        ? program.getExportName()->str()
              : stepCount > 1 && !step.empty() ? (toIdentifier(step) + "_" + suffix)
                                               : suffix;
  if (!step.empty() && info.kind != AMPC_PROGRAM_EVAL) {
    auto counter = counters.find(step);
    info.stepSlot = counter == counters.end() ? -1 : counter->second;
    if (auto scale = program->getAttrOfType<FlatSymbolRefAttr>("amp.scale"))
      info.scaleSlot = findSlot(scale.getValue().str()); // several steps may share a scaler
  }
  if (info.kind == AMPC_PROGRAM_TRAIN)
    info.optimizer = rulesOf(program);
  if (auto mode = program.getNonfinite())
    info.nonfinite = int32_t(*mode);
  if (failed(readCount(program, "rows of the batch", program.getBatch().value_or(0), info.batch)))
    return failure();
  info.shortBatch = program.getShortBatch();
  info.mixing = MixedRows::of(program).str();
  info.arenaBytes = program.getArenaBytes().value_or(0);
  info.savedBytes = program.getSavedBytes().value_or(0);
  result.arenaBytes = std::max(result.arenaBytes, info.arenaBytes);
  if (failed(readArguments(program, info)) || failed(readResults(program, info)) ||
      failed(readEntries(program, info)) || failed(findLoss(program, info)))
    return failure();
  result.programs.push_back(std::move(info));
  return success();
}

/// Checks names: every name becomes part of a C identifier, and must not collide with the library's
/// functions.
LogicalResult ModelReader::checkNames(train::ModelOp model) {
  if (std::string expected = expectedName(result.name); !expected.empty())
    return model.emitError() << "expected a model name that is " << expected << ", but got '"
                             << result.name << "'";
  for (const SlotInfo &slot : result.slots)
    if (StringRef(slot.tensor.name).contains('\0')) // C names end at a zero byte
      return model.emitError() << "expected names without a zero byte, but got '"
                               << inComment(slot.tensor.name) << "'";
  llvm::StringSet<> taken = {"model", "state"};
  for (const FunctionInfo &function :
       llvm::concat<const FunctionInfo>(stateFunctions(), tensorFunctions()))
    taken.insert(function.name);
  for (const ProgramInfo &program : llvm::make_filter_range(result.programs, isPublic)) {
    if (toIdentifier(program.name) != program.name)
      return model.emitError() << "expected an export name that is a C identifier, but got '"
                               << program.name << "'";
    for (StringRef suffix : {"", "_in", "_out"})
      if (!taken.insert((program.name + suffix).str()).second)
        return model.emitError() << "expected another name for '" << program.name
                                 << "': the library has a function or type of that name";
  }
  return success();
}

FailureOr<ModelInfo> ModelReader::run() {
  auto models = module.getOps<train::ModelOp>();
  if (!llvm::hasSingleElement(models))
    return module.emitError() << "expected one train.model";
  train::ModelOp model = *models.begin();
  result.name = (publicName.empty() ? model.getSymName() : publicName).str();
  result.target = targetOf(module);
  if (!result.target)
    return failure();
  if (auto bytes = module->getAttrOfType<IntegerAttr>("kernel.state_bytes"))
    result.stateBytes = bytes.getInt();
  llvm::StringSet<> steps;
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (program.getStep())
      steps.insert(*program.getStep());
  stepCount = steps.size();
  module.walk([&](kernel::ConstantOp) { ++constantCount; });
  if (failed(readSlots(model)) || failed(readKernels(module, result)))
    return failure();
  auto programs = llvm::to_vector(module.getOps<kernel::ProgramOp>());
  std::stable_partition(programs.begin(), programs.end(), [](kernel::ProgramOp program) {
    return !program.is(train::Role::Derive) && !program.is(train::Role::Part);
  });
  for (auto [number, program] : llvm::enumerate(programs))
    programNumbers[program] = number;
  for (kernel::ProgramOp program : programs)
    if (failed(readProgram(program)))
      return failure();
  if (failed(checkNames(model)))
    return failure();
  setHashes(module, model, result);
  return std::move(result);
}

FailureOr<ModelInfo> ampc::readModel(ModuleOp module, StringRef name) {
  return ModelReader(module, name).run();
}
