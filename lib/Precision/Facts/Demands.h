// What is demanded of single ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_DEMANDS_H
#define LIB_PRECISION_FACTS_DEMANDS_H

#include "lib/Precision/Facts/DecidedProgram.h"
#include "lib/Precision/PolicyTable.h"

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

/// The demands of the model's regions and attributes and of the user's overrides; later also those
/// of what is found not to fit 16 bits.
class Demands {
public:
  Demands(const DecidedProgram &program, mlir::Type low, const PolicyTable &table);
  Demand lookup(mlir::Operation *op) const { return demands.lookup(op); }
  bool isForced(mlir::Operation *op) const { return lookup(op).forced; }
  /// The op's 16-bit type; f32 where it has none.
  mlir::Type lowOf(mlir::Operation *op) const;
  void set(mlir::Operation *op, Demand demand) { demands[op] = std::move(demand); }
  /// Fixes an op to f32, whatever else was demanded.
  void forceFull(mlir::Operation *op, std::string why, llvm::StringRef rule = "override") {
    set(op, {f32, /*disabled=*/false, /*forced=*/true, std::move(why), std::nullopt, rule});
  }

private:
  llvm::DenseMap<mlir::Operation *, Demand> demands;
  mlir::Type low, f32;
};
} // namespace ampc
#endif
