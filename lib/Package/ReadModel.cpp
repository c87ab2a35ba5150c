// Reads state, programs and kernels from a module after `emit`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Escape.h"
#include "lib/Package/Hashes.h"
#include "lib/Package/Interface.h"
#include "lib/Package/Mirrors.h"
#include "lib/Package/TensorFiles.h"
#include "mlir-dialects/Kernel/Exchange.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir-dialects/Train/Program/MixedRows.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

namespace {
class Reader {
public:
  Reader(ModuleOp module, StringRef name) : module(module), publicName(name) {}
  FailureOr<ModelInfo> run();

private:
  LogicalResult readSlots(train::ModelOp model);
  LogicalResult readProgram(kernel::ProgramOp program);
  LogicalResult readArguments(kernel::ProgramOp program, ProgramInfo &info);
  LogicalResult readResults(kernel::ProgramOp program, ProgramInfo &info);
  LogicalResult readEntries(kernel::ProgramOp program, ProgramInfo &info);
  LogicalResult readOperands(KernelOpInterface op, ProgramInfo &info);
  LogicalResult readLaunch(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info);
  LogicalResult readCall(kernel::CallOp op, EntryInfo &entry, ProgramInfo &info);
  LogicalResult readExchange(Operation *op, EntryInfo &entry, ProgramInfo &info);
  LogicalResult readEntry(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info);
  LogicalResult readConstant(kernel::ConstantOp op);
  bool isKeptState(const ampc_operand &place);
  LogicalResult findLoss(kernel::ProgramOp program, ProgramInfo &info);
  FailureOr<ampc_operand> placeOf(Operation *user, Value value);
  LogicalResult checkNames(train::ModelOp model);
  int32_t findSlot(const Twine &name) {
    auto found = slotNumbers.find(name.str());
    return found == slotNumbers.end() ? -1 : found->second;
  }

  ModuleOp module;
  StringRef publicName;
  ModelInfo result;
  TensorFiles files;
  SymbolTableCollection symbols;
  llvm::StringMap<int32_t> slotNumbers;
  llvm::StringMap<int32_t> counters; ///< slots of the number of updates, by step
  llvm::DenseSet<int64_t> keptOffsets;
  DenseMap<Value, ampc_operand> argumentPlaces;
  DenseMap<Operation *, int32_t> programNumbers;
  DenseMap<Operation *, int32_t> exchangeNumbers; ///< of starts, over all programs
  unsigned stepCount = 0;
  int64_t constantCount = 0;
};
} // namespace

/// Working copies come last, since the set of working copies depends on the target.
LogicalResult Reader::readSlots(train::ModelOp model) {
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
  return success();
}

/// Copies a constant's bytes; an i1 takes a byte, unlike in MLIR's packed attributes.
LogicalResult Reader::readConstant(kernel::ConstantOp op) {
  auto places = op->getAttrOfType<ArrayAttr>("kernel.places");
  auto place =
      places && places.size() == 1 ? dyn_cast<kernel::PlaceAttr>(places[0]) : kernel::PlaceAttr();
  // Bounded by the number of ops: numbers start at 0 without gaps.
  if (!place || place.getNumber() < 0 || place.getNumber() >= constantCount)
    return op.emitError() << "expected a planned constant";
  size_t number = place.getNumber();
  std::string bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValueAttr())) {
    ArrayRef<char> data = resource.getData();
    bytes.assign(data.begin(), data.end());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(op.getValueAttr())) {
    if (dense.getElementType().isInteger(1)) {
      for (bool value : dense.getValues<bool>())
        bytes += char(value);
    } else {
      ArrayRef<char> data = dense.getRawData();
      for (int64_t i = 0; i < (dense.isSplat() ? dense.getNumElements() : 1); ++i)
        bytes.append(data.begin(), data.end());
    }
  }
  if (int64_t(bytes.size()) != kernel::byteSize(op.getType()))
    return op.emitError() << "expected a dense constant of " << kernel::byteSize(op.getType())
                          << " bytes, but got " << bytes.size();
  if (result.constants.size() <= number)
    result.constants.resize(number + 1);
  result.constants[number] = std::move(bytes);
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
                               << "' behind the parts before it";
  place.number = info.inputs.size() - 1;
  place.offset = whole->bytes;
  whole->dims[0] += tensor.dims[0];
  whole->bytes += tensor.bytes;
  return success();
}

LogicalResult Reader::readArguments(kernel::ProgramOp program, ProgramInfo &info) {
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

LogicalResult Reader::readResults(kernel::ProgramOp program, ProgramInfo &info) {
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

FailureOr<ampc_operand> Reader::placeOf(Operation *user, Value value) {
  value = kernel::throughViews(value);
  if (auto argument = argumentPlaces.find(value); argument != argumentPlaces.end())
    return argument->second;
  auto op = value.getDefiningOp();
  auto places = op ? op->getAttrOfType<ArrayAttr>("kernel.places") : ArrayAttr();
  unsigned number = op ? cast<OpResult>(value).getResultNumber() : 0;
  auto place = places && number < places.size() ? dyn_cast<kernel::PlaceAttr>(places[number])
                                                : kernel::PlaceAttr();
  if (!place)
    return user->emitError() << "expected every operand and result to have a place";
  return ampc_operand{int32_t(place.getSpace()), int32_t(place.getNumber()), place.getOffset(), 0};
}

LogicalResult Reader::readEntries(kernel::ProgramOp program, ProgramInfo &info) {
  for (Operation &op : program.getBody().front().without_terminator()) {
    if (auto constant = dyn_cast<kernel::ConstantOp>(op)) {
      if (failed(readConstant(constant)))
        return failure();
      continue;
    }
    if (isa<kernel::ViewOp>(op))
      continue;
    auto kernel = dyn_cast<KernelOpInterface>(op);
    if (!kernel)
      return op.emitError() << "expected a kernel, a view or a constant in a program, but got "
                            << op.getName();
    EntryInfo entry;
    entry.firstOperand = info.operands.size();
    entry.name = nameOf(&op);
    if (failed(readOperands(kernel, info)) || failed(readEntry(kernel, entry, info)))
      return failure();
    entry.operandCount = info.operands.size() - entry.firstOperand;
    for (Value value : op.getResults())
      entry.writesState |= isKeptState(*placeOf(&op, value));
    info.entries.push_back(std::move(entry));
  }
  return success();
}

/// Reads operands of the op, then results.
LogicalResult Reader::readOperands(KernelOpInterface op, ProgramInfo &info) {
  auto values = llvm::to_vector(llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                                    llvm::to_vector_of<Value>(op->getResults())));
  for (Value value : values) {
    FailureOr<ampc_operand> place = placeOf(op, value);
    if (failed(place))
      return failure();
    info.operands.push_back(*place);
  }
  if (op.getWorkspaceBytes() > 0 && !op->getAttrOfType<IntegerAttr>("kernel.workspace"))
    return op->emitError() << "expected a planned workspace";
  return success();
}

static ampc_operand workspaceOf(KernelOpInterface op) {
  auto offset = op->getAttrOfType<IntegerAttr>("kernel.workspace");
  return {AMPC_SPACE_ARENA, 0, offset ? offset.getInt() : 0, 0};
}

LogicalResult Reader::readLaunch(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info) {
  auto function = op->getAttrOfType<IntegerAttr>("kernel.function");
  if (!function || function.getInt() < 0 || function.getInt() >= int64_t(result.kernels.size()))
    return op->emitError() << "expected a kernel.function of the module";
  entry.number = function.getInt();
  if (ArrayRef<int64_t> starts = result.kernels[entry.number].starts; !starts.empty()) {
    SmallVector<int64_t> own = kernel::startsOf(op);
    if (own.size() != starts.size())
      return op->emitError() << "expected a kernel.function with " << own.size()
                             << " starts, but got one with " << starts.size();
    for (auto [i, start] : llvm::enumerate(own))
      info.operands[entry.firstOperand + i].offset += start - starts[i];
  }
  if (op.getWorkspaceBytes() > 0)
    info.operands.push_back(workspaceOf(op));
  return success();
}

/// Checked conversion: tables of the runtime count in 32 bits, where 2^32 rows would be 0.
static LogicalResult readCount(Operation *op, StringRef of, int64_t count, int32_t &result) {
  if (count > INT32_MAX)
    return op->emitError() << "expected at most " << INT32_MAX << " " << of << ", but got "
                           << count;
  result = int32_t(count);
  return success();
}

/// Reads a call. Operands that advance start at the slice of the first iteration. Workspace: a
/// further buffer per carried result, then the arena of the program.
LogicalResult Reader::readCall(kernel::CallOp op, EntryInfo &entry, ProgramInfo &info) {
  kernel::ProgramOp program = op.getProgram();
  entry.kind = AMPC_ENTRY_CALL;
  entry.number = programNumbers.lookup(program);
  if (failed(readCount(op, "runs of a call", op.getRuns(), entry.times)))
    return failure();
  entry.carried = op.getCarried();
  unsigned inputs = op.getInputs().size();
  ampc_operand *places = &info.operands[entry.firstOperand];
  for (unsigned i = 0; i < inputs + op.getNumResults(); ++i) {
    bool isInput = i < inputs;
    if (!(isInput ? op.moves(i) : op.gathers(i - inputs)))
      continue;
    Type slice = isInput ? program.getArgumentTypes()[i] : program.getResultTypes()[i - inputs];
    int64_t bytes = kernel::byteSize(slice);
    places[i].stride = op.getReverse() ? -bytes : bytes;
    if (op.getReverse())
      places[i].offset += bytes * (op.getRuns() - 1);
  }
  ampc_operand next = workspaceOf(op);
  for (int64_t i = 0; i < op.getCarried(); ++i) {
    info.operands.push_back(next);
    next.offset += alignUp(*result.target, kernel::byteSize(op.getResult(i).getType()));
  }
  info.operands.push_back(next);
  return success();
}

/// Reads a start, a wait or a rank. Engines keep the addresses of exchanges, so both tensors are in
/// memory of the state. A start is numbered over all programs; its operand and result advance by
/// the bytes of a piece from rank to rank.
LogicalResult Reader::readExchange(Operation *op, EntryInfo &entry, ProgramInfo &info) {
  ampc_operand *places = &info.operands[entry.firstOperand];
  if (isa<kernel::RankOp>(op)) {
    entry.kind = AMPC_ENTRY_RANK;
    return success();
  }
  auto wait = dyn_cast<kernel::WaitOp>(op);
  auto start = wait ? wait.getStart() : cast<kernel::StartOp>(op);
  if (!start)
    return op->emitError() << "expected the result of a kernel.start";
  entry.kind = wait ? AMPC_ENTRY_WAIT : AMPC_ENTRY_START;
  entry.number = exchangeNumbers.try_emplace(start, exchangeNumbers.size()).first->second;
  entry.times = start.getRanks();
  entry.carried = start.getScatter();
  auto type = RankedTensorType::get(start.getPieceElements(), start.getType().getElementType());
  for (int i = 0; i < 2; ++i) {
    places[i].stride = kernel::byteSize(type);
    if (places[i].space != AMPC_SPACE_ARENA && places[i].space != AMPC_SPACE_STATE)
      return op->emitError() << "expected an exchange of tensors in the arena or the state";
  }
  return success();
}

LogicalResult Reader::readEntry(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info) {
  if (auto call = dyn_cast<kernel::CallOp>(*op))
    return readCall(call, entry, info);
  return kernel::hasNoCode(op) ? readExchange(op, entry, info) : readLaunch(op, entry, info);
}

/// True if an operand is state that a non-finite loss must not change.
bool Reader::isKeptState(const ampc_operand &place) {
  return place.space == AMPC_SPACE_STATE && keptOffsets.contains(place.offset);
}

/// Finds the entry after which the loss is known. State must not be written before, so that a
/// non-finite loss changes nothing.
LogicalResult Reader::findLoss(kernel::ProgramOp program, ProgramInfo &info) {
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

LogicalResult Reader::readProgram(kernel::ProgramOp program) {
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
LogicalResult Reader::checkNames(train::ModelOp model) {
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

FailureOr<ModelInfo> Reader::run() {
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
  return Reader(module, name).run();
}
