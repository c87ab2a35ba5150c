// Code of a thread of pointwise maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_POINTKERNEL_H
#define LIB_CODEGEN_NVPTX_POINTKERNEL_H

#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Code for neighbouring points of a thread: load vectors, compute all results, store vectors.
struct PointVectorKernel {
  using Value = mlir::Value;

  kernel::MapOp op;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  const target::IterationSpace &space;
  int64_t points;
  llvm::ArrayRef<Value> dims; // indices of the first point
  const target::Body::Values &scalars;

  Value placeOf(Value pointer, mlir::Type element, const target::Access &access) {
    return e.address(pointer, element, target::position(e, access, dims));
  }
  llvm::SmallVector<Value> dimsAt(int64_t i) {
    llvm::SmallVector<Value> at(dims);
    at.back() = e.add(at.back(), i);
    return at;
  }
  void readInputs(llvm::MutableArrayRef<target::Body::Values> known);
  void write();
};

/// Loads inputs that are constant over the iteration domain, once per thread.
target::Body::Values readScalars(kernel::MapOp op, DeviceEmitter &e, const KernelPointers &pointers,
                                 const target::IterationSpace &space);

/// Vectors per thread: several if there are more vectors than threads needed to keep the memory
/// busy, since a thread loads the values shared by all points once.
int64_t runsPerThread(int64_t runs, const Chip &chip);

} // namespace ampc::nvptx
#endif
