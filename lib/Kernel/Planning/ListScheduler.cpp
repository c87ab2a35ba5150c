// Order of the kernels in a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Planning/ListScheduler.h"
#include "lib/Kernel/Planning/MicroBatches.h"
#include "mlir-dialects/Kernel/Exchange.h"
#include <deque>
#include <set>

using namespace mlir;
using namespace ampc;

void ampc::findConsumers(Value value, SmallVectorImpl<Operation *> &consumers) {
  for (Operation *user : value.getUsers())
    if (auto view = dyn_cast<kernel::ViewOp>(user))
      findConsumers(view, consumers);
    else if (!llvm::is_contained(consumers, user))
      consumers.push_back(user);
}

bool ampc::readsAhead(KernelOpInterface op, const Target &target) {
  auto fused = dyn_cast<kernel::FusedReductionOp>(*op);
  auto kernel = dyn_cast<FusedKernelOpInterface>(fused ? *fused.getKernel() : *op);
  return kernel && target.isDevice() && !isa<kernel::MapOp>(*kernel);
}

// A single cache line, in bytes.
static constexpr int64_t smallGrowth = 64;

/// A walk over users costs little: overwrites are near the end of a program, where few ops follow.
bool ScheduleEdges::add(ArrayRef<Operation *> before, Operation *after) {
  llvm::SmallPtrSet<Operation *, 32> targets(before.begin(), before.end()), seen;
  SmallVector<Operation *> stack{after};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    if (targets.contains(op))
      return false;
    if (!seen.insert(op).second)
      continue;
    llvm::append_range(stack, op->getUsers());
    if (auto more = edges.find(op); more != edges.end())
      llvm::append_range(stack, more->second);
  }
  for (Operation *op : before)
    edges[op].push_back(after);
  return true;
}

namespace ampc {
/// List scheduling, micro-batch after micro-batch, in the given order, with two exceptions: ops
/// that are no kernels are emitted at once, and so are kernels that grow the arena by at most
/// `smallGrowth` bytes. Updates of parameters thus end the liveness of gradients early; the scalars
/// that updates need are worth a few bytes. A kernel that frees as much as its result takes, but
/// cannot write the result over the input whose liveness ends, comes after the others, which may
/// free a buffer for the result. Example: the gradient of a weight, which frees an activation,
/// comes before the product that makes the next cotangent. Exchanges between ranks start as soon as
/// possible and are awaited, in the order of their starts, when no other kernel is ready: kernels
/// run beside them.
class Scheduler {
public:
  Scheduler(ScheduleEdges &order, Block &block, const DenseSet<Value> &outsideArena,
            const Target &target)
      : order(order), block(block), outsideArena(outsideArena), target(target),
        microBatches(block) {}
  void run();

private:
  SmallVector<Operation *> initialOrder();
  void prepare();
  void emit(Operation *op);
  void release(Operation *op);
  /// Set of kernels that the kernel, ready to run, waits in.
  std::set<unsigned> &setOf(Operation *op);
  unsigned takeNext();
  /// Arena bytes of the results.
  int64_t resultBytes(Operation *op);
  /// Arena bytes after the kernel minus arena bytes before.
  int64_t arenaGrowth(Operation *op);
  bool inArena(Value value) const {
    return value.getDefiningOp<KernelOpInterface>() && !outsideArena.contains(value);
  }
  SmallVector<Value> buffersReadBy(Operation *op) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands())
      if (Value buffer = kernel::throughViews(operand);
          inArena(buffer) && !llvm::is_contained(buffers, buffer))
        buffers.push_back(buffer);
    return buffers;
  }

  ScheduleEdges &order;
  Block &block;
  const DenseSet<Value> &outsideArena;
  const Target &target;
  MicroBatches microBatches;
  DenseMap<Operation *, unsigned> number, waiting;
  DenseMap<Value, unsigned> unread;
  SmallVector<Operation *> ops, sorted;
  /// Kernels ready to run, most urgent first: those that shrink the arena or grow it by a few
  /// bytes, those that free as much as their result takes but need another buffer, all others.
  std::set<unsigned> eager, keeping, ready;
  std::deque<unsigned> waits; ///< ready waits, in the order of their starts
};
} // namespace ampc

/// Order before scheduling: micro-batch after micro-batch, in the order of the block, but
/// recomputed kernels stand before their first consumer. Fusion moves kernels behind others, and a
/// recomputed kernel, which waits for nothing but an input, would run too early:
///
///   forward, cast of x (again), backward 2, backward 1 of x  ->  forward, backward 2, cast of x,
///   ...
SmallVector<Operation *> Scheduler::initialOrder() {
  SmallVector<Operation *> given;
  DenseMap<Operation *, std::pair<std::pair<int64_t, int64_t>, size_t>> places;
  for (Operation &op : block.without_terminator())
    given.push_back(&op);
  for (size_t i = given.size(); i-- > 0;) {
    std::pair place(microBatches.placeOf(given[i]), i), first(place.first, given.size());
    for (Operation *user : given[i]->getUsers())
      if (auto known = places.find(user); known != places.end())
        first = std::min(first, known->second);
    bool isLate = given[i]->hasAttr("kernel.recompute") || !isa<KernelOpInterface>(given[i]);
    places[given[i]] = isLate ? first : place;
  }
  llvm::stable_sort(given, [&](Operation *a, Operation *b) { return places.at(a) < places.at(b); });
  return given;
}

void Scheduler::prepare() {
  ops = initialOrder();
  for (auto [i, op] : llvm::enumerate(ops)) {
    number[op] = i;
    waiting[op] = 0;
    for (Value result : op->getResults()) {
      SmallVector<Operation *> consumers;
      findConsumers(result, consumers);
      unread[result] = consumers.size();
    }
  }
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      waiting[op] += operand.getDefiningOp() != nullptr;
    for (Operation *after : order.edges.lookup(op))
      ++waiting[after];
  }
}

int64_t Scheduler::resultBytes(Operation *op) {
  int64_t bytes = 0;
  for (Value result : op->getResults())
    if (inArena(result))
      bytes += kernel::byteSize(result.getType());
  return bytes;
}

int64_t Scheduler::arenaGrowth(Operation *op) {
  int64_t bytes = resultBytes(op);
  for (Value buffer : buffersReadBy(op))
    if (unread[buffer] == 1)
      bytes -= kernel::byteSize(buffer.getType());
  return bytes;
}

void Scheduler::release(Operation *op) {
  if (!isa<KernelOpInterface>(op))
    emit(op);
  else if (isa<kernel::WaitOp>(op))
    waits.push_back(number[op]);
  else
    setOf(op).insert(number[op]);
}

std::set<unsigned> &Scheduler::setOf(Operation *op) {
  int64_t bytes = arenaGrowth(op);
  if (bytes > smallGrowth && !isa<kernel::StartOp>(op))
    return ready;
  bool needsBuffer = bytes >= -smallGrowth && resultBytes(op) > smallGrowth;
  return needsBuffer && readsAhead(cast<KernelOpInterface>(op), target) ? keeping : eager;
}

void Scheduler::emit(Operation *op) {
  sorted.push_back(op);
  if (isa<KernelOpInterface>(op))
    for (Value buffer : buffersReadBy(op))
      if (--unread[buffer] == 1) {
        SmallVector<Operation *> consumers;
        findConsumers(buffer, consumers);
        for (Operation *consumer : consumers)
          if (auto it = number.find(consumer);
              it != number.end() && (ready.erase(it->second) || keeping.erase(it->second)))
            setOf(consumer).insert(it->second);
      }
  for (Value result : op->getResults()) {
    SmallVector<unsigned> users;
    for (Operation *user : result.getUsers())
      if (auto it = number.find(user); it != number.end())
        users.push_back(it->second);
    llvm::sort(users); // the text form does not keep the order of uses
    for (unsigned user : users)
      if (--waiting[ops[user]] == 0)
        release(ops[user]);
  }
  for (Operation *after : order.edges.lookup(op))
    if (--waiting[after] == 0)
      release(after);
}

/// Removes and returns a kernel of the earliest micro-batch, the first of the most urgent kind, or
/// the first wait if there is no kernel.
unsigned Scheduler::takeNext() {
  std::set<unsigned> *from = nullptr;
  auto placeOf = [&](const std::set<unsigned> &set) {
    return microBatches.placeOf(ops[*set.begin()]);
  };
  for (std::set<unsigned> *set : {&eager, &keeping, &ready})
    if (!set->empty() && (!from || placeOf(*set) < placeOf(*from)))
      from = set;
  if (!from) {
    unsigned wait = waits.front();
    waits.pop_front();
    return wait;
  }
  unsigned next = *from->begin();
  from->erase(from->begin());
  return next;
}

void Scheduler::run() {
  prepare();
  auto first = llvm::filter_to_vector(ops, [&](Operation *op) { return waiting[op] == 0; });
  for (Operation *op : first)
    release(op);
  while (sorted.size() < ops.size())
    emit(ops[takeNext()]);
  for (Operation *op : sorted)
    op->moveBefore(block.getTerminator());
}

void ScheduleEdges::sort(Block &block, const DenseSet<Value> &outsideArena, const Target &target) {
  Scheduler(*this, block, outsideArena, target).run();
}
