// A model as a person would write it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_WRITTEN_H
#define TEST_FUZZ_WRITTEN_H

#include "mlir/IR/MLIRContext.h"
#include "test/Fuzz/Trial.h"

namespace ampc::fuzz {
/// The same model with some ops of a function in a module, with sizes, and without the types that
/// follow from others. Its state is called p.NAME. Empty where there is nothing to move, or where
/// names decide numbers: of random ones they are the keys.
std::string asWritten(llvm::StringRef text, uint64_t seed, mlir::MLIRContext *context);
/// Results of such a model under the names that the plain one has, and the other way round.
Record withoutModule(const Record &record);
Record withModule(const Record &record);
} // namespace ampc::fuzz
#endif
