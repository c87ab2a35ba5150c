// Values that do not fit 16 bits according to a profile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_PROFILEFINDINGS_H
#define LIB_PRECISION_ANALYSIS_PROFILEFINDINGS_H

#include "ampc/Precision/Profile.h"
#include "lib/Precision/Analysis/Treatments.h"
#include "lib/Precision/Analysis/UserConstraints.h"

namespace ampc {
class ProfileFindings {
public:
  /// Without a profile there are no findings. `scale`: loss scale that the gradients will carry.
  ProfileFindings(const DecidedProgram &program, mlir::Type low, const StepProfile *profile,
                  double scale);
  /// Reason to keep the value in f32, for example "f16 would flush 12 % of the elements to 0"; null
  /// if the value fits.
  const std::string *misfit(mlir::Value v) const {
    auto found = misfits.find(v);
    return found == misfits.end() ? nullptr : &found->second;
  }
  /// Whether the program has a profile.
  bool isKnown() const { return isGiven; }
  const llvm::DenseMap<mlir::Value, std::string> &all() const { return misfits; }
  /// Constrains contractions of values that do not fit to f32.
  void demandFits(const DecidedProgram &program, const Treatments &treatments,
                  UserConstraints &constraints) const;

private:
  void addCopies(const DecidedProgram &program);

  mlir::Type low;
  bool isGiven;
  llvm::DenseMap<mlir::Value, std::string> misfits;
};
} // namespace ampc
#endif
