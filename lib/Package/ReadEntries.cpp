// Reads the entries of programs: constants, kernels, calls and exchanges, with their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelReader.h"
#include "mlir-dialects/Kernel/Exchange.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace ampc;

/// Copies a constant's bytes; an i1 takes a byte, unlike in MLIR's packed attributes.
LogicalResult ModelReader::readConstant(kernel::ConstantOp op) {
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

FailureOr<ampc_operand> ModelReader::placeOf(Operation *user, Value value) {
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

LogicalResult ModelReader::readEntries(kernel::ProgramOp program, ProgramInfo &info) {
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
LogicalResult ModelReader::readOperands(KernelOpInterface op, ProgramInfo &info) {
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

LogicalResult ModelReader::readLaunch(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info) {
  auto function = op->getAttrOfType<IntegerAttr>("kernel.function");
  if (!function || function.getInt() < 0 || function.getInt() >= int64_t(result.kernels.size()))
    return op->emitError() << "expected a kernel.function of the module";
  entry.number = function.getInt();
  if (ArrayRef<int64_t> starts = result.kernels[entry.number].starts; !starts.empty()) {
    SmallVector<int64_t> own = kernel::startsOf(op);
    if (own.size() != starts.size())
      return op->emitError() << "expected a kernel.function with " << own.size()
                             << " starts, but got a kernel.function with " << starts.size();
    for (auto [i, start] : llvm::enumerate(own))
      info.operands[entry.firstOperand + i].offset += start - starts[i];
  }
  if (op.getWorkspaceBytes() > 0)
    info.operands.push_back(workspaceOf(op));
  return success();
}

LogicalResult ampc::readCount(Operation *op, StringRef of, int64_t count, int32_t &result) {
  if (count > INT32_MAX)
    return op->emitError() << "expected at most " << INT32_MAX << " " << of << ", but got "
                           << count;
  result = int32_t(count);
  return success();
}

/// Reads a call. Operands that advance start at the slice of the first iteration. Workspace: a
/// further buffer per carried result, then the arena of the program.
LogicalResult ModelReader::readCall(kernel::CallOp op, EntryInfo &entry, ProgramInfo &info) {
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
LogicalResult ModelReader::readExchange(Operation *op, EntryInfo &entry, ProgramInfo &info) {
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

LogicalResult ModelReader::readEntry(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info) {
  if (auto call = dyn_cast<kernel::CallOp>(*op))
    return readCall(call, entry, info);
  return kernel::hasNoCode(op) ? readExchange(op, entry, info) : readLaunch(op, entry, info);
}

/// True if an operand is state that a non-finite loss must not change.
bool ModelReader::isKeptState(const ampc_operand &place) {
  return place.space == AMPC_SPACE_STATE && keptOffsets.contains(place.offset);
}
