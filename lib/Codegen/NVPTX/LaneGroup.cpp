// Groups of lanes that reduce together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/LaneGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

LaneGroup::LaneGroup(DeviceEmitter &e, int64_t width, Value number, int64_t count)
    : width(width), e(e), laneIndex(e.position(e.rem(e.thread(), width))) {
  int64_t groups = 32 / width, left = count % groups;
  members = e.i32(-1);
  if (left > 0)
    members = target::select(e, e.isBelow(number, count - left), members,
                             e.i32((int64_t(1) << left * width) - 1));
}

Value LaneGroup::combine(kernel::Combine kind, Value x) {
  for (int64_t half = width / 2; half >= 1; half /= 2)
    x = target::combine(e, kind, x, e.shuffleDown(x, members, half, width));
  return from(x, 0);
}
Value LaneGroup::from(Value x, int64_t lane) { return fromLane(x, e.i32(lane)); }
Value LaneGroup::fromLane(Value x, Value lane) { return e.shuffle(x, members, lane, width); }

void nvptx::launchGroups(
    DeviceCode &code, int64_t count, int64_t width,
    llvm::function_ref<void(DeviceEmitter &, const KernelPointers &, LaneGroup &, Value)> body,
    int64_t registers) {
  if (count == 0)
    return;
  constexpr int64_t threads = 128;
  LaunchShape shape;
  shape.registers = registers;
  shape.threads = std::min<int64_t>(threads, llvm::alignTo(count * width, 32));
  int64_t groups = shape.threads / width;
  shape.grid[0] = llvm::divideCeil(count, groups);
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Value number = e.add(e.mul(e.block(), groups), e.div(e.thread(), width));
    auto run = [&] {
      LaneGroup group(e, width, number, count);
      body(e, pointers, group, number);
    };
    if (count % groups == 0)
      return run();
    e.when(e.isBelow(number, count), run);
  });
}
