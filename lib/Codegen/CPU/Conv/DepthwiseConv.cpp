// Forward pass of depthwise convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/Depthwise.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

DepthwiseConv::DepthwiseConv(const Depthwise &conv, const Tier &tier)
    : conv(conv), phases(target::phasesOf(conv.window, /*splits=*/true)), lanes(conv.lanes(tier)),
      pixels(tier.vectorRegisters / 4),
      scratchBytes(conv.paddedChannels(tier) * conv.window.taps() * elementBytes(conv.acc)) {}

KernelEmission DepthwiseConv::plan() const {
  const Window &window = conv.window;
  KernelEmission emission;
  emission.tasks = tasksOfRows(window.images * window.outHeight, window.outWidth * window.channels);
  emission.scratchBytes = alignUp(scratchBytes);
  return emission;
}

/// Transposes the filter: [channels, taps] -> [channel vectors, taps, lanes].
void DepthwiseConv::packFilter(KernelEmitter &e, const KernelPointers &pointers) const {
  int64_t taps = conv.window.taps();
  e.loop(e.index(0), e.index(conv.window.channels), 1, [&](Value channel) {
    Value panel = e.mul(e.div(channel, lanes), lanes * taps), lane = e.rem(channel, lanes);
    e.loop(e.index(0), e.index(taps), 1, [&](Value tap) {
      Value x = e.loadScalar(pointers.operands[1], conv.rhs, e.add(e.mul(channel, taps), tap));
      e.storeScalar(widen(e, x, conv.acc), pointers.scratch,
                    e.add(e.add(panel, lane), e.mul(tap, lanes)));
    });
  });
}

void DepthwiseConv::emit(KernelEmitter &e, const KernelPointers &pointers, Value begin, Value end,
                         Epilogue epilogue) const {
  const Window &window = conv.window;
  int64_t rows = window.images * window.outHeight, length = window.outWidth * window.channels;
  packFilter(e, pointers);
  forTasks(e, pointers.reductions, begin, end, [&](Value from, Value to) {
    forRowsOfTasks(e, from, to, rows, length, [&](Value line) {
      Value image = e.div(line, window.outHeight), row = e.rem(line, window.outHeight);
      for (const ConvPhase &phase : phases) {
        Value isHere, number = phase.numberAt(e, 0, row, isHere);
        e.when(isHere, [&] {
          e.loop(e.index(0), e.index(phase.count[1]), 1, [&](Value column) {
            Value place = e.add(e.mul(number, phase.count[1]), column);
            emitRow(e, pointers, phase, phase.placeOf(e, place), image, e.div(row, phase.step[0]),
                    epilogue);
          });
        });
      }
    });
  });
}

void DepthwiseConv::emitRow(KernelEmitter &e, const KernelPointers &pointers,
                            const ConvPhase &phase, const ConvPhase::Offsets &start, Value image,
                            Value row, Epilogue epilogue) const {
  auto outputOf = [&](unsigned axis, Value at) {
    return e.add(e.mul(at, phase.step[axis]), start.start[axis]);
  };
  Value y = outputOf(0, row);
  for (const ColumnBlocks &blocks : cutColumns(phase.window, pixels)) {
    Value first = e.index(blocks.first);
    Value last = e.index(blocks.first + blocks.count * blocks.pixels);
    e.loop(first, last, blocks.pixels, [&](Value column) {
      forVectors(e, conv.window.channels, lanes, [&](Value channel, int64_t active) {
        ChannelBlock place{image, row, column, channel, active};
        for (auto [i, sums] : llvm::enumerate(sumBlock(e, pointers, phase, start, blocks, place)))
          epilogue({image, y, outputOf(1, e.add(column, i))}, channel, active, sums);
      });
    });
  }
}

/// One vector of sums per pixel of a block.
SmallVector<Value> DepthwiseConv::sumBlock(KernelEmitter &e, const KernelPointers &pointers,
                                           const ConvPhase &phase, const ConvPhase::Offsets &start,
                                           const ColumnBlocks &blocks,
                                           const ChannelBlock &place) const {
  const Window &window = phase.window;
  SmallVector<Value> zeros(blocks.pixels, e.constant(e.vectorOf(conv.acc, lanes), 0));
  if (window.taps() == 0)
    return zeros;
  auto [top, bottom] = tapRowsInside(e, window, place.row);
  return e.loop(top, bottom, 1, zeros, [&](Value tapRow, ValueRange soFar) {
    ImageRow image(e, window, conv, pointers.operands[0], {place.image, place.row, place.column},
                   tapRow, place.channel, place.active);
    Value tap = e.add(e.mul(tapRow, phase.tapStep[0]), start.firstTap[0]);
    tap = e.add(e.mul(tap, conv.window.kernel[1]), start.firstTap[1]);
    Value weights = e.add(e.mul(place.channel, conv.window.taps()), e.mul(tap, lanes));
    SmallVector<Value> sums(soFar);
    for (int64_t kx = 0; kx < window.kernel[1]; ++kx) {
      Value weight = e.loadVector(pointers.scratch, conv.acc,
                                  e.add(weights, kx * phase.tapStep[1] * lanes), lanes);
      for (int64_t i = 0; i < blocks.pixels; ++i)
        if (blocks.meets(window, i, kx))
          sums[i] = multiplyAdd(e, Multiply::Wide, image.at(i, kx), weight, sums[i]);
    }
    return sums;
  });
}
