// Mapping of a GEMM's results to the iteration domain of the kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/GemmResults.h"
#include "lib/Codegen/NVPTX/PointVectors.h"

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
    auto place = phase.placeOf(e, batch.size() > 1 ? batch[1] : e.index(0));
    for (unsigned axis = 0; axis < 2; ++axis)
      point[1 + axis] = e.add(e.mul(point[1 + axis], phase.step[axis]), place.start[axis]);
    point.push_back(e.add(e.mul(batch[0], outputs), e.position(column)));
    return point;
  };
  return results;
}

// A filter's gradient is usually stored contiguously: then taps and channels merge into a single
// dimension.
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
  AlignedTensors runs(space, space.rank() - 1);
  runs.addInputs(op);
  runs.addResults(op);
  return runs.points(runs.widest() && runs.narrowest() <= 2 ? 8 : 4, run);
}
