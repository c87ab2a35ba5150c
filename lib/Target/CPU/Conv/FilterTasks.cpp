// Task grid of filter gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Conv/FilterTasks.h"

using namespace mlir;
using namespace ampc::cpu;

static constexpr int64_t workPerTask = 1 << 20; // multiply-adds: about 20 us

void FilterTasks::cut(const ProductShape &shape, int64_t wantedTasks, int64_t most, int64_t mostM,
                      int64_t leastM, int64_t leastC) {
  cutPanels(mPanels, mostM, mStep, mTasks);
  cutPanels(cPanels, most / mStep, cStep, cTasks);
  int64_t work = shape.batch * shape.m * shape.n * shape.k;
  int64_t wanted = std::min(wantedTasks, work / workPerTask);
  while (tasks() < wanted && cStep > leastC)
    cutPanels(cPanels, ceilDiv(cStep, 2), cStep, cTasks);
  while (tasks() < wanted && mStep > leastM)
    cutPanels(mPanels, ceilDiv(mStep, 2), mStep, mTasks);
}

FilterTasks::Place FilterTasks::locate(KernelEmitter &e, Value number) const {
  Place place;
  place.m = e.mul(e.rem(number, mTasks), mStep);
  number = e.div(number, mTasks);
  place.c = e.mul(e.rem(number, cTasks), cStep);
  number = e.div(number, cTasks);
  place.part = e.rem(number, parts);
  place.group = e.div(number, parts);
  place.mEnd = e.min(e.add(place.m, mStep), e.index(mPanels));
  place.cEnd = e.min(e.add(place.c, cStep), e.index(cPanels));
  return place;
}
