// Values that several stages of a row need, kept instead of computed again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_DATA_ROWCACHE_H
#define LIB_TARGET_CPU_DATA_ROWCACHE_H

#include "lib/Target/CPU/BodyEmitter.h"
#include "lib/Target/Common/PlainLoops.h"

namespace ampc::cpu {

/// In scratch, one row per value, padded to whole vectors. A row's reductions run in stages 0, 1,
/// ...; its results in the last.
class RowCache {
public:
  RowCache(kernel::MapOp op, int64_t length);
  int64_t bytes() const { return int64_t(values.size()) * rowBytes; }
  /// Takes what earlier stages have stored: not what `body` knows anyway, since that was never
  /// computed at a point.
  void load(KernelEmitter &e, const BodyEmitter &body, mlir::Value scratch, unsigned stage,
            const Run &run, BodyEmitter::Values &done) const;
  /// Stores what this stage is the first to compute.
  void store(KernelEmitter &e, mlir::Value scratch, unsigned stage, const Run &run,
             const BodyEmitter::Values &done) const;

private:
  struct Entry {
    mlir::Value value;
    unsigned stage; // the first that computes it
  };
  llvm::SmallVector<Entry> values;
  int64_t rowBytes;
};

} // namespace ampc::cpu
#endif
