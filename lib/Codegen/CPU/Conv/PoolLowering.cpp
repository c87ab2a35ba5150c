// kernel.pool and kernel.pool_grad: windows of NHWC images, vectors along the channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/CPUKernelLowering.h"
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
/// Sizes of an image and its windows. Index 0: height, 1: width.
struct Windows {
  int64_t batch, channels, image[2], count[2], size[2], stride[2], pad[2];
  bool isMax;
  double scale; // factor of sums: 1 / count for means
  Type storage, compute;

  explicit Windows(kernel::PoolOp op) : Windows(op, op.getX(), op.getResult()) {}
  explicit Windows(kernel::PoolGradOp op) : Windows(op, op.getResult(), op.getG()) {}

private:
  template <typename Op> Windows(Op op, Value imageValue, Value windowsValue) {
    auto whole = cast<RankedTensorType>(imageValue.getType()),
         parts = cast<RankedTensorType>(windowsValue.getType());
    batch = whole.getDimSize(0), channels = whole.getDimSize(3);
    for (int i : {0, 1}) {
      image[i] = whole.getDimSize(1 + i), count[i] = parts.getDimSize(1 + i);
      size[i] = op.getWindow()[i], stride[i] = op.getStrides()[i], pad[i] = op.getPadding()[2 * i];
    }
    isMax = op.getKind() == kernel::Combine::max;
    scale = isMax ? 1.0 : op.getScale().convertToDouble();
    storage = whole.getElementType();
    compute =
        storage.getIntOrFloatBitWidth() < 32 ? Float32Type::get(storage.getContext()) : storage;
  }
};

/// Vectors of channels, for pool and pool_grad.
struct Channels {
  KernelEmitter &e;
  const Windows &w;
  int64_t lanes = e.tier.lanes(w.compute.getIntOrFloatBitWidth());

  Type vector(Type element) const { return KernelEmitter::vectorOf(element, lanes); }
  Value load(Value base, Value position, int64_t active) const {
    Value x = e.loadVector(base, w.storage, position, lanes, active);
    return w.storage == w.compute
               ? x
               : arith::ExtFOp::create(e.b, e.loc, vector(w.compute), x).getResult();
  }
  void store(Value x, Value base, Value position, int64_t active) const {
    if (w.storage != w.compute)
      x = arith::TruncFOp::create(e.b, e.loc, vector(w.storage), x);
    e.store(x, base, position, active);
  }
  Value scaled(Value x) const {
    if (w.scale == 1.0)
      return x;
    return arith::MulFOp::create(e.b, e.loc, x, e.constant(vector(w.compute), w.scale));
  }
  /// Number of a window element, row * width + column, in all lanes.
  Value place(Value row, Value column, Type element) const {
    Value number =
        arith::IndexCastOp::create(e.b, e.loc, element, e.add(e.mul(row, w.size[1]), column));
    return e.broadcast(number, lanes);
  }
};

/// Range [first, last + 1) of window elements inside the image, along one axis.
std::pair<Value, Value> placesInside(KernelEmitter &e, const Windows &w, int side, Value window) {
  if (w.pad[side] == 0 && (w.count[side] - 1) * w.stride[side] + w.size[side] <= w.image[side])
    return {e.index(0), e.index(w.size[side])};
  Value start = e.mul(window, w.stride[side]);
  Value from = e.max(e.index(0), e.sub(e.index(w.pad[side]), start));
  Value to = e.min(e.index(w.size[side]), e.sub(e.index(w.image[side] + w.pad[side]), start));
  return {from, to};
}
/// Range [first, last + 1) of windows that contain an image row (column), along one axis.
std::pair<Value, Value> windowsAround(KernelEmitter &e, const Windows &w, int side, Value place) {
  Value last = e.add(place, w.pad[side]);
  Value first = e.max(e.index(0), e.add(last, 1 - w.size[side]));
  Value from = e.div(e.add(first, w.stride[side] - 1), w.stride[side]);
  return {from, e.min(e.index(w.count[side]), e.add(e.div(last, w.stride[side]), 1))};
}

/// Tasks are rows [image, row] of the result of `sides` rows and columns.
KernelEmission planPlaces(const Windows &w, const int64_t sides[2]) {
  KernelEmission emission;
  emission.tasks = tasksOfRows(w.batch * sides[0], sides[1] * w.channels);
  return emission;
}
/// `body` receives vectors of channels; `position` is that of the first channel in the result.
void forPlaces(const Channels &c, const int64_t sides[2], Value begin, Value end,
               llvm::function_ref<void(Value image, Value row, Value column, Value position,
                                       Value channel, int64_t active)>
                   body) {
  KernelEmitter &e = c.e;
  const Windows &w = c.w;
  forRowsOfTasks(e, begin, end, w.batch * sides[0], sides[1] * w.channels, [&](Value line) {
    e.loop(e.index(0), e.index(sides[1]), 1, [&](Value column) {
      Value position = e.mul(e.add(e.mul(line, sides[1]), column), w.channels);
      Value image = e.div(line, sides[0]), row = e.rem(line, sides[0]);
      forVectors(e, w.channels, c.lanes, [&](Value channel, int64_t active) {
        body(image, row, column, position, channel, active);
      });
    });
  });
}

class PoolLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *operation, const Tier &) const override {
    Windows w(cast<kernel::PoolOp>(operation));
    return planPlaces(w, w.count);
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::PoolOp>(operation);
    Windows w(op);
    Channels c{e, w};
    forPlaces(
        c, w.count, begin, end,
        [&](Value image, Value row, Value column, Value position, Value channel, int64_t active) {
          SmallVector<Value> found =
              combineWindow(c, pointers.operands[0], image, row, column, channel, active);
          Value at = e.add(position, channel);
          if (w.isMax) {
            Value number = arith::TruncIOp::create(e.b, e.loc, c.vector(e.b.getI8Type()), found[1]);
            e.store(number, pointers.results[1], at, active);
          }
          c.store(c.scaled(found[0]), pointers.results[0], at, active);
        });
  }
  /// Sum, or maximum and its element number, of one window. NaN counts as the largest.
  static SmallVector<Value> combineWindow(Channels &c, Value x, Value image, Value row,
                                          Value column, Value channel, int64_t active) {
    KernelEmitter &e = c.e;
    const Windows &w = c.w;
    Type i32 = e.b.getI32Type();
    SmallVector<Value> start{
        e.constant(c.vector(w.compute), w.isMax ? -std::numeric_limits<double>::infinity() : 0.0)};
    if (w.isMax)
      start.push_back(e.constant(c.vector(i32), 0));
    auto [top, bottom] = placesInside(e, w, 0, row);
    auto [left, right] = placesInside(e, w, 1, column);
    auto rows = [&, left = left, right = right](Value i, ValueRange outer) {
      return e.loop(left, right, 1, outer, [&](Value j, ValueRange best) {
        Value line =
            e.add(e.mul(image, w.image[0]), e.add(e.add(e.mul(row, w.stride[0]), i), -w.pad[0]));
        Value pixel =
            e.add(e.mul(line, w.image[1]), e.add(e.add(e.mul(column, w.stride[1]), j), -w.pad[1]));
        Value value = c.load(x, e.add(e.mul(pixel, w.channels), channel), active);
        if (!w.isMax)
          return SmallVector<Value>{arith::AddFOp::create(e.b, e.loc, best[0], value)};
        Value larger = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OGT, value, best[0]);
        Value isNan = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::UNO, value, value);
        Value wins = arith::OrIOp::create(e.b, e.loc, larger, isNan);
        return SmallVector<Value>{
            arith::SelectOp::create(e.b, e.loc, wins, value, best[0]),
            arith::SelectOp::create(e.b, e.loc, wins, c.place(i, j, i32), best[1])};
      });
    };
    return e.loop(top, bottom, 1, start, rows);
  }
};

class PoolGradLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *operation, const Tier &) const override {
    Windows w(cast<kernel::PoolGradOp>(operation));
    return planPlaces(w, w.image);
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::PoolGradOp>(operation);
    Windows w(op);
    Channels c{e, w};
    forPlaces(
        c, w.image, begin, end,
        [&](Value image, Value row, Value column, Value position, Value channel, int64_t active) {
          Value sum = c.scaled(sumWindows(c, pointers, image, row, column, channel, active));
          c.store(sum, pointers.results[0], e.add(position, channel), active);
        });
  }
  /// Sum of the cotangents of the windows around a pixel; for a maximum, only windows whose maximum
  /// is this pixel.
  static Value sumWindows(Channels &c, const KernelPointers &pointers, Value image, Value row,
                          Value column, Value channel, int64_t active) {
    KernelEmitter &e = c.e;
    const Windows &w = c.w;
    auto [top, bottom] = windowsAround(e, w, 0, row);
    auto [left, right] = windowsAround(e, w, 1, column);
    Value zero = e.constant(c.vector(w.compute), 0.0);
    auto rows = [&, left = left, right = right](Value i, ValueRange outer) {
      return e.loop(left, right, 1, outer, [&](Value j, ValueRange sum) {
        Value line = e.add(e.mul(image, w.count[0]), i);
        Value at = e.add(e.mul(e.add(e.mul(line, w.count[1]), j), w.channels), channel);
        Value g = c.load(pointers.operands[0], at, active);
        if (w.isMax) {
          Value ownRow = e.sub(e.add(row, w.pad[0]), e.mul(i, w.stride[0]));
          Value ownColumn = e.sub(e.add(column, w.pad[1]), e.mul(j, w.stride[1]));
          Type i8 = e.b.getI8Type();
          Value where = e.loadVector(pointers.operands[1], i8, at, c.lanes, active);
          Value here = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, where,
                                             c.place(ownRow, ownColumn, i8));
          g = arith::SelectOp::create(e.b, e.loc, here, g, zero);
        }
        return SmallVector<Value>{arith::AddFOp::create(e.b, e.loc, sum[0], g)};
      });
    };
    return e.loop(top, bottom, 1, zero, rows)[0];
  }
};
} // namespace

void cpu::addPoolLowering(target::KernelRegistry &registry) {
  registry.add<kernel::PoolOp, PoolLowering>();
  registry.add<kernel::PoolGradOp, PoolGradLowering>();
}
