// A model in the style of a person.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_WRITTEN_H
#define TEST_FUZZ_WRITTEN_H

#include "mlir/IR/MLIRContext.h"
#include "test/Fuzz/Trial.h"

namespace ampc::fuzz {
/// Model text with some ops of a function moved into a module, with sizes, and without types that
/// inference finds; the compiled code is that of the original text.
/// The module's state is called p.NAME. Empty if there is nothing to move, or if names decide
/// values, as keys of random numbers.
std::string asWritten(llvm::StringRef text, uint64_t seed, mlir::MLIRContext *context);
/// Renames results between the two forms of a model.
Record withoutModule(const Record &record);
Record withModule(const Record &record);
} // namespace ampc::fuzz
#endif
