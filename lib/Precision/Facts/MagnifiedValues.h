// Values whose rounding would ruin what reads them, whatever the policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_MAGNIFIEDVALUES_H
#define LIB_PRECISION_FACTS_MAGNIFIEDVALUES_H

#include "lib/Precision/Facts/StorageFreeValues.h"

namespace ampc {
class MagnifiedValues {
public:
  MagnifiedValues(const DecidedProgram &program, const StorageFreeValues &storageFree);
  /// Null: it may be rounded.
  const std::string *why(mlir::Value v) const {
    auto found = reasons.find(v);
    return found == reasons.end() ? nullptr : &found->second;
  }
  const llvm::DenseMap<mlir::Value, std::string> &all() const { return reasons; }

private:
  llvm::DenseMap<mlir::Value, std::string> reasons;
};
} // namespace ampc
#endif
