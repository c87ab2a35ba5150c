// Vectors of neighbouring points of a fused kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/PointVectors.h"
#include "lib/Codegen/Common/Slices.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::Body;

void AlignedTensors::add(Value tensor, const Access &access) {
  if (access.strideAlong(along) == 1)
    runs.push_back({tensor, &access});
}
void AlignedTensors::addInputs(FusedKernelOpInterface op) {
  OperandRange inputs = op.getInputsMutable();
  for (auto [input, access] : llvm::zip(inputs, space.inputs))
    add(input, access);
}
void AlignedTensors::addResults(FusedKernelOpInterface op) {
  for (auto [result, access] : llvm::zip(op->getResults(), space.results))
    add(result, access);
}

static int64_t bytesOf(Value tensor) {
  return target::elementBytes(getElementTypeOrSelf(tensor.getType()));
}
int64_t AlignedTensors::widest() const {
  int64_t bytes = 0;
  for (const Run &run : runs)
    bytes = std::max(bytes, bytesOf(run.first));
  return bytes;
}
int64_t AlignedTensors::narrowest() const {
  int64_t bytes = widest();
  for (const Run &run : runs)
    bytes = std::min(bytes, bytesOf(run.first));
  return bytes;
}

/// Reason why vectors of `points` elements are not aligned; empty if aligned.
StringRef AlignedTensors::whyApart(const Run &run, int64_t points) const {
  const Access &access = *run.second;
  if (access.residue)
    return "a tensor's places are no linear function of the point";
  for (unsigned dim = 0; dim < space.rank(); ++dim)
    if (dim != along && space.sizes[dim] > 1 && access.strides[dim] % points)
      return "rows of a tensor start at an odd element";
  if (access.constant % points)
    return "a tensor is read or written from an odd element on";
  return target::startsAligned(run.first, points) ? ""
                                                  : "a slice of a tensor starts at an odd element";
}
int64_t AlignedTensors::points(int64_t most, int64_t step, StringRef *why) const {
  auto fits = [&](int64_t points) {
    StringRef apart = step % points ? "parts of a run have an odd number of points" : "";
    for (const Run &run : runs)
      if (apart.empty())
        apart = whyApart(run, points);
    if (why)
      *why = apart;
    return apart.empty();
  };
  int64_t points = most;
  while (points > 1 && !fits(points))
    points /= 2;
  return points;
}

PointVectors::PointVectors(FusedKernelOpInterface op, const target::IterationSpace &space,
                           unsigned along, int64_t step, int64_t most)
    : op(op), space(space), along(along) {
  AlignedTensors runs(space, along);
  runs.addInputs(op);
  if (int64_t widest = runs.widest())
    points = runs.points(std::min(most, 16 / widest), step);
}

SmallVector<Body::Values> PointVectors::read(DeviceEmitter &e, const KernelPointers &pointers,
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
    SmallVector<Value> run = e.loadVector(place, argument.getType(), isRun ? points : 1);
    for (auto [point, values] : llvm::enumerate(known))
      values[argument] = run[isRun ? point : 0];
  }
  return known;
}

SmallVector<SmallVector<Value>> PointVectors::yields(DeviceEmitter &e,
                                                     const KernelPointers &pointers, Body &body,
                                                     ArrayRef<Value> dims) const {
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
