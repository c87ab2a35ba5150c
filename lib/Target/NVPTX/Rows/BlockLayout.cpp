// Shared memory of a block that has one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Rows/BlockLayout.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

ChunkBuffer::ChunkBuffer(Type element, int64_t vector, int64_t chunks, int64_t padding)
    : vector(vector), elementBytes(target::elementBytes(element)) {
  pieceElements = std::min(vector, 16 / elementBytes);
  planeBytes = llvm::alignTo(chunks * pieceBytes(), 16) + padding;
}

Value ChunkBuffer::place(DeviceEmitter &e, Value chunk, int64_t piece) const {
  return e.advance(e.advance(e.sharedMemory(), offset + piece * planeBytes),
                   e.mul32(chunk, pieceBytes()));
}
Value ChunkBuffer::place(DeviceEmitter &e, Value chunk, Value i) const {
  Value number = e.number(i);
  Value within = e.mul32(e.rem32(number, pieceElements), elementBytes);
  Value plane = e.mul32(e.div32(number, pieceElements), planeBytes);
  return e.advance(place(e, chunk, int64_t(0)), e.add32(within, plane));
}
SmallVector<Value> ChunkBuffer::load(DeviceEmitter &e, Type element, Value chunk) const {
  SmallVector<Value> values;
  for (int64_t piece = 0; piece < pieces(); ++piece)
    llvm::append_range(values, e.loadRun(place(e, chunk, piece), element, pieceElements));
  return values;
}
void ChunkBuffer::store(DeviceEmitter &e, ArrayRef<Value> values, Value chunk) const {
  for (int64_t piece = 0; piece < pieces(); ++piece)
    e.storeRun(values.slice(piece * pieceElements, pieceElements), place(e, chunk, piece));
}

/// Long rows take several tiles, so that one is read while another is added up. Whole warps of
/// adders.
static int64_t chooseThreads(int64_t chunks) {
  int64_t most = chunks <= 1024 ? 256 : 512;
  if (chunks > 4096)
    most = 1024;
  int64_t tiles = llvm::divideCeil(chunks, most);
  return llvm::alignTo(llvm::divideCeil(chunks, tiles), BlockLayout::chains);
}

/// With fewer threads there is more room for the row.
BlockLayout::BlockLayout(const RowShape &shape, const Chip &chip) : vector(shape.vector) {
  int64_t phase = shape.hasPhase() ? vector - 1 : 0;
  chunks = llvm::divideCeil(shape.length + phase, vector);
  int64_t most = chooseThreads(chunks);
  for (int64_t count = most; count >= std::min<int64_t>(most, 256); count -= chains)
    if (place(shape, chip, count))
      return;
  place(shape, chip, most);
}

/// Whether everything that is read by reductions has a place.
bool BlockLayout::place(const RowShape &shape, const Chip &chip, int64_t count) {
  threads = llvm::alignTo(count, chains);
  tiles = llvm::divideCeil(chunks, threads);
  bytes = 0;
  kept.clear();
  replaced.clear();
  placeSums(shape);
  placeTerms(shape);
  llvm::SmallSetVector<Value, 8> inputs;
  for (const RowShape::Cone &cone : ArrayRef(shape.cones).drop_back())
    for (Value value : cone)
      if (auto argument = dyn_cast<BlockArgument>(value); argument && shape.isRun(argument))
        inputs.insert(value);
  bool isComplete = true;
  for (Value input : inputs)
    isComplete &= keep(shape, input, chip.sharedBytes);
  // Computing again costs less than a multiprocessor with one block.
  for (Value value : shape.kept())
    if (!isa<BlockArgument>(value) && !takePlace(shape, value))
      keep(shape, value, chip.sharedBytes / 3);
  return isComplete;
}

int64_t BlockLayout::take(int64_t size) {
  int64_t at = bytes;
  bytes += llvm::alignTo(size, 16);
  return at;
}

void BlockLayout::placeSums(const RowShape &shape) {
  for (const auto &stage : shape.reductions)
    for (kernel::RowReduceOp reduce : stage) {
      int64_t size = target::elementBytes(reduce.getType());
      if (!shape.isOrdered(reduce)) {
        perWarp[reduce.getResult()] = take(warps() * size);
        continue;
      }
      Sum sum;
      sum.columns = take(chains * size);
      sum.rest = take(chains * size);
      sum.result = take(size);
      sums[reduce.getResult()] = sum;
    }
}

/// Stages use the same memory one after the other. Planes are 64 bytes apart in banks: 32
/// neighbouring columns are in all of them.
void BlockLayout::placeTerms(const RowShape &shape) {
  int64_t start = bytes, most = start;
  for (const auto &stage : shape.reductions) {
    bytes = start;
    for (kernel::RowReduceOp reduce : stage) {
      if (!shape.isOrdered(reduce))
        continue;
      Sum &sum = sums[reduce.getResult()];
      ChunkBuffer terms(reduce.getType(), vector, threads, 64);
      sum.nextTile = terms.bytes();
      terms.offset = take(2 * sum.nextTile);
      sum.terms = terms;
    }
    most = std::max(most, bytes);
  }
  bytes = most;
}

/// Of an input that is not needed any more.
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
  ChunkBuffer buffer(value.getType(), vector, chunks, 0);
  if (bytes + buffer.bytes() > most)
    return false;
  buffer.offset = take(buffer.bytes());
  kept[value] = buffer;
  return true;
}
