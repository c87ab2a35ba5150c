// Filter gradient of depthwise convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/Depthwise.h"
#include "lib/Codegen/CPU/Loops.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static constexpr int64_t wantedTasks = 32;

// Register budget: sums of `tapRows` rows of taps, cotangents of a block of pixels, image vectors.
DepthwiseFilter::DepthwiseFilter(const Depthwise &conv, int64_t parts, const Tier &tier)
    : conv(conv), parts(parts), lanes(conv.lanes(tier)), pixels(tier.vectorRegisters / 8) {
  int64_t rows = conv.window.kernel[0], width = conv.window.kernel[1];
  int64_t most = (tier.vectorRegisters - pixels - width - 1) / width;
  tapRows = llvm::divideCeil(rows, llvm::divideCeil(rows, std::max<int64_t>(1, most)));
  int64_t vectors = conv.paddedChannels(tier) / lanes;
  taskChannels = lanes * llvm::divideCeil(vectors * parts, wantedTasks);
  channelTasks = llvm::divideCeil(conv.window.channels, taskChannels);
}

KernelEmission DepthwiseFilter::plan() const {
  KernelEmission emission;
  emission.tasks = parts * channelTasks;
  emission.scratchBytes = alignUp(taskChannels * conv.window.taps() * elementBytes(conv.acc));
  return emission;
}

/// Loops over the vectors of a task's channels; the last vector may be partly active.
void DepthwiseFilter::forChannels(KernelEmitter &e, Value from, Value to,
                                  llvm::function_ref<void(Value, int64_t)> body) const {
  int64_t tail = conv.window.channels % lanes;
  Value whole = e.index(conv.window.channels - tail);
  e.loop(from, e.min(to, whole), lanes, [&](Value channel) { body(channel, lanes); });
  if (tail)
    e.when(e.less(whole, to), [&] { body(whole, tail); });
}

void DepthwiseFilter::emit(KernelEmitter &e, const KernelPointers &pointers, Value begin, Value end,
                           Epilogue epilogue) const {
  const Window &window = conv.window;
  int64_t taps = window.taps(), partImages = llvm::divideCeil(window.images, parts);
  Value zeros = e.constant(e.vectorOf(conv.acc, lanes), 0);
  auto emitTask = [&](Value task) {
    Value part = e.div(task, channelTasks), first = e.mul(e.rem(task, channelTasks), taskChannels);
    Value last = e.min(e.add(first, taskChannels), e.index(window.channels));
    e.loop(e.index(0), e.index(taskChannels * taps), lanes,
           [&](Value at) { e.store(zeros, pointers.scratch, at); });
    auto sumsOf = [&](Value channel) {
      return e.address(pointers.scratch, conv.acc, e.mul(e.sub(channel, first), taps));
    };
    Value from = e.mul(part, partImages);
    Value to = e.min(e.add(from, partImages), e.index(window.images));
    e.loop(from, to, 1, [&](Value image) {
      e.loop(e.index(0), e.index(window.outHeight), 1, [&](Value row) {
        forChannels(e, first, last, [&](Value channel, int64_t active) {
          addRow(e, pointers, {image, row, channel, sumsOf(channel), active});
        });
      });
    });
    forChannels(e, first, last, [&](Value channel, int64_t active) {
      e.loop(e.index(0), e.index(active), 1, [&](Value lane) {
        Value sums = e.address(sumsOf(channel), conv.acc, lane);
        forVectors(e, taps, lanes, [&](Value tap, int64_t count) {
          Value x = e.loadStrided(sums, conv.acc, e.mul(tap, lanes), lanes, lanes, count);
          epilogue(part, e.add(channel, lane), tap, count, x);
        });
      });
    });
  };
  forTasks(e, pointers.reductions, begin, end,
           [&](Value from, Value to) { e.loop(from, to, 1, emitTask); });
}

/// Adds an output row: `tapRows` tap rows at a time if all lie in the image, else row by row.
void DepthwiseFilter::addRow(KernelEmitter &e, const KernelPointers &pointers,
                             const ChannelBlock &place) const {
  int64_t rows = conv.window.kernel[0], rest = rows % tapRows;
  auto [top, bottom] = tapRowsInside(e, conv.window, place.row);
  Value isWhole = e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::eq,
                                                  e.sub(bottom, top), e.index(rows));
  e.when(isWhole, [&] {
    e.loop(e.index(0), e.index(rows - rest), tapRows,
           [&](Value tapRow) { addTaps(e, pointers, place, tapRow, tapRows); });
    if (rest)
      addTaps(e, pointers, place, e.index(rows - rest), rest);
  });
  Value end = e.b.createOrFold<arith::SelectOp>(e.loc, isWhole, top, bottom);
  if (end != top)
    e.loop(top, end, 1, [&](Value tapRow) { addTaps(e, pointers, place, tapRow, 1); });
}

/// Adds the products of a row of pixels to the sums of `count` tap rows.
void DepthwiseFilter::addTaps(KernelEmitter &e, const KernelPointers &pointers,
                              const ChannelBlock &place, Value tapRow, int64_t count) const {
  int64_t width = conv.window.kernel[1];
  auto at = [&](int64_t tap) { return e.add(e.mul(tapRow, width * lanes), tap * lanes); };
  SmallVector<Value> sums;
  for (int64_t tap = 0; tap < count * width; ++tap)
    sums.push_back(e.loadVector(place.sums, conv.acc, at(tap), lanes));
  for (const ColumnBlocks &blocks : cutColumns(conv.window, pixels)) {
    Value first = e.index(blocks.first);
    Value last = e.index(blocks.first + blocks.count * blocks.pixels);
    sums = e.loop(first, last, blocks.pixels, sums, [&](Value column, ValueRange soFar) {
      return addBlock(e, pointers, place, blocks, column, tapRow, soFar);
    });
  }
  for (auto [tap, sum] : llvm::enumerate(sums))
    e.store(sum, place.sums, at(tap));
}

SmallVector<Value> DepthwiseFilter::addBlock(KernelEmitter &e, const KernelPointers &pointers,
                                             const ChannelBlock &place, const ColumnBlocks &blocks,
                                             Value column, Value tapRow, ValueRange soFar) const {
  const Window &window = conv.window;
  int64_t width = window.kernel[1], rows = soFar.size() / width;
  Value line = e.add(e.mul(place.image, window.outHeight), place.row);
  Value pixel = e.add(e.mul(line, window.outWidth), column);
  Value from = e.add(e.mul(pixel, window.channels), place.channel);
  SmallVector<Value> cotangents, sums(soFar);
  for (int64_t i = 0; i < blocks.pixels; ++i) {
    Value g = e.loadVector(pointers.operands[1], conv.rhs, e.add(from, i * window.channels), lanes,
                           place.active);
    cotangents.push_back(widen(e, g, conv.acc));
  }
  for (int64_t ky = 0; ky < rows; ++ky) {
    ImageRow image(e, window, conv, pointers.operands[0], {place.image, place.row, column},
                   e.add(tapRow, ky), place.channel, place.active);
    for (int64_t i = 0; i < blocks.pixels; ++i)
      for (int64_t kx = 0; kx < width; ++kx)
        if (blocks.meets(window, i, kx)) {
          Value &sum = sums[ky * width + kx];
          sum = multiplyAdd(e, Multiply::Wide, image.at(i, kx), cotangents[i], sum);
        }
  }
  return sums;
}
