// Steps with micro-batches: texts with other numbers of micro-batches, and sizes of plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_MICROBATCHES_H
#define TEST_FUZZ_MICROBATCHES_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace ampc::fuzz {
/// The text with `count` micro-batches in every step that has some.
std::string withMicroBatches(llvm::StringRef text, int64_t count);
/// Text with a whole batch in place of all micro-batches: "tensor<26x4xf32>" in place of two of
/// "tensor<13x4xf32>". Empty if steps have different numbers of micro-batches, if results per
/// micro-batch are defined (draws, statistics), or if the batch's extent may belong to another
/// dimension.
std::string joinMicroBatches(llvm::StringRef text);

/// Sizes of a planned module.
struct PlannedBytes {
  std::map<std::string, int64_t>
      arenas;            ///< by the name of a step that can hold a single micro-batch at a time
  int64_t gradients = 0; ///< of all together
  int64_t rows = 0;      ///< of all buffers with a row per row of the batch
};
PlannedBytes readPlan(mlir::ModuleOp module);
} // namespace ampc::fuzz
#endif
