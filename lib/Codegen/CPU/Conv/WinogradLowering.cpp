// kernel.winograd and kernel.winograd_filter: squares transformed in registers around GEMMs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Conv/Winograd.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/PackedSide.h"
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct WinogradLowering : CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  /// Cost of a filter transform in packs. A transform takes a twentieth of the GEMMs of about 1160
  /// tiles (see `tileCost`), a pack a twentieth of a GEMM of 64 pixels: 1160 tile^2 / 64 = 18
  /// tile^2.
  int64_t packsPerRun(Operation *op) const override {
    int64_t tile = cast<kernel::WinogradOp>(op).getTile();
    return 18 * tile * tile;
  }
};
struct WinogradFilterLowering : CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
};

/// Emits a task: transforms the pixels, then multiplies and transforms back, block by block of
/// columns.
class TileConv {
public:
  TileConv(kernel::WinogradOp op, KernelEmitter &e, const KernelPointers &pointers)
      : plan(op, e.tier), form(plan.form), e(e), body(e, op, pointers), image(pointers.operands[0]),
        filter(pointers.operands[1]), zeros(pointers.scratch), pixels(e.offset(zeros, plan.pixels)),
        sums(e.offset(zeros, plan.sums)), finished(e.offset(zeros, plan.finished)),
        number(e.b.getF32Type()), tile{Multiply::Wide, plan.rows, plan.vectors, plan.lanes,
                                       number,         number,    number,       {plan.line, 1}} {}
  void clearZeros() { fillRow(e, number, 0, zeros, e.index(0), plan.channels); }
  void emit(Value task);

private:
  struct TileOrigin {
    Value image, y, x; // position of the first output
  };
  TileOrigin placeOf(Value tile);
  SmallVector<Value> pixelsAt(const TileOrigin &place);
  void transformPixels(Value first, Value count);
  void multiply(Value column, Value count);
  void multiplyBlock(Value place, Value k, Value points, Value column, Value count, bool isFirst);
  void finish(Value first, Value count, Value column);
  void transformSums(Value at);

  const WinogradPlan plan;
  const WinogradTransform &form;
  KernelEmitter &e;
  BodyEmitter body;
  Value image, filter, zeros, pixels, sums, finished;
  Type number;
  RegisterTile tile;
};
} // namespace

TileConv::TileOrigin TileConv::placeOf(Value tile) {
  Value rest = e.div(tile, plan.tilesAcross);
  return {e.div(rest, plan.tilesDown), e.mul(e.rem(rest, plan.tilesDown), form.outputs),
          e.mul(e.rem(tile, plan.tilesAcross), form.outputs)};
}

/// Addresses of the channels of a tile's pixels; padding pixels point at zeros.
SmallVector<Value> TileConv::pixelsAt(const TileOrigin &place) {
  auto along = [&](Value start, int64_t padding, int64_t size) {
    SmallVector<std::pair<Value, Value>> result; // coordinate, inside the image
    for (int64_t i = 0; i < form.side; ++i) {
      Value at = e.add(start, i - padding);
      result.push_back(
          {at, arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult, at, e.index(size))});
    }
    return result;
  };
  SmallVector<Value> result;
  Value row0 = e.mul(place.image, plan.height);
  auto columns = along(place.x, plan.paddingLeft, plan.width);
  for (auto [y, isRow] : along(place.y, plan.paddingTop, plan.height))
    for (auto [x, isColumn] : columns) {
      Value inside = arith::AndIOp::create(e.b, e.loc, isRow, isColumn);
      Value pixel = e.add(e.mul(e.add(row0, y), plan.width), x);
      pixel = arith::SelectOp::create(e.b, e.loc, inside, pixel, e.index(0));
      Value at = e.address(image, number, e.mul(pixel, plan.channels));
      result.push_back(arith::SelectOp::create(e.b, e.loc, inside, at, zeros));
    }
  return result;
}

void TileConv::transformPixels(Value first, Value count) {
  e.loop(e.index(0), count, 1, [&](Value i) {
    SmallVector<Value> from = pixelsAt(placeOf(e.add(first, i)));
    Value to = e.mul(i, plan.line);
    e.loop(e.index(0), e.index(plan.channels), plan.lanes, [&](Value c) {
      auto square = llvm::map_to_vector(
          from, [&](Value pixel) { return e.loadVector(pixel, number, c, plan.lanes); });
      for (auto [place, x] : llvm::enumerate(form.image.apply(e, square)))
        e.store(x, pixels, e.add(e.add(to, c), int64_t(place) * plan.pixelPlane));
    });
  });
}

/// Loop order: a B panel is used for all tiles of the task before the next one is loaded.
void TileConv::multiplyBlock(Value place, Value k, Value points, Value column, Value count,
                             bool isFirst) {
  int64_t columns = plan.columns();
  Value panels = e.div(e.add(count, plan.rows - 1), plan.rows);
  Value right0 = e.add(e.mul(place, plan.outputs), column);
  Value left0 = e.add(e.mul(place, plan.pixelPlane), k), to0 = e.mul(place, plan.sumPlane);
  e.loop(e.index(0), e.index(plan.block), columns, [&](Value n) {
    // Panels are contiguous: [panels, channels, columns].
    Value at = e.add(e.mul(e.add(right0, n), plan.channels), e.mul(k, columns));
    Value right = e.address(filter, number, at);
    e.loop(e.index(0), panels, 1, [&](Value panel) {
      Value row = e.mul(panel, plan.rows);
      Value left = e.address(pixels, number, e.add(left0, e.mul(row, plan.line)));
      Value to = e.address(sums, number, e.add(e.add(to0, e.mul(row, plan.block)), n));
      SmallVector<Value> start = isFirst ? tile.zeros(e) : tile.load(e, to, plan.block);
      tile.store(e, tile.add(e, left, right, points, start), to, plan.block);
    });
  });
}

void TileConv::multiply(Value column, Value count) {
  e.loop(e.index(0), e.index(form.places()), 1, [&](Value place) {
    multiplyBlock(place, e.index(0), e.index(std::min(plan.depth, plan.channels)), column, count,
                  /*isFirst=*/true);
    if (plan.depth < plan.channels)
      e.loop(e.index(plan.depth), e.index(plan.channels), plan.depth, [&](Value k) {
        Value points = e.min(e.index(plan.depth), e.sub(e.index(plan.channels), k));
        multiplyBlock(place, k, points, column, count, /*isFirst=*/false);
      });
  });
}

/// Inverse transform of a tile: sums at offset `at` of every place -> outputs.
void TileConv::transformSums(Value at) {
  e.loop(e.index(0), e.index(plan.block), plan.lanes, [&](Value n) {
    SmallVector<Value> square;
    for (int64_t place = 0; place < form.places(); ++place)
      square.push_back(
          e.loadVector(sums, number, e.add(e.add(at, n), place * plan.sumPlane), plan.lanes));
    for (auto [output, x] : llvm::enumerate(form.output.apply(e, square)))
      e.store(x, finished, e.add(n, int64_t(output) * plan.block));
  });
}

void TileConv::finish(Value first, Value count, Value column) {
  e.loop(e.index(0), count, 1, [&](Value i) {
    transformSums(e.mul(i, plan.block));
    TileOrigin place = placeOf(e.add(first, i));
    Value down = e.min(e.index(form.outputs), e.sub(e.index(plan.outHeight), place.y));
    Value across = e.min(e.index(form.outputs), e.sub(e.index(plan.outWidth), place.x));
    e.loop(e.index(0), down, 1, [&](Value y) {
      e.loop(e.index(0), across, 1, [&](Value x) {
        Value from = e.mul(e.add(e.mul(y, form.outputs), x), plan.block);
        e.loop(e.index(0), e.index(plan.block), plan.lanes, [&](Value n) {
          PointVector run;
          run.dims = {place.image, e.add(place.y, y), e.add(place.x, x), e.add(column, n)};
          run.along = 3;
          run.lanes = run.active = plan.lanes;
          body.emitResults(run, e.loadVector(finished, number, e.add(from, n), plan.lanes));
        });
      });
    });
  });
}

void TileConv::emit(Value task) {
  Value first = e.mul(e.rem(task, plan.mTasks), plan.step);
  Value count = e.min(e.index(plan.step), e.sub(e.index(plan.tiles), first));
  Value column0 = e.mul(e.div(task, plan.mTasks), plan.nStep);
  Value columnEnd = e.min(e.add(column0, plan.nStep), e.index(plan.outputs));
  transformPixels(first, count);
  e.loop(column0, columnEnd, plan.block, [&](Value column) {
    multiply(column, count);
    finish(first, count, column);
  });
}

FailureOr<KernelEmission> WinogradLowering::plan(Operation *op, const Tier &tier) const {
  WinogradPlan plan(cast<kernel::WinogradOp>(op), tier);
  KernelEmission emission;
  emission.tasks = plan.tasks();
  emission.scratchBytes = plan.scratchBytes;
  return emission;
}

void WinogradLowering::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                               Value begin, Value end) const {
  TileConv conv(cast<kernel::WinogradOp>(op), e, pointers);
  conv.clearZeros();
  forTasks(e, pointers.reductions, begin, end, [&](Value from, Value to) {
    e.loop(from, to, 1, [&](Value task) { conv.emit(task); });
  });
}

// ---- The filter ----

namespace {
/// Task of the filter transform: one panel of outputs x a chunk of channels.
struct FilterPlan {
  const WinogradTransform &form;
  int64_t outputs, channels, lanes, columns, panels, stretches;
  static constexpr int64_t stretch = 64;

  FilterPlan(kernel::WinogradFilterOp op, const Tier &tier)
      : form(WinogradTransform::of(op.getTile())), lanes(tier.lanes(32)) {
    auto filter = cast<RankedTensorType>(op.getFilter().getType());
    auto packed = cast<RankedTensorType>(op.getResult().getType());
    outputs = filter.getDimSize(0);
    channels = filter.getDimSize(3);
    columns = PackedSide(packed, tier).linesPerPanel();
    panels = outputs / columns;
    stretches = ceilDiv(channels, stretch);
  }
};
} // namespace

FailureOr<KernelEmission> WinogradFilterLowering::plan(Operation *op, const Tier &tier) const {
  auto filter = cast<kernel::WinogradFilterOp>(op);
  FilterPlan plan(filter, tier);
  if (failed(PackedSide(cast<RankedTensorType>(filter.getResult().getType()), tier)
                 .checkSize(op, tier)))
    return failure();
  KernelEmission emission;
  emission.tasks = plan.panels * plan.stretches;
  emission.scratchBytes = 9 * plan.lanes * plan.lanes * 4;
  return emission;
}

/// Transposes squares of [outputs, channels] tap by tap, so that vectors run along outputs as in
/// packed panels.
void WinogradFilterLowering::emitRun(Operation *op, KernelEmitter &e,
                                     const KernelPointers &pointers, Value begin, Value end) const {
  FilterPlan plan(cast<kernel::WinogradFilterOp>(op), e.tier);
  Type number = e.b.getF32Type();
  Value filter = pointers.operands[0], packed = pointers.results[0], taps = pointers.scratch;
  auto turn = [&](Value output, Value channel) {
    e.loop(e.index(0), e.index(9), 1, [&](Value tap) {
      SmallVector<Value> lines;
      Value at = e.add(e.mul(e.add(e.mul(output, 9), tap), plan.channels), channel);
      for (int64_t i = 0; i < plan.lanes; ++i)
        lines.push_back(e.loadVector(filter, number, e.add(at, i * 9 * plan.channels), plan.lanes));
      for (auto [i, x] : llvm::enumerate(e.transpose(lines)))
        e.store(x, taps, e.add(e.mul(tap, plan.lanes * plan.lanes), int64_t(i) * plan.lanes));
    });
  };
  auto transform = [&](Value panel, Value vector, Value channel) {
    e.loop(e.index(0), e.index(plan.lanes), 1, [&](Value i) {
      SmallVector<Value> square;
      for (int64_t tap = 0; tap < 9; ++tap)
        square.push_back(e.loadVector(
            taps, number, e.add(e.mul(i, plan.lanes), tap * plan.lanes * plan.lanes), plan.lanes));
      Value at = e.mul(e.add(e.mul(panel, plan.channels), e.add(channel, i)), plan.columns);
      for (auto [place, x] : llvm::enumerate(plan.form.filter.apply(e, square)))
        e.store(x, packed, e.add(e.add(at, vector), int64_t(place) * plan.outputs * plan.channels));
    });
  };
  e.loop(begin, end, 1, [&](Value task) {
    Value panel = e.rem(task, plan.panels);
    Value c0 = e.mul(e.div(task, plan.panels), plan.stretch);
    Value c1 = e.min(e.add(c0, plan.stretch), e.index(plan.channels));
    e.loop(e.index(0), e.index(plan.columns), plan.lanes, [&](Value vector) {
      e.loop(c0, c1, plan.lanes, [&](Value channel) {
        turn(e.add(e.mul(panel, plan.columns), vector), channel);
        transform(panel, vector, channel);
      });
    });
  });
}

void ampc::cpu::addWinogradLowering(target::KernelRegistry &registry) {
  registry.add<kernel::WinogradOp, WinogradLowering>();
  registry.add<kernel::WinogradFilterOp, WinogradFilterLowering>();
}
