// What a profile says of the values of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_PROFILEFINDINGS_H
#define LIB_PRECISION_FACTS_PROFILEFINDINGS_H

#include "ampc/Precision/Profile.h"
#include "lib/Precision/Facts/Demands.h"
#include "lib/Precision/Facts/Treatments.h"

namespace ampc {
class ProfileFindings {
public:
  /// Without a profile nothing is found; `scale` is what its gradients will carry.
  ProfileFindings(const DecidedProgram &program, mlir::Type low, const StepProfile *profile,
                  double scale);
  /// Why the value should stay in f32; null: it need not.
  const std::string *misfit(mlir::Value v) const {
    auto found = misfits.find(v);
    return found == misfits.end() ? nullptr : &found->second;
  }
  /// Whether there is a profile.
  bool isKnown() const { return isGiven; }
  const llvm::DenseMap<mlir::Value, std::string> &all() const { return misfits; }
  /// Contractions of values that do not fit compute in f32.
  void demandFits(const DecidedProgram &program, const Treatments &treatments,
                  Demands &demands) const;

private:
  mlir::Type low;
  bool isGiven;
  llvm::DenseMap<mlir::Value, std::string> misfits;
};
} // namespace ampc
#endif
