// Blocks of a matrix written by a map, packed while in cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/PackedResults.h"
#include "lib/Codegen/CPU/Cost.h"
#include "mlir-dialects/PackedFilter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

// Most scratch: a share of L2, beside the lines of other tensors that stream through L2. Blocks
// have whole rows up to that size, because the update of a [384, 1536] matrix took 1.5 times as
// long in rows of 512 elements: the hardware prefetcher follows several streams only over long
// rows.
constexpr int64_t mostBytes = 256 << 10;

static RankedTensorType typeOf(kernel::MapOp op, unsigned result) {
  return cast<RankedTensorType>(op->getResult(result).getType());
}
static Value valueOf(kernel::MapOp op, unsigned result) {
  return op.getBody().front().getTerminator()->getOperand(result);
}

/// The first packed result of the same value.
static unsigned firstOf(kernel::MapOp op, unsigned result) {
  unsigned first = 0;
  while (!kernel::packingOf(typeOf(op, first)) || valueOf(op, first) != valueOf(op, result))
    ++first;
  return first;
}
bool PackedResults::writesElements(kernel::MapOp op, unsigned result) {
  return !kernel::packingOf(typeOf(op, result)) || firstOf(op, result) == result;
}

PackedResults::PackedResults(kernel::MapOp op, const Tier &tier) : op(op) {
  int64_t edge = 1;
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    if (kernel::packingOf(typeOf(op, k))) {
      results.push_back({k, PackedSide(typeOf(op, k), tier), 0});
      edge = std::max(edge, results.back().side.blockEdge(tier));
      if (kernel::byteSize(typeOf(op, k)) >= leastStreamed)
        streams |= results.back().side.streamPanels(tier);
    }
  if (results.empty())
    return;
  SmallVector<int64_t> matrix = kernel::matrixOf(typeOf(op, results.front().number));
  rows = matrix[0], columns = matrix[1];
  int64_t most = 0; // bytes of an element
  for (const Result &result : results)
    most = std::max(most, elementBytesOf(result));
  int64_t parts = ceilDiv(columns, std::max(edge, mostBytes / (edge * most)));
  if (!llvm::all_of(results, [&](const Result &result) { return result.side.mayCutRows(edge); }))
    parts = 1;
  blockColumns = roundUp(ceilDiv(columns, parts), edge);
  blockRows = std::clamp(pointsPerTask(op) / blockColumns / edge * edge, edge, roundUp(rows, edge));
  for (Result &result : results) {
    unsigned first = firstOf(op, result.number);
    if (first == result.number) {
      result.scratch = scratch;
      scratch += bytesOf(result);
    } else
      result.scratch =
          llvm::find_if(results, [&](Result &other) { return other.number == first; })->scratch;
  }
}

int64_t PackedResults::elementBytesOf(const Result &result) const {
  return elementBytes(typeOf(op, result.number).getElementType());
}

/// Leading dimension in scratch: an odd number of cache lines, so that neighbouring rows map to
/// different cache sets.
int64_t PackedResults::rowStride(const Result &result) const {
  return (ceilDiv(blockColumns * elementBytesOf(result), 64) | 1) * 64 / elementBytesOf(result);
}
int64_t PackedResults::bytesOf(const Result &result) const {
  return blockRows * rowStride(result) * elementBytesOf(result);
}

LogicalResult PackedResults::checkSizes(const Tier &tier) const {
  for (const Result &result : results)
    if (failed(result.side.checkSize(op, tier)))
      return failure();
  return success();
}

bool PackedResults::areLike(const PackedResults &other) const {
  return llvm::all_of(llvm::zip(results, other.results), [](const auto &pair) {
    return std::get<0>(pair).side.isLike(std::get<1>(pair).side);
  });
}

Value PackedResults::originOf(KernelEmitter &e, const Result &result, Value scratch,
                              const MatrixBlock &block) {
  Value position = e.add(e.mul(block.row, rowStride(result)), block.column);
  Value bytes = e.mul(position, elementBytesOf(result));
  return e.offset(e.offset(scratch, result.scratch), e.sub(e.index(0), bytes));
}

void PackedResults::emit(KernelEmitter &e, BodyEmitter &body, const KernelPointers &pointers,
                         Value task, llvm::function_ref<void(Value, Value, Value)> emitRow) {
  MatrixBlock block;
  block.row = e.mul(e.div(task, blocksAcross()), blockRows);
  block.rowEnd = e.min(e.add(block.row, blockRows), e.index(rows));
  block.column = e.mul(e.rem(task, blocksAcross()), blockColumns);
  block.columnEnd = e.min(e.add(block.column, blockColumns), e.index(columns));
  for (Result &result : results) {
    Value origin = originOf(e, result, pointers.scratch, block);
    result.side.setMatrix(e, origin, rowStride(result));
    body.redirectResult(result.number, origin, {rowStride(result), 1});
  }
  e.loop(block.row, block.rowEnd, 1,
         [&](Value row) { emitRow(row, block.column, block.columnEnd); });
  for (Result &result : results)
    result.side.packBlock(e, block, pointers.results[result.number]);
  if (streams)
    e.finishStreams();
}
