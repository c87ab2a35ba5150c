// ldmatrix and mma.sync. Layouts: PTX ISA, "Matrix fragments for mma.m16n8k16", "Matrix fragments
// for mma.m16n8k8" with .tf32, and "ldmatrix".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/Fragments.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc::nvptx;

static FragmentSide sideOf(const TileGemm &gemm, bool isLeft) {
  return {isLeft, isLeft ? gemm.lhs.alongDepth : gemm.rhs.alongDepth, gemm.element.isF32(),
          isLeft ? gemm.tile.warpM() : gemm.tile.warpN(), gemm.tile.lineBytes / 32};
}
FragmentLoader::FragmentLoader(DeviceEmitter &e, const SharedTile &tile, bool isLeft,
                               const TileGemm &gemm, Value first)
    : FragmentLoader(e, tile, sideOf(gemm, isLeft), first) {}
FragmentLoader::FragmentLoader(DeviceEmitter &e, const SharedTile &tile, const FragmentSide &side,
                               Value first)
    : e(e), tile(tile), isLeft(side.isLeft), alongDepth(side.alongDepth), isTF32(side.isTF32),
      lines(side.lines), steps(side.steps) {
  if (isTF32 && !alongDepth)
    placeNumbers(first);
  else
    placeSquares(first);
}

// ldmatrix.x4 loads four squares of eight rows of 16 bytes; thread t gives the address of row t % 8
// of square t / 8. Left fragment: squares (lines 0-7, first half of k), (lines 8-15, first), (lines
// 0-7, second), (lines 8-15, second); a right fragment exchanges the second and the third. Along
// the depth, rows of a tile are lines; across, rows are points of k, and ldmatrix transposes the
// squares.
void FragmentLoader::placeSquares(Value first) {
  Value lane = e.rem(e.thread(), 32);
  Value within = e.rem(lane, 8), middle = e.rem(e.div(lane, 8), 2), high = e.div(lane, 16);
  // Whether the middle bit of the square's index selects a row of the tile (else a chunk).
  bool middleIsRow = isLeft == alongDepth;
  Value row = e.add(within, e.mul(middleIsRow ? middle : high, 8)),
        chunk = middleIsRow ? high : middle;
  if (alongDepth)
    row = e.add(row, first);
  else
    chunk = e.add(chunk, e.div(first, 8));
  Value base = tile.offset(e, row, chunk);
  for (int64_t i = 0; i < (alongDepth ? steps : lines / 16); ++i)
    offsets.push_back(e.bitXor(base, e.i32(32 * i)));
}

// ldmatrix does not transpose 32-bit numbers: thread t loads lines t / 4 and t / 4 + 8 at points t
// % 4 and t % 4 + 4 of k singly, from rows of points.
void FragmentLoader::placeNumbers(Value first) {
  Value lane = e.rem(e.thread(), 32), line = e.div(lane, 4), point = e.rem(lane, 4);
  Value chunk = e.add(e.div(first, 4), e.div(line, 4));
  Value base = e.add(tile.offset(e, point, chunk), e.mul(e.rem(line, 4), 4));
  for (int64_t eight = 0; eight < lines / 8; ++eight)
    offsets.push_back(e.bitXor(base, e.i32(32 * eight)));
}

Fragment FragmentLoader::loadSquares(Value base, int64_t i, int64_t k) {
  Value place = e.advance(base, offsets[alongDepth ? k : i]);
  place = e.advance(place, 16 * (alongDepth ? i : k) * tile.rowBytes());
  Type i32 = e.b.getI32Type();
  auto type = LLVM::LLVMStructType::getLiteral(e.b.getContext(), {i32, i32, i32, i32});
  auto shape = NVVM::LdStMatrixShapeAttr::get(e.b.getContext(), 8, 8);
  Value squares = NVVM::LdMatrixOp::create(e.b, e.loc, type, place, 4,
                                           alongDepth ? NVVM::MMALayout::row : NVVM::MMALayout::col,
                                           shape, NVVM::LdStMatrixEltType::B16);
  Fragment fragment;
  for (int64_t s = 0; s < 4; ++s)
    fragment[s] = LLVM::ExtractValueOp::create(e.b, e.loc, squares, s);
  return fragment;
}
Fragment FragmentLoader::loadNumbers(Value base, int64_t i, int64_t k) {
  Fragment fragment;
  for (int64_t s = 0; s < 4; ++s) {
    int64_t half = isLeft ? s % 2 : s / 2, fourth = isLeft ? s / 2 : s % 2;
    Value place = e.advance(base, offsets[2 * i + half]);
    place = e.advance(place, (8 * k + 4 * fourth) * tile.rowBytes());
    fragment[s] = e.loadVector(place, e.b.getI32Type(), 1)[0];
  }
  return fragment;
}

Fragment FragmentLoader::load(Value base, int64_t i, int64_t k) {
  if (!isTF32)
    return loadSquares(base, i, k);
  Fragment fragment = alongDepth ? loadSquares(base, i, k) : loadNumbers(base, i, k);
  // Matrix units truncate a float to the upper bits, so factors are rounded first.
  for (Value &word : fragment) {
    Value number = LLVM::BitcastOp::create(e.b, e.loc, e.b.getF32Type(), word);
    word = NVVM::ConvertFloatToTF32Op::create(e.b, e.loc, e.b.getI32Type(), number,
                                              NVVM::FPRoundingMode::RNA);
  }
  return fragment;
}

/// A single mma instruction over `depth` points of k.
static std::array<Value, 4> multiplyOnce(DeviceEmitter &e, ArrayRef<Value> left,
                                         ArrayRef<Value> right, ArrayRef<Value> sums,
                                         NVVM::MMATypes kind, int64_t depth) {
  auto pairs = [&](ArrayRef<Value> words) {
    auto type = VectorType::get({2}, e.b.getF16Type());
    return llvm::map_to_vector(words, [&](Value word) -> Value {
      return kind == NVVM::MMATypes::f16
                 ? LLVM::BitcastOp::create(e.b, e.loc, type, word).getResult()
                 : word;
    });
  };
  Type f32 = e.b.getF32Type();
  auto type = LLVM::LLVMStructType::getLiteral(e.b.getContext(), {f32, f32, f32, f32});
  Value product = NVVM::MmaOp::create(e.b, e.loc, type, pairs(left), pairs(right), sums,
                                      ArrayRef<int64_t>{16, 8, depth}, std::nullopt, std::nullopt,
                                      std::array{kind, kind},
                                      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  std::array<Value, 4> next;
  for (int64_t i = 0; i < 4; ++i)
    next[i] = LLVM::ExtractValueOp::create(e.b, e.loc, product, i);
  return next;
}

// sm_75 multiplies eight points of k per instruction: the first and the last half of a fragment.
std::array<Value, 4> ampc::nvptx::multiply(DeviceEmitter &e, const Fragment &left,
                                           const Fragment &right, unsigned half,
                                           ArrayRef<Value> sums, Type element) {
  auto columns = ArrayRef<Value>(right).slice(2 * half, 2);
  if (element.isF32())
    return multiplyOnce(e, left, columns, sums, NVVM::MMATypes::tf32, 8);
  auto kind = element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  if (e.chip.capability >= 80)
    return multiplyOnce(e, left, columns, sums, kind, 16);
  std::array<Value, 4> first =
      multiplyOnce(e, ArrayRef<Value>(left).take_front(2), columns.take_front(1), sums, kind, 8);
  return multiplyOnce(e, ArrayRef<Value>(left).take_back(2), columns.take_back(1), first, kind, 8);
}
