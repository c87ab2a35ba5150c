// Buffer assignment: new state written over the old state, outputs directly into the caller's
// memory, and copies where neither is possible.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "lib/Kernel/Planning/ListScheduler.h"
#include "mlir-dialects/Kernel/MultiMap.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace ampc;
using kernel::PlaceAttr;
using kernel::Space;

bool ampc::canWriteInPlace(FusedKernelOpInterface op, OpResult result, Value value) {
  value = kernel::throughViews(value);
  unsigned first = op->getNumOperands() - op.getInputMaps().size();
  for (OpOperand &operand : op->getOpOperands()) {
    if (kernel::throughViews(operand.get()) != value)
      continue;
    unsigned input = operand.getOperandNumber() - first;
    if (operand.getOperandNumber() < first || shapeOf(operand.get()) != shapeOf(result) ||
        getElementTypeOrSelf(value) != getElementTypeOrSelf(result) ||
        kernel::packingOf(result.getType()) ||
        normalized(mapAt(op.getInputMaps(), input), op.getSpace()) !=
            normalized(mapAt(op.getResultMaps(), result.getResultNumber()), op.getSpace()))
      return false;
    // A row kernel reads each row more than once; the epilogue of a product runs once per element.
    if (!isPointwise(op) && !isa<kernel::GemmOp>(*op))
      return false;
  }
  return true;
}

/// Whether a kernel.multi_map reads `value` only to compute, element by element, the result of the
/// same member.
static bool canMemberWriteInPlace(kernel::MultiMapOp op, OpResult result, Value value) {
  unsigned shared = op.getShared().size();
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    return kernel::throughViews(operand.get()) != value ||
           (operand.getOperandNumber() >= shared && op.memberOf(operand) == op.memberOf(result) &&
            getElementTypeOrSelf(value) == getElementTypeOrSelf(result));
  });
}
static bool canKernelWriteInPlace(KernelOpInterface op, OpResult result, Value value) {
  if (auto fused = dyn_cast<FusedKernelOpInterface>(*op))
    return canWriteInPlace(fused, result, value);
  auto members = dyn_cast<kernel::MultiMapOp>(*op);
  return members && canMemberWriteInPlace(members, result, value);
}

namespace {
class BufferAssigner {
public:
  BufferAssigner(kernel::ProgramOp program, const llvm::StringMap<int64_t> &state,
                 const Target &target)
      : program(program), block(program.getBody().front()), ret(block.getTerminator()),
        state(state), target(target) {}
  FailureOr<BufferAssignment> run();

private:
  StringAttr stateNameOf(unsigned result) { return Signature(program).stateResult(result); }
  bool isUnchanged(OpOperand &operand, StringRef name) {
    BlockArgument old = oldState.lookup(name);
    return old && kernel::throughViews(operand.get()) == old;
  }
  LogicalResult readSignature();
  void assignOutput(OpOperand &operand, unsigned number);
  void assignState(OpOperand &operand, StringRef name);
  bool overwrite(Value value, StringRef name);
  bool canOverwriteState(Value value, StringRef name);
  void copyInPlaceOperands();
  /// Inserts a kernel that copies the operand; the operand's owner then reads the copy.
  OpResult copy(OpOperand &operand);
  PlaceAttr place(Space space, int64_t number, int64_t offset) {
    return PlaceAttr::get(program.getContext(), space, number, offset);
  }

  kernel::ProgramOp program;
  Block &block;
  Operation *ret;
  const llvm::StringMap<int64_t> &state;
  const Target &target;
  llvm::StringMap<BlockArgument> oldState;
  ScheduleEdges order;
  BufferAssignment assignment;
};
} // namespace

LogicalResult BufferAssigner::readSignature() {
  auto known = [&](StringAttr name) -> LogicalResult {
    return !name || state.contains(name)
               ? success()
               : program.emitOpError() << "expected a declaration of state " << name;
  };
  for (BlockArgument arg : program.getArguments()) {
    StringAttr name = Signature(program).stateArgument(arg.getArgNumber());
    if (failed(known(name)))
      return failure();
    if (name)
      oldState[name] = arg;
  }
  llvm::StringMap<bool> written;
  for (unsigned i = 0; i < ret->getNumOperands(); ++i) {
    StringAttr name = stateNameOf(i);
    if (failed(known(name)))
      return failure();
    if (name && !written.try_emplace(name, true).second)
      return program.emitOpError() << "expected one new value of state " << name << ", but got two";
  }
  return success();
}

OpResult BufferAssigner::copy(OpOperand &operand) {
  OpBuilder builder(operand.getOwner());
  Value value = operand.get();
  Value copied = createPointwise(builder, value.getLoc(), cast<RankedTensorType>(value.getType()),
                                 value, [](ValueRange x) { return x[0]; });
  setOrigins(copied.getDefiningOp(), originsOf(kernel::throughViews(value)));
  operand.set(copied);
  return cast<OpResult>(copied);
}

void BufferAssigner::assignOutput(OpOperand &operand, unsigned number) {
  Value value = kernel::throughViews(operand.get());
  auto producer = value.getDefiningOp<KernelOpInterface>();
  if (!producer || producer.getOverwritten() || assignment.places.contains(value))
    value = copy(operand);
  assignment.places[value] = place(Space::output, number, 0);
}

/// Consumers of a value's buffer, without the kernel that takes over the buffer.
static SmallVector<Operation *> otherConsumers(Value value, Operation *overwriter) {
  SmallVector<Operation *> consumers;
  findConsumers(value, consumers);
  llvm::erase(consumers, overwriter);
  return consumers;
}

/// Whether `op` reads the value only as the operand that is updated in place.
static bool updatesInPlace(KernelOpInterface op, Value value) {
  OpOperand *target = op.getOverwritten();
  return target && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           return (kernel::throughViews(operand.get()) == value) == (&operand == target);
         });
}

/// Whether the kernel of `value` may write over the old value of the state, whatever operand the
/// kernel updates in place.
bool BufferAssigner::canOverwriteState(Value value, StringRef name) {
  auto producer = value.getDefiningOp<KernelOpInterface>();
  if (!producer || assignment.places.contains(value))
    return false;
  SmallVector<Operation *> before;
  if (BlockArgument old = oldState.lookup(name)) {
    findConsumers(old, before);
    bool reads = llvm::is_contained(before, producer);
    if (reads && !updatesInPlace(producer, old) &&
        !canKernelWriteInPlace(producer, cast<OpResult>(value), old))
      return false;
    llvm::erase(before, producer);
    llvm::erase(before, ret);
  }
  if (assignment.loss == producer)
    return false; // the loss is checked before state changes
  if (assignment.loss)
    before.push_back(assignment.loss);
  return order.add(before, producer);
}

/// Whether the kernel of `value` may write over the old value of the state. If that kernel updates
/// an operand in place that is not the old state, assigns the operand to the state's memory too,
/// and so on along the chain: a table may be updated by any number of scatter_rows, each on the
/// result of the op before.
bool BufferAssigner::overwrite(Value value, StringRef name) {
  SmallVector<Value> targets;
  while (canOverwriteState(value, name)) {
    auto producer = value.getDefiningOp<KernelOpInterface>();
    OpOperand *target = producer.getOverwritten();
    value = target ? kernel::throughViews(target->get()) : Value();
    if (!value || value == oldState.lookup(name)) {
      for (Value taken : targets)
        assignment.places[taken] = place(Space::state, 0, state.lookup(name));
      return true;
    }
    if (!order.add(otherConsumers(value, producer), producer))
      return false;
    targets.push_back(value);
  }
  return false;
}

/// In-place kernels whose result was not assigned to state or output: reuse the operand's arena
/// buffer if this is the last use, else copy the operand first.
void BufferAssigner::copyInPlaceOperands() {
  for (auto op : llvm::to_vector(block.getOps<KernelOpInterface>())) {
    OpOperand *target = op.getOverwritten();
    if (!target || assignment.places.contains(op->getResult(0)))
      continue;
    Value value = kernel::throughViews(target->get());
    if (!value.getDefiningOp<KernelOpInterface>() || assignment.places.contains(value) ||
        !updatesInPlace(op, value) || !order.add(otherConsumers(value, op), op))
      copy(*target);
  }
}

void BufferAssigner::assignState(OpOperand &operand, StringRef name) {
  Value value = kernel::throughViews(operand.get());
  // A copy has no consumer in the block, so at most two are needed (states may be exchanged in a
  // ring).
  while (!overwrite(value, name))
    value = copy(operand);
  assignment.places[value] = place(Space::state, 0, state.lookup(name));
}

FailureOr<BufferAssignment> BufferAssigner::run() {
  if (failed(readSignature()))
    return failure();
  unsigned outputs = 0;
  bool writesState = false;
  for (OpOperand &operand : ret->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    writesState |= stateNameOf(i) != nullptr;
    if (stateNameOf(i))
      continue;
    assignOutput(operand, outputs++);
    if (Signature(program).isOutput(i, train::Output::Loss))
      assignment.loss = kernel::throughViews(operand.get()).getDefiningOp();
  }
  if (!writesState)
    assignment.loss = nullptr;
  // All consumers of old state must exist before the first overwrite is ordered behind them.
  for (OpOperand &operand : ret->getOpOperands())
    if (StringAttr name = stateNameOf(operand.getOperandNumber());
        name && !isUnchanged(operand, name) &&
        !kernel::throughViews(operand.get()).getDefiningOp<KernelOpInterface>())
      copy(operand);
  for (OpOperand &operand : ret->getOpOperands())
    if (StringAttr name = stateNameOf(operand.getOperandNumber());
        name && !isUnchanged(operand, name))
      assignState(operand, name);
  copyInPlaceOperands();
  DenseSet<Value> outsideArena;
  for (auto &home : assignment.places)
    outsideArena.insert(home.first);
  order.sort(block, outsideArena, target);
  return std::move(assignment);
}

FailureOr<BufferAssignment> ampc::schedule(kernel::ProgramOp program,
                                           const llvm::StringMap<int64_t> &state,
                                           const Target &target) {
  return BufferAssigner(program, state, target).run();
}
