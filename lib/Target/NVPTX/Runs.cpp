// Neighbouring points of a fused kernel by one thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Runs.h"
#include "lib/Target/Common/Slices.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::Body;

Runs::Runs(FusedKernelOpInterface op, const target::IterationSpace &space, unsigned along,
           int64_t step, int64_t most)
    : op(op), space(space), along(along) {
  int64_t widest = 0;
  SmallVector<const Access *> runs;
  SmallVector<Value> tensors;
  OperandRange inputs = op.getInputsMutable();
  for (auto [input, access] : llvm::zip(inputs, space.inputs))
    if (access.strideAlong(along) == 1) {
      runs.push_back(&access);
      tensors.push_back(input);
      widest = std::max(widest, target::elementBytes(getElementTypeOrSelf(input.getType())));
    }
  if (runs.empty())
    return;
  points = std::min(most, 16 / widest);
  auto fits = [&](const Access *access) {
    bool isAligned = !access->residue && access->constant % points == 0;
    for (unsigned dim = 0; dim < space.rank(); ++dim)
      isAligned &= dim == along || space.sizes[dim] == 1 || access->strides[dim] % points == 0;
    return isAligned;
  };
  auto isAligned = [&](Value tensor) { return target::startsAligned(tensor, points); };
  while (points > 1 &&
         (step % points || !llvm::all_of(runs, fits) || !llvm::all_of(tensors, isAligned)))
    points /= 2;
}

SmallVector<Body::Values> Runs::read(DeviceEmitter &e, const KernelPointers &pointers,
                                     ArrayRef<Value> dims) const {
  SmallVector<Body::Values> known(points);
  FusedKernelOpInterface kernel = op;
  unsigned lead = kernel.getNumLeadingArguments();
  auto memory = ArrayRef(pointers.operands).take_back(space.inputs.size());
  for (auto [i, access] : llvm::enumerate(space.inputs)) {
    BlockArgument argument = kernel.getBody().getArgument(lead + i);
    bool isRun = access.strideAlong(along) == 1;
    if (argument.use_empty() || (access.dependsOn(along) && !isRun))
      continue;
    Value place = e.address(memory[i], argument.getType(), target::position(e, access, dims));
    SmallVector<Value> run = e.loadRun(place, argument.getType(), isRun ? points : 1);
    for (auto [point, values] : llvm::enumerate(known))
      values[argument] = run[isRun ? point : 0];
  }
  return known;
}

SmallVector<SmallVector<Value>> Runs::yields(DeviceEmitter &e, const KernelPointers &pointers,
                                             Body &body, ArrayRef<Value> dims) const {
  FusedKernelOpInterface kernel = op;
  SmallVector<SmallVector<Value>> all(kernel->getNumResults());
  for (auto [i, values] : llvm::enumerate(read(e, pointers, dims))) {
    SmallVector<Value> at(dims);
    at[along] = e.add(at[along], i);
    for (auto [k, value] : llvm::enumerate(body.yields(at, values)))
      all[k].push_back(value);
  }
  return all;
}
