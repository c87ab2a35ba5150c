// Models whose number of rows the file leaves open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_BATCH_H
#define LIB_IMPORT_ONNX_BATCH_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Wire.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ampc::onnx {
/// Whether neither the file nor the options say how many rows the first input has.
bool hasOpenBatch(const Model &model, const ImportOptions &options);

using Import = llvm::function_ref<llvm::Expected<ImportedModel>(const ImportOptions &)>;
/// A model with a size `batch`. Where its text is not the same for every number of rows, it is that
/// of options.batch with a remark, and without that an error.
llvm::Expected<ImportedModel> importForAnyBatch(const ImportOptions &options, Import import);
} // namespace ampc::onnx
#endif
