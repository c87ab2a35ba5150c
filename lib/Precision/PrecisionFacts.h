// Analyses of a program before a policy decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_PRECISIONFACTS_H
#define LIB_PRECISION_PRECISIONFACTS_H

#include "lib/Precision/Assignment.h"
#include "lib/Precision/Facts/MagnifiedValues.h"
#include "lib/Precision/Facts/PartialResults.h"
#include "lib/Precision/Facts/ProfileFindings.h"
#include "lib/Precision/Facts/RangeDemands.h"
#include "lib/Precision/Values.h"

namespace ampc {
/// All analyses of lib/Precision/Facts for one program.
class PrecisionFacts : public DecidedProgram {
public:
  /// `profile` may be null; `scale`: loss scale that the gradients will carry.
  PrecisionFacts(train::FuncOp func, mlir::Type low, const PolicyTable &table,
                 const StepProfile *profile = nullptr, double scale = 1);
  PrecisionFacts(const PrecisionFacts &) = delete; ///< the analyses refer to each other

  const mlir::Type low;

  Treatment treatment(mlir::Operation *op) const { return treatments.of(op); }
  Demand demand(mlir::Operation *op) const { return demands.lookup(op); }
  mlir::Type lowOf(mlir::Operation *op) const { return demands.lowOf(op); }
  mlir::Operation *forwardOf(mlir::Operation *op) const { return groups.forwardOf(op); }
  bool isStorageFree(mlir::Value v) const { return storageFree.contains(v); }
  bool isPartial(mlir::Value v) const { return partial.contains(v); }
  bool isWithinKernel(mlir::Value v) const { return partial.isWithinKernel(v); }
  bool isNeverStored(mlir::Value v) const { return partial.isNeverStored(v); }
  const std::string *misfit(mlir::Value v) const { return findings.misfit(v); }
  bool hasProfile() const { return findings.isKnown(); }
  const Reason *magnified(mlir::Value v) const { return magnifiedValues.why(v); }
  /// Warnings for ops that the user fixed to a type too narrow for the op's constants.
  llvm::ArrayRef<LocatedWarning> getWarnings() const { return warnings; }

  /// For policies without hard constraints: ops whose results do not fit 16 bits compute in f32.
  void forceMisfits();

private:
  SourceGroups groups;
  Treatments treatments;
  Demands demands;
  StorageFreeValues storageFree;
  MagnifiedValues magnifiedValues;
  PartialResults partial;
  ProfileFindings findings;
  std::vector<LocatedWarning> warnings;
};
} // namespace ampc
#endif
