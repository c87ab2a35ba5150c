// Duplicable values: available in every type at no cost of storage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_DUPLICABLEVALUES_H
#define LIB_PRECISION_ANALYSIS_DUPLICABLEVALUES_H

#include "lib/Precision/Analysis/UserConstraints.h"

namespace ampc {
/// Parameters, constants and ops that only move either, such as a broadcast of a constant. Storing
/// such values in 16 bits as well costs nothing, and they do not vote on the types of other values.
class DuplicableValues {
public:
  DuplicableValues(const DecidedProgram &program, const UserConstraints &constraints);
  bool contains(mlir::Value v) const { return values.contains(program.sourceOf(v)); }

private:
  const DecidedProgram &program;
  llvm::DenseSet<mlir::Value> values;
};
} // namespace ampc
#endif
