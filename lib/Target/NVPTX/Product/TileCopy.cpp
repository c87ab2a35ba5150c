// From global memory to a tile in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/TileCopy.h"
#include "lib/Target/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static constexpr int64_t chunkBytes = 16;

StepCopy::~StepCopy() = default;

TileCopy::TileCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side,
                   int64_t tileLines, Value start, Value first)
    : e(e), gemm(gemm), side(side), start(start), firstLine(first) {
  int64_t depth = gemm.stepDepth(), threads = gemm.tile.threads(), bytes = gemm.elementBytes(),
          chunkElements = chunkBytes / bytes;
  shared.rows = side.alongDepth ? tileLines : depth;
  shared.chunks = (side.alongDepth ? depth : tileLines) / chunkElements;
  shared.readsPairs = bytes == 4 && !side.alongDepth;
  linesPerPass = threads / shared.chunks;
  passes = shared.rows / linesPerPass;
  stepBytes = depth * bytes * (side.alongDepth ? 1 : side.lineStride);
  line = e.div32(e.thread(), shared.chunks);
  Value chunk = e.rem32(e.thread(), shared.chunks);
  column = e.mul32(chunk, chunkElements);
  offset = shared.offset(e, line, chunk);
  // Lines of the operand; its columns are neighbours.
  Value row = side.alongDepth ? e.add32(first, line) : line,
        place = side.alongDepth ? column : e.add32(first, column);
  Value element = e.add(e.mul(e.position(row), side.lineStride), e.position(place));
  source = e.address(start, gemm.element, element);
}

/// The parts of a chunk that can be copied at once.
void TileCopy::copyChunk(Value target, Value source, Value isLine, Value present) {
  int64_t bytes = side.copyBytes;
  for (int64_t at = 0; at < chunkBytes; at += bytes) {
    Value here;
    if (present)
      here = e.max32(e.min32(e.add32(present, e.i32(-at)), e.i32(bytes)), e.i32(0));
    if (isLine)
      here = target::select(e, isLine, here ? here : e.i32(bytes), e.i32(0));
    e.copyAsync(e.advance(target, at), e.advance(source, at), bytes, here);
  }
}

// Of lines that start at any element: loads, which the next barrier but those of the stages between
// makes known to all.
void TileCopy::moveElements(Value target, Value source, Value isLine, Value present) {
  Type i16 = e.b.getIntegerType(16);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < chunkBytes / 2; ++i) {
    Value exists = isLine, from = e.advance(source, 2 * i);
    if (present) {
      Value isColumn =
          arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::sgt, present, e.i32(2 * i));
      exists = exists ? target::both(e, exists, isColumn) : isColumn;
    }
    if (exists)
      from = target::select(e, exists, from, start);
    Value x = LLVM::LoadOp::create(e.b, e.loc, i16, from, 2);
    elements.push_back(exists ? target::select(e, exists, x, e.constant(i16, 0)) : x);
  }
  e.storeRun(elements, target);
}

void TileCopy::issue(Value target, Value source, Value left) {
  bool endsInStep = gemm.depth % gemm.stepDepth() != 0;
  int64_t bytes = gemm.elementBytes();
  bool endsInTile =
      side.lines % (side.alongDepth ? shared.rows : shared.chunks * chunkBytes / bytes);
  // Bytes of the thread's chunks that are inside of the operand; those of the lines may be none.
  Value present;
  if (side.alongDepth && endsInStep)
    present = e.mul32(e.add32(left, e.mul32(column, -1)), bytes);
  if (!side.alongDepth && endsInTile)
    present = e.mul32(e.add32(e.i32(side.lines), e.mul32(e.add32(firstLine, column), -1)), bytes);
  Value to = e.advance(target, offset);
  for (int64_t pass = 0; pass < passes; ++pass) {
    Value number = e.add32(line, e.i32(pass * linesPerPass)), isLine;
    auto isBelow = [&](Value x, Value limit) {
      return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::slt, x, limit);
    };
    if (side.alongDepth && endsInTile)
      isLine = isBelow(e.add32(firstLine, number), e.i32(side.lines));
    if (!side.alongDepth && endsInStep)
      isLine = isBelow(number, left);
    Value place = e.advance(to, pass * linesPerPass * shared.rowBytes());
    Value from = e.advance(source, bytes * pass * linesPerPass * side.lineStride);
    if (side.copyBytes > 2)
      copyChunk(place, from, isLine, present);
    else
      moveElements(place, from, isLine, present);
  }
}
