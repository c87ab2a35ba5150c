// Phases of convolutions of dilated images: output pixels that meet the same taps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "llvm/ADT/BitVector.h"
#include <numeric>

using namespace mlir;
using namespace ampc::target;

/// Quotient rounded up, for x >= 0.
static int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
/// Quotient rounded down for negative x, too: padding may reach past the first tap.
static int64_t floorDiv(int64_t x, int64_t y) { return x >= 0 ? x / y : -ceilDiv(-x, y); }

/// Fills in an axis (0: rows, 1: columns) of the phase that starts at output `start`.
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

namespace {
/// Phases along an axis whose windows are equal except for the first tap.
struct AxisPhases {
  int64_t start, count, between;
};
} // namespace

/// Whether phase `next` may share the code of `phase`, its predecessor.
static bool isNext(const ConvPhase &phase, const ConvPhase &next, unsigned axis) {
  auto length = [&](const Window &window) {
    return axis == 0 ? window.outHeight : window.outWidth;
  };
  const Window &a = phase.window, &b = next.window;
  if (a.kernel[axis] != b.kernel[axis] || length(a) != length(b))
    return false;
  return a.kernel[axis] == 0 ||
         (a.padding[axis] == b.padding[axis] && next.firstTap[axis] == phase.firstTap[axis] - 1);
}

/// Phases along an axis that together cover the first `starts` outputs, as few as possible. From a
/// phase to the next the start moves by the dilation when the first tap moves by 1; between phases
/// without taps, by 1.
static SmallVector<AxisPhases> phasesAlong(const Window &whole, unsigned axis, int64_t starts,
                                           bool share) {
  SmallVector<ConvPhase, 0> cut(starts);
  for (auto [start, phase] : llvm::enumerate(cut))
    cutAxis(whole, axis, start, phase);
  SmallVector<AxisPhases> phases;
  llvm::BitVector taken(starts);
  for (int64_t start = 0; start < starts; ++start) {
    if (taken.test(start))
      continue;
    AxisPhases best{start, 1, 1};
    for (int64_t between : {int64_t(1), whole.dilations[axis]}) {
      int64_t count = 1;
      for (int64_t next = start + between; share && next < starts && !taken.test(next) &&
                                           isNext(cut[next - between], cut[next], axis);
           next += between)
        ++count;
      if (count > best.count)
        best = {start, count, between};
    }
    for (int64_t i = 0; i < best.count; ++i)
      taken.set(start + i * best.between);
    phases.push_back(best);
  }
  return phases;
}

SmallVector<ConvPhase> ampc::target::phasesOf(const Window &window, bool splits) {
  const int64_t *spread = window.inputDilations, *strides = window.strides;
  if (spread[0] * spread[1] == 1 || strides[0] * strides[1] != 1 || !splits)
    return {ConvPhase{window, {0, 0}, {1, 1}, {0, 0}, {1, 1}}};
  constexpr int64_t few = 16; // windows of so few phases are constants of the code
  int64_t rows = std::min(spread[0], window.outHeight),
          columns = std::min(spread[1], window.outWidth);
  bool share = rows * columns > few;
  SmallVector<ConvPhase> phases;
  for (const AxisPhases &y : phasesAlong(window, 0, rows, share))
    for (const AxisPhases &x : phasesAlong(window, 1, columns, share)) {
      ConvPhase &phase = phases.emplace_back();
      phase.window = window;
      const AxisPhases *along[] = {&y, &x};
      for (unsigned axis : {0, 1}) {
        cutAxis(window, axis, along[axis]->start, phase);
        phase.count[axis] = along[axis]->count;
        phase.between[axis] = along[axis]->between;
      }
    }
  return phases;
}

ConvPhase::Offsets ConvPhase::placeOf(LoopEmitter &e, Value number) const {
  Offsets place;
  for (unsigned axis : {0, 1}) {
    Value along = axis == 0 ? e.div(number, count[1]) : e.rem(number, count[1]);
    place.start[axis] = e.add(e.mul(along, between[axis]), start[axis]);
    place.firstTap[axis] = e.sub(e.index(firstTap[axis]), along);
  }
  return place;
}

Value ConvPhase::numberAt(LoopEmitter &e, unsigned axis, Value at, Value &isHere) const {
  Value rest = e.rem(at, step[axis]), first = e.index(start[axis]);
  if (count[axis] == 1) {
    isHere = equal(e, rest, first);
    return e.index(0);
  }
  Value distance = e.sub(rest, first), number = e.div(distance, between[axis]);
  isHere = both(e, within(e, distance, count[axis] * between[axis]),
                equal(e, e.rem(distance, between[axis]), e.index(0)));
  return number;
}

bool ampc::target::hasFewChannels(Operation *convolution) {
  constexpr int64_t few = 3; // channels, e.g. 3 of RGB
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
