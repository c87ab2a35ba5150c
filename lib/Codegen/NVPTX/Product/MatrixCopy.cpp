// Copies from global memory to operand tiles in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/MatrixCopy.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

// ---- All operands ----

KTileCopy::KTileCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side,
                     int64_t tileLines)
    : e(e), gemm(gemm), side(side), tileLines(tileLines), depthEnd(e.i32(gemm.depth)) {
  int64_t depth = gemm.stepDepth(), bytes = gemm.elementBytes();
  shared.rows = side.alongDepth ? tileLines : depth;
  shared.chunks = (side.alongDepth ? depth : tileLines) / chunkElements();
  shared.readsPairs = bytes == 4 && !side.alongDepth;
  rowsPerPass = gemm.tile.threads() / shared.chunks;
  passes = shared.rows / rowsPerPass;
  Value thread = e.rem(e.thread(), gemm.tile.threads());
  row = e.div(thread, shared.chunks);
  Value chunk = e.rem(thread, shared.chunks);
  column = e.mul(chunk, chunkElements());
  offset = shared.offset(e, row, chunk);
}
KTileCopy::~KTileCopy() = default;

bool KTileCopy::endsAlongDepth() const {
  return gemm.endsInStep() || (!isAsync() && gemm.readsAhead);
}
bool KTileCopy::endsInRows() const {
  return !isInside && (side.alongDepth ? side.lines % wholeLines() != 0 : endsAlongDepth());
}
bool KTileCopy::endsInColumns() const {
  return !isInside && (side.alongDepth ? endsAlongDepth() : side.lines % wholeLines() != 0);
}
Value KTileCopy::left(Value limit, Value number) { return e.add(limit, e.mul(number, -1)); }

void KTileCopy::beginPieces(Value to, ArrayRef<Value> from, ArrayRef<Value> exists, Value safe,
                            Values &moved) {
  int64_t bytes = chunkBytes / from.size();
  Type word = e.b.getIntegerType(bytes == 2 ? 16 : 32);
  for (auto [i, place, isThere] : llvm::enumerate(from, exists)) {
    if (isAsync()) {
      Value present = isThere ? target::select(e, isThere, e.i32(bytes), e.i32(0)) : Value();
      e.copyAsync(e.advance(to, i * bytes), place, bytes, present);
      continue;
    }
    Value source = isThere ? target::select(e, isThere, place, safe) : place;
    for (Value x : e.loadVector(source, word, std::max<int64_t>(1, bytes / 4)))
      moved.push_back(isThere ? target::select(e, isThere, x, e.constant(word, 0)) : x);
  }
}

void KTileCopy::end(Value target, ArrayRef<Value> moved) {
  SmallVector<Values> chunks;
  size_t words = moved.size() / passes;
  for (; !moved.empty(); moved = moved.drop_front(words))
    chunks.emplace_back(moved.take_front(words));
  store(target, chunks);
}

void KTileCopy::store(Value target, ArrayRef<Values> chunks) {
  if (!gemm.onMatrixUnits())
    return storeSIMT(target, chunks);
  Value to = e.advance(target, offset);
  for (auto [pass, words] : llvm::enumerate(chunks))
    e.storeVector(words, e.advance(to, pass * rowsPerPass * shared.rowBytes()));
}

/// Unpacks words of two numbers, or of a single number, to f32.
static KTileCopy::Values numbersOf(DeviceEmitter &e, ArrayRef<Value> words, Type element) {
  Type f32 = e.b.getF32Type(), i16 = e.b.getIntegerType(16);
  KTileCopy::Values numbers;
  auto add = [&](Value bits) {
    Value x = LLVM::BitcastOp::create(e.b, e.loc, element, bits);
    numbers.push_back(target::widen(e, x, f32));
  };
  for (Value word : words) {
    if (element.isF32() || word.getType() == i16) {
      add(word);
      continue;
    }
    add(arith::TruncIOp::create(e.b, e.loc, i16, word));
    Value high = arith::ShRUIOp::create(e.b, e.loc, word, e.i32(16));
    add(arith::TruncIOp::create(e.b, e.loc, i16, high));
  }
  return numbers;
}

// SIMT layout: [k, lines], a row per point of k. A line along k is scattered over rows; lines of a
// chunk are XORed with the chunk's index, so that a warp's stores, for several chunks of equally
// many lines, are free of bank conflicts.
void KTileCopy::storeSIMT(Value target, ArrayRef<Values> chunks) {
  Value chunk = e.div(column, chunkElements()), line = column, point = row;
  if (side.alongDepth) {
    line = e.bitXor(row, e.mul(chunk, linesOfWarp()));
    point = column;
  }
  Value to = e.advance(target, e.mul(e.add(e.mul(point, tileLines), line), 4));
  int64_t passBytes = 4 * rowsPerPass * (side.alongDepth ? 1 : tileLines);
  for (auto [pass, words] : llvm::enumerate(chunks)) {
    Values numbers = numbersOf(e, words, gemm.element);
    Value place = e.advance(to, pass * passBytes);
    if (!side.alongDepth) {
      for (size_t i = 0; i < numbers.size(); i += 4)
        e.storeVector(ArrayRef<Value>(numbers).slice(i, 4), e.advance(place, 4 * i));
      continue;
    }
    for (auto [i, number] : llvm::enumerate(numbers))
      e.storeVector(number, e.advance(place, 4 * i * tileLines));
  }
}

Value KTileCopy::numberOffset(Value line, int64_t k) {
  if (side.alongDepth)
    line = e.bitXor(line, e.i32(k / chunkElements() * linesOfWarp()));
  return e.mul(e.add(line, e.i32(k * tileLines)), 4);
}

// ---- Matrices ----

MatrixCopy::MatrixCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side,
                       int64_t tileLines, Value start, Value first)
    : KTileCopy(e, gemm, side, tileLines), start(start), firstLine(first) {
  int64_t bytes = gemm.elementBytes();
  stepBytes = gemm.stepDepth() * bytes * (side.alongDepth ? 1 : side.lineStride);
  // Line and column within the operand; columns are contiguous.
  Value line = side.alongDepth ? e.add(first, row) : row,
        place = side.alongDepth ? column : e.add(first, column);
  Value element = e.add(e.mul(e.position(line), side.lineStride), e.position(place));
  source = e.address(start, gemm.element, element);
}

Value MatrixCopy::firstSource(Value k) const {
  return e.address(source, gemm.element,
                   e.mul(e.position(k), side.alongDepth ? 1 : side.lineStride));
}

static Value isAbove(DeviceEmitter &e, Value x, int64_t limit) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::sgt, x, e.i32(limit));
}
static Value bothOf(DeviceEmitter &e, Value x, Value y) {
  return x && y ? target::both(e, x, y) : x ? x : y;
}

/// Copies a chunk. `present`: elements of the row from the chunk on; null: the whole chunk is in
/// range.
void MatrixCopy::copyChunk(Value target, Value source, Value isRow, Value present, Values &moved) {
  int64_t bytes = side.copyBytes, pieces = chunkBytes / bytes;
  Values from, exists;
  for (int64_t at = 0; at < pieces; ++at) {
    Value place = e.advance(source, at * bytes);
    int64_t elements = bytes / gemm.elementBytes();
    if (present && isAsync()) { // a piece may be partly in range
      Value here = e.mul(e.add(present, e.i32(-at * elements)), gemm.elementBytes());
      here = e.max(e.min(here, e.i32(bytes)), e.i32(0));
      if (isRow)
        here = target::select(e, isRow, here, e.i32(0));
      e.copyAsync(e.advance(target, at * bytes), place, bytes, here);
      continue;
    }
    from.push_back(place);
    exists.push_back(bothOf(e, isRow, present ? isAbove(e, present, at * elements) : Value()));
  }
  if (!from.empty())
    beginPieces(target, from, exists, start, moved);
}

// Loads eight 16-bit numbers at any address as the aligned words around: four words, of which the
// first may begin with the number before; the last number; and the number of bits to shift. At the
// operand's end the numbers are loaded singly.
KTileCopy::Values MatrixCopy::loadAnywhere(Value source, Value isRow, Value present) {
  Type i16 = e.b.getIntegerType(16), i32 = e.b.getI32Type(), i64 = e.b.getI64Type();
  Value address = LLVM::PtrToIntOp::create(e.b, e.loc, i64, source);
  Value odd = e.bitAnd(arith::TruncIOp::create(e.b, e.loc, i32, address), 2);
  Value base = e.advance(source, e.mul(odd, -1));
  auto widened = [&](Value x) { return arith::ExtUIOp::create(e.b, e.loc, i32, x).getResult(); };
  auto whole = [&] {
    Values words;
    for (int64_t i = 0; i < 4; ++i)
      words.push_back(LLVM::LoadOp::create(e.b, e.loc, i32, e.advance(base, 4 * i), 4));
    words.push_back(widened(LLVM::LoadOp::create(e.b, e.loc, i16, e.advance(source, 14), 2)));
    return words;
  };
  auto inPart = [&] {
    Value count = e.max(present ? present : e.i32(8), e.i32(0));
    count = isRow ? target::select(e, isRow, count, e.i32(0)) : count;
    Value before = e.div(odd, 2);
    auto number = [&](Value from, Value at) {
      Value isThere = e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, at, count);
      Value place = target::select(e, isThere, from, start);
      Value x = widened(LLVM::LoadOp::create(e.b, e.loc, i16, place, 2));
      return target::select(e, isThere, x, e.i32(0));
    };
    Values words;
    for (int64_t i = 0; i < 4; ++i) {
      auto half = [&](int64_t at) {
        return number(e.advance(base, 2 * at), e.add(e.i32(at), e.mul(before, -1)));
      };
      Value high = arith::ShLIOp::create(e.b, e.loc, half(2 * i + 1), e.i32(16));
      words.push_back(arith::OrIOp::create(e.b, e.loc, half(2 * i), high));
    }
    words.push_back(number(e.advance(source, 14), e.i32(7)));
    return words;
  };
  Value isWhole = bothOf(e, isRow, present ? isAbove(e, present, 7) : Value());
  Values words;
  if (!isWhole) {
    words = whole();
  } else {
    auto branch = scf::IfOp::create(e.b, e.loc, SmallVector<Type>(5, i32), isWhole, true);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(e.b, e.loc, whole());
    e.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(e.b, e.loc, inPart());
    llvm::append_range(words, branch.getResults());
  }
  words.push_back(e.mul(odd, 8));
  return words;
}

KTileCopy::Values MatrixCopy::begin(Value target, Value source, Value k) {
  // Elements of the thread's chunks within the operand; may be zero or negative.
  Value present;
  if (endsInColumns())
    present = side.alongDepth ? e.add(left(depthEnd, k), e.mul(column, -1))
                              : left(e.i32(side.lines), e.add(firstLine, column));
  Value to = e.advance(target, offset);
  Values moved;
  for (int64_t pass = 0; pass < passes; ++pass) {
    Value number = e.add(row, e.i32(pass * rowsPerPass)), isRow;
    if (endsInRows()) {
      Value limit = side.alongDepth ? left(e.i32(side.lines), firstLine) : left(depthEnd, k);
      isRow = e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::slt, number, limit);
    }
    Value place = e.advance(to, pass * rowsPerPass * shared.rowBytes());
    Value from = e.advance(source, gemm.elementBytes() * pass * rowsPerPass * side.lineStride);
    if (startsAnywhere())
      llvm::append_range(moved, loadAnywhere(from, isRow, present));
    else
      copyChunk(place, from, isRow, present, moved);
  }
  return moved;
}

void MatrixCopy::end(Value target, ArrayRef<Value> moved) {
  if (!startsAnywhere())
    return KTileCopy::end(target, moved);
  SmallVector<Values> chunks(passes);
  for (int64_t pass = 0; pass < passes; ++pass) {
    ArrayRef<Value> words = moved.slice(6 * pass, 6);
    for (int64_t i = 0; i < 4; ++i)
      chunks[pass].push_back(LLVM::FshrOp::create(e.b, e.loc, words[i + 1], words[i], words[5]));
  }
  store(target, chunks);
}
