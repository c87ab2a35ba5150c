// kernel.with_totals: the kernel, then the sums over what it has stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Common/Slices.h"
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/LaneGroup.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::tensorOf;

/// The result of the kernel whose elements a value of the body depends on; -1 if none.
static int resultOf(Value value, unsigned results) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() < results ? int(argument.getArgNumber()) : -1;
  int found = -1;
  for (Value operand : value.getDefiningOp()->getOperands())
    found = std::max(found, resultOf(operand, results));
  return found;
}

namespace {
class TotalsWriter {
public:
  explicit TotalsWriter(kernel::WithTotalsOp op)
      : op(op), kernel(op.getKernel()), results(kernel->getNumResults()), parts(op.getParts()) {}

  void emit(DeviceCode &code);
  void configure(const Chip &chip);
  int64_t workspaceBytes() {
    return ownWorkspace() + int64_t(op.getNumTotals()) * parts * int64_t(sizeof(double));
  }

private:
  int64_t ownWorkspace() { return llvm::alignTo(kernel.getWorkspaceBytes(), 64); }
  Operation *yield() { return op.getBody().front().getTerminator(); }
  Type typeOf(unsigned total) { return yield()->getOperand(total).getType(); }
  KernelPointers pointersOfKernel(const KernelPointers &pointers);
  /// A part of total `t` is in the workspace, in 8 bytes whatever its type.
  Value partsOf(DeviceEmitter &e, const KernelPointers &pointers, unsigned t) {
    return e.offset(pointers.workspace, ownWorkspace() + t * parts * int64_t(sizeof(double)));
  }
  void emitParts(DeviceCode &code, unsigned result, ArrayRef<unsigned> totals);
  Value sumOfParts(DeviceEmitter &e, Value from, Type type);
  void emitLast(DeviceCode &code);
  /// Of the elements [from, to), by a group.
  using Loads = llvm::function_ref<SmallVector<Value>(Value first, int64_t count)>;
  using Terms = llvm::function_ref<SmallVector<Value>(Value element)>;
  SmallVector<Value> sumOf(DeviceEmitter &e, LaneGroup &group, ArrayRef<Type> types, Value from,
                           Value to, Loads load, Terms terms);
  /// Elements of a part: whole vectors, but in the last.
  int64_t partLength(unsigned result) {
    int64_t elements = tensorOf(kernel->getResult(result)).getNumElements();
    return llvm::alignTo(llvm::divideCeil(elements, parts), ways);
  }
  /// Elements of it that a thread reads at once.
  int64_t vectorOf(unsigned result) {
    int64_t vector = ways;
    while (!target::startsAligned(op.getResult(result), vector))
      vector /= 2;
    return vector;
  }
  static constexpr int64_t ways = 4, lastThreads = 256;

  kernel::WithTotalsOp op;
  KernelOpInterface kernel;
  unsigned results;
  int64_t parts;
};
} // namespace

KernelPointers TotalsWriter::pointersOfKernel(const KernelPointers &pointers) {
  KernelPointers own = pointers;
  own.operands.clear();
  for (Value operand : op.getKernel()->getOperands())
    own.operands.push_back(pointers.operands[cast<BlockArgument>(operand).getArgNumber()]);
  own.results.truncate(results);
  return own;
}

/// Four neighbouring elements at a time, each of which has a sum.
SmallVector<Value> TotalsWriter::sumOf(DeviceEmitter &e, LaneGroup &group, ArrayRef<Type> types,
                                       Value from, Value to, Loads load, Terms terms) {
  unsigned count = types.size();
  int64_t step = ways * group.width;
  SmallVector<Value> sums;
  for (int64_t way = 0; way < ways; ++way)
    for (Type type : types)
      sums.push_back(e.constant(type, 0));
  auto addTerms = [&](Value element, ValueRange soFar) {
    SmallVector<Value> next;
    for (auto [sum, term] : llvm::zip(soFar, terms(element)))
      next.push_back(combine(e, kernel::Combine::sum, sum, term));
    return next;
  };
  Value blocked = e.add(from, e.mul(e.div(e.sub(to, from), step), step));
  sums = e.loop(from, blocked, step, sums, [&](Value i, ValueRange soFar) {
    SmallVector<Value> next, run = load(e.add(i, e.mul(group.lane(), ways)), ways);
    for (auto [way, element] : llvm::enumerate(run))
      llvm::append_range(next, addTerms(element, soFar.slice(way * count, count)));
    return next;
  });
  SmallVector<Value> first;
  for (unsigned t = 0; t < count; ++t) {
    Value sum = sums[t];
    for (int64_t way = 1; way < ways; ++way)
      sum = combine(e, kernel::Combine::sum, sum, sums[way * count + t]);
    first.push_back(sum);
  }
  first = e.loop(e.add(blocked, group.lane()), to, group.width, first,
                 [&](Value i, ValueRange soFar) { return addTerms(load(i, 1).front(), soFar); });
  for (Value &sum : first)
    sum = group.combine(kernel::Combine::sum, sum);
  return first;
}

/// The terms of one element, once for all totals.
static SmallVector<Value> termsAt(kernel::WithTotalsOp op, DeviceEmitter &e,
                                  ArrayRef<unsigned> totals, IRMapping known) {
  Operation *yield = op.getBody().front().getTerminator();
  for (Operation &bodyOp : op.getBody().front().without_terminator())
    if (llvm::all_of(bodyOp.getOperands(), [&](Value v) { return known.contains(v); }))
      e.b.clone(bodyOp, known);
  return llvm::map_to_vector(totals,
                             [&](unsigned t) { return known.lookup(yield->getOperand(t)); });
}

void TotalsWriter::emitParts(DeviceCode &code, unsigned result, ArrayRef<unsigned> totals) {
  unsigned inputs = op.getLaunch().getNumArguments();
  int64_t elements = tensorOf(kernel->getResult(result)).getNumElements();
  int64_t length = partLength(result);
  SmallVector<Type> types = llvm::map_to_vector(totals, [&](unsigned t) { return typeOf(t); });
  BlockArgument element = op.getBody().getArgument(result);
  launchGroups(
      code, parts, LaneGroup::most,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        IRMapping scalars;
        for (BlockArgument argument : op.getBody().getArguments().drop_front(results))
          scalars.map(argument,
                      e.loadScalar(pointers.operands[inputs + argument.getArgNumber() - results],
                                   argument.getType(), e.index(0)));
        Value part = e.position(number), end = e.index(elements);
        Value from = e.min(e.mul(part, length), end), to = e.min(e.add(from, length), end);
        auto load = [&](Value first, int64_t count) {
          Type type = element.getType();
          Value from = e.address(pointers.results[result], type, first);
          SmallVector<Value> run;
          for (int64_t i = 0, vector = std::min(count, vectorOf(result)); i < count; i += vector)
            llvm::append_range(run, e.loadRun(e.address(from, type, e.index(i)), type, vector));
          return run;
        };
        SmallVector<Value> sums = sumOf(e, group, types, from, to, load, [&](Value x) {
          IRMapping known(scalars);
          known.map(element, x);
          return termsAt(op, e, totals, known);
        });
        e.when(target::equal(e, group.lane(), e.index(0)), [&] {
          for (auto [t, sum] : llvm::zip(totals, sums))
            e.storeScalar(sum, partsOf(e, pointers, t), part);
        });
      });
}

/// Every thread adds up a few neighbouring parts, which it has read at once; a warp's sums go round
/// it, and the first thread adds up those of the warps.
Value TotalsWriter::sumOfParts(DeviceEmitter &e, Value from, Type type) {
  int64_t each = llvm::divideCeil(parts, lastThreads);
  Value thread = e.position(e.thread()), first = e.mul(thread, each), sum = e.constant(type, 0);
  for (int64_t i = 0; i < each; ++i) {
    Value place = e.add(first, i);
    Value part = e.loadScalar(from, type, e.min(place, e.index(parts - 1)));
    Value next = combine(e, kernel::Combine::sum, sum, part);
    sum = target::select(e, e.less(place, e.index(parts)), next, sum);
  }
  for (int64_t half = 16; half >= 1; half /= 2)
    sum = combine(e, kernel::Combine::sum, sum, e.shuffleDown(sum, e.i32(-1), half, 32));
  e.when(target::equal(e, e.and32(e.thread(), 31), e.i32(0)),
         [&] { e.storeScalar(sum, e.sharedMemory(), e.position(e.div32(e.thread(), 32))); });
  e.syncBlock();
  Value all = e.loadScalar(e.sharedMemory(), type, e.index(0));
  for (int64_t warp = 1; warp < lastThreads / 32; ++warp)
    all =
        combine(e, kernel::Combine::sum, all, e.loadScalar(e.sharedMemory(), type, e.index(warp)));
  return all;
}

/// A block for every total.
void TotalsWriter::emitLast(DeviceCode &code) {
  LaunchShape shape;
  shape.grid[0] = op.getNumTotals();
  shape.threads = lastThreads;
  shape.sharedBytes = lastThreads / 32 * int64_t(sizeof(double));
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    for (unsigned t = 0; t < op.getNumTotals(); ++t)
      e.when(target::equal(e, e.block(), e.i32(t)), [&] {
        Value sum = sumOfParts(e, partsOf(e, pointers, t), typeOf(t));
        e.when(target::equal(e, e.thread(), e.i32(0)),
               [&] { e.storeScalar(sum, pointers.results[results + t], e.index(0)); });
      });
  });
}

void TotalsWriter::emit(DeviceCode &code) {
  code.within([this](const KernelPointers &all) { return pointersOfKernel(all); },
              [&] { findForm(kernel)->emit(kernel, code); });
  for (unsigned k = 0; k < results; ++k) {
    auto totals =
        llvm::filter_to_vector(llvm::seq<unsigned>(0, op.getNumTotals()), [&](unsigned t) {
          return resultOf(yield()->getOperand(t), results) == int(k);
        });
    if (!totals.empty())
      emitParts(code, k, totals);
  }
  emitLast(code);
}

/// A thread has about 64 elements, unless there are many.
void TotalsWriter::configure(const Chip &chip) {
  if (const Form *form = findForm(kernel); form && form->configure)
    form->configure(kernel, chip);
  int64_t elements = 0;
  for (Value result : kernel->getResults())
    elements = std::max(elements, tensorOf(result).getNumElements());
  parts = std::clamp<int64_t>(llvm::divideCeil(elements, 64 * LaneGroup::most), 1, 2048);
  op.setParts(parts);
  op.setWorkspaceBytes(workspaceBytes());
}

void nvptx::addTotalsForm(Forms &forms) {
  forms[kernel::WithTotalsOp::getOperationName()] = {
      [](Operation *op, DeviceCode &code) {
        TotalsWriter(cast<kernel::WithTotalsOp>(op)).emit(code);
      },
      [](Operation *op, const Chip &chip) {
        TotalsWriter(cast<kernel::WithTotalsOp>(op)).configure(chip);
      },
      [](Operation *op, const Chip &) {
        return TotalsWriter(cast<kernel::WithTotalsOp>(op)).workspaceBytes();
      }};
}
