// Output phases of dilated images, and the taps that each of them meets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Conv/ConvPhases.h"
#include <numeric>

using namespace mlir;
using namespace ampc::cpu;

/// Rounded down, also below zero: padding may reach past the first tap.
static int64_t floorDiv(int64_t x, int64_t y) { return x >= 0 ? x / y : -ceilDiv(-x, y); }

/// Fills in one axis of the phase that starts at output row (column) `start`.
static void cutAxis(const Window &whole, unsigned axis, int64_t start, ConvPhase &phase) {
  int64_t spread = whole.inputDilations[axis], dilation = whole.dilations[axis];
  int64_t length = axis == 0 ? whole.outHeight : whole.outWidth;
  int64_t tap = 0, step = spread / std::gcd(spread, dilation);
  auto position = [&] { return start + tap * dilation - whole.padding[axis]; };
  while (tap < std::min(step, whole.kernel[axis]) && position() % spread)
    ++tap;
  Window &window = phase.window;
  bool meets = tap < whole.kernel[axis] && position() % spread == 0;
  phase.start[axis] = start;
  phase.step[axis] = spread;
  phase.firstTap[axis] = tap;
  phase.tapStep[axis] = step;
  window.kernel[axis] = meets ? ceilDiv(whole.kernel[axis] - tap, step) : 0;
  window.padding[axis] = -floorDiv(position(), spread);
  window.dilations[axis] = step * dilation / spread;
  window.inputDilations[axis] = 1;
  (axis == 0 ? window.outHeight : window.outWidth) = ceilDiv(length - start, spread);
}

SmallVector<ConvPhase> ampc::cpu::phasesOf(const Window &window, bool splits) {
  const int64_t *spread = window.inputDilations, *strides = window.strides;
  if (spread[0] * spread[1] == 1 || strides[0] * strides[1] != 1 || !splits)
    return {ConvPhase{window, {0, 0}, {1, 1}, {0, 0}, {1, 1}}};
  SmallVector<ConvPhase> phases;
  for (int64_t y = 0; y < std::min(spread[0], window.outHeight); ++y)
    for (int64_t x = 0; x < std::min(spread[1], window.outWidth); ++x) {
      ConvPhase &phase = phases.emplace_back();
      phase.window = window;
      cutAxis(window, 0, y, phase);
      cutAxis(window, 1, x, phase);
    }
  return phases;
}

FilterTaps::FilterTaps(const StridedSource &filter, const ConvPhase &phase, int64_t filterWidth)
    : filter(filter), phase(phase), filterWidth(filterWidth) {
  this->filter.depth = phase.window.groupChannels;
}

void FilterTaps::pack(KernelEmitter &e, Value line, int64_t count, Value firstPoint, Value points,
                      Value panel, PanelLayout layout, const PanelFormat &format) {
  int64_t channels = filter.depth, perTap = channels / format.depth;
  Value end = e.add(firstPoint, points);
  e.loop(e.div(firstPoint, perTap), e.div(e.add(end, perTap - 1), perTap), 1, [&](Value tap) {
    Value y = e.add(e.mul(e.div(tap, phase.window.kernel[1]), phase.tapStep[0]), phase.firstTap[0]);
    Value x = e.add(e.mul(e.rem(tap, phase.window.kernel[1]), phase.tapStep[1]), phase.firstTap[1]);
    Value start = e.mul(e.add(e.mul(y, filterWidth), x), channels), first = e.mul(tap, perTap);
    StridedSource here = filter;
    here.pointer = e.address(filter.pointer, filter.element, start);
    here.enterBatch(e, group);
    Value from = e.max(e.index(0), e.sub(firstPoint, first));
    Value until = e.min(e.index(perTap), e.sub(end, first));
    Value into = e.mul(e.sub(e.add(first, from), firstPoint), layout.depthStride);
    here.pack(e, line, count, from, e.sub(until, from), e.address(panel, format.unit, into), layout,
              format);
  });
}
