// Output phases of dilated images, and the taps that each of them meets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/Common/LoopEmitter.h"
#include <numeric>

using namespace mlir;
using namespace ampc::target;

/// Of a number >= 0.
static int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
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

SmallVector<ConvPhase> ampc::target::phasesOf(const Window &window, bool splits) {
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

bool ampc::target::hasFewChannels(Operation *convolution) {
  constexpr int64_t few = 3; // of RGB
  if (auto conv = dyn_cast<kernel::ConvOp>(convolution))
    return conv.getGroups() == 1 && conv.getRhs().getType().getDimSize(3) <= few;
  auto gradient = dyn_cast<kernel::ConvFilterOp>(convolution);
  return gradient && gradient.getGroups() == 1 && gradient.getSpace()[3] <= few;
}

int64_t ampc::target::chooseFilterParts(kernel::ConvFilterOp op) {
  if (op.hasDilatedImage())
    return 1;
  ArrayRef<int64_t> out = op.getRhs().getType().getShape();
  int64_t sums = ShapedType::getNumElements(op.getSpace());
  int64_t bytes = sums * elementBytes(op.getAcc());
  int64_t products = sums * out[0] * out[1] * out[2];
  int64_t most = std::min({int64_t(16), (4 << 20) / bytes, out[0] / 2, products >> 20});
  return std::max<int64_t>(1, most);
}
