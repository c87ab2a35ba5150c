// Values inside an op or a kernel, which nobody rounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_PARTIALRESULTS_H
#define LIB_PRECISION_FACTS_PARTIALRESULTS_H

#include "lib/Precision/Facts/SourceGroups.h"
#include "lib/Precision/Facts/StorageFreeValues.h"
#include "lib/Precision/Facts/Treatments.h"

namespace ampc {
/// Adjoints and composite ops round what they give, not what they are made of; nor is anything
/// rounded between ops of one kernel.
class PartialResults {
public:
  /// What stays within a kernel counts if `keepsKernelsFull`. The demands may still change.
  PartialResults(const DecidedProgram &program, const SourceGroups &groups,
                 const Treatments &treatments, const Demands &demands,
                 const StorageFreeValues &storageFree, bool keepsKernelsFull);
  /// All readers belong to the op's own group or kernel.
  bool contains(mlir::Value v) const { return values.contains(v); }
  /// For the kernel's sake alone.
  bool isWithinKernel(mlir::Value v) const { return withinKernel.contains(v); }
  /// Only pointwise ops of the same kernel read it, or the backward pass makes it again.
  bool isNeverStored(mlir::Value v) const;
  void insert(mlir::Value v) { values.insert(v); }

private:
  void find();
  bool hasFreeResult(mlir::Operation *op) const;
  bool isOnlyMoved(mlir::Value v) const;
  bool isMadeAgain(mlir::Value v) const;
  bool joinsEpilogue(mlir::Operation *op, mlir::Value accumulator) const;

  const DecidedProgram &program;
  const SourceGroups &groups;
  const Treatments &treatments;
  const Demands &demands;
  const StorageFreeValues &storageFree;
  bool keepsKernelsFull;
  llvm::DenseSet<mlir::Value> values, withinKernel, madeAgain;
};
} // namespace ampc
#endif
