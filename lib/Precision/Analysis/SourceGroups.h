// Groups of ops that stem from the same op of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_SOURCEGROUPS_H
#define LIB_PRECISION_ANALYSIS_SOURCEGROUPS_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// Ops from one source op (an adjoint, a decomposed op) share a group name.
class SourceGroups {
public:
  explicit SourceGroups(llvm::ArrayRef<mlir::Operation *> ops);
  llvm::StringRef group(mlir::Operation *op) const { return groups.lookup(op); }
  /// The forward op that an adjoint op stems from, or null.
  mlir::Operation *forwardOf(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::Operation *, llvm::StringRef> groups;
  llvm::StringMap<mlir::Operation *> byName;
};
} // namespace ampc
#endif
