// A model as one tier needs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_ONETIER_H
#define LIB_PACKAGE_ONETIER_H

#include "lib/Package/ModelInfo.h"
#include "llvm/IR/Module.h"

namespace ampc {
/// Tables that name code for `tier` alone, which may be that of tiers below it.
void keepTier(ModelInfo &model, int32_t tier);
/// Removes the code that the tables do not name; false if there is no other.
bool keepNamed(llvm::Module &code, const ModelInfo &model);
} // namespace ampc
#endif
