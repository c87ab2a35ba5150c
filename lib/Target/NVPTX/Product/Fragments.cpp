// ldmatrix and mma.sync. Layouts: PTX ISA, "Matrix fragments for mma.m16n8k16" and "ldmatrix".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/Fragments.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc::nvptx;

// ldmatrix.x4 reads four squares of eight rows; thread t names row t % 8 of square t / 8. A left
// fragment has the squares (lines 0-7, k 0-7), (lines 8-15, k 0-7), (lines 0-7, k 8-15), (lines
// 8-15, k 8-15); a right one exchanges the second and the third. Rows of a tile are lines along the
// depth; across it they are points of k, and squares are transposed on the way.
FragmentLoader::FragmentLoader(DeviceEmitter &e, const SharedTile &tile, bool isLeft,
                               bool alongDepth, Value first, int64_t lines, int64_t depth)
    : e(e), tile(tile), alongDepth(alongDepth), lines(lines) {
  Value lane = e.rem32(e.thread(), 32);
  Value within = e.rem32(lane, 8), middle = e.rem32(e.div32(lane, 8), 2), high = e.div32(lane, 16);
  // Which of the two numbers of a square goes along rows of the tile.
  bool middleIsRow = isLeft == alongDepth;
  Value row = e.add32(within, e.mul32(middleIsRow ? middle : high, 8)),
        chunk = middleIsRow ? high : middle;
  if (alongDepth)
    row = e.add32(row, first);
  else
    chunk = e.add32(chunk, e.div32(first, 8));
  Value base = tile.offset(e, row, chunk);
  for (int64_t i = 0; i < (alongDepth ? depth : lines) / 16; ++i)
    offsets.push_back(e.xor32(base, e.i32(32 * i)));
}

Fragment FragmentLoader::load(Value base, int64_t i, int64_t k) {
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

std::array<Value, 4> ampc::nvptx::multiply(DeviceEmitter &e, const Fragment &left,
                                           const Fragment &right, unsigned half,
                                           ArrayRef<Value> sums, Type element) {
  bool isF16 = element.isF16();
  auto pairs = [&](ArrayRef<Value> words) {
    auto type = VectorType::get({2}, e.b.getF16Type());
    return llvm::map_to_vector(words, [&](Value word) -> Value {
      return isF16 ? LLVM::BitcastOp::create(e.b, e.loc, type, word).getResult() : word;
    });
  };
  Type f32 = e.b.getF32Type();
  auto type = LLVM::LLVMStructType::getLiteral(e.b.getContext(), {f32, f32, f32, f32});
  auto kind = isF16 ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value product = NVVM::MmaOp::create(
      e.b, e.loc, type, pairs(left), pairs(ArrayRef<Value>(right).slice(2 * half, 2)), sums,
      ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt, std::array{kind, kind},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  std::array<Value, 4> next;
  for (int64_t i = 0; i < 4; ++i)
    next[i] = LLVM::ExtractValueOp::create(e.b, e.loc, product, i);
  return next;
}
