// Sizes, tiles of scores and tile products that attention and its gradient share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_ATTENTION_ATTENTIONTILES_H
#define LIB_CODEGEN_CPU_ATTENTION_ATTENTIONTILES_H

#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/CPUKernelLowering.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/TierPlans.h"

namespace ampc::cpu {

/// Matrix in memory with constant strides from `pointer`.
struct Matrix {
  mlir::Value pointer;
  mlir::Type element;
  int64_t rowStride, columnStride;

  Matrix transposed() const { return {pointer, element, columnStride, rowStride}; }
  Matrix from(KernelEmitter &e, mlir::Value row) const {
    return {e.address(pointer, element, e.mul(row, rowStride)), element, rowStride, columnStride};
  }
};

/// Sizes of an attention. Scores exist as tiles [queryTile, keyTile], which stay in L1. Tiles have
/// one size: if the tile does not divide the size, the last tile starts earlier, and the overlap
/// with the tile before is left out of sums and stores. Example: 100 keys in tiles of 64 start at 0
/// and 36; the second tile owns keys 64 to 99.
struct AttentionShape {
  llvm::SmallVector<int64_t> batch;
  int64_t entries = 1, queries, keys, width; // entries of the batch
  int64_t queryTile = 0, keyTile = 0;
  int64_t parts = 1; // slices of the keys in the sums of the queries' cotangents
  double scale;
  bool causal, biased;
  mlir::Type acc;
  llvm::SmallVector<mlir::Type> operandTypes, resultTypes; // of elements
  llvm::SmallVector<Access> operands, results;

  /// Tiles are those of the op's blocking, or 0 without one.
  template <typename Op> explicit AttentionShape(Op op);
  int64_t queryTiles() const { return ceilDiv(queries, queryTile); }
  int64_t keyTiles() const { return ceilDiv(keys, keyTile); }
  /// Type to which weights and cotangents of scores are rounded for their products: bf16 if
  /// operands are bf16 and the tier multiplies bf16, since bf16 has the range of f32; else the
  /// sums' type.
  mlir::Type roundedType(const Tier &tier) const {
    return operandTypes.front().isBF16() && tier.hasBF16Products() ? operandTypes.front() : acc;
  }
  /// Query i sees the keys up to i + offset().
  int64_t offset() const { return keys - queries; }
  /// Matrix of every entry's operand `i`: [queries or keys, width]; without a pointer.
  Matrix operand(unsigned i) const { return entryOf(operands[i], operandTypes[i]); }
  Matrix result(unsigned i) const { return entryOf(results[i], resultTypes[i]); }

private:
  Matrix entryOf(const Access &access, mlir::Type element) const;
};

/// Stores a tile of 64 x 64 scores if the op has no blocking. Fails, after an error at the op, if a
/// given tile is larger than the scores.
template <typename Op> llvm::LogicalResult configureScoreTile(Op op) {
  constexpr int64_t tile = 64;
  int64_t queries = op.getQueries(), keys = op.getKeys();
  if (!op.getBlockingAttr())
    op.setBlockingAttr(kernel::AttentionBlockingAttr::get(op.getContext(), std::min(queries, tile),
                                                          std::min(keys, tile)));
  kernel::AttentionBlockingAttr blocking = op.getBlockingAttr();
  if (blocking.getQueries() <= queries && blocking.getKeys() <= keys)
    return llvm::success();
  return op.emitOpError() << "expected a tile of at most " << queries << " queries and " << keys
                          << " keys, but got " << blocking;
}
/// Whether the tier multiplies the operands by other instructions than the tier below.
bool hasOwnProducts(const AttentionShape &shape, const Tier &tier);

/// Product A B^T of tiles A: [m, k] with packed tiles B: [n, k]. Scratch holds all packed tiles B
/// of an entry, each packed once, or a single tile at a time if all would exceed `keptBytes`.
struct TileProduct {
  ProductShape shape;
  StridedSource lhs; // tiles A; pointer unset
  Blocking blocking;
  int64_t tiles, kept;
  int64_t bytes, offset; // of one packed tile; of the first tile in scratch

  bool keepsAll() const { return kept == tiles; }
};

/// Allocates arrays of accumulators in a thread's scratch, as byte offsets. Derived classes declare
/// arrays and products in their order in memory; the scratch of the products' own panels, which
/// all products share, is behind them. `plans`: a #kernel.blocking per product; empty: the fastest
/// blockings are chosen.
class AttentionScratch {
public:
  AttentionScratch(const AttentionShape &shape, const Tier &tier,
                   llvm::ArrayRef<mlir::Attribute> plans = {})
      : shape(shape), tier(tier), lanes(tier.lanes(8 * elementBytes(shape.acc))),
        plans(plans.begin(), plans.end()) {}
  /// Fails, with an error at the op, without a plan for each product, or without code for a plan.
  llvm::LogicalResult checkPlans(mlir::Operation *op) const;
  /// Blockings of the products, as a plan stores them.
  llvm::ArrayRef<mlir::Attribute> blockings() const { return chosen; }
  int64_t product() const { return at; }
  int64_t bytes() const { return at + productBytes; }

protected:
  int64_t take(int64_t elements);
  /// Product of tiles A of the matrix `a`, and of `tiles` tiles B per entry with elements `b`.
  TileProduct takeProduct(int64_t m, int64_t n, int64_t k, const Matrix &a, mlir::Type b,
                          int64_t tiles);
  /// Elements from row to row of an array with `columns` columns.
  int64_t stride(int64_t columns) const { return roundUp(columns, lanes); }
  /// Array with `columns` columns; without a pointer.
  Matrix array(int64_t columns, mlir::Type element) const {
    return {mlir::Value(), element, stride(columns), 1};
  }

  const AttentionShape &shape;
  const Tier &tier;
  int64_t lanes;

private:
  Blocking nextBlocking(const ProductShape &product, const StridedSource &lhs);

  llvm::SmallVector<mlir::Attribute> plans;
  llvm::SmallVector<mlir::Attribute> chosen; // one per product taken so far
  mlir::Attribute refused;                   // first plan without code, for the reason `why`
  std::string why;
  int64_t at = 0, productBytes = 0;
};

/// Position of a tile of scores. The tile owns the queries from firstQuery and the keys from
/// firstKey on; earlier rows and columns belong to earlier tiles.
struct ScoreTile {
  mlir::Value query, key, firstQuery, firstKey;
};

/// Emission helpers of both attention kernels.
class AttentionEmitter {
public:
  AttentionEmitter(KernelEmitter &e, const AttentionShape &shape, const KernelPointers &pointers);

protected:
  using Value = mlir::Value;
  /// Matrix of an entry's operand or result: [queries or keys, width].
  Matrix operand(unsigned i) {
    return entryOf(pointers.operands[i], shape.operands[i], shape.operand(i));
  }
  Matrix result(unsigned i) {
    return entryOf(pointers.results[i], shape.results[i], shape.result(i));
  }
  void enter(Value entry);
  /// Array of scratch with `columns` columns; of accumulators if no type is given.
  Matrix scratch(int64_t offset, int64_t columns, mlir::Type element = {});
  /// Packs a tile B.
  void pack(const TileProduct &product, Value tile, const Matrix &b);
  /// Packs the tile where `isNew` holds, and always if scratch has no room for all tiles.
  void packNew(const TileProduct &product, Value tile, Value isNew, const Matrix &b);
  /// C = A B^T: the epilogue receives the sums of row m, columns n and on.
  using Sums = llvm::function_ref<void(Value m, Value n, int64_t active, Value sums)>;
  void multiply(const Matrix &a, const TileProduct &product, Value tile, Sums epilogue);
  /// Scores from products: scaled, plus the bias.
  Value score(const ScoreTile &tile, Value m, Value n, int64_t active, Value product);
  /// `x` in columns of the tile, `value` in columns past its edge.
  Value keepColumns(Value x, int64_t active, double value);
  /// Writes `value` over hidden scores: keys after the query under a causal mask, and rows or
  /// columns that belong to earlier tiles. Most tiles hide nothing and skip the loop.
  void hide(const ScoreTile &tile, llvm::ArrayRef<Matrix> arrays, double value);
  ScoreTile tileAt(Value queryTile, Value keyTile);

  Value load(const Matrix &matrix, Value row, Value column);
  void store(Value vector, const Matrix &matrix, Value row, Value column);
  void fill(const Matrix &matrix, Value rows, int64_t columns, double value);
  /// Multiplies rows [from, to) of a scratch array by `factor`, rounds and stores to a result.
  void storeRows(const Matrix &array, const Matrix &result, Value from, Value to, double factor);
  Value loadRounded(const Matrix &matrix, Value row, Value column, int64_t active);
  void storeRounded(Value vector, const Matrix &matrix, Value row, Value column, int64_t active);
  Value splat(double value) { return e.constant(vectorType, value); }

  KernelEmitter &e;
  const AttentionShape &shape;
  const KernelPointers &pointers;
  int64_t lanes;
  mlir::Type vectorType;
  int64_t productScratch = 0;

private:
  Matrix entryOf(Value pointer, const Access &access, Matrix matrix);
  Value packedTile(const TileProduct &product, Value tile);
  Value visible(const ScoreTile &tile, Value row, Value column);
  llvm::SmallVector<Value> dims; // of the entry
};

/// Lowering of both kernels: `Emitter` gives the number of tasks and the scratch bytes, and emits
/// the tasks.
template <typename Op, typename Emitter> struct AttentionLoweringOf : CPUKernelLowering {
  llvm::LogicalResult configure(mlir::Operation *op) const override {
    auto attention = mlir::cast<Op>(op);
    if (failed(configureScoreTile(attention)))
      return llvm::failure();
    AttentionShape shape(attention);
    mlir::ArrayAttr given = attention.getBlockingsAttr();
    auto plansFor = [&](const Tier &tier) -> llvm::FailureOr<llvm::SmallVector<mlir::Attribute>> {
      if (plansOf(given, tier).empty())
        return llvm::to_vector(Scratch(shape, tier).blockings());
      llvm::FailureOr<Scratch> scratch = scratchOf(attention, shape, tier);
      if (failed(scratch))
        return llvm::failure();
      return llvm::to_vector(scratch->blockings());
    };
    llvm::FailureOr<mlir::ArrayAttr> blockings = configureTiers(op, *this, given, plansFor);
    if (failed(blockings))
      return llvm::failure();
    attention.setBlockingsAttr(*blockings);
    return llvm::success();
  }
  llvm::LogicalResult checkPlan(mlir::Operation *op) const override {
    if (mlir::cast<Op>(op).getBlockingAttr())
      return configureScoreTile(mlir::cast<Op>(op));
    return op->emitOpError() << "expected a blocking, which kernel-configure stores";
  }
  bool hasOwnCode(mlir::Operation *op, const Tier &tier) const override {
    return hasOwnProducts(AttentionShape(mlir::cast<Op>(op)), tier);
  }
  llvm::FailureOr<KernelEmission> plan(mlir::Operation *op, const Tier &tier) const override {
    AttentionShape shape(mlir::cast<Op>(op));
    llvm::FailureOr<Scratch> scratch = scratchOf(mlir::cast<Op>(op), shape, tier);
    if (failed(scratch))
      return llvm::failure();
    KernelEmission emission;
    emission.tasks = Emitter::tasks(shape);
    emission.scratchBytes = scratch->bytes();
    return emission;
  }
  void emitRun(mlir::Operation *op, KernelEmitter &e, const KernelPointers &pointers,
               mlir::Value begin, mlir::Value end) const override {
    AttentionShape shape(mlir::cast<Op>(op));
    Emitter emitter(e, shape, pointers, *scratchOf(mlir::cast<Op>(op), shape, e.tier));
    emitter.emitTasks(begin, end);
  }

protected:
  using Scratch = typename Emitter::Scratch;
  /// Scratch by the op's blockings. Fails, with an error at the op, if the plans do not fit.
  static llvm::FailureOr<Scratch> scratchOf(Op op, const AttentionShape &shape, const Tier &tier) {
    auto plans = plansOf(op.getBlockingsAttr(), tier);
    Scratch scratch(shape, tier, plans);
    if (failed(scratch.checkPlans(op)))
      return llvm::failure();
    return scratch;
  }
};

template <typename Op> AttentionShape::AttentionShape(Op op) {
  batch = llvm::to_vector(op.getBatch());
  for (int64_t size : batch)
    entries *= size;
  queries = op.getQueries();
  keys = op.getKeys();
  width = op.getWidth();
  if (kernel::AttentionBlockingAttr blocking = op.getBlockingAttr()) {
    queryTile = blocking.getQueries();
    keyTile = blocking.getKeys();
  }
  scale = op.getScale().convertToDouble();
  causal = op.getCausal();
  biased = op.getBiased();
  if constexpr (std::is_same_v<Op, kernel::AttentionGradOp>)
    parts = op.getParts();
  acc = op.getAcc();
  auto add = [](auto &types, auto &accesses, mlir::Type tensor, mlir::Attribute map) {
    auto type = mlir::cast<mlir::RankedTensorType>(tensor);
    types.push_back(type.getElementType());
    accesses.push_back(
        Access::of(mlir::cast<mlir::AffineMapAttr>(map).getValue(), type.getShape()));
  };
  for (auto [tensor, map] : llvm::zip(op.getTensors(), op.getOperandMaps()))
    add(operandTypes, operands, tensor.getType(), map);
  for (auto [type, map] : llvm::zip(op->getResultTypes(), op.getResultMaps()))
    add(resultTypes, results, type, map);
}

} // namespace ampc::cpu
#endif
