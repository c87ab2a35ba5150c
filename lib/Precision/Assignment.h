// What a policy decides about one program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ASSIGNMENT_H
#define LIB_PRECISION_ASSIGNMENT_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Why an op got its type.
struct Reason {
  llvm::StringRef rule;
  std::string text;
};

/// What a policy decides about one function.
struct Assignment {
  /// Type in which the op takes its operands. A contraction in 16 bits gives f32, every other op
  /// this type.
  llvm::DenseMap<mlir::Operation *, mlir::Type> compute;
  /// Operands from outside the op's group are rounded to this type first, if present.
  llvm::DenseMap<mlir::Operation *, mlir::Type> entry;
  /// Type in which a value exists for its readers.
  llvm::DenseMap<mlir::Value, mlir::Type> storage;
  /// Type of the copy of an f32 value that the backward pass reads instead, if present.
  llvm::DenseMap<mlir::Value, mlir::Type> saved;
  llvm::DenseMap<mlir::Operation *, Reason> reasons;

  mlir::Type storageOf(mlir::Value v) const {
    mlir::Type type = storage.lookup(v);
    return type ? type : mlir::getElementTypeOrSelf(v);
  }
};
} // namespace ampc
#endif
