// Windows of few channels, gathered for the filter gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/FilterGradient.h"
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// Two copies: image rows into a buffer with zeros for the padding, then windows from the buffer,
/// where each window row is a single branch-free copy.
void FilterGradientEmitter::gatherWindows(const Task &task, const Block &block) {
  e.loop(block.unit, block.unitEnd, 1, [&](Value unit) {
    packRows(task, unit, block.y);
    Value panel = e.address(image.packed, format.unit, e.mul(e.sub(unit, block.unit), image.image));
    e.loop(block.y, block.yEnd, 1, [&](Value y) {
      Value row = e.sub(y, block.y), line = e.address(panel, format.unit, e.mul(row, image.row));
      e.loop(e.index(0), e.index(window.outWidth), 1, [&](Value x) {
        gatherWindow(e.mul(row, source.strides[0]), e.mul(x, source.strides[1]),
                     e.address(line, format.unit, e.mul(x, image.pixel)));
      });
    });
  });
}

/// Copies the image rows under the windows of output row `y` and later ones to the buffer.
void FilterGradientEmitter::packRows(const Task &task, Value unit, Value y) {
  int64_t channels = source.groupChannels, columns = blocking.rowUnits / channels;
  int64_t left = std::clamp<int64_t>(source.padding[1], 0, columns);
  int64_t right = std::clamp<int64_t>(source.padding[1] + source.width, left, columns);
  Value y0 = e.add(e.mul(y, source.strides[0]), -source.padding[0]);
  auto copy = [&](Value from, Value to, int64_t length) {
    forVectors(e, length, blocking.width, [&](Value j, int64_t active) {
      Value units = readUnits(image, unit, e.add(from, j), blocking.width, active);
      e.store(units, rows, e.add(to, j), active);
    });
  };
  e.loop(e.index(0), e.index(blocking.windowRows), 1, [&](Value i) {
    Value row = e.add(y0, i), to = e.mul(i, blocking.rowUnits);
    fillRow(e, format.unit, 0, rows, to, blocking.rowUnits);
    e.when(within(e, row, e.index(source.height)), [&] {
      Value pixel = e.add(e.mul(row, source.width), left - source.padding[1]);
      Value from = e.add(e.mul(unit, format.depth * source.imageStride()),
                         e.mul(pixel, source.columnStride()));
      from = e.add(from, e.mul(task.group, channels * source.channelStride()));
      Value into = e.add(to, left * channels);
      if (source.channelsFirst)
        return packPlanes(unit, from, into, right - left);
      if (source.groups == 1)
        return copy(from, into, (right - left) * channels);
      e.loop(e.index(0), e.index(right - left), 1, [&](Value x) {
        copy(e.add(from, e.mul(x, source.channels)), e.add(into, e.mul(x, channels)), channels);
      });
    });
  });
}

/// Interleaves vectors of `lines` elementwise. Example: [a0, a1], [b0, b1] -> [a0, b0], [a1, b1].
static SmallVector<Value> takingTurns(KernelEmitter &e, ArrayRef<Value> lines) {
  int64_t count = lines.size(), width = cast<VectorType>(lines[0].getType()).getNumElements();
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i) {
    Value merged = lines[0];
    for (int64_t line = std::min<int64_t>(1, count - 1); line < count; ++line) {
      SmallVector<int64_t> from;
      for (int64_t lane = 0; lane < width; ++lane) {
        int64_t place = i * width + lane, behind = place % count;
        from.push_back(behind == line ? width + place / count : line <= 1 ? place / count : lane);
      }
      merged = vector::ShuffleOp::create(e.b, e.loc, merged, lines[line], from);
    }
    result.push_back(merged);
  }
  return result;
}

/// Converts a row from channels-first planes to channels-last: [channels, width] -> [width,
/// channels].
void FilterGradientEmitter::packPlanes(Value unit, Value from, Value to, int64_t length) {
  int64_t channels = source.groupChannels, width = blocking.width;
  forVectors(e, length, width, [&](Value x, int64_t active) {
    SmallVector<Value> lines;
    for (int64_t c = 0; c < channels; ++c) {
      Value at = e.add(e.add(from, x), c * source.channelStride());
      lines.push_back(readUnits(image, unit, at, width, active));
    }
    Value into = e.add(to, e.mul(x, channels));
    for (auto [i, units] : llvm::enumerate(takingTurns(e, lines)))
      if (int64_t left = active * channels - int64_t(i) * width; left > 0)
        e.store(units, rows, e.add(into, int64_t(i) * width), std::min(left, width));
  });
}

/// Whole vectors spill past the end of a window row; the next row overwrites the spill.
void FilterGradientEmitter::gatherWindow(Value row, Value column, Value line) {
  int64_t channels = source.groupChannels, width = blocking.width;
  bool isRun = source.dilations[1] == 1;
  int64_t runs = isRun ? 1 : source.kernel[1], length = isRun ? source.kernel[1] : 1;
  e.loop(e.index(0), e.index(source.kernel[0]), 1, [&](Value ky) {
    e.loop(e.index(0), e.index(runs), 1, [&](Value kx) {
      Value from = e.mul(e.add(row, e.mul(ky, source.dilations[0])), blocking.rowUnits);
      Value x = e.add(column, e.mul(kx, source.dilations[1]));
      from = e.add(from, e.mul(x, channels));
      Value to = e.mul(e.add(e.mul(ky, source.kernel[1]), kx), channels);
      for (int64_t j = 0; j < length * channels; j += width)
        e.store(e.loadVector(rows, format.unit, e.add(from, j), width), line, e.add(to, j));
    });
  });
}
