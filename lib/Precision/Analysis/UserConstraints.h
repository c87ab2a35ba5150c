// User constraints on the types of single ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_USERCONSTRAINTS_H
#define LIB_PRECISION_ANALYSIS_USERCONSTRAINTS_H

#include "lib/Precision/Analysis/DecidedProgram.h"
#include "lib/Precision/PolicyTable.h"

namespace ampc {
/// Constraint of a region, an attribute or an override on a single op. Example: `{compute = f32}`
/// on a matmul -> type f32, forced.
struct UserConstraint {
  mlir::Type type;       ///< null: no constraint
  bool disabled = false; ///< autocast is off for the op
  bool forced = false;   ///< the op computes in `type`; otherwise `type` is the op's 16-bit type,
                         ///< if a policy chooses 16 bits
  std::string source;    ///< sentence for the op's reason
  std::optional<ComputeMode> mode = std::nullopt;
  llvm::StringRef rule = "override";
  bool roundsOnce = false; ///< forced result type: computes in f32 and rounds the result to `type`
};

/// Constraints from regions and attributes of the model and from the user's overrides. Later
/// analyses add f32 constraints for values that do not fit 16 bits.
class UserConstraints {
public:
  UserConstraints(const DecidedProgram &program, mlir::Type low, const PolicyTable &table);
  UserConstraint lookup(mlir::Operation *op) const { return constraints.lookup(op); }
  bool isForced(mlir::Operation *op) const { return lookup(op).forced; }
  /// The op's 16-bit type; f32 if autocast is off.
  mlir::Type lowOf(mlir::Operation *op) const;
  void set(mlir::Operation *op, UserConstraint demand) { constraints[op] = std::move(demand); }
  /// Fixes an op to f32, over any earlier constraint.
  void forceFull(mlir::Operation *op, std::string why, llvm::StringRef rule = "override") {
    set(op, {f32, /*disabled=*/false, /*forced=*/true, std::move(why), std::nullopt, rule});
  }

private:
  llvm::DenseMap<mlir::Operation *, UserConstraint> constraints;
  mlir::Type low, f32;
};
} // namespace ampc
#endif
