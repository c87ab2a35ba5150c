// Reduction of a model's tables and code to a single tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_ONETIER_H
#define LIB_PACKAGE_ONETIER_H

#include "lib/Package/ModelInfo.h"
#include "llvm/IR/Module.h"

namespace ampc {
/// Restricts the tables to the code of `tier`, which may be code shared with lower tiers.
void keepTier(ModelInfo &model, int32_t tier);
/// Removes code without a reference in the tables; false if no code is left.
bool keepNamed(llvm::Module &code, const ModelInfo &model);
} // namespace ampc
#endif
