// Analysis of products that can read a weight packed, and of the panel order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PACKING_PACKABLEPRODUCTS_H
#define LIB_KERNEL_PACKING_PACKABLEPRODUCTS_H

#include "ampc/Codegen/Target.h"
#include "llvm/ADT/MapVector.h"

namespace ampc {

/// A weight and the packed type, i.e. the panel order in which products read the weight.
using Copy = std::pair<mlir::StringAttr, mlir::Type>;

/// A product whose B (operand 1) is the weight or a transformed weight, in a program or in an
/// outlined loop body that the program calls.
struct PackableProduct {
  FusedKernelOpInterface product;
  int64_t runs;    ///< runs of the product per run of the program
  int64_t saving;  ///< packs of the weight saved per run of the product
  int64_t writing; ///< cost of writing the copy, in packs of the weight
};
/// Packed reads by copy and program.
using PackableProducts =
    llvm::MapVector<Copy,
                    llvm::MapVector<mlir::Operation *, llvm::SmallVector<PackableProduct, 1>>>;

/// Only call of an outlined loop body; null if there are several calls or none.
kernel::CallOp onlyCallOf(kernel::ProgramOp part);

/// Collects the products of a program, or of an outlined loop body, that can read a weight packed.
void findPackableProducts(kernel::ProgramOp program, const Target &target,
                          llvm::function_ref<bool(mlir::StringAttr)> isWeight,
                          PackableProducts &reads);

/// Output tile side of a Winograd-transformed filter copy, 2 or 4; 0 for a copy that is only
/// packed.
int64_t tileOf(mlir::RankedTensorType weight, mlir::RankedTensorType copy);
/// Suffix of the copy's name: weight "w" -> copy "w.packed".
std::string suffixOf(mlir::RankedTensorType weight, mlir::Type copy);

} // namespace ampc
#endif
