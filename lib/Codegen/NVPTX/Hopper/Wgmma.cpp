// wgmma.mma_async. PTX ISA, "Asynchronous warpgroup level matrix instructions": registers, matrix
// descriptor, canonical layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/Wgmma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Swizzle atom: eight rows, after which the order of chunks repeats.
static constexpr int64_t atomBytes = 8 * tileRowBytes;

// Matrix descriptor, with fields in units of 16 bytes: start address; at bit 16 the leading byte
// offset, to the next square of 64 lines (tiles across the depth); at bit 32 the stride byte
// offset, to the next eight rows; at bit 62 the 128-byte swizzle.
Value WgmmaTile::descriptor(DeviceEmitter &e, Value place) const {
  int64_t leading = alongDepth ? 16 : 64 * tileRowBytes;
  int64_t fields = leading / 16 << 16 | (atomBytes / 16) << 32 | int64_t(1) << 62;
  Type i64 = e.b.getI64Type();
  Value start = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI32Type(), place);
  Value four = e.i32(4);
  start = arith::ShRUIOp::create(e.b, e.loc, e.bitAnd(start, 0x3ffff), four);
  start = arith::ExtUIOp::create(e.b, e.loc, i64, start);
  Value constant = arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(fields));
  return arith::OrIOp::create(e.b, e.loc, start, constant);
}

/// Text of the instruction with a predicate scale-d (whether to add); MLIR's op requires a
/// constant.
static std::string instruction(const WgmmaTile &left, const WgmmaTile &right, Type element,
                               int64_t sums) {
  std::string text;
  llvm::raw_string_ostream os(text);
  StringRef type = element.isF16() ? "f16" : "bf16";
  os << "{\n.reg .pred adds;\nsetp.ne.b32 adds, $" << 2 * sums + 2
     << ", 0;\nwgmma.mma_async.sync.aligned.m64n" << right.lines << "k16.f32." << type << "."
     << type << " {";
  for (int64_t i = 0; i < sums; ++i)
    os << (i ? ", $" : "$") << i;
  os << "}, $" << 2 * sums << ", $" << 2 * sums + 1 << ", adds, 1, 1, " << !left.alongDepth << ", "
     << !right.alongDepth << ";\n}";
  return text;
}

/// Register constraints: results, the same registers as operands, two descriptors, and the flag
/// whether to add.
static std::string constraints(int64_t sums) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t i = 0; i < sums; ++i)
    os << "=f,";
  for (int64_t i = 0; i < sums; ++i)
    os << i << ",";
  os << "l,l,r";
  return text;
}

static SmallVector<Value> multiply(DeviceEmitter &e, StringRef text, StringRef registers,
                                   ValueRange sums, Value left, Value right, Value adds) {
  SmallVector<Value> operands(sums);
  operands.append({left, right, adds});
  auto type = LLVM::LLVMStructType::getLiteral(e.b.getContext(), llvm::to_vector(sums.getTypes()));
  auto all = LLVM::InlineAsmOp::create(
      e.b, e.loc, type, operands, text, registers, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> next;
  for (size_t i = 0; i < sums.size(); ++i)
    next.push_back(LLVM::ExtractValueOp::create(e.b, e.loc, all.getRes(), i));
  return next;
}

SmallVector<Value> nvptx::issueProducts(DeviceEmitter &e, const WgmmaTile &left,
                                        const WgmmaTile &right, Value leftPlace, Value rightPlace,
                                        Type element, ValueRange sums, Value adds) {
  std::string text = instruction(left, right, element, sums.size()),
              registers = constraints(sums.size());
  Value a = left.descriptor(e, leftPlace), b = right.descriptor(e, rightPlace);
  auto further = [&](Value descriptor, int64_t by) -> Value {
    Value more = arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(by));
    return e.b.createOrFold<arith::AddIOp>(e.loc, descriptor, more);
  };
  NVVM::WgmmaFenceAlignedOp::create(e.b, e.loc);
  SmallVector<Value> now(sums);
  for (int64_t k = 0; k < kTilePoints / 16; ++k)
    now = multiply(e, text, registers, now, further(a, k * left.step()),
                   further(b, k * right.step()), k ? e.i32(1) : adds);
  NVVM::WgmmaGroupSyncAlignedOp::create(e.b, e.loc);
  return now;
}

void nvptx::waitForProducts(DeviceEmitter &e, int64_t groups) {
  NVVM::WgmmaWaitGroupSyncOp::create(e.b, e.loc, groups);
}

SmallVector<Value> nvptx::undefinedAccumulators(DeviceEmitter &e, int64_t columns) {
  Value undefined = LLVM::UndefOp::create(e.b, e.loc, e.b.getF32Type());
  return SmallVector<Value>(columns / 2, undefined);
}
