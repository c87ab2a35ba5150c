// What precision policies know about a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_PRECISIONFACTS_H
#define LIB_PRECISION_PRECISIONFACTS_H

#include "ampc/Precision/Profile.h"
#include "lib/Precision/Assignment.h"
#include "lib/Precision/PolicyTable.h"
#include "lib/Precision/Values.h"

namespace ampc {
/// A region's or an override's word on one op.
struct Demand {
  mlir::Type type;       ///< null: none
  bool disabled = false; ///< not under autocast
  bool forced = false;   ///< the op computes in `type`; else that is only its 16-bit type
  std::string source;    ///< for the reason
  std::optional<ComputeMode> mode = std::nullopt;
  llvm::StringRef rule = "override";
  bool roundsOnce = false; ///< forced, but computes in f32 and only rounds its result to `type`
};

/// Facts on the f32 values and the ops of one program.
class PrecisionFacts {
public:
  /// `profile` may be null; `scale` is what its gradients will carry.
  PrecisionFacts(train::FuncOp func, mlir::Type low, const PolicyTable &table,
                 const StepProfile *profile = nullptr, double scale = 1);

  mutable train::FuncOp func; ///< MLIR ops have no const methods
  mlir::Type low, f32;
  llvm::SmallVector<mlir::Operation *> ops; ///< in order, without the terminator

  /// The pass decides over f32 only: other types were chosen by the model's author.
  bool isReal(mlir::Value v) const { return real.contains(v); }
  /// Reads or makes f32 and no other float type.
  bool isDecided(mlir::Operation *op) const { return decided.contains(op); }
  Treatment treatment(mlir::Operation *op) const { return treatments.lookup(op); }
  /// Parameters, constants and what only moves them: they exist in every type and do not vote.
  bool isWeak(mlir::Value v) const { return weak.contains(v); }
  bool isBackward(mlir::Operation *op) const { return backward.contains(op); }
  Demand demand(mlir::Operation *op) const { return demands.lookup(op); }
  mlir::Type lowOf(mlir::Operation *op) const;
  /// Ops that stem from one source op (an adjoint, a decomposed op) share a name.
  llvm::StringRef group(mlir::Operation *op) const { return groups.lookup(op); }
  /// All readers belong to the op's own group: a partial result, which is not rounded.
  bool isInner(mlir::Value v) const { return inner.contains(v); }
  /// Why a profile wants the value in f32; null: it does not.
  const std::string *misfit(mlir::Value v) const {
    auto found = misfits.find(v);
    return found == misfits.end() ? nullptr : &found->second;
  }
  /// Only pointwise ops of the same kernel read it, or the backward pass makes it again.
  bool staysInKernel(mlir::Value v) const;
  /// Inner for that reason alone.
  bool isChained(mlir::Value v) const { return chained.contains(v); }
  /// Why rounding the value would ruin what reads it, whatever the policy; null: it would not.
  const std::string *magnified(mlir::Value v) const {
    auto found = magnifications.find(v);
    return found == magnifications.end() ? nullptr : &found->second;
  }
  /// What the user fixed to a type that cannot hold it: a warning per op.
  llvm::ArrayRef<std::pair<mlir::Location, std::string>> getWarnings() const { return warnings; }
  /// For policies without pins: ops whose results do not fit compute in f32.
  void forceMisfits();
  /// The forward op that an adjoint op stems from, or null.
  mlir::Operation *forwardOf(mlir::Operation *op) const;

private:
  void findWeak();
  void findInner();
  void findMagnified();
  bool isFree(mlir::Operation *op) const;
  bool isRemade(mlir::Value v) const;
  bool joinsEpilogue(mlir::Operation *op, mlir::Value accumulator) const;
  void narrow();
  std::optional<Reason> whyInternal(mlir::Operation *op,
                                    const llvm::DenseSet<mlir::Value> &statistics) const;
  void widenMisfits();
  void widenContractions();
  void readProfile(const StepProfile &profile, double scale);

  llvm::DenseSet<mlir::Operation *> decided, backward;
  llvm::DenseSet<mlir::Value> real, weak, inner, chained, remade;
  llvm::DenseMap<mlir::Operation *, Treatment> treatments;
  llvm::DenseMap<mlir::Operation *, Demand> demands;
  llvm::DenseMap<mlir::Value, std::string> misfits, magnifications;
  std::vector<std::pair<mlir::Location, std::string>> warnings;
  llvm::DenseMap<mlir::Operation *, llvm::StringRef> groups;
  llvm::StringMap<mlir::Operation *> byName;
  bool keepsChains = false;
};
} // namespace ampc
#endif
