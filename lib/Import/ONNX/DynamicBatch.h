// Import of models with an open batch size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_DYNAMICBATCH_H
#define LIB_IMPORT_ONNX_DYNAMICBATCH_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Wire.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ampc::onnx {
/// Whether neither the file nor the options determine the rows of the first input.
bool hasDynamicBatch(const Model &model, const ImportOptions &options);

using Import = llvm::function_ref<llvm::Expected<ImportedModel>(const ImportOptions &)>;
/// Imports a model with a size `batch`. If the text is not the same up to formulas for all sizes,
/// the result is the model for options.batch with a remark, or an error without options.batch.
llvm::Expected<ImportedModel> importForAnyBatch(const ImportOptions &options, Import import);
} // namespace ampc::onnx
#endif
