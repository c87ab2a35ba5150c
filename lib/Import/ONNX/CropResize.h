// Crop and resize: Resize with tf_crop_and_resize.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_CROPRESIZE_H
#define LIB_IMPORT_ONNX_CROPRESIZE_H

#include "lib/Import/ONNX/Converter.h"
#include "mlir-dialects/Interpolation.h"

namespace ampc::onnx {
/// Crops x to the node's `roi` and resizes to the sizes `to`, in the order of the file; dimension i
/// of x is dimension order[i] of the file.
mlir::Value cropAndResize(Converter &c, mlir::Value x, llvm::ArrayRef<int64_t> to,
                          llvm::ArrayRef<int64_t> order, const train::Interpolation &how);
} // namespace ampc::onnx
#endif
