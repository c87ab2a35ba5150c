// Packing of the filter taps of one phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/FilterTaps.h"

using namespace mlir;
using namespace ampc::cpu;

FilterTaps::FilterTaps(const StridedSource &filter, const ConvPhase &phase, int64_t filterWidth)
    : filter(filter), phase(phase), filterWidth(filterWidth) {
  this->filter.depth = phase.window.groupChannels;
}

void FilterTaps::pack(KernelEmitter &e, Value line, int64_t count, Value firstPoint, Value points,
                      Value panel, PanelLayout layout, const PanelFormat &format) {
  int64_t channels = filter.depth, perTap = channels / format.depth;
  Value end = e.add(firstPoint, points);
  e.loop(e.div(firstPoint, perTap), e.div(e.add(end, perTap - 1), perTap), 1, [&](Value tap) {
    Value y = e.add(e.mul(e.div(tap, phase.window.kernel[1]), phase.tapStep[0]), place.firstTap[0]);
    Value x = e.add(e.mul(e.rem(tap, phase.window.kernel[1]), phase.tapStep[1]), place.firstTap[1]);
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
