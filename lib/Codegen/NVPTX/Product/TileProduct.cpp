// Tiled GEMM kernels: mma.sync and SIMT.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/TileProduct.h"
#include "lib/Codegen/NVPTX/Product/Epilogue.h"
#include "lib/Codegen/NVPTX/Product/Fragments.h"
#include "lib/Codegen/NVPTX/Product/KTilePipeline.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
using Sums = SmallVector<std::array<Value, 4>>;
} // namespace

BlockTile::BlockTile(DeviceEmitter &e, const TileGemm &gemm) {
  int64_t tilesM = gemm.tilesM(), tilesN = gemm.tilesN();
  int64_t group = tilesM % 8 == 0 ? 8 : 1;
  Value number = e.rem(e.block(), tilesM * tilesN), rest = e.div(e.block(), tilesM * tilesN);
  entry = gemm.parts == 1 ? rest : e.rem(rest, gemm.batches());
  part = gemm.parts == 1 ? e.i32(0) : e.div(rest, gemm.batches());
  batch = e.split(entry, gemm.batch);
  Value within = e.rem(number, group * tilesN);
  Value tileM = e.add(e.mul(e.div(number, group * tilesN), group), e.rem(within, group));
  line = e.mul(tileM, gemm.tile.m);
  column = e.mul(e.div(within, group), gemm.tile.n);
}

/// Adds a k-tile's products to the accumulators of a warp.
static Sums multiplyStep(DeviceEmitter &e, const TileGemm &gemm, FragmentLoader &left,
                         FragmentLoader &right, Value leftTile, Value rightTile, Sums sums) {
  for (int64_t k = 0; k < gemm.tile.lineBytes / 32; ++k) {
    SmallVector<Fragment> lines, columns;
    for (int64_t i = 0; i < left.count(); ++i)
      lines.push_back(left.load(leftTile, i, k));
    for (int64_t j = 0; j < right.count(); ++j)
      columns.push_back(right.load(rightTile, j, k));
    for (int64_t i = 0; i < left.count(); ++i)
      for (int64_t j = 0; j < 2 * right.count(); ++j) {
        auto &sum = sums[i * 2 * right.count() + j];
        sum = multiply(e, lines[i], columns[j / 2], j % 2, sum, gemm.element);
      }
  }
  return sums;
}

static Sums unflatten(ValueRange values) {
  Sums sums(values.size() / 4);
  for (auto [i, value] : llvm::enumerate(values))
    sums[i / 4][i % 4] = value;
  return sums;
}
static SmallVector<Value> flatten(const Sums &sums) {
  SmallVector<Value> values;
  for (const auto &four : sums)
    llvm::append_range(values, four);
  return values;
}

static void multiplyOnMatrixUnits(DeviceEmitter &e, const TileGemm &gemm, KTileCopy &lhs,
                                  KTileCopy &rhs, const BlockTile &place, Epilogue &epilogue) {
  const TileShape &tile = gemm.tile;
  Value warp = e.div(e.thread(), 32);
  Value line = e.mul(e.div(warp, tile.warpsN), tile.warpM()),
        column = e.mul(e.rem(warp, tile.warpsN), tile.warpN());
  FragmentLoader left(e, lhs.tile(), true, gemm, line);
  FragmentLoader right(e, rhs.tile(), false, gemm, column);
  SmallVector<Value> zeros(tile.warpM() * tile.warpN() / 32, e.constant(e.b.getF32Type(), 0));
  SmallVector<Value> sums =
      KTilePipeline(e, gemm, lhs, rhs, place.part)
          .run(zeros, [&](Value a, Value b, ValueRange now) {
            return flatten(multiplyStep(e, gemm, left, right, a, b, unflatten(now)));
          });
  // The epilogue reuses the pipeline's memory, in which all copies have been waited for.
  e.syncBlock();
  epilogue.store(unflatten(sums), e.add(place.line, line), e.add(place.column, column),
                 e.sharedMemory());
}

// SIMT kernel: threads in a 16 x 16 grid, each with four neighbouring rows and columns in every 64;
// products are added one after another in the order of k.
static void multiplySIMT(DeviceEmitter &e, const TileGemm &gemm, KTileCopy &lhs, KTileCopy &rhs,
                         const BlockTile &place, Epilogue &epilogue) {
  const TileShape &tile = gemm.tile;
  Type f32 = e.b.getF32Type();
  Value line = e.mul(e.div(e.thread(), 16), 4), column = e.mul(e.rem(e.thread(), 16), 4);
  auto load = [&](KTileCopy &side, Value memory, Value own, int64_t k, int64_t lines) {
    SmallVector<Value> numbers;
    Value at = e.advance(memory, side.numberOffset(own, k));
    for (int64_t group = 0; group < lines; group += 64)
      llvm::append_range(numbers, e.loadVector(e.advance(at, 4 * group), f32, 4));
    return numbers;
  };
  auto multiply = [&](Value a, Value b, ValueRange now) {
    SmallVector<Value> sums(now);
    for (int64_t k = 0; k < gemm.stepDepth(); ++k) {
      SmallVector<Value> left = load(lhs, a, line, k, tile.m),
                         right = load(rhs, b, column, k, tile.n);
      for (auto [i, x] : llvm::enumerate(left))
        for (auto [j, y] : llvm::enumerate(right)) {
          Value &sum = sums[i * right.size() + j];
          sum = target::multiplyAdd(e, sum, x, y, /*fused=*/true);
        }
    }
    return sums;
  };
  SmallVector<Value> zeros(tile.m * tile.n / tile.threads(), e.constant(f32, 0));
  SmallVector<Value> sums = KTilePipeline(e, gemm, lhs, rhs, place.part).run(zeros, multiply);
  epilogue.storeSIMT(unflatten(sums), place.line, place.column, e.sharedMemory());
}

void nvptx::emitTiles(FusedKernelOpInterface op, DeviceCode &code, const TileProduct &product) {
  const TileGemm &gemm = product.gemm;
  const TileShape &tile = gemm.tile;
  LaunchShape shape;
  shape.grid[0] = gemm.blocks() * gemm.parts;
  shape.threads = tile.threads();
  shape.needsRegisters = true;
  shape.writesFinalResults = gemm.parts == 1;
  shape.sharedBytes = std::max(gemm.ringBytes(), Epilogue::sharedBytes(gemm));
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    BlockTile place(e, gemm);
    std::unique_ptr<KTileCopy> lhs = product.lhs(e, gemm, pointers, place, tile.m),
                               rhs = product.rhs(e, gemm, pointers, place, tile.n);
    Epilogue epilogue(e, op, gemm, product.results, pointers, place.entry, place.part);
    if (gemm.onMatrixUnits())
      multiplyOnMatrixUnits(e, gemm, *lhs, *rhs, place, epilogue);
    else
      multiplySIMT(e, gemm, *lhs, *rhs, place, epilogue);
  });
  if (gemm.parts > 1)
    launchSplitKReduction(op, code, product.results, gemm.batch, gemm.m, gemm.n, gemm.parts);
}

int64_t nvptx::finalWarps(FusedKernelOpInterface op, const TileGemm &gemm,
                          const ProductResults &results) {
  return gemm.parts == 1 ? gemm.blocks() * gemm.tile.threads() / 32
                         : splitKReductionWarps(op, results, gemm);
}
