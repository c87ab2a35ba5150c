// Unrounded intermediates: values inside an op or a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_UNROUNDEDINTERMEDIATES_H
#define LIB_PRECISION_ANALYSIS_UNROUNDEDINTERMEDIATES_H

#include "lib/Precision/Analysis/DuplicableValues.h"
#include "lib/Precision/Analysis/SourceGroups.h"
#include "lib/Precision/Analysis/Treatments.h"

namespace ampc {
/// Adjoints and composite ops round only results, not intermediates; nor is anything rounded
/// between ops of the same kernel.
class UnroundedIntermediates {
public:
  /// Values within a kernel count if `keepsKernelsFull`. Constraints may still change after
  /// construction.
  UnroundedIntermediates(const DecidedProgram &program, const SourceGroups &groups,
                         const Treatments &treatments, const UserConstraints &constraints,
                         const DuplicableValues &duplicable, bool keepsKernelsFull);
  /// Whether all consumers belong to the group or the kernel of the value's producer.
  bool contains(mlir::Value v) const { return values.contains(program.sourceOf(v)); }
  /// Whether the value is unrounded only because a kernel never stores the value.
  bool isWithinKernel(mlir::Value v) const { return withinKernel.contains(program.sourceOf(v)); }
  /// Whether only pointwise ops of the same kernel read the value, or the backward pass
  /// rematerializes the value.
  bool isNeverStored(mlir::Value v) const;
  void insert(mlir::Value v) { values.insert(v); }

private:
  void find();
  bool hasFreeResult(mlir::Operation *op) const;
  bool isOnlyMoved(mlir::Value v) const;
  bool isRematerialized(mlir::Value v) const;
  bool isPartialSum(mlir::Operation *op, mlir::Value result) const;
  bool joinsEpilogue(mlir::Operation *op, mlir::Value accumulator) const;

  const DecidedProgram &program;
  const SourceGroups &groups;
  const Treatments &treatments;
  const UserConstraints &constraints;
  const DuplicableValues &duplicable;
  bool keepsKernelsFull;
  llvm::DenseSet<mlir::Value> values, withinKernel, rematerialized;
};
} // namespace ampc
#endif
