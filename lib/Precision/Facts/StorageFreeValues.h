// Values that exist in every type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_STORAGEFREEVALUES_H
#define LIB_PRECISION_FACTS_STORAGEFREEVALUES_H

#include "lib/Precision/Facts/Demands.h"

namespace ampc {
/// Parameters, constants and what only moves them: they cost nothing to store in 16 bits as well,
/// and do not vote on the types of others.
class StorageFreeValues {
public:
  StorageFreeValues(const DecidedProgram &program, const Demands &demands);
  bool contains(mlir::Value v) const { return values.contains(v); }

private:
  llvm::DenseSet<mlir::Value> values;
};
} // namespace ampc
#endif
