// Models whose steps have micro-batches: texts with other numbers of these, and sizes of plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_MICROBATCHES_H
#define TEST_FUZZ_MICROBATCHES_H

#include "mlir/IR/BuiltinOps.h"
#include <map>
#include <string>

namespace ampc::fuzz {
/// The text with `count` micro-batches in every step that has some.
std::string withMicroBatches(llvm::StringRef text, int64_t count);
/// The text with one whole batch in place of all micro-batches, "tensor<26x4xf32>" in place of two
/// of "tensor<13x4xf32>". Empty where steps have different numbers of micro-batches, where one of a
/// micro-batch is defined (its draws, its statistics), or where the extent of the batch may be that
/// of something else.
std::string joinMicroBatches(llvm::StringRef text);

/// Sizes of a planned module.
struct PlannedBytes {
  std::map<std::string, int64_t>
      arenas;            ///< by the name of a step that can hold one micro-batch at a time
  int64_t gradients = 0; ///< of all together
};
PlannedBytes readPlan(mlir::ModuleOp module);
} // namespace ampc::fuzz
#endif
