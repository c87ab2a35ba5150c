// kernel.reduce: sums of chunks, then a tree over chunks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Reduce/ReduceKernel.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::LoopEmitter;
using target::order::blockRows;
using target::order::rowWidth;

static int64_t alignUp(int64_t bytes) { return llvm::alignTo(bytes, 64); }

int64_t ReduceKernel::workspaceBytes() const {
  kernel::ReduceOp reduce = op; // accessors are not const
  int64_t bytes = 0, sums = order.chunks * order.outer * order.inner;
  for (Type type : reduce->getResultTypes())
    bytes += alignUp(sums * target::elementBytes(getElementTypeOrSelf(type)));
  return order.chunks == 1 ? 0 : bytes;
}
Value ReduceKernel::partialBase(LoopEmitter &e, const KernelPointers &pointers, unsigned k) {
  int64_t bytes = 0, sums = order.chunks * order.outer * order.inner;
  for (unsigned i = 0; i < k; ++i)
    bytes += alignUp(sums * target::elementBytes(elementOf(i)));
  return e.offset(pointers.workspace, bytes);
}

// ---- Sums of neighbouring points ----

ReduceKernel::Points ReduceKernel::start(LoopEmitter &e, int64_t points) {
  Sums none;
  for (unsigned k = 0; k < count(); ++k)
    none.push_back(target::neutral(e, op.getKind(), elementOf(k)));
  return Points(points, none);
}
ReduceKernel::Sums ReduceKernel::addSums(LoopEmitter &e, ValueRange x, ValueRange y) {
  Sums sums;
  for (auto [low, high] : llvm::zip(x, y))
    sums.push_back(combine(e, op.getKind(), low, high));
  return sums;
}
ReduceKernel::Points ReduceKernel::add(LoopEmitter &e, const Points &x, const Points &y) {
  Points sums;
  for (auto [low, high] : llvm::zip(x, y))
    sums.push_back(addSums(e, low, high));
  return sums;
}
ReduceKernel::Sums ReduceKernel::flat(ArrayRef<Points> lists) {
  Sums all;
  for (const Points &list : lists)
    for (const Sums &sums : list)
      llvm::append_range(all, sums);
  return all;
}
SmallVector<ReduceKernel::Points> ReduceKernel::listsOf(ValueRange numbers, int64_t points) {
  SmallVector<Points> lists;
  for (; !numbers.empty(); numbers = numbers.drop_front(points * count())) {
    Points list;
    for (int64_t i = 0; i < points; ++i)
      list.push_back(llvm::to_vector(numbers.slice(i * count(), count())));
    lists.push_back(list);
  }
  return lists;
}

/// Terms of the sums at a vector of points. Points outside of the domain (`exists` false; null: all
/// exist) give the neutral element, but their memory is read: `dims` must be within the domain.
ReduceKernel::Points ReduceKernel::terms(DeviceEmitter &e, const KernelPointers &pointers,
                                         const PointVectors &runs, Body &body, ArrayRef<Value> dims,
                                         Value exists) {
  Points found(runs.points, Sums(count()));
  for (auto [k, list] : llvm::enumerate(runs.yields(e, pointers, body, dims)))
    for (auto [i, term] : llvm::enumerate(list)) {
      Value none = target::neutral(e, op.getKind(), elementOf(k));
      found[i][k] = exists ? target::select(e, exists, term, none) : term;
    }
  return found;
}

/// `place`: indices [chunk, outer, inner].
void ReduceKernel::storeOne(LoopEmitter &e, const KernelPointers &pointers, Body &body,
                            ArrayRef<Value> place, unsigned k, Value sum) {
  if (order.chunks == 1)
    body.store(k, sum, {place[1], e.index(0), place[2]});
  else
    e.storeScalar(sum, partialBase(e, pointers, k),
                  target::at(e, {order.chunks, order.outer, order.inner}, place));
}
/// Stores sums of neighbouring columns.
void ReduceKernel::storePoints(DeviceEmitter &e, const KernelPointers &pointers, Body &body,
                               ArrayRef<Value> place, const Points &sums) {
  for (unsigned k = 0; k < count(); ++k) {
    auto run = llvm::map_to_vector(sums, [&](const Sums &point) { return point[k]; });
    if (order.chunks > 1) {
      Value at = target::at(e, {order.chunks, order.outer, order.inner}, place);
      e.storeVector(run, e.address(partialBase(e, pointers, k), elementOf(k), at));
      continue;
    }
    for (auto [i, sum] : llvm::enumerate(run))
      storeOne(e, pointers, body, {place[0], place[1], e.add(place[2], i)}, k, sum);
  }
}

// ---- Chunks ----

/// Upper levels of the tree over `chunks`: the sum of chunks i, i + left, i + 2 left, ... replaces
/// chunk i; with `left` = 1 the sum is the result. Example: 100 chunks, left 2: chunk 0 becomes the
/// sum of chunks 0, 2, ..., 98.
void ReduceKernel::emitLevel(DeviceCode &code, int64_t chunks, int64_t left) {
  SmallVector<int64_t> shape{order.chunks, order.outer, order.inner};
  ThreadPerPoint(code, /*writesFinalResults=*/left == 1)
      .forEachOnDevice({left, order.outer, order.inner}, [&](DeviceEmitter &e,
                                                             const KernelPointers &pointers,
                                                             ArrayRef<Value> place) {
        Body body(e, op, pointers, order.space);
        for (unsigned k = 0; k < count(); ++k) {
          Value base = partialBase(e, pointers, k);
          auto part = [&](int64_t i) -> Value {
            Value chunk = e.add(place[0], i * left), exists;
            if ((i + 1) * left > chunks) {
              exists = e.less(chunk, e.index(chunks));
              chunk = e.min(chunk, e.index(chunks - 1));
            }
            Value x =
                e.loadScalar(base, elementOf(k), target::at(e, shape, {chunk, place[1], place[2]}));
            return exists ? target::select(e, exists, x,
                                           target::neutral(e, op.getKind(), elementOf(k)))
                          : x;
          };
          SmallVector<Value> parts;
          for (int64_t i = 0; i * left < chunks; ++i)
            parts.push_back(part(i));
          Value sum = target::sumTree<Value>(
              parts.size(), [&](int64_t i) { return parts[i]; },
              [&](Value x, Value y) { return combine(e, op.getKind(), x, y); });
          if (left > 1) {
            e.storeScalar(sum, base, target::at(e, shape, place));
            continue;
          }
          e.stored(k, sum);
          body.store(k, sum, {place[1], e.index(0), place[2]});
        }
      });
}
void ReduceKernel::emitLast(DeviceCode &code) {
  for (int64_t chunks = order.chunks; chunks > 1;) {
    int64_t left = std::max<int64_t>(1, int64_t(llvm::PowerOf2Ceil(chunks)) / levelChunks);
    emitLevel(code, chunks, left);
    chunks = left;
  }
}

void ReduceKernel::emit(DeviceCode &code) {
  constexpr int64_t longRow = 4 * rowWidth;
  if (order.isOfRows())
    order.chunk >= longRow ? emitLongRows(code) : emitRows(code);
  else
    order.reduced <= blockRows ? emitFewRows(code) : emitColumns(code);
  if (order.chunks > 1)
    emitLast(code);
}

static LogicalResult configureReduce(Operation *operation, const Chip &) {
  auto op = cast<kernel::ReduceOp>(operation);
  op.setParts(target::ReduceOrder(op).chunks);
  op.setWorkspaceBytes(ReduceKernel(op).workspaceBytes());
  return success();
}

void nvptx::addReduceLowering(LoweringTable &table) {
  table[kernel::ReduceOp::getOperationName()] = {
      [](Operation *op, DeviceCode &code) { ReduceKernel(cast<kernel::ReduceOp>(op)).emit(code); },
      configureReduce,
      [](Operation *op, const Chip &) {
        return ReduceKernel(cast<kernel::ReduceOp>(op)).workspaceBytes();
      },
      [](Operation *op, const Chip &) {
        return ReduceKernel(cast<kernel::ReduceOp>(op)).finalWarps();
      }};
}
