// Memory plan: one block for state, one arena per program for all other results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Planning/FirstFit.h"
#include "lib/Kernel/Planning/ListScheduler.h"
#include "lib/Kernel/Planning/MicroBatches.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELPLAN
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using kernel::PlaceAttr;
using kernel::Space;

namespace {
class Arena {
public:
  Arena(kernel::ProgramOp program, BufferAssignment &assignment, const Target &target)
      : program(program), assignment(assignment), target(target) {}
  void run();

private:
  void reserveForCalls();
  void findBuffers();
  void addKernel(KernelOpInterface op, int64_t time);
  bool carriesInPlace(kernel::CallOp call);
  void assignCarried(kernel::CallOp call, int64_t time);
  int64_t lastRead(Value value, int64_t time) const;
  /// Buffer of an input whose liveness ends at `op`, if the result may reuse the buffer.
  std::optional<unsigned> reusableInput(KernelOpInterface op, OpResult result, int64_t time);
  void assignOffsets();
  void annotate();
  int64_t savedBytes() const;

  kernel::ProgramOp program;
  BufferAssignment &assignment;
  const Target &target;
  SmallVector<Buffer> buffers;
  DenseMap<Value, unsigned> bufferOf;
  DenseMap<Value, int64_t> offsetIn; ///< offset within a buffer of several values
  DenseMap<Operation *, unsigned> workspaceOf;
  DenseMap<Operation *, int64_t> timeOf;
  int64_t bytesWithoutReuse = 0, peak = 0;
};
} // namespace

/// Operand of `reductions` that is the given input of the inner kernel. Null if `reductions` reads
/// the buffer through another operand as well.
static Value operandOf(kernel::FusedReductionOp reductions, Value input) {
  Value operand = reductions.getInputs()[cast<BlockArgument>(input).getArgNumber()];
  auto isSame = [&](Value other) {
    return kernel::throughViews(other) == kernel::throughViews(operand);
  };
  return llvm::count_if(reductions.getInputs(), isSame) == 1 ? operand : Value();
}

std::optional<unsigned> Arena::reusableInput(KernelOpInterface op, OpResult result, int64_t time) {
  auto reductions = dyn_cast<kernel::FusedReductionOp>(*op);
  auto kernel = dyn_cast<FusedKernelOpInterface>(reductions ? *reductions.getKernel() : *op);
  if (!kernel || readsAhead(op, target) || result.getResultNumber() >= kernel->getNumResults())
    return {};
  for (OpOperand &input : inputsOf(kernel)) {
    Value operand = reductions ? operandOf(reductions, input.get()) : input.get();
    auto buffer = operand ? bufferOf.find(kernel::throughViews(operand)) : bufferOf.end();
    if (buffer != bufferOf.end() && buffers[buffer->second].last == time &&
        buffers[buffer->second].bytes == alignUp(target, kernel::byteSize(result.getType())) &&
        canWriteInPlace(kernel, kernel->getResult(result.getResultNumber()), input.get()))
      return buffer->second;
  }
  return {};
}

int64_t Arena::lastRead(Value value, int64_t time) const {
  SmallVector<Operation *> consumers;
  findConsumers(value, consumers);
  for (Operation *consumer : consumers)
    time = std::max(time, timeOf.lookup(consumer));
  return time;
}

/// Whether every run of the called program may write the carried results over the carried
/// arguments.
bool Arena::carriesInPlace(kernel::CallOp call) {
  Block &body = call.getProgram().getBody().front();
  for (int64_t i = 0; i < call.getCarried(); ++i) {
    Value value = kernel::throughViews(body.getTerminator()->getOperand(i));
    auto producer = value.getDefiningOp<FusedKernelOpInterface>();
    SmallVector<Operation *> consumers;
    findConsumers(body.getArgument(i), consumers);
    if (!producer || consumers != SmallVector<Operation *>{producer} ||
        !canWriteInPlace(producer, cast<OpResult>(value), body.getArgument(i)) ||
        assignment.places.contains(call->getResult(i)))
      return false;
  }
  return call.getCarried() > 0;
}

/// Whether the call reads the tensor by a single operand. A run that writes a carried value over
/// the initial value would otherwise change an input of later runs, or another carried value.
static bool readsOnce(kernel::CallOp call, Value tensor) {
  return llvm::count_if(call.getInputs(), [&](Value operand) {
           return kernel::throughViews(operand) == tensor;
         }) == 1;
}

/// Assigns carried values in place. The second buffers of carried values, at the front of the
/// workspace, coincide with the first buffers, and with the buffers of the initial values if those
/// hold no other value.
void Arena::assignCarried(kernel::CallOp call, int64_t time) {
  unsigned number = buffers.size();
  Buffer buffer{0, time, time};
  for (int64_t i = 0; i < call.getCarried(); ++i) {
    Value result = call->getResult(i), given = kernel::throughViews(call->getOperand(i));
    int64_t bytes = alignUp(target, kernel::byteSize(result.getType()));
    auto old = bufferOf.find(given);
    bool isOnly =
        old != bufferOf.end() && readsOnce(call, given) && buffers[old->second].last == time &&
        buffers[old->second].bytes == bytes && !buffers[old->second].tail &&
        llvm::count_if(bufferOf, [&](auto &other) { return other.second == old->second; }) == 1;
    if (isOnly) {
      buffer.first = std::min(buffer.first, buffers[old->second].first);
      buffers[old->second].bytes = 0;
      old->second = number;
      offsetIn[given] = buffer.bytes;
    }
    bufferOf[result] = number;
    offsetIn[result] = buffer.bytes;
    buffer.last = lastRead(result, buffer.last);
    buffer.bytes += bytes;
    bytesWithoutReuse += bytes;
  }
  buffer.tail = alignUp(target, call.getWorkspaceBytes()) - buffer.bytes;
  buffer.tailTime = time;
  bytesWithoutReuse += buffer.tail;
  workspaceOf[call] = number;
  buffers.push_back(buffer);
}

void Arena::addKernel(KernelOpInterface op, int64_t time) {
  if (auto call = dyn_cast<kernel::CallOp>(*op); call && carriesInPlace(call)) {
    assignCarried(call, time);
  } else if (int64_t bytes = op.getWorkspaceBytes()) {
    workspaceOf[op] = buffers.size();
    buffers.push_back({alignUp(target, bytes), time, time});
    bytesWithoutReuse += alignUp(target, bytes);
  }
  for (OpResult result : op->getResults()) {
    if (assignment.places.contains(result) || bufferOf.contains(result))
      continue;
    int64_t bytes = alignUp(target, kernel::byteSize(result.getType()));
    int64_t last = lastRead(result, time);
    bytesWithoutReuse += bytes;
    if (OpOperand *target = result.getResultNumber() ? nullptr : op.getOverwritten()) {
      Value table = kernel::throughViews(target->get());
      unsigned buffer = bufferOf.lookup(table);
      buffers[buffer].last = std::max(buffers[buffer].last, last);
      bufferOf[result] = buffer;
      offsetIn[result] = offsetIn.lookup(table);
      continue;
    }
    if (std::optional<unsigned> buffer =
            last > time ? reusableInput(op, result, time) : std::nullopt) {
      buffers[*buffer].last = last;
      bufferOf[result] = *buffer;
      continue;
    }
    bufferOf[result] = buffers.size();
    buffers.push_back({bytes, time, last});
  }
}

/// Adds the arenas of called programs to the workspace of the calls.
void Arena::reserveForCalls() {
  for (auto call : program.getBody().getOps<kernel::CallOp>()) {
    int64_t bytes = alignUp(target, call.getProgram().getArenaBytes().value_or(0));
    for (int64_t i = 0; i < call.getCarried(); ++i)
      bytes += alignUp(target, kernel::byteSize(call.getResult(i).getType()));
    call.setWorkspaceBytes(bytes);
  }
}

void Arena::findBuffers() {
  int64_t time = 0;
  for (auto op : program.getBody().getOps<KernelOpInterface>())
    timeOf[op] = time++;
  for (auto op : program.getBody().getOps<KernelOpInterface>())
    addKernel(op, timeOf[op]);
}

/// Assigns offsets from the largest buffer to the smallest, each at the lowest offset free during
/// the liveness.
void Arena::assignOffsets() {
  auto order = llvm::map_to_vector(buffers, [](Buffer &buffer) { return &buffer; });
  llvm::stable_sort(order,
                    [](Buffer *a, Buffer *b) { return a->bytes + a->tail > b->bytes + b->tail; });
  FirstFit placed;
  for (Buffer *buffer : order) {
    placed.assign(*buffer);
    peak = std::max(peak, buffer->offset + buffer->bytes + buffer->tail);
  }
}

static bool hasForwardOp(Operation *kernel) {
  return originsOf(kernel).empty() ||
         llvm::any_of(originsOf(kernel), [](train::OriginAttr o) { return o.isForward(); });
}

/// Whether the value is a gradient from a loop over chunks of a loss, available before the loss of
/// all rows is.
static bool isGradientOfLoop(Value value) {
  auto call = value.getDefiningOp<kernel::CallOp>();
  if (!call)
    return false;
  Operation *end = call.getProgram().getBody().front().getTerminator();
  Value given = end->getOperand(cast<OpResult>(value).getResultNumber());
  Operation *source = kernel::throughViews(given).getDefiningOp();
  return source && !hasForwardOp(source);
}

/// Bytes of saved values: live from the forward to the backward pass when the loss is known. Sums
/// of gradients of earlier micro-batches do not count, because they wait for the update.
int64_t Arena::savedBytes() const {
  int64_t lossTime = timeOf.lookup(assignment.loss), bytes = 0;
  MicroBatches microBatches(*assignment.loss->getBlock());
  auto waitsForBackward = [&](Value value) {
    Operation *source = value.getDefiningOp();
    bool isSum =
        microBatches.of(source) < microBatches.of(assignment.loss) && !hasForwardOp(source);
    return timeOf.lookup(source) <= lossTime && lastRead(value, 0) > lossTime && !isSum &&
           !isGradientOfLoop(value);
  };
  llvm::DenseSet<unsigned> waiting;
  for (auto [value, buffer] : bufferOf)
    if (waitsForBackward(value) && waiting.insert(buffer).second)
      bytes += buffers[buffer].bytes;
  return bytes;
}

void Arena::annotate() {
  Builder builder(program);
  int64_t kernels = 0;
  for (auto op : program.getBody().getOps<KernelOpInterface>()) {
    ++kernels;
    SmallVector<Attribute> places;
    for (Value result : op->getResults()) {
      PlaceAttr home = assignment.places.lookup(result);
      places.push_back(
          home ? home
               : PlaceAttr::get(builder.getContext(), Space::arena, 0,
                                buffers[bufferOf[result]].offset + offsetIn.lookup(result)));
    }
    op->setAttr("kernel.places", builder.getArrayAttr(places));
    if (auto workspace = workspaceOf.find(op); workspace != workspaceOf.end())
      op->setAttr("kernel.workspace", builder.getI64IntegerAttr(buffers[workspace->second].offset));
    if (op == assignment.loss)
      program.setLossReady(kernels);
  }
  program.setArenaBytes(peak);
  program.setUnsharedBytes(bytesWithoutReuse);
  if (assignment.loss)
    program.setSavedBytes(savedBytes());
}

void Arena::run() {
  reserveForCalls();
  findBuffers();
  assignOffsets();
  annotate();
}

/// Assigns offsets to state. Gradients come last, since checkpoints leave them out.
static llvm::StringMap<int64_t> layOutState(ModuleOp module, const Target &target) {
  llvm::StringMap<int64_t> offsets;
  Builder builder(module);
  int64_t bytes = 0;
  for (bool gradients : {false, true})
    for (auto model : module.getOps<train::ModelOp>())
      for (auto state : model.getOps<StateOpInterface>()) {
        if ((state.getStateRole() == train::StateRole::Gradient) != gradients)
          continue;
        offsets[state.getSymName()] = bytes;
        state->setAttr("kernel.offset", builder.getI64IntegerAttr(bytes));
        bytes += alignUp(target, kernel::byteSize(state.getType()));
      }
  module->setAttr("kernel.state_bytes", builder.getI64IntegerAttr(bytes));
  return offsets;
}

/// Numbers constants; equal data gets one number and is stored once in the object.
static void numberConstants(ModuleOp module) {
  Builder builder(module);
  DenseMap<Attribute, int64_t> numbers;
  module.walk([&](kernel::ConstantOp op) {
    int64_t number = numbers.try_emplace(op.getValueAttr(), numbers.size()).first->second;
    Attribute place = PlaceAttr::get(op.getContext(), Space::constant, number, 0);
    op->setAttr("kernel.places", builder.getArrayAttr(place));
  });
}

/// Adds the program behind the programs that it calls.
static void addProgram(kernel::ProgramOp program, llvm::SetVector<Operation *> &order) {
  if (order.contains(program))
    return;
  for (auto call : program.getBody().getOps<kernel::CallOp>())
    addProgram(call.getProgram(), order);
  order.insert(program);
}

namespace {
struct KernelPlan : ampc::impl::KernelPlanBase<KernelPlan> {
  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    llvm::StringMap<int64_t> state = layOutState(getOperation(), *target);
    llvm::SetVector<Operation *> order;
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      addProgram(program, order);
    for (Operation *op : order) {
      auto program = cast<kernel::ProgramOp>(op);
      FailureOr<BufferAssignment> assignment = schedule(program, state, *target);
      if (failed(assignment))
        return signalPassFailure();
      Arena(program, *assignment, *target).run();
    }
    numberConstants(getOperation());
  }
};
} // namespace
