// Analyses of a program before a policy decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_PRECISIONANALYSIS_H
#define LIB_PRECISION_PRECISIONANALYSIS_H

#include "lib/Precision/Analysis/IllConditionedValues.h"
#include "lib/Precision/Analysis/ProfileFindings.h"
#include "lib/Precision/Analysis/RangeConstraints.h"
#include "lib/Precision/Analysis/UnroundedIntermediates.h"
#include "lib/Precision/Assignment.h"
#include "lib/Precision/Values.h"

namespace ampc {
/// All analyses of lib/Precision/Analysis for one program.
class PrecisionAnalysis : public DecidedProgram {
public:
  /// `profile` may be null; `scale`: loss scale that the gradients will carry.
  PrecisionAnalysis(train::FuncOp func, mlir::Type low, const PolicyTable &table,
                    const StepProfile *profile = nullptr, double scale = 1);
  PrecisionAnalysis(const PrecisionAnalysis &) = delete; ///< the analyses refer to each other

  const mlir::Type low;

  Treatment treatment(mlir::Operation *op) const { return treatments.of(op); }
  UserConstraint demand(mlir::Operation *op) const { return constraints.lookup(op); }
  mlir::Type lowOf(mlir::Operation *op) const { return constraints.lowOf(op); }
  mlir::Operation *forwardOf(mlir::Operation *op) const { return groups.forwardOf(op); }
  bool isDuplicable(mlir::Value v) const { return duplicable.contains(v); }
  bool isUnrounded(mlir::Value v) const { return partial.contains(v); }
  bool isWithinKernel(mlir::Value v) const { return partial.isWithinKernel(v); }
  bool isNeverStored(mlir::Value v) const { return partial.isNeverStored(v); }
  const std::string *misfit(mlir::Value v) const { return findings.misfit(v); }
  bool hasProfile() const { return findings.isKnown(); }
  const Reason *illConditioned(mlir::Value v) const { return illConditionedValues.why(v); }
  /// Warnings for ops that the user fixed to a type too narrow for the op's constants.
  llvm::ArrayRef<LocatedWarning> getWarnings() const { return warnings; }

  /// For policies without hard constraints: ops whose results do not fit 16 bits compute in f32.
  void forceMisfits();

private:
  SourceGroups groups;
  Treatments treatments;
  UserConstraints constraints;
  DuplicableValues duplicable;
  IllConditionedValues illConditionedValues;
  UnroundedIntermediates partial;
  ProfileFindings findings;
  std::vector<LocatedWarning> warnings;
};
} // namespace ampc
#endif
