// Products of rows by warpgroups: wgmma, which reads tiles directly from shared memory. PTX ISA,
// "Asynchronous warpgroup level matrix instructions": registers, matrix descriptor, canonical
// layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/RowProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
/// Neighbouring panels of a tile with the same width, in a canonical layout of wgmma: rows of 128
/// bytes with the 128-byte swizzle, or rows of 64 bytes with the 64-byte swizzle.
struct Panels {
  int64_t start, rowBytes; // bytes
  int64_t firstChannel, channels;
};

/// A wgmma group from fence to wait as a single inline assembly, so that the compiler schedules no
/// other instruction between. Registers are numbered: first the accumulators, then `inputs`.
class Group {
public:
  Group(FlashBlock &f, int64_t sums) : e(f.e), element(f.shape.element), sums(sums), os(text) {}
  /// Adds an operand; returns the number of the operand's register.
  int64_t input(Value value) {
    inputs.push_back(value);
    return sums + int64_t(inputs.size()) - 1;
  }
  /// Adds a product over 16 points of k to accumulators [first, first + columns / 2); `left` is the
  /// text of a descriptor or of registers, `right` the number of a register.
  void product(int64_t first, int64_t columns, const std::string &left, int64_t right,
               int64_t rightBytes, bool adds, bool transposesRight);
  std::string descriptor(int64_t number, int64_t bytes, StringRef name);
  /// Emits the assembly and returns the accumulators. `before`: accumulators so far; empty: start
  /// at nothing.
  Accumulators run(const Accumulators &before);

private:
  DeviceEmitter &e;
  Type element;
  int64_t sums;
  SmallVector<Value> inputs;
  std::string text;
  llvm::raw_string_ostream os;
};

class WarpgroupProducts : public RowProducts {
public:
  explicit WarpgroupProducts(FlashBlock &block) : RowProducts(block) {}
  Accumulators multiply(Value own, Value streamed) override;
  void addTo(Accumulators &sums, const Accumulators &factors, Value streamed) override;

private:
  SmallVector<Panels> panelsOf(const RowTile &tile) const;
  Value descriptorOf(Value place, const Panels &panels, int64_t leadingBytes);
};
} // namespace

/// The descriptor in register `number`, advanced by `bytes`; address fields count units of 16
/// bytes.
std::string Group::descriptor(int64_t number, int64_t bytes, StringRef name) {
  if (bytes == 0)
    return "$" + std::to_string(number);
  os << "add.s64 " << name << ", $" << number << ", " << bytes / 16 << ";\n";
  return name.str();
}

void Group::product(int64_t first, int64_t columns, const std::string &left, int64_t right,
                    int64_t rightBytes, bool adds, bool transposesRight) {
  std::string other = descriptor(right, rightBytes, "right");
  StringRef type = element.isF16() ? "f16" : "bf16";
  os << "wgmma.mma_async.sync.aligned.m64n" << columns << "k16.f32." << type << "." << type << " {";
  for (int64_t i = 0; i < columns / 2; ++i)
    os << (i ? ", $" : "$") << first + i;
  os << "}, " << left << ", " << other << ", " << (adds ? "yes" : "no") << ", 1, 1"
     << (StringRef(left).starts_with("{") ? ", " : ", 0, ") << transposesRight << ";\n";
}

Accumulators Group::run(const Accumulators &before) {
  std::string all = "{\n.reg .pred yes, no;\n.reg .b32 zero;\n.reg .b64 left, right;\n"
                    "mov.b32 zero, 0;\nsetp.eq.s32 yes, zero, 0;\nsetp.ne.s32 no, zero, 0;\n"
                    "wgmma.fence.sync.aligned;\n" +
                    text + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}";
  std::string constraints;
  for (int64_t i = 0; i < sums; ++i)
    constraints += "=f,";
  SmallVector<Value> operands(inputs);
  for (Value input : inputs)
    constraints += input.getType().isInteger(64) ? "l," : "r,";
  append(operands, before);
  for (int64_t i = 0; i < int64_t(4 * before.size()); ++i)
    constraints += std::to_string(i) + ",";
  constraints.pop_back();
  SmallVector<Type> types(sums, e.b.getF32Type());
  auto code = LLVM::InlineAsmOp::create(
      e.b, e.loc, LLVM::LLVMStructType::getLiteral(e.b.getContext(), types), operands, all,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  for (int64_t i = 0; i < sums; ++i)
    results.push_back(LLVM::ExtractValueOp::create(e.b, e.loc, code.getRes(), i));
  return unflatten(results);
}

SmallVector<Panels> WarpgroupProducts::panelsOf(const RowTile &tile) const {
  SmallVector<Panels> all;
  int64_t channels = 8 * shape.channelTiles();
  int64_t wide = tile.endsNarrow() ? (tile.panels() - 1) * RowTile::panelChannels : channels;
  if (wide > 0)
    all.push_back({0, 128, 0, wide});
  if (tile.endsNarrow())
    all.push_back({tile.panelStart(tile.panels() - 1), 64, wide, channels - wide});
  return all;
}

// Matrix descriptor: start address from bit 0; at bit 16 the leading byte offset, to the next panel
// (if rows are points of k); at bit 32 the stride byte offset, to the next eight rows; at bit 62
// the swizzle mode.
Value WarpgroupProducts::descriptorOf(Value place, const Panels &panels, int64_t leadingBytes) {
  int64_t swizzle = panels.rowBytes == 128 ? 1 : 2;
  int64_t fields = leadingBytes / 16 << 16 | (8 * panels.rowBytes / 16) << 32 | swizzle << 62;
  Type i64 = e.b.getI64Type();
  Value start =
      LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI32Type(), e.advance(place, panels.start));
  start = arith::ShRUIOp::create(e.b, e.loc, e.bitAnd(start, 0x3ffff), e.i32(4));
  start = arith::ExtUIOp::create(e.b, e.loc, i64, start);
  Value constant = arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(fields));
  return arith::OrIOp::create(e.b, e.loc, start, constant);
}

// Rows of both sides are lines, channels are k. k-steps of 16 channels are 32 bytes apart within a
// panel.
Accumulators WarpgroupProducts::multiply(Value ownPlace, Value passingPlace) {
  Group group(f, 4 * f.columnTiles());
  Value warpgroup = e.div(f.warpNumber(), 4);
  SmallVector<Panels> left = panelsOf(own), right = panelsOf(streamed);
  for (auto [number, panels] : llvm::enumerate(left)) {
    Value rows = e.advance(ownPlace, e.mul(warpgroup, 64 * panels.rowBytes));
    int64_t a = group.input(descriptorOf(rows, panels, 16)),
            b = group.input(descriptorOf(passingPlace, right[number], 16));
    int64_t steps = llvm::divideCeil(panels.channels, 16);
    for (int64_t k = 0; k < steps; ++k) {
      int64_t panel = k / 4, within = k % 4 * 32;
      group.product(0, f.tile.columns, group.descriptor(a, own.panelStart(panel) + within, "left"),
                    b, streamed.panelStart(panel) + within, /*adds=*/number > 0 || k > 0,
                    /*transposesRight=*/false);
    }
  }
  return group.run({});
}

// Streamed rows are points of k, and channels are lines.
void WarpgroupProducts::addTo(Accumulators &sums, const Accumulators &factors, Value place) {
  Group group(f, 4 * sums.size());
  SmallVector<std::string> lines;
  for (int64_t k = 0; k < f.tile.columns / 16; ++k) {
    std::string words;
    for (Value word : leftOf(&factors[2 * k]))
      words += (words.empty() ? "{$" : ", $") + std::to_string(group.input(word));
    lines.push_back(words + "}");
  }
  for (const Panels &panels : panelsOf(streamed)) {
    int64_t b = group.input(descriptorOf(place, panels, streamed.panelStart(1)));
    for (auto [k, line] : llvm::enumerate(lines))
      group.product(4 * panels.firstChannel / 8, panels.channels, line, b, k * 16 * panels.rowBytes,
                    /*adds=*/true, /*transposesRight=*/true);
  }
  sums = group.run(sums);
}

std::unique_ptr<RowProducts> nvptx::makeWarpgroupProducts(FlashBlock &block) {
  return std::make_unique<WarpgroupProducts>(block);
}
