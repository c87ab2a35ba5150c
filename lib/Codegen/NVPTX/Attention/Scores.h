// Shared parts of the plain kernels of attention and of the gradient: rows of operands, scores of
// pairs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_SCORES_H
#define LIB_CODEGEN_NVPTX_ATTENTION_SCORES_H

#include "lib/Codegen/NVPTX/LaneGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace ampc::nvptx {

/// Sizes and options. Sums have the order of a CPU with AVX-512: scores are computed in tiles of at
/// most [64, 64]; a last tile that would not fit starts earlier, and elements shared with the tile
/// before do not count.
template <typename Op> struct AttentionSizes {
  explicit AttentionSizes(Op op)
      : op(op), queries(op.getQueries()), keys(op.getKeys()), width(op.getWidth()),
        queryTile(std::min<int64_t>(queries, 64)), keyTile(std::min<int64_t>(keys, 64)),
        lanes(op.getAcc().isF64() ? 8 : 16), channels(llvm::divideCeil(width, lanes)) {}

  Op op;
  int64_t queries, keys, width, queryTile, keyTile;
  int64_t lanes;    // threads of a lane group
  int64_t channels; // channels per thread

  /// Causal mask: query i sees keys up to i + offset().
  int64_t offset() const { return keys - queries; }
  int64_t keyTiles() const { return llvm::divideCeil(keys, keyTile); }
  int64_t queryTiles() const { return llvm::divideCeil(queries, queryTile); }
};

/// An entry of the batch, computed by a lane group.
template <typename Op> class AttentionEntry {
public:
  using Value = mlir::Value;
  AttentionEntry(const AttentionSizes<Op> &sizes, DeviceEmitter &e, const KernelPointers &pointers,
                 LaneGroup &group, llvm::ArrayRef<Value> batch)
      : sizes(sizes), op(sizes.op), e(e), pointers(pointers), group(group), batch(batch),
        acc(op.getAcc()) {}

  Value add(Value x, Value y) { return mlir::arith::AddFOp::create(e.b, e.loc, x, y); }
  Value sub(Value x, Value y) { return mlir::arith::SubFOp::create(e.b, e.loc, x, y); }
  Value mul(Value x, Value y) { return mlir::arith::MulFOp::create(e.b, e.loc, x, y); }
  Value exp(Value x) { return mlir::math::ExpOp::create(e.b, e.loc, x); }
  Value number(double value) { return e.constant(acc, value); }
  Value isNumber(Value x, double value) {
    return mlir::arith::CmpFOp::create(e.b, e.loc, mlir::arith::CmpFPredicate::OEQ, x,
                                       number(value));
  }

  Value load(unsigned operand, mlir::ValueRange place) {
    auto type = target::tensorOf(op.getTensors()[operand]);
    Value position = positionOf(op.getOperandMaps()[operand], type, place);
    Value x = e.loadScalar(pointers.operands[operand], type.getElementType(), position);
    return target::widen(e, x, acc);
  }
  void store(Value x, unsigned result, mlir::ValueRange place) {
    auto type = target::tensorOf(op.getOuts()[result]);
    e.storeScalar(target::narrow(e, x, type.getElementType()), pointers.results[result],
                  positionOf(op.getResultMaps()[result], type, place));
  }
  /// Dot product of rows of two operands over all channels, by a single thread.
  Value dot(unsigned a, Value row, unsigned b, Value other) {
    return target::accumulate(e, {sizes.width}, number(0), [&](llvm::ArrayRef<Value> c, Value sum) {
      return target::multiplyAdd(e, sum, load(a, {row, c[0]}), load(b, {other, c[0]}), true);
    });
  }
  /// Dot product of rows of two operands, with the channels split over the lane group.
  Value dotOfGroup(unsigned a, Value row, unsigned b, Value other) {
    Value sum = e.loop(group.lane(), e.index(sizes.width), sizes.lanes, number(0),
                       [&](Value c, mlir::ValueRange soFar) -> llvm::SmallVector<Value> {
                         return {add(soFar[0], mul(load(a, {row, c}), load(b, {other, c})))};
                       })[0];
    return group.combine(kernel::Combine::sum, sum);
  }
  Value score(Value query, Value key) {
    Value s = mul(dot(0, query, 1, key), number(op.getScale().convertToDouble()));
    return op.getBiased() ? add(s, load(3, {query, key})) : s;
  }
  /// Whether the query sees the key; null if every pair counts.
  Value sees(Value query, Value key) {
    if (!op.getCausal())
      return Value();
    return e.less(key, e.add(query, sizes.offset() + 1));
  }

  /// Channel `i` of this thread; may be out of range.
  Value channel(int64_t i) { return e.add(group.lane(), i * sizes.lanes); }
  /// Adds `count` rows of an operand, starting at row `first`, to accumulators, one per channel of
  /// the thread. The factor of row j is in slot j / lanes of thread j % lanes.
  llvm::SmallVector<Value> addRows(unsigned operand, Value first, int64_t count,
                                   llvm::ArrayRef<Value> factors) {
    llvm::SmallVector<Value> sums(sizes.channels, number(0));
    for (size_t slot = 0; slot < factors.size(); ++slot) {
      Value factor = factors[slot];
      int64_t rows = std::min(sizes.lanes, count - int64_t(slot) * sizes.lanes);
      sums = e.loop(e.index(0), e.index(rows), 1, sums, [&](Value j, mlir::ValueRange soFar) {
        Value row = e.add(e.add(first, slot * sizes.lanes), j), own = fromThread(factor, j);
        llvm::SmallVector<Value> next;
        for (int64_t i = 0; i < sizes.channels; ++i) {
          Value c = e.min(channel(i), e.index(sizes.width - 1));
          next.push_back(target::multiplyAdd(e, soFar[i], own, load(operand, {row, c}), true));
        }
        return next;
      });
    }
    return sums;
  }
  /// Stores this thread's channels that are in range.
  void storeRow(llvm::ArrayRef<Value> numbers, unsigned result, Value row) {
    for (auto [i, x] : llvm::enumerate(numbers))
      e.when(e.less(channel(i), e.index(sizes.width)),
             [&, i = i, x = x] { store(x, result, {row, channel(i)}); });
  }
  Value fromThread(Value x, Value lane) {
    Value number = mlir::arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), lane);
    return group.fromLane(x, number);
  }

  const AttentionSizes<Op> &sizes;
  Op op;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  LaneGroup &group;
  llvm::ArrayRef<Value> batch;
  mlir::Type acc;

private:
  Value positionOf(mlir::Attribute map, mlir::RankedTensorType type, mlir::ValueRange place) {
    llvm::SmallVector<Value> dims(batch);
    dims.append(place.begin(), place.end());
    auto access =
        target::Access::of(mlir::cast<mlir::AffineMapAttr>(map).getValue(), type.getShape());
    return target::position(e, access, dims);
  }
};

/// Launches a lane group per batch entry and row, each running `body`.
template <typename Op>
void launchRows(DeviceCode &code, const AttentionSizes<Op> &sizes, int64_t rows,
                llvm::function_ref<void(AttentionEntry<Op> &, mlir::Value row)> body) {
  Op op = sizes.op;
  llvm::SmallVector<int64_t> space(op.getBatch());
  space.push_back(rows);
  launchGroups(
      code, mlir::ShapedType::getNumElements(space), sizes.lanes,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, mlir::Value number) {
        llvm::SmallVector<mlir::Value> place = e.split(number, space);
        AttentionEntry<Op> entry(sizes, e, pointers, group, llvm::ArrayRef(place).drop_back());
        body(entry, place.back());
      });
}

} // namespace ampc::nvptx
#endif
