// Costly values that several stages of a row use, kept in scratch. Example: exp(x - max) of a
// softmax.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_DATA_ROWCACHE_H
#define LIB_CODEGEN_CPU_DATA_ROWCACHE_H

#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/Common/PlainLoops.h"

namespace ampc::cpu {

/// Scratch [values, row], padded to whole vectors. The reductions of a row run in stages 0, 1, ...;
/// results are stored in the last stage.
class RowCache {
public:
  RowCache(kernel::MapOp op, int64_t length);
  int64_t bytes() const { return int64_t(values.size()) * rowBytes; }
  /// Loads values that earlier stages stored. Skips values pinned in `body`: pinned values were
  /// never computed at a point, so never stored.
  void load(KernelEmitter &e, const BodyEmitter &body, mlir::Value scratch, unsigned stage,
            const PointVector &run, BodyEmitter::Values &done) const;
  /// Stores values that this stage is the first to compute.
  void store(KernelEmitter &e, mlir::Value scratch, unsigned stage, const PointVector &run,
             const BodyEmitter::Values &done) const;

private:
  struct Entry {
    mlir::Value value;
    unsigned stage; // first stage that computes the value
  };
  llvm::SmallVector<Entry> values;
  int64_t rowBytes;
};

} // namespace ampc::cpu
#endif
