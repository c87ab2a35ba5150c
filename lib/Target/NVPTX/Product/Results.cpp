// Where results of a product are in the space of its kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/Results.h"
#include "lib/Target/Common/Slices.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::IterationSpace;

ProductResults ProductResults::of(kernel::GemmOp op) {
  ProductResults results{IterationSpace::of(op), op.getSpace().back(), {}};
  results.pointOf = [](DeviceEmitter &e, ArrayRef<Value> batch, Value line, Value column) {
    SmallVector<Value> point(batch);
    point.push_back(e.position(line));
    point.push_back(e.position(column));
    return point;
  };
  return results;
}

ProductResults ProductResults::of(kernel::ConvOp op, const target::ConvPhase &phase,
                                  int64_t outputs) {
  ProductResults results{IterationSpace::of(op), outputs, {}};
  results.pointOf = [phase, outputs](DeviceEmitter &e, ArrayRef<Value> batch, Value line,
                                     Value column) {
    const target::Window &window = phase.window;
    SmallVector<Value> point = e.split(line, {window.images, window.outHeight, window.outWidth});
    for (unsigned axis = 0; axis < 2; ++axis)
      point[1 + axis] = e.add(e.mul(point[1 + axis], phase.step[axis]), phase.start[axis]);
    point.push_back(e.add(e.mul(batch[0], outputs), e.position(column)));
    return point;
  };
  return results;
}

// A filter is usually written as it lies in memory: then its taps and channels are one dimension.
ProductResults ProductResults::of(kernel::ConvFilterOp op, int64_t outputs) {
  ProductResults results{IterationSpace::of(op), op.getSpace().back(), {}};
  IterationSpace &space = results.space;
  SmallVector<int64_t> columns(ArrayRef(space.sizes).drop_front());
  auto isOne = [&](const Access &access) {
    return !access.residue && access.strides[2] == access.strides[3] * columns[2] &&
           access.strides[1] == access.strides[2] * columns[1];
  };
  bool namesChannels = !op.getBody().front().getOps<kernel::RowIndexOp>().empty();
  if (!namesChannels && llvm::all_of(space.inputs, isOne) && llvm::all_of(space.results, isOne)) {
    columns = {ShapedType::getNumElements(columns)};
    space.sizes = {space.sizes[0], columns[0]};
    for (Access &access : llvm::concat<Access>(space.inputs, space.results))
      access.strides = {access.strides[0], access.strides[3]};
    results.run = columns[0];
  }
  results.pointOf = [columns, outputs](DeviceEmitter &e, ArrayRef<Value> batch, Value line,
                                       Value column) {
    SmallVector<Value> point{e.add(e.mul(batch[0], outputs), e.position(line))};
    llvm::append_range(point, e.split(column, columns));
    return point;
  };
  return results;
}

int64_t ProductResults::vectorColumns(FusedKernelOpInterface op) const {
  int64_t columns = 4;
  SmallVector<const Access *> runs;
  SmallVector<Value> tensors;
  OperandRange inputs = op.getInputsMutable();
  unsigned last = space.rank() - 1;
  auto visit = [&](Value tensor, const Access &access) {
    if (access.strideAlong(last) != 1)
      return;
    runs.push_back(&access);
    tensors.push_back(tensor);
    if (target::elementBytes(getElementTypeOrSelf(tensor)) <= 2)
      columns = 8;
  };
  for (auto [input, access] : llvm::zip(inputs, space.inputs))
    visit(input, access);
  for (auto [tensor, access] : llvm::zip(op->getResults(), space.results))
    visit(tensor, access);
  auto fits = [&](const Access *access) {
    if (access->residue || access->constant % columns)
      return false;
    for (unsigned dim = 0; dim < last; ++dim)
      if (space.sizes[dim] > 1 && access->strides[dim] % columns)
        return false;
    return true;
  };
  auto isAligned = [&](Value tensor) { return target::startsAligned(tensor, columns); };
  while (columns > 1 &&
         (run % columns || !llvm::all_of(runs, fits) || !llvm::all_of(tensors, isAligned)))
    columns /= 2;
  return columns;
}
