// Decision of a precision policy for a program: compute and storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ASSIGNMENT_H
#define LIB_PRECISION_ASSIGNMENT_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Reason for an op's type: name of the rule, and a sentence for the user.
struct Reason {
  llvm::StringRef rule;
  std::string text;
};

/// Types that a policy assigns in one function. Example: a bf16 matmul computes in bf16, and the
/// result, an f32 accumulator, is stored in bf16. A copy of a value at the boundary of a loop has
/// the storage type of its source unless the policy assigns another.
struct Assignment {
  /// Compute type: type of the operands. A contraction in 16 bits gives f32, every other op the
  /// compute type.
  llvm::DenseMap<mlir::Operation *, mlir::Type> compute;
  /// Type to which operands from outside the op's group are rounded before the op reads the
  /// operands, if present.
  llvm::DenseMap<mlir::Operation *, mlir::Type> entry;
  /// Storage type: type in which consumers find a value.
  llvm::DenseMap<mlir::Value, mlir::Type> storage;
  /// Type of a second copy of an f32 value for the backward pass, if present.
  llvm::DenseMap<mlir::Value, mlir::Type> saved;
  llvm::DenseMap<mlir::Operation *, Reason> reasons;

  mlir::Type storageOf(mlir::Value v) const {
    mlir::Type type = storage.lookup(v);
    return type ? type : mlir::getElementTypeOrSelf(v);
  }
};
} // namespace ampc
#endif
