// A member of a kernel.multi_map as a kernel.map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_MULTIMAPMEMBER_H
#define LIB_CODEGEN_COMMON_MULTIMAPMEMBER_H

#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir-dialects/Kernel/MultiMap.h"

namespace ampc::target {

/// A member of a kernel.multi_map as a pointwise kernel.map over [points], for emitters of maps.
/// The map stands before the kernel until the object is destroyed.
class MultiMapMember {
public:
  MultiMapMember(kernel::MultiMapOp op, unsigned member);
  ~MultiMapMember() { map.erase(); }
  MultiMapMember(const MultiMapMember &) = delete;
  MultiMapMember &operator=(const MultiMapMember &) = delete;

  /// Pointers of the member's operands, shared tensors first, and results, among those of the
  /// kernel.
  KernelPointers pointersIn(const KernelPointers &all) const;

  kernel::MapOp map;
  /// One dimension, along which every tensor but the shared ones is contiguous.
  IterationSpace space;

private:
  unsigned shared, inputs, results, member;
};

/// Plain loops of all members, one after the other.
void emitPlainMultiMap(mlir::Operation *op, Points &points);

} // namespace ampc::target
#endif
