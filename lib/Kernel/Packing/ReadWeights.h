// Products that can read a weight packed, and in which order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PACKING_READWEIGHTS_H
#define LIB_KERNEL_PACKING_READWEIGHTS_H

#include "ampc/Target/Target.h"
#include "llvm/ADT/MapVector.h"

namespace ampc {

/// A weight, and the packed type of the order in which products read it.
using Copy = std::pair<mlir::StringAttr, mlir::Type>;

/// A product whose right side (operand 1) is the weight or what a kernel makes of it, in a program
/// or in a part that this calls.
struct PackedRead {
  FusedKernelOpInterface product;
  int64_t runs;    ///< of the product in one of the program
  int64_t saving;  ///< what it saves in a run of it: as many times packing the weight
  int64_t writing; ///< the same of what writing the copy takes
};
/// By copy and program.
using PackedReads =
    llvm::MapVector<Copy, llvm::MapVector<mlir::Operation *, llvm::SmallVector<PackedRead, 1>>>;

/// The only call of a part; null if there are more or none.
kernel::CallOp onlyCallOf(kernel::ProgramOp part);

/// Adds what a program, or a part that it calls, can read packed.
void findReads(kernel::ProgramOp program, const Target &target,
               llvm::function_ref<bool(mlir::StringAttr)> isWeight, PackedReads &reads);

/// Of a copy of a filter that is transformed for tiles of outputs: their side. 0: it is packed.
int64_t tileOf(mlir::RankedTensorType weight, mlir::RankedTensorType copy);
/// What a copy of the weight is called behind its name.
std::string suffixOf(mlir::RankedTensorType weight, mlir::Type copy);

} // namespace ampc
#endif
