// Task grid of filter gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/FilterTasks.h"

using namespace mlir;
using namespace ampc::cpu;

static constexpr int64_t workPerTask = 1 << 20; // multiply-adds: about 20 us

void FilterTasks::cut(const ProductShape &shape, int64_t wantedTasks, int64_t most, int64_t mostM,
                      int64_t leastM, int64_t leastC) {
  PanelGrid m(mPanels, mostM), c(cPanels, most / m.step);
  int64_t work = shape.batch * shape.m * shape.n * shape.k;
  int64_t wanted = std::min(wantedTasks, work / workPerTask);
  auto lacksTasks = [&] { return groups * parts * m.tasks * c.tasks < wanted; };
  while (lacksTasks() && c.step > leastC)
    c.halve();
  while (lacksTasks() && m.step > leastM)
    m.halve();
  cutTo(m.step, c.step);
}

void FilterTasks::cutTo(int64_t mostM, int64_t mostC) {
  PanelGrid m(mPanels, mostM), c(cPanels, mostC);
  mStep = m.step, mTasks = m.tasks;
  cStep = c.step, cTasks = c.tasks;
}

FilterTasks::TaskBounds FilterTasks::locate(KernelEmitter &e, Value number) const {
  TaskBounds place;
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
