// Shared memory of a block with a single row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Rows/BlockLayout.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

ChunkBuffer::ChunkBuffer(Type element, int64_t vector, int64_t chunks)
    : vector(vector), elementBytes(target::elementBytes(element)) {
  pieceElements = std::min(vector, 16 / elementBytes);
  planeBytes = llvm::alignTo(chunks * pieceBytes(), 16);
}

Value ChunkBuffer::place(DeviceEmitter &e, Value chunk, int64_t piece) const {
  return e.advance(e.advance(e.sharedMemory(), offset + piece * planeBytes),
                   e.mul(chunk, pieceBytes()));
}
Value ChunkBuffer::place(DeviceEmitter &e, Value chunk, Value i) const {
  Value number = e.number(i);
  Value within = e.mul(e.rem(number, pieceElements), elementBytes);
  Value plane = e.mul(e.div(number, pieceElements), planeBytes);
  return e.advance(place(e, chunk, int64_t(0)), e.add(within, plane));
}
SmallVector<Value> ChunkBuffer::load(DeviceEmitter &e, Type element, Value chunk) const {
  SmallVector<Value> values;
  for (int64_t piece = 0; piece < pieces(); ++piece)
    llvm::append_range(values, e.loadVector(place(e, chunk, piece), element, pieceElements));
  return values;
}
void ChunkBuffer::store(DeviceEmitter &e, ArrayRef<Value> values, Value chunk) const {
  for (int64_t piece = 0; piece < pieces(); ++piece)
    e.storeVector(values.slice(piece * pieceElements, pieceElements), place(e, chunk, piece));
}

BlockLayout::BlockLayout(const RowShape &shape, const Chip &chip) : vector(shape.vector) {
  constexpr int64_t mostThreads = 1024;
  using namespace target::order;
  int64_t phase = shape.hasPhase() ? vector - 1 : 0;
  chunks = llvm::divideCeil(shape.length + phase, vector);
  parts = llvm::divideCeil(shape.length, chunkColumns);
  groups = std::min(parts, mostThreads / groupThreads());
  // A row that starts inside a chunk takes an extra step, and so does each part of the row.
  steps = llvm::divideCeil(std::min(shape.length, chunkColumns) + phase, rowWidth);
  placeSums(shape);
  llvm::SmallSetVector<Value, 8> inputs;
  for (const RowShape::Cone &cone : ArrayRef(shape.cones).drop_back())
    for (Value value : cone)
      if (auto argument = dyn_cast<BlockArgument>(value); argument && shape.isContiguous(argument))
        inputs.insert(value);
  for (Value input : inputs)
    keep(shape, input, chip.sharedBytes);
  // Computed values are kept only in a third of the memory: recomputing costs less than running a
  // single block per multiprocessor.
  for (Value value : shape.kept())
    if (!isa<BlockArgument>(value) && !takePlace(shape, value))
      keep(shape, value, chip.sharedBytes / 3);
}

int64_t BlockLayout::take(int64_t size) {
  int64_t at = bytes;
  bytes += llvm::alignTo(size, 16);
  return at;
}

/// Column sums of consecutive stages share memory.
void BlockLayout::placeSums(const RowShape &shape) {
  for (const auto &stage : shape.reductions)
    for (kernel::RowReduceOp reduce : stage)
      sums[reduce.getResult()].parts = take(parts * target::elementBytes(reduce.getType()));
  int64_t start = bytes, most = start;
  for (const auto &stage : shape.reductions) {
    bytes = start;
    for (kernel::RowReduceOp reduce : stage)
      sums[reduce.getResult()].columns =
          take(groups * target::order::rowWidth * target::elementBytes(reduce.getType()));
    most = std::max(most, bytes);
  }
  bytes = most;
}

/// Reuses the buffer of an input that no later stage needs.
bool BlockLayout::takePlace(const RowShape &shape, Value value) {
  for (auto &[input, buffer] : kept)
    if (isa<BlockArgument>(input) && input.getType() == value.getType() &&
        shape.endsWith(input, value) && !llvm::is_contained(replaced, input)) {
      replaced.push_back(input);
      ChunkBuffer place = buffer;
      kept[value] = place;
      return true;
    }
  return false;
}
bool BlockLayout::keep(const RowShape &shape, Value value, int64_t most) {
  ChunkBuffer buffer(value.getType(), vector, chunks);
  if (bytes + buffer.bytes() > most)
    return false;
  buffer.offset = take(buffer.bytes());
  kept[value] = buffer;
  return true;
}
