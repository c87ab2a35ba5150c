// Treatment of each op of a program by the policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_TREATMENTS_H
#define LIB_PRECISION_ANALYSIS_TREATMENTS_H

#include "lib/Precision/PolicyTable.h"

namespace ampc {
class Treatments {
public:
  Treatments(llvm::ArrayRef<mlir::Operation *> ops, const PolicyTable &table) {
    for (mlir::Operation *op : ops)
      treatments[op] = table.lookup(op);
  }
  Treatment of(mlir::Operation *op) const { return treatments.lookup(op); }

private:
  llvm::DenseMap<mlir::Operation *, Treatment> treatments;
};
} // namespace ampc
#endif
