// kernel.multi_map: consecutive blocks for each member, which a block finds by binary search.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/MultiMapMember.h"
#include "lib/Codegen/Common/Slices.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include "lib/Codegen/NVPTX/PointKernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::MultiMapMember;

/// Neighbouring points per thread: as many as fill 16 bytes of the widest element, if vectors of
/// all tensors are aligned.
static int64_t pointsPerThread(kernel::MultiMapOp op) {
  SmallVector<Value> tensors(op.getInputs());
  llvm::append_range(tensors, op.getOuts());
  int64_t widest = 1;
  for (Value tensor : tensors)
    widest = std::max(widest, target::elementBytes(getElementTypeOrSelf(tensor)));
  int64_t points = 16 / widest;
  auto isAligned = [&](Value tensor) { return target::startsAligned(tensor, points); };
  while (points > 1 && !llvm::all_of(tensors, isAligned))
    points /= 2;
  return points;
}

namespace {
/// Distribution of the points of all members to blocks. Example of 4 points a thread, 256 threads
/// and one vector a thread: members of 768 and 5000 points begin at the blocks 0 and 1 of 6.
struct BlockTable {
  BlockTable(kernel::MultiMapOp op, const Chip &chip);
  int64_t vectorsOf(unsigned member) const { return llvm::divideCeil(lengths[member], points); }

  int64_t points;        // neighbouring points of a vector
  int64_t perThread = 1; // vectors of a thread, `plainThreads` apart
  SmallVector<int64_t> lengths, firstBlock;
  int64_t blocks = 0;
};

/// Code of a block: finds the block's member, then runs over the member's points.
class MultiMapKernel {
public:
  MultiMapKernel(kernel::MultiMapOp op, const BlockTable &table, DeviceEmitter &e,
                 const KernelPointers &all)
      : op(op), table(table), e(e), all(all), member(op, 0) {}
  void write();

private:
  SmallVector<Value> select(Value block, unsigned from, unsigned to);
  void writeVector(Value number);
  void writePoints(Value first, int64_t points);

  kernel::MultiMapOp op;
  const BlockTable &table;
  DeviceEmitter &e;
  const KernelPointers &all;
  MultiMapMember member; // for the body, which all members share
  KernelPointers pointers;
  Value length;
  Body::Values scalars;
};
} // namespace

BlockTable::BlockTable(kernel::MultiMapOp op, const Chip &chip) : points(pointsPerThread(op)) {
  int64_t vectors = 0;
  for (unsigned member = 0; member < op.getMembers(); ++member) {
    lengths.push_back(op.pointsOf(member));
    vectors += vectorsOf(member);
  }
  perThread = runsPerThread(vectors, chip);
  for (unsigned member = 0; member < op.getMembers(); ++member) {
    firstBlock.push_back(blocks);
    blocks += llvm::divideCeil(vectorsOf(member), perThread * plainThreads);
  }
}

/// Pointers of the block's member without the shared ones, the member's first block, and its
/// length; binary search among the members [from, to).
SmallVector<Value> MultiMapKernel::select(Value block, unsigned from, unsigned to) {
  if (to - from == 1) {
    unsigned inputs = op.getInputs().size() / op.getMembers();
    unsigned results = op.getOuts().size() / op.getMembers();
    ArrayRef<Value> operands(all.operands), outs(all.results);
    SmallVector<Value> values(operands.slice(op.getShared().size() + from * inputs, inputs));
    llvm::append_range(values, outs.slice(from * results, results));
    values.push_back(e.i32(table.firstBlock[from]));
    values.push_back(e.index(table.lengths[from]));
    return values;
  }
  unsigned middle = (from + to) / 2;
  return e.either(
      e.isBelow(block, table.firstBlock[middle]), [&] { return select(block, from, middle); },
      [&] { return select(block, middle, to); });
}

void MultiMapKernel::writePoints(Value first, int64_t points) {
  PointVectorKernel{member.map, e, pointers, member.space, points, first, scalars}.write();
}

/// The last vector of a member may be partial: its points are computed singly.
void MultiMapKernel::writeVector(Value number) {
  Value first = e.mul(e.position(number), table.points);
  auto isPartial = [&](int64_t length) { return length % table.points != 0; };
  if (llvm::none_of(table.lengths, isPartial))
    return writePoints(first, table.points);
  Value isWhole = e.less(e.add(first, table.points - 1), length);
  e.when(isWhole, [&] { writePoints(first, table.points); });
  e.when(target::negate(e, isWhole),
         [&] { e.loop(first, length, 1, [&](Value i) { writePoints(i, 1); }); });
}

void MultiMapKernel::write() {
  Value block = e.block();
  SmallVector<Value> found = select(block, 0, op.getMembers());
  length = found.pop_back_val();
  Value firstBlock = found.pop_back_val();
  pointers = member.pointersIn(all);
  unsigned inputs = found.size() - pointers.results.size();
  llvm::copy(ArrayRef(found).take_front(inputs), pointers.operands.begin() + op.getShared().size());
  llvm::copy(ArrayRef(found).drop_front(inputs), pointers.results.begin());
  scalars = readScalars(member.map, e, pointers, member.space);
  Value start = e.mul(e.sub(block, firstBlock), table.perThread * plainThreads);
  start = e.add(start, e.thread());
  e.loop(e.index(0), e.index(table.perThread), 1, [&](Value k) {
    Value number = e.add(start, e.mul(e.number(k), plainThreads));
    Value isInside = e.less(e.mul(e.position(number), table.points), length);
    e.when(isInside, [&] { writeVector(number); });
  });
}

static void emitMultiMap(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::MultiMapOp>(operation);
  BlockTable table(op, code.chip);
  code.describe(llvm::Twine(op.getMembers()) + " members, " + llvm::Twine(table.points) +
                " points a thread");
  LaunchShape shape;
  shape.threads = plainThreads;
  shape.grid[0] = table.blocks;
  shape.numbersPerThread = table.perThread;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    MultiMapKernel(op, table, e, pointers).write();
  });
}

void nvptx::addMultiMapLowering(LoweringTable &table) {
  table[kernel::MultiMapOp::getOperationName()] = {emitMultiMap};
}
